"""Days written out in text: 2026-07-01, 1 July 2026, July 1, 2026, 1er juillet 2026. Nothing is guessed."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janvier januar",
            "february feb février februar",
            "march mar mars märz",
            "april apr avril",
            "may mai",
            "june jun juin juni",
            "july jul juillet juli",
            "august aug août",
            "september sep sept septembre",
            "october oct octobre oktober",
            "november nov novembre",
            "december dec décembre dezember",
        ),
        start=1,
    )
    for name in names.split()
}
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|\.)?\s(?:of\s)?([^\W\d]+)\.?,?\s(\d{4})", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"([^\W\d]+)\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s(\d{4})", re.IGNORECASE)


def parse_day(text: str) -> date | None:
    """The day that the whole text names, or None (months, years, numeric d/m/y and impossible days included)."""
    stripped = text.strip()
    if match := _ISO.fullmatch(stripped):
        return _date(match.group(1), match.group(2), match.group(3))
    if match := _DAY_FIRST.fullmatch(stripped):
        return _date(match.group(3), _MONTHS.get(match.group(2).casefold()), match.group(1))
    if match := _MONTH_FIRST.fullmatch(stripped):
        return _date(match.group(3), _MONTHS.get(match.group(1).casefold()), match.group(2))
    return None


def _date(year: str, month: str | int | None, day: str) -> date | None:
    if month is None:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:  # 31 June
        return None
