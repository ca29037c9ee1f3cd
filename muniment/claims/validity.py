"""When what a sentence says holds: phrases of effect around dates, and the interval that they state.

Intervals are half-open and keep the precision of their coarsest bound. A last day is included: "until 31 December
2025" ends on 1 January 2026; "repealed with effect from 1 July 2025" ends on that day. "N days after publication" is
resolved where the day of the event is stated (basis relative_resolved), else only its words are kept. Deadlines
("within 30 days of notification", "by 31 March 2025", "no later than") are never validity, nor is the day on which
something happened. Phrases that contradict one another say nothing; their words are kept (methods, section 7.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from muniment.claims.assertion import Precision, Validity
from muniment.claims.timex import end_of, events_after, later
from muniment.nlp.dates import DateOrder, FoundDate, find_dates

_EFFECT = (
    r"(?:enter(?:s|ed|ing)?\sinto\s(?:force|effect)|(?:come|comes|came|coming)\sinto\s(?:force|effect|operation)|"
    r"(?:take|takes|took|taking)\seffect|(?:become|becomes|became)\s(?:effective|applicable|binding|valid)|"
    r"(?:commence|begin|start)(?:s|d)?|began|(?:apply|applies|applied|applicable)|(?:is|are|be)\s(?:in\s(?:force|effect)|valid|"
    r"effective)|remains?\s(?:in\s(?:force|effect)|valid)|valid|effective|in\sforce|in\seffect|"
    r"entr(?:e|ent|era|eront)\sen\svigueur|(?:prend|prennent|prendra)\seffet|s['’]appliqu(?:e|ent|era)|applicables?|"
    r"valables?|en\svigueur|(?:commence|débute)(?:nt)?)"
)
_FROM_WORDS = (
    r"(?:with\seffect\s(?:from|as\sof|on)|effective(?:\s(?:as\sof|from|on|date:?))?|as\s(?:from|of)|(?:starting|beginning|commencing)"
    r"(?:\s(?:on|from|in))?|on\s(?:or|and)\safter|from|since|avec\seffet\s(?:au|du|à\scompter\sdu)|"
    r"à\s(?:compter|partir|dater)\s(?:du|de|d['’])|dès(?:\sle)?|depuis(?:\sle)?)"
)
_OPTIONAL = r"\s?:?\s?(?:and\sincluding\s)?(?:the\s|le\s)?"
_FROM = re.compile(rf"(?:\b{_EFFECT}\s)?(?<!\w){_FROM_WORDS}{_OPTIONAL}$", re.IGNORECASE)
_EFFECT_ON = re.compile(rf"\b{_EFFECT}\s(?:on|in|at|as\sof|as\sfrom|le|en|au)\s(?:the\s)?$", re.IGNORECASE)
_LAST_DAY = re.compile(
    r"(?:\b(?:valid|in\sforce|in\seffect|effective|applicable|applies|apply|remains?\s(?:in\s(?:force|effect)|valid)|valables?)\s)?"
    r"(?:\b(?:until|till|up\s(?:to|until)|through|to\sand\sincluding)\s(?:and\sincluding\s)?|"
    r"\b(?:expir(?:e|es|ed|ing|y|ation)|end(?:s|ed|ing)?|terminat(?:e|es|ed|ing))\s(?:on|in|at\sthe\send\sof|date:?)\s|"
    r"jusqu['’](?:au|à|en)\s(?:la\sfin\sde\s)?|\bexpire(?:nt|ra)?\s(?:le|en)\s|\bprend(?:ra)?\sfin\s(?:le|en)\s)"
    r"(?:the\s|the\send\sof\s|le\s)?$",
    re.IGNORECASE,
)
_FIRST_DAY_AFTER = re.compile(
    r"\b(?:(?:repealed|revoked|withdrawn|abrogée?s?)(?:\s(?:with\seffect)?)?|"
    r"(?:cease|ceases|ceased)\sto\s(?:apply|have\seffect|be\s(?:in\sforce|valid|effective))|"
    r"cess(?:e|ent|era)\s(?:de\ss['’]appliquer|d['’]être\s(?:en\svigueur|applicables?)))\s?"
    r"(?:with\seffect\s(?:from|on|as\sof)|as\s(?:of|from)|from|on|le|à\s(?:compter|partir)\sdu|avec\seffet\sau)\s(?:the\s)?$",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"(?<!\w)(?:in|during|throughout|en|au\scours\sde|pendant|durant)\s(?:the\s)?(?:(?:calendar\s)?(?:year|month)\s|"
    r"course\sof\s|whole\sof\s|l['’]année\s)?$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"(?:\bbetween|\bentre(?:\sle)?|\bdu|\bfor\sthe\speriod(?:\s(?:of|from))?:?|\bperiod:?)\s(?:the\s)?$", re.I
)
_TO = re.compile(
    r"^\s?(?:,\s)?(?:\(?inclusive\)?\s)?(?:to(?:\sand\sincluding)?|until|till|through|up\sto|and|–|—|-|au|à|et(?:\sle)?|jusqu['’]au)"
    r"\s?(?:the\s)?$",
    re.IGNORECASE,
)
#: Before one of these a date is a last day to do something, or what a period is counted from.
_DEADLINE = re.compile(
    r"\b(?:within|no\slater\sthan|not\slater\sthan|in\sthe|dans\s(?:les|un\sdélai\sde)|au\splus\stard|before|avant)\b[^,;:]{0,60}$",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"\b(?:valid|in\sforce|in\seffect|effective|applies|apply|remains?\sin\sforce)\sfor\s(?:a\speriod\sof\s)?$", re.I
)
_RELATIVE_START = re.compile(rf"\b{_EFFECT}\s(?:on|from|as\sof|le|à\scompter\sdu|the)?\s?(?:the\s)?$", re.IGNORECASE)
_RELATIVE_END = re.compile(r"\b(?:expires?|ends?|terminates?|until|expire)\s(?:on\s)?(?:the\s)?$", re.IGNORECASE)
_HAS_TIME = re.compile(r"\d{4}|\b(?:after|following|from|of|après|suivant|compter)\b", re.IGNORECASE)
#: Characters before or after a date in which the words for it stand.
_REACH = 160
_COARSER: tuple[Precision, ...] = ("day", "month", "year")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One bound at start..end of the text read, preposition or verb included.

    `first` and `after` are what it says of the interval's ends; both None: its words are all that is known.
    `loose`: a bare "in 2015" or "from 2015", which may belong to a noun as well.
    """

    start: int
    end: int
    first: date | None
    after: date | None
    precision: Precision | None
    relative: bool = False
    loose: bool = False


