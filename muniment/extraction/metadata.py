"""Normalised metadata of a reading: one value a field, with its basis, and what could not be read.

Aliases: front matter and properties name fields in many ways; the list below is closed. A date is read
only when it names one day without doubt: ISO 8601, RFC 2822, or day, month name and year. "2015" names
no day and 05/06/2023 two: both become `metadata_invalid`. `valid_to` is half-open: a stated last day of
validity (expires, valid_until, …) becomes the day after it; a field named `valid_to` is taken as the
first day after, as this project writes it.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field

from muniment.extraction.model import Adjustment, Reading, Stated

#: Field that each stated name means. Names are compared in lower case with `_` for `-` and spaces.
ALIASES = {
    "title": "title",
    "dc:title": "title",
    "dc.title": "title",
    "dcterms.title": "title",
    "og:title": "title",
    "author": "author",
    "authors": "author",
    "creator": "author",
    "dc:creator": "author",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "byline": "author",
    "article:author": "author",
    "date": "published_on",
    "published": "published_on",
    "published_on": "published_on",
    "published_at": "published_on",
    "publication_date": "published_on",
    "date_published": "published_on",
    "datepublished": "published_on",
    "pubdate": "published_on",
    "article:published_time": "published_on",
    "dc.date": "published_on",
    "dc.date.issued": "published_on",
    "dcterms.date": "published_on",
    "dcterms.issued": "published_on",
    "issued": "published_on",
    "effective": "valid_from",
    "effective_date": "valid_from",
    "effective_from": "valid_from",
    "in_force_from": "valid_from",
    "valid_from": "valid_from",
    "dcterms.valid": "valid_from",
    "valid_to": "valid_to",
    "expires": "valid_to",
    "expires_on": "valid_to",
    "expiry_date": "valid_to",
    "expiration_date": "valid_to",
    "valid_until": "valid_to",
    "valid_through": "valid_to",
    "effective_until": "valid_to",
    "language": "language",
    "lang": "language",
    "dc:language": "language",
    "dc.language": "language",
    "content_language": "language",
}
#: Names of valid_to that state the first day after validity; all others state the last day.
_HALF_OPEN = {"valid_to"}
#: Where one document states a field by several names, the first of these wins, then the order stated.
_PREFERRED = ("title", "author", "published_on", "date", "valid_from", "effective_date", "valid_to", "language")

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_WEEKDAY = r"(?:(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?,?\s+)?"
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s?(?:Z|UTC|[+-]\d{2}:?\d{2})?)?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T\d{4,6}Z?)?")
_DAY_FIRST = re.compile(rf"{_WEEKDAY}\d{{1,2}}(?:st|nd|rd|th)?\.?[ -](?:{_MONTHS})\.?,?[ -]\d{{4}}", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"{_WEEKDAY}(?:{_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}", re.IGNORECASE)
_RFC2822 = re.compile(
    rf"(?:[a-z]{{3}},?\s+)?\d{{1,2}}\s+(?:{_MONTHS})\s+\d{{4}}\s+\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s+\S.*)?",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_][A-Za-z0-9-_]+)?(?:\.utf-?8)?", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_MINIMUM_LETTERS = 20
_LANGUAGE_SAMPLE = 20_000


@dataclass(slots=True)
class Normalised:
    """Normalised fields; `problems` are metadata_invalid entries naming the field, never its value."""

    title: str | None = None
    title_basis: str = "none"
    author: str | None = None
    published_on: datetime.date | None = None
    valid_from: datetime.date | None = None
    valid_to: datetime.date | None = None
    language: str = "und"
    language_basis: str = "none"
    problems: list[Adjustment] = field(default_factory=list)

    @property
    def validity_status(self) -> str:
        """stated (an end is stated, with or without a beginning), stated_open (a beginning only) or unverified."""
        if self.valid_to is not None:
            return "stated"
        return "stated_open" if self.valid_from is not None else "unverified"


def normalise(reading: Reading, text: str) -> Normalised:
    """Fields of a reading; `text` is its canonical text, used for the language when none is stated."""
    result = Normalised()
    by_field: dict[str, list[Stated]] = {}
    for stated in reading.metadata:
        name = field_of(stated.field)
        if name is not None and stated.value.strip():
            by_field.setdefault(name, []).append(stated)
    for values in by_field.values():
        values.sort(key=lambda stated: _rank(stated.field))
    _set_title(result, by_field.get("title", []), reading)
    authors = by_field.get("author", [])
    if authors:
        first = _key(authors[0].field)
        result.author = "; ".join(dict.fromkeys(_line(a.value) for a in authors if _key(a.field) == first))
    for name in ("published_on", "valid_from", "valid_to"):
        setattr(result, name, _date(by_field.get(name, []), name, result.problems))
    if result.valid_from and result.valid_to and result.valid_to <= result.valid_from:
        result.problems.append(_problem("valid_to", "the end of validity is not after its beginning"))
        result.valid_to = None
    _set_language(result, by_field.get("language", []), text)
    return result


def field_of(name: str) -> str | None:
    """The normalised field that a stated name means, or None."""
    return ALIASES.get(_key(name))


def parse_day(value: str) -> datetime.date | None:
    """The one day that a value names, or None when it names none, several or an impossible one."""
    from dateutil import parser

    candidate = re.sub(r"\s+", " ", value.strip())
    for pattern in (_ISO, _COMPACT):
        match = pattern.fullmatch(candidate)
        if match:
            return _day(*(int(part) for part in match.groups()))
    if not any(pattern.fullmatch(candidate) for pattern in (_DAY_FIRST, _MONTH_FIRST, _RFC2822)):
        return None
    without_comment = re.sub(r"\s*\([^)]*\)\s*$", "", candidate)
    try:
        return parser.parse(without_comment, tzinfos=lambda name, offset: offset or 0).date()
    except (ValueError, OverflowError):
        return None


def detect_language(text: str) -> str:
    """ISO 639-1 code of the text's language, or und for fewer than 20 letters. Local: no network."""
    sample = text[:_LANGUAGE_SAMPLE]
    if len(_LETTER.findall(sample)) < _MINIMUM_LETTERS:
        return "und"
    import py3langid

    return str(py3langid.classify(sample)[0])


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().lower())


