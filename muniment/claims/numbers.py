"""Numbers as people write them: separators, signs, words, magnitudes. A reading that is not certain is None."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

DecimalMark = Literal[".", ","]

_SPACES = "\u0020\u00a0\u2009\u202f'’"
_GROUPED = re.compile(rf"\d{{1,3}}(?:(?P<mark>[{_SPACES}.,])\d{{3}})(?:(?P=mark)\d{{3}})*")
_WHOLE = re.compile(r"\d+")
_SIGN = re.compile(r"[+\-−–]\s?")
_UNITS = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_FRENCH = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
_WORDS = (
    {word: number for number, word in enumerate(_UNITS)}
    | {word: 20 + 10 * index for index, word in enumerate(_TENS)}
    | {word: number for number, word in enumerate(re.findall(r"\w+", _FRENCH))}
    | {"une": 1, "vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60}
)  # fmt: skip
_SCALES = {"hundred": 100, "cent": 100, "cents": 100, "thousand": 1_000, "mille": 1_000, "million": 1_000_000,
           "millions": 1_000_000, "billion": 10**9, "milliard": 10**9, "milliards": 10**9}  # fmt: skip
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {
    word: number
    for number, word in enumerate(re.findall(r"\w+", _ORDINAL_WORDS), start=1)
} | {"thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60, "ninetieth": 90, "premier": 1, "dixième": 10,
     "quinzième": 15, "vingtième": 20, "trentième": 30}  # fmt: skip
_FRACTIONS = {"half": (1, 2), "halves": (1, 2), "third": (1, 3), "thirds": (1, 3), "quarter": (1, 4),
              "quarters": (1, 4), "fifth": (1, 5), "fifths": (1, 5), "tenth": (1, 10), "tenths": (1, 10)}  # fmt: skip
_SIGNS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}


def read_digits(text: str, decimal: DecimalMark | None) -> Decimal | None:
    """The number that the digits name, a sign allowed; `decimal` is the mark that the source uses, where known.

    1,234.5 and 1.234,5 and 1 234,5 say themselves which mark is which; 1,234 does not.
    """
    written = text.strip()
    sign = _SIGN.match(written)
    if sign:
        written = written[sign.end() :]
    plain = _unsigned(written, decimal)
    return -plain if plain is not None and sign and sign.group()[0] != "+" else plain


def read_words(text: str) -> Decimal | None:
    """thirty, twenty-four, one hundred and twenty, two thirds, a half, soixante-dix (English and French)."""
    words = [word for word in re.split(r"[\s-]+", text.strip().lower()) if word not in ("and", "et")]
    if len(words) > 1 and words[0] in ("a", "an"):
        words = ["one", *words[1:]]
    if words and words[-1] in _FRACTIONS and (len(words) == 2 or words == ["half"]):
        above = _cardinal(words[:-1]) if len(words) == 2 else 1
        top, bottom = _FRACTIONS[words[-1]]
        exact = above is not None and (above * top < bottom)
        return Decimal(above * top) / Decimal(bottom) if exact and above else None
    whole = _cardinal(words)
    return Decimal(whole) if whole is not None else None


def read_ordinal(text: str) -> int | None:
    """20th, twentieth, vingtième → 20."""
    match = re.fullmatch(r"(\d{1,3})(?:st|nd|rd|th|e|ème|er)", text.strip(), re.IGNORECASE)
    return int(match.group(1)) if match else _ORDINALS.get(text.strip().lower())


_LANGUAGE_MARKS: dict[str, DecimalMark] = {
    **dict.fromkeys(("en", "zh", "ja"), "."),
    **dict.fromkeys(
        ("bg", "cs", "da", "de", "el", "es", "fi", "fr", "hu", "it", "nl", "pl", "pt", "ro", "ru", "sv", "tr", "uk"),
        ",",
    ),
}


def decimal_mark(text: str, language: str) -> DecimalMark | None:
    """Mark of decimals in one source: what its unambiguous numbers show, else what its language uses."""
    point = bool(re.search(r"\d{1,3}(?:,\d{3})+\.\d|\d,\d{3},\d{3}(?!\d)|\d\.\d{1,2}\s?%|[€£$]\s?\d+\.\d{2}\b", text))
    comma = bool(
        re.search(r"\d{1,3}(?:[.\u00a0\u202f ]\d{3})+,\d(?!\d{2})|\d\.\d{3}\.\d{3}(?!\d)|\d,\d{1,2}\s?[%€]", text)
    )
    if point != comma:
        return "." if point else ","
    return None if point else _LANGUAGE_MARKS.get(language)


def _unsigned(written: str, decimal: DecimalMark | None) -> Decimal | None:
    if written and written[-1] in _SIGNS:
        whole = _unsigned(written[:-1].strip(), decimal) if len(written) > 1 else Decimal(0)
        return whole + _SIGNS[written[-1]] if whole is not None else None
    if _WHOLE.fullmatch(written):
        return Decimal(written)
    marks = [char for char in written if char in ".,"]
    if len(set(marks)) == 2 or (marks and any(space in written for space in _SPACES)):
        return _parted(written, marks[-1]) if marks.count(marks[-1]) == 1 else None
    if not marks:
        return _digits(written) if _GROUPED.fullmatch(written) else None
    mark = marks[0]
    if _GROUPED.fullmatch(written) and not written.startswith("0"):
        if len(marks) == 1 and decimal is None:
            return None  # 1,234: a thousand or one and a bit
        if len(marks) > 1 or mark != decimal:
            return _digits(written)
    return _parted(written, mark) if len(marks) == 1 else None


def _parted(written: str, mark: str) -> Decimal | None:
    """Digits (grouped by another sign than the mark, or not), mark, digits."""
    whole, _, fraction = written.rpartition(mark)
    groups = _GROUPED.fullmatch(whole)
    if not _WHOLE.fullmatch(fraction) or not (whole == "" or _WHOLE.fullmatch(whole) or groups):
        return None
    if groups and groups.group("mark") == mark:
        return None
    return Decimal(f"{_digits(whole) if whole else 0}.{fraction}")


def _digits(written: str) -> Decimal:
    return Decimal(re.sub(r"\D", "", written))


def _cardinal(words: list[str]) -> int | None:
    if not words or words == ["a"]:
        return None
    total, group = 0, 0
    last = 10**12
    for word in words:
        if word in _SCALES:
            scale = _SCALES[word]
            if scale == 100:
                group = (group or 1) * 100
                last = 100
            else:
                total += (group or 1) * scale
                group, last = 0, scale
            continue
        number = _WORDS.get(word)
        scores = word in ("vingt", "vingts") and group % 100 == 4  # quatre-vingts
        if number is None or not (scores or _follows(number, last)):
            return None
        group += 76 if scores else number
        last = number if number else 1
    return total + group


def _follows(number: int, last: int) -> bool:
    """Whether the number may be added after the last word: twenty four, soixante dix; never four twenty."""
    if last >= 100:
        return True
    return last >= 20 and last % 10 == 0 and (number < 10 or (last in (20, 60) and number < 20))