def phrases(text: str, events: Mapping[str, date], order: DateOrder | None = None) -> list[Phrase]:
    """Phrases of validity in a sentence (or in a column's header), in order."""
    if not _HAS_TIME.search(text):
        return []
    found: list[Phrase] = []
    previous: tuple[FoundDate, Phrase | None] | None = None
    for item in find_dates(text, order):
        phrase = _bound(text, item, previous)
        previous = (item, phrase)
        if phrase is not None:
            found.append(phrase)
    found += _relative(text, events)
    return sorted(found, key=lambda phrase: (phrase.start, phrase.end))


def combined(said: Iterable[Phrase], text: str, *, negative: bool = False) -> Validity:
    """The interval that phrases of one clause state together; unknown, with their words, where they contradict.

    Of what is denied only the beginning is taken: "does not apply until 1 July" says that it applies later.
    """
    items = list(said)
    if not items:
        return Validity()
    words = _words(items, text)
    firsts = sorted({phrase.first for phrase in items if phrase.first})
    afters = sorted({phrase.after for phrase in items if phrase.after})
    unresolved = any(phrase.first is None and phrase.after is None for phrase in items)
    first = firsts[0] if firsts else None
    after = afters[0] if afters and not negative else None
    backwards = first is not None and after is not None and first >= after
    if unresolved or len(firsts) > 1 or len(afters) > 1 or backwards or (first is None and after is None):
        return Validity(text=words)
    precision = _COARSER[max(_COARSER.index(phrase.precision or "day") for phrase in items)]
    if any(phrase.relative for phrase in items):
        return Validity(first, after, precision, "relative_resolved", words)
    return Validity(first, after, precision, "stated" if after else "stated_open", words)