def _line(value: str) -> str:
    return " ".join(value.split())


def _rank(name: str) -> int:
    key = _key(name)
    return _PREFERRED.index(key) if key in _PREFERRED else len(_PREFERRED)


def _day(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _problem(name: str, detail: str) -> Adjustment:
    return Adjustment("metadata", "metadata_invalid", 1, {"field": name}, detail)


def _set_title(result: Normalised, stated: list[Stated], reading: Reading) -> None:
    if stated:
        result.title, result.title_basis = _line(stated[0].value), stated[0].basis
        return
    for kind in ("title", "heading"):
        for element in reading.elements:
            if element.kind == kind and not element.hidden and element.text.strip():
                result.title, result.title_basis = _line(element.text), "rule"
                return


def _date(stated: list[Stated], name: str, problems: list[Adjustment]) -> datetime.date | None:
    """The first value that names a day; each value that does not is a problem."""
    found: datetime.date | None = None
    for value in stated:
        day = parse_day(value.value)
        if day is None:
            problems.append(_problem(value.field, f"the value of {name} does not name one day; write it as YYYY-MM-DD"))
        elif found is None:
            found = _after_last_day(day, value, name)
    return found


def _after_last_day(day: datetime.date, stated: Stated, name: str) -> datetime.date | None:
    if name != "valid_to" or _key(stated.field) in _HALF_OPEN:
        return day
    return day + datetime.timedelta(days=1) if day < datetime.date.max else None


def _set_language(result: Normalised, stated: list[Stated], text: str) -> None:
    for value in stated:
        match = _LANGUAGE.fullmatch(value.value.strip())
        if match:
            result.language, result.language_basis = match.group(1).lower(), value.basis
            return
        result.problems.append(_problem(value.field, "the value is no language tag; write it as ISO 639-1"))
    language = detect_language(text)
    result.language, result.language_basis = language, "none" if language == "und" else "rule"
