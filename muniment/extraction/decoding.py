"""From bytes to text for readers: which encoding, how it was found, and what did not decode."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from muniment.extraction.model import Adjustment

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Labels that the web and mail programs use for what is really Windows-1252 (WHATWG Encoding, section 4.2).
_WINDOWS = {"ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "iso8859-1", "iso_8859-1"}
#: Encodings of seven-bit bytes: they are valid UTF-8 and must be believed before it.
_SEVEN_BIT = ("iso2022", "hz", "utf-7")
_SAMPLE = 256 * 1024
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_TYPOGRAPHIC = "€‚„…†‡‰‹‘’“”•–—™›§©«®°±´¶·»¿¡£¢\xa0½¼¾²³×"
_REGIONAL = {"cp1250", "iso8859_2", "cp1254", "iso8859_9", "cp1257", "iso8859_4", "iso8859_13", "cp852", "iso8859_16"}
_ENOUGH = 20


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, its encoding and what to enter in the books for it."""

    text: str
    encoding: str
    adjustments: tuple[Adjustment, ...] = ()


def decode(data: bytes, stated: str | None = None) -> Decoded:
    """Decode by BOM, UTF-8, the stated charset, zero bytes of UTF-16, then by detection.

    UTF-8 comes before the stated charset because wrong labels are common and a text in another
    encoding is almost never valid UTF-8. A detected encoding is entered as `encoding_guessed`,
    bytes that do not decode as `encoding_replaced`; both in the unit `encodings` or
    `replaced_characters`, which no counter counts: they explain no missing text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding, guessed=False)
    wide = _zero_bytes(data)
    if wide:
        return _decoded(data, wide, guessed=True)
    label = _usable(stated)
    if label and label.startswith(_SEVEN_BIT) and _decodes(data, label):
        return Decoded(data.decode(label), label)
    if _decodes(data, "utf-8"):
        return Decoded(data.decode("utf-8"), "utf-8")
    if label:
        return _decoded(data, label, guessed=False)
    return _decoded(data, _detect(data), guessed=True)


def _decoded(data: bytes, encoding: str, *, guessed: bool) -> Decoded:
    text = data.decode(encoding, "replace")
    found: list[Adjustment] = []
    if guessed:
        found.append(Adjustment("encodings", "encoding_guessed", 1, {}, f"read as {encoding}"))
    replaced = text.count("\ufffd")
    if replaced and not _decodes(data, encoding):
        found.append(Adjustment("replaced_characters", "encoding_replaced", replaced, {}, f"read as {encoding}"))
    return Decoded(text, encoding, tuple(found))


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _usable(stated: str | None) -> str | None:
    """Python's name of a stated charset; None when it states nothing usable."""
    if not stated:
        return None
    label = stated.strip().strip("\"'").lower()
    if label in _WINDOWS:
        return "cp1252"
    try:
        name = codecs.lookup(label).name
        "".encode(name)  # codecs such as base64 are no charsets
    except (LookupError, TypeError, UnicodeError):
        return None
    # a text whose bytes allowed us to read the label is not UTF-16, and it is not UTF-8 (tried before)
    return None if name.startswith(("utf-16", "utf-32", "utf-8")) else name


def _zero_bytes(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: every other byte, or three of four, of Western text are zero."""
    sample = data[:4096]
    pairs = len(sample) // 2
    if pairs < 2 or len(data) % 2:
        return None
    zeros = [sample[offset::4].count(0) / max(1, len(sample) // 4) for offset in range(4)]
    if len(sample) >= 16 and min(zeros[2], zeros[3], zeros[1] * 2) > 0.9:
        return "utf-32-le"
    if len(sample) >= 16 and min(zeros[0], zeros[1], zeros[2] * 2) > 0.9:
        return "utf-32-be"
    first, second = sample[0::2].count(0), sample[1::2].count(0)
    if second > 0.3 * pairs and first < 0.1 * pairs:
        return "utf-16-le"
    if first > 0.3 * pairs and second < 0.1 * pairs:
        return "utf-16-be"
    return None


def _detect(data: bytes) -> str:
    from charset_normalizer import from_bytes

    if not _decodes(data[:_SAMPLE], "utf-8") and _mostly_utf8(data):
        return "utf-8"
    best = from_bytes(data[:_SAMPLE]).best()
    encoding = best.encoding if best is not None else "cp1252"
    # single-byte Western guesses are a toss-up for few letters: Windows-1252 is by far the most common
    if encoding in {"cp1252", "latin_1", "iso8859_1", "ascii"} or _is_western(data[:_SAMPLE], encoding):
        return "cp1252"
    return encoding


def _is_western(data: bytes, guess: str) -> bool:
    """Accented letters and signs that stand singly among ASCII letters: no script of its own.

    A guess of a Central European or Turkish code page is believed only with enough such letters.
    """
    runs = _HIGH_RUN.findall(data)
    high = sum(len(run) for run in runs)
    single = sum(len(run) for run in runs if len(run) <= 2)
    letters = sum(1 for byte in data if chr(byte).isascii() and chr(byte).isalpha())
    if not runs or single < 0.9 * high or high > 0.3 * letters:
        return False
    kept = sum(1 for c in b"".join(runs).decode("cp1252", "replace") if c.isalpha() or c in _TYPOGRAPHIC)
    return kept >= 0.9 * high and not (guess in _REGIONAL and high >= _ENOUGH)


def _mostly_utf8(data: bytes) -> bool:
    """A UTF-8 text with a few broken bytes, rather than another encoding."""
    text = data[:_SAMPLE].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    valid = sum(1 for character in text if ord(character) > 0x7F) - broken
    return valid > 4 * broken