def _words(items: list[Phrase], text: str) -> str:
    """The phrases as written; those that touch are one."""
    parts = [[items[0].start, items[0].end]]
    for phrase in items[1:]:
        if text[parts[-1][1] : phrase.start].strip(" ,") in ("", "and", "et"):
            parts[-1][1] = max(parts[-1][1], phrase.end)
        else:
            parts.append([phrase.start, phrase.end])
    return "; ".join(text[start:end].strip() for start, end in parts)


def _lead(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    """The pattern right before a place; only so far back that a long sentence costs no more than a short one."""
    return pattern.search(text, max(0, end - _REACH), end)


def _bound(text: str, item: FoundDate, previous: tuple[FoundDate, Phrase | None] | None) -> Phrase | None:
    if previous is not None and previous[1] is not None and previous[1].after is None and previous[1].first:
        between = _TO.match(text[previous[0].end : item.start])
        if between and _plausible(between.group(), previous[1], text):
            return Phrase(previous[0].end, item.end, None, end_of(item), item.precision)
    for pattern in (_FIRST_DAY_AFTER, _LAST_DAY):
        if match := _lead(pattern, text, item.start):
            after = item.day if pattern is _FIRST_DAY_AFTER else end_of(item)
            return Phrase(match.start(), item.end, None, after, item.precision)
    if match := (
        _lead(_EFFECT_ON, text, item.start) or _lead(_FROM, text, item.start) or _lead(_BETWEEN, text, item.start)
    ):
        if _lead(_DEADLINE, text, match.start()):
            return None
        if match.re is _BETWEEN and not _goes_on(text, item):
            return None
        bare = match.group().strip().lower() in ("from", "since", "depuis", "dès") and item.precision == "year"
        return Phrase(match.start(), item.end, item.day, None, item.precision, loose=bare)
    match = _lead(_WITHIN, text, item.start)
    if match and item.precision != "day":
        return Phrase(match.start(), item.end, item.day, end_of(item), item.precision, loose=True)
    return None


def _plausible(words: str, first: Phrase, text: str) -> bool:
    """ "and" joins the ends of "between … and …" only."""
    joined = words.strip(" ,").lower()
    return joined not in ("and", "et", "et le") or bool(
        re.match(r"(?:between|entre)", text[first.start :], re.IGNORECASE)
    )


def _goes_on(text: str, item: FoundDate) -> bool:
    following = next(find_dates(text[item.end : item.end + _REACH]), None)
    return following is not None and _TO.match(text[item.end : item.end + following.start]) is not None


def _relative(text: str, events: Mapping[str, date]) -> Iterator[Phrase]:
    for item in events_after(text):
        day = item.resolve(events)
        if match := _lead(_FOR, text, item.start):
            base = events.get(item.event)
            yield Phrase(match.start(), item.end, base, day if base else None, "day", relative=True)
        elif match := _lead(_RELATIVE_END, text, item.start):
            yield Phrase(match.start(), item.end, None, later(day, 1, "day") if day else None, "day", relative=True)
        else:
            match = _lead(_RELATIVE_START, text, item.start) or _lead(_FROM, text, item.start)
            if match and not _lead(_DEADLINE, text, match.start()):
                yield Phrase(match.start(), item.end, day, None, "day", relative=True)
