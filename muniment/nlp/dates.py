"""Dates written out in text, with their precision: 2026-07-01, 1 July 2026, July 2026, 1er juillet 2026, 2015.

Nothing is guessed. 05/06/2023 is read only when the order of the source is known (`date_order`); years of two
digits, quarters and financial years name no day and are not read. A lower-case "may" is the verb, never the month.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

Precision = Literal["day", "month", "year"]
DateOrder = Literal["dmy", "mdy"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janvier janv januar",
            "february feb février fevrier févr februar",
            "march mar mars märz",
            "april apr avril avr",
            "may mai",
            "june jun juin juni",
            "july jul juillet juil juli",
            "august aug août aout",
            "september sep sept septembre",
            "october oct octobre oktober okt",
            "november nov novembre",
            "december dec décembre decembre déc dezember dez",
        ),
        start=1,
    )
    for name in names.split()
}
#: English words that are months only with a capital.
_CAPITAL_ONLY = frozenset({"may", "march", "mar"})
_MONTH = "|".join(sorted(map(re.escape, _MONTHS), key=lambda name: (-len(name), name)))
_YEAR = r"(?:1[5-9]|20|21)\d{2}"
_CLOCK = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"
_FORMS = (
    rf"(?P<iso_y>{_YEAR})(?P<iso_s>[-/])(?P<iso_m>\d{{1,2}})(?P=iso_s)(?P<iso_d>\d{{1,2}}){_CLOCK}",
    rf"(?P<df_d>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:day\s+of\s+|of\s+|de\s+)?(?P<df_m>{_MONTH})\.?,?[\s-]+"
    rf"(?:de\s+)?(?P<df_y>{_YEAR})",
    rf"(?P<mf_m>{_MONTH})\.?\s+(?P<mf_d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<mf_y>{_YEAR})",
    rf"(?P<n_1>\d{{1,2}})(?P<n_s>[/.-])(?P<n_2>\d{{1,2}})(?P=n_s)(?P<n_y>{_YEAR})",
    rf"(?P<my_m>{_MONTH})\.?,?\s+(?:of\s+|de\s+)?(?P<my_y>{_YEAR})",
    rf"(?P<ym_y>{_YEAR})-(?P<ym_m>\d{{2}})",
    rf"(?P<y>{_YEAR})",
)
#: Any date; usable inside other expressions once. Letters and digits beside it end it.
_DATE = re.compile(rf"(?<![\w/.-])(?:{'|'.join(_FORMS)})(?![\w/]|[.-]\d)", re.IGNORECASE)
_TIME_AFTER = re.compile(
    r"\s*(?:,?\s+(?:at\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?(?:\s\([A-Z]+\))?)?\s*"
)
_NUMERIC = re.compile(rf"(?<![\w/.-])(\d{{1,2}})([/.-])(\d{{1,2}})\2{_YEAR}(?![\w/]|[.-]\d)")
_WEEKDAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+|(?:mon|tue|wed|thu|fri|sat|sun),\s+"
    r"|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\s+",
    re.IGNORECASE,
)
_REGION = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2}))?", re.IGNORECASE)
_MONTH_FIRST_REGIONS = frozenset({"us", "ph", "fm", "pw"})
_UNCERTAIN_REGIONS = frozenset({"ca"})
#: Languages whose numeric dates with a four-digit year at the end begin with the day.
_DAY_FIRST_LANGUAGES = frozenset({"bg", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "it", "lt", "lv",
                                  "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "tr", "uk"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date at start..end of the text read; of a month or a year `day` is its first day."""

    start: int
    end: int
    day: date
    precision: Precision


def parse_day(text: str, order: DateOrder | None = None) -> date | None:
    """The day that the whole text names, or None (months, years and impossible days included)."""
    found = read_date(text, order)
    return found.day if found is not None and found.precision == "day" else None


