"""Units of the books of extraction: what a character, a digit and a percent sign are, for all counters.

A *visible character* is a code point after NFC that is neither white space nor a control character
(not in Unicode categories Z* and Cc). The same in DuckDB:
`length(regexp_replace(nfc_normalize(text), '[\\s\\p{Z}\\p{Cc}]', '', 'g'))`.
Nothing here parses a format; `plain_decode` is the counters' own way from bytes to text.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from muniment.extraction.model import Adjustment

_NOT_COUNTED = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_DIGIT = re.compile(r"\d")
_PERCENT = re.compile("[%‰‱٪％]")

#: Units that are counted in text; the first depends on whether the text is visible.
TEXT_UNITS = ("chars_visible", "digits", "percents")

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def characters(text: str) -> int:
    """Code points after NFC that are neither white space nor control characters."""
    return len(_NOT_COUNTED.sub("", unicodedata.normalize("NFC", text)))


def digits(text: str) -> int:
    """Decimal digits of any script (Unicode category Nd)."""
    return len(_DIGIT.findall(text))


def percents(text: str) -> int:
    """Percent and per mille signs."""
    return len(_PERCENT.findall(text))


def count_visible(text: str) -> dict[str, int]:
    """chars_visible, digits and percents of a text that a reader of the original sees."""
    return {"chars_visible": characters(text), "digits": digits(text), "percents": percents(text)}


def adjustments(
    text: str, reason_code: str, locator: dict[str, object] | None = None, detail: str = ""
) -> list[Adjustment]:
    """Adjustments for a visible text that was left out or added: one for each text unit that is not 0."""
    return [
        Adjustment(unit, reason_code, amount, dict(locator or {}), detail)
        for unit, amount in count_visible(text).items()
        if amount
    ]


def plain_decode(data: bytes, stated: str | None = None) -> str:
    """Bytes to text for counters: BOM, UTF-16 by its zero bytes, UTF-8, the stated charset, then a guess.

    The guess asks only what changes a count: two bytes a character (East Asian, when a strict
    decoding gives mostly ideographs, kana or hangul) or one.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    wide = _wide_encoding(data)
    if wide:
        return data.decode(wide, "replace")
    seven_bit = bool(stated) and (stated or "").lower().replace("_", "-").startswith(("iso-2022", "hz", "utf-7"))
    for encoding in (stated, "utf-8") if seven_bit else ("utf-8", stated):
        decoded = _strict(data, encoding) if encoding else None
        if decoded is not None:
            return decoded
    lenient = data.decode("utf-8", "replace")
    broken = lenient.count("\ufffd")
    if len(re.findall(r"[^\x00-\x7f]", lenient)) > 5 * broken:
        return lenient  # UTF-8 with a few broken bytes
    if stated and _known(stated):
        return data.decode(stated, "replace")
    runs = re.findall(rb"[\x80-\xff]+", data[:100_000])
    if not runs or sum(map(len, runs)) < 1.6 * len(runs):
        return data.decode("cp1252", "replace")  # single accented letters: no two-byte script
    for encoding in ("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"):
        decoded = _strict(data, encoding)
        if decoded is not None and _east_asian_share(decoded) > 0.8:
            return decoded
    return data.decode("cp1252", "replace")


def _wide_encoding(data: bytes) -> str | None:
    sample = data[:4096]
    if len(sample) < 4:
        return None
    if len(sample) >= 16 and sample[2::4].count(0) + sample[3::4].count(0) > 0.9 * len(sample) / 2:
        return "utf-32-le" if sample[1::4].count(0) > 0.3 * len(sample) / 4 else None
    if len(sample) >= 16 and sample[0::4].count(0) + sample[1::4].count(0) > 0.9 * len(sample) / 2:
        return "utf-32-be" if sample[2::4].count(0) > 0.3 * len(sample) / 4 else None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.3 * len(sample) / 2 and even < 0.05 * len(sample):
        return "utf-16-le"
    if even > 0.3 * len(sample) / 2 and odd < 0.05 * len(sample):
        return "utf-16-be"
    return None


def _known(encoding: str) -> bool:
    try:
        codecs.lookup(encoding)
    except LookupError:
        return False
    return True


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _east_asian_share(text: str) -> float:
    others = [character for character in text[:20_000] if ord(character) > 0x7F]
    if not others:
        return 0.0
    wide = sum(1 for c in others if 0x3000 <= ord(c) <= 0x9FFF or 0xAC00 <= ord(c) <= 0xD7A3 or ord(c) >= 0xFF00)
    return wide / len(others)
