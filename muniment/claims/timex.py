"""Expressions of time in a sentence: dates, and periods counted from an event ("20 days after publication")."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from muniment.claims.numbers import read_ordinal
from muniment.claims.values import read_value
from muniment.nlp.dates import DateOrder, FoundDate, find_dates, read_date

#: Events that periods are counted from, by the words for them.
EVENTS = {
    "publication": ("publication", "official publication", "issue", "issuance"),
    "signature": ("signature", "signing", "execution", "conclusion"),
    "entry into force": ("entry into force", "coming into force", "effective date", "entrée en vigueur"),
    "notification": ("notification", "notice", "receipt", "réception"),
    "adoption": ("adoption", "approval", "approbation"),
    "termination": ("termination", "expiry", "expiration", "résiliation"),
}
_EVENT = "|".join(sorted({re.escape(word) for words in EVENTS.values() for word in words}, key=len, reverse=True))
_NAMES = {word: event for event, words in EVENTS.items() for word in words}
_OF_THE = (
    r"(?:\s(?:the|its|their|his|la|le|sa|son|that\sof\s(?:its|the)|(?:the\s)?(?:date|day)\sof(?:\s(?:its|the|their))?|"
    r"celui\sde\s(?:sa|la|son)|la\sdate\sde(?:\s(?:sa|la|son))?))?"
)
_PERIOD = r"(?P<period>[^\W_]+(?:[\s-][^\W\d_]+){0,2}?(?:\s\(\d+\))?\s(?:calendar\s|business\s|working\s)?"
_COUNTED = re.compile(
    rf"\b{_PERIOD}(?:days?|weeks?|months?|years?|jours?|mois|ans?|semaines?))"
    rf"\s(?:after|following|from|of|après|à\scompter\sde|suivant){_OF_THE}\s(?:l['’])?(?P<event>{_EVENT})\b",
    re.IGNORECASE,
)
_ORDINAL_DAY = re.compile(
    rf"\b(?:the\s|le\s)?(?P<ordinal>\w+)\s(?:day|jour)\s(?:after|following|from|of|suivant|après){_OF_THE}\s"
    rf"(?:l['’])?(?P<event>{_EVENT})\b",
    re.IGNORECASE,
)
_NEXT_DAY = re.compile(
    rf"\b(?:the\s)?(?:day|date)\s(?:after|following|of){_OF_THE}\s(?P<event>{_EVENT})\b", re.IGNORECASE
)
_SIGNED = re.compile(
    r"\b(?:signed|executed|entered into|made|concluded|signé|conclu)\s(?:on|this|le)\s(?:the\s)?(?=(?P<rest>.{6,40}))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FromEvent:
    """A period after an event at start..end of the text; `number` of `unit` (day, month, year, …)."""

    start: int
    end: int
    number: int
    unit: str
    event: str

    def resolve(self, events: Mapping[str, date]) -> date | None:
        """The day, where the event's day is known; business days need a calendar that we do not have."""
        base = events.get(self.event)
        return later(base, self.number, self.unit) if base is not None else None


def later(day: date, number: int, unit: str) -> date | None:
    """The day a number of days, months or years after another; the last of the month where it has no such day."""
    try:
        if unit == "day":
            return day + timedelta(days=number)
        months = number * {"month": 1, "year": 12}.get(unit, 0)
        if not months:
            return None
        year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
        return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
    except (OverflowError, ValueError):  # beyond the year 9999
        return None


def end_of(found: FoundDate) -> date | None:
    """The first day after a date: the next day, the next month, the next year."""
    if found.precision == "day":
        return found.day + timedelta(days=1) if found.day < date.max else None
    return later(found.day, 1, found.precision)


def events_after(text: str) -> Iterator[FromEvent]:
    """Periods counted from an event, in order and without overlap."""
    free = 0
    matches = [*_COUNTED.finditer(text), *_ORDINAL_DAY.finditer(text), *_NEXT_DAY.finditer(text)]
    for match in sorted(matches, key=lambda item: (item.start(), -item.end())):
        found = _from_event(match) if match.start() >= free else None
        if found is not None:
            free = match.end()
            yield found


def known_events(
    text: str,
    stated: Iterable[tuple[str, str]],
    published: date | None,
    in_force: date | None,
    order: DateOrder | None = None,
) -> dict[str, date]:
    """Days of events that a document states: of publication and entry into force by its metadata, of signature by a
    field or by the one day that "signed on" names in the text."""
    events = {name: day for name, day in (("publication", published), ("entry into force", in_force)) if day}
    for field, value in stated:
        event = {"signed": "signature", "adopted": "adoption"}.get(field.lower().split("_")[0].split(" ")[0])
        found = read_date(value, order) if event else None
        if event and found is not None and found.precision == "day":
            events.setdefault(event, found.day)
    signed = {day for match in _SIGNED.finditer(text) if (day := _first_day(match.group("rest"), order)) is not None}
    if len(signed) == 1:
        events.setdefault("signature", signed.pop())
    return events


def _first_day(rest: str, order: DateOrder | None) -> date | None:
    found = next(find_dates(rest, order), None)
    return found.day if found is not None and found.start == 0 and found.precision == "day" else None


def _counted(match: re.Match[str], period: str, event: str) -> FromEvent | None:
    """The period is the longest end of the words before the event that names one."""
    for word in re.finditer(r"\S+", period):
        value = read_value(0, 0, period[word.start() :], "duration")
        if value.number is not None and value.unit is not None and value.number == int(value.number):
            return FromEvent(match.start() + word.start(), match.end(), int(value.number), value.unit, event)
    return None


def _from_event(match: re.Match[str]) -> FromEvent | None:
    event = _NAMES[" ".join(match.group("event").lower().split())]
    parts = match.groupdict()
    if parts.get("period"):
        return _counted(match, parts["period"], event)
    if parts.get("ordinal"):
        ordinal = read_ordinal(parts["ordinal"])
        return FromEvent(match.start(), match.end(), ordinal, "day", event) if ordinal else None
    after = " of" not in match.group().lower().split(" the ")[0].removeprefix("the ")
    return FromEvent(match.start(), match.end(), int(after), "day", event)