def read_date(text: str, order: DateOrder | None = None) -> FoundDate | None:
    """The date that the whole text names, or None; a weekday before it and a time after it are allowed."""
    first = len(text) - len(text.lstrip())
    if weekday := _WEEKDAY.match(text, first):
        first = weekday.end()
    match = _DATE.match(text, first)
    if match is None or _TIME_AFTER.fullmatch(text, match.end()) is None:
        return None
    return _found(match, order)


def find_dates(text: str, order: DateOrder | None = None) -> Iterator[FoundDate]:
    """Dates in the text in order, without overlap."""
    for match in _DATE.finditer(text):
        found = _found(match, order)
        if found is not None:
            yield found


def ambiguous(text: str) -> bool:
    """Whether the whole text is a numeric date that names two days: 05/06/2023, never 05/05/2023 or 13/06/2023."""
    match = _NUMERIC.fullmatch(text.strip())
    if match is None:
        return False
    first, second = int(match.group(1)), int(match.group(3))
    return first != second and 1 <= first <= 12 and 1 <= second <= 12


def date_order(text: str, stated_languages: Iterable[str] = ()) -> DateOrder | None:
    """Order of numeric dates in one source.

    Evidence: its other numeric dates (a number above 12 is the day), else a stated language or region
    (en-US, en-GB, fr). Contradicting evidence, plain "en" and Canada say nothing.
    """
    pairs = [(int(match.group(1)), int(match.group(3))) for match in _NUMERIC.finditer(text)]
    day_first = any(first > 12 >= second for first, second in pairs)
    month_first = any(second > 12 >= first for first, second in pairs)
    if day_first != month_first:
        return "dmy" if day_first else "mdy"
    if day_first:
        return None
    orders: set[DateOrder | None] = {_order_of(value) for value in stated_languages}
    return orders.pop() if len(orders) == 1 else None


def _order_of(tag: str) -> DateOrder | None:
    match = _REGION.match(tag.strip())
    if match is None:
        return None
    language, region = match.group(1).lower(), (match.group(2) or "").lower()
    if region in _MONTH_FIRST_REGIONS:
        return "mdy"
    if region in _UNCERTAIN_REGIONS:
        return None
    return "dmy" if (region and language == "en") or language in _DAY_FIRST_LANGUAGES else None


def _found(match: re.Match[str], order: DateOrder | None) -> FoundDate | None:
    parts = match.groupdict()
    place = match.start(), match.end()
    if parts["iso_y"]:
        return _made(place, parts["iso_y"], parts["iso_m"], parts["iso_d"])
    if parts["df_y"]:
        return _made(place, parts["df_y"], _month(parts["df_m"]), parts["df_d"])
    if parts["mf_y"]:
        return _made(place, parts["mf_y"], _month(parts["mf_m"]), parts["mf_d"])
    if parts["n_y"]:
        return _numeric(place, parts, order)
    if parts["my_y"]:
        return _made(place, parts["my_y"], _month(parts["my_m"]), None)
    if parts["ym_y"]:
        following = (int(parts["ym_y"]) + 1) % 100 == int(parts["ym_m"])  # 2011-12: a month or a season of two years
        return None if following else _made(place, parts["ym_y"], parts["ym_m"], None)
    return FoundDate(*place, date(int(parts["y"]), 1, 1), "year")


def _numeric(place: tuple[int, int], parts: dict[str, str], order: DateOrder | None) -> FoundDate | None:
    first, second = int(parts["n_1"]), int(parts["n_2"])
    if first == second or first > 12:
        return _made(place, parts["n_y"], second, first)
    if second > 12:
        return _made(place, parts["n_y"], first, second)
    if order is None:
        return None
    day, month = (first, second) if order == "dmy" else (second, first)
    return _made(place, parts["n_y"], month, day)


def _month(name: str) -> int | None:
    key = name.casefold()
    return None if key in _CAPITAL_ONLY and name == key else _MONTHS.get(key)


def _made(place: tuple[int, int], year: str, month: str | int | None, day: str | int | None) -> FoundDate | None:
    if month is None:
        return None
    try:
        return FoundDate(*place, date(int(year), int(month), int(day or 1)), "day" if day is not None else "month")
    except ValueError:  # 31 June
        return None
