"""What the text itself says about a model's claim: whether it denies it, with which modality, and for what time."""

from __future__ import annotations

import re
from datetime import date, timedelta

from muniment.claims.assertion import Precision, Validity
from muniment.claims.model_spans import ReadSentence
from muniment.claims.model_windows import Span
from muniment.claims.trees import Clause
from muniment.nlp.dates import DateOrder, read_date

#: Words that deny, where no clause was parsed: English, French, German, Spanish, Italian.
NEGATORS = re.compile(
    r"(?<!\w)(?:not|never|no|nor|neither|none|cannot|without|\w+n['’]t|ne|n['’]|jamais|aucune?|ni|sans|nicht|kein\w*|"
    r"nie|niemals|ohne|nunca|jamás|ningun[oa]?|non|nessun[oa]?)(?!\w)",
    re.IGNORECASE,
)
#: Words by which a text can say each modality, where the parse does not.
_MODAL_WORDS = {
    "shall": r"shall|is to|are to|doit|doivent|muss|müssen|debe[n]?",
    "must": r"must|shall|required?|has to|have to|needs? to|obliged|mandatory|doit|doivent|muss|müssen|debe[n]?",
    "may": r"may|might|can|permitted|allowed|entitled|authori[sz]ed|optional|peut|peuvent|darf|dürfen|puede[n]?",
    "should": r"should|ought|recommended|advised|devrait|devraient|soll|sollen|sollte[n]?|debería[n]?",
    "will": r"will|would|['’]ll|wird|werden",
    "can": r"can|could|able|may|peut|peuvent|kann|können|puede[n]?",
    "need_not": r"need not|needn['’]t|not required|not obliged|does not have to|do not have to|not need",
}
_COARSER: tuple[Precision, ...] = ("day", "month", "year")
_OPENING = re.compile(
    r"^(?:with\s+effect\s+)?(?:from|since|until|till|up\s+to|through|as\s+(?:of|from)|effective(?:\s+from)?|starting|on|"
    r"by|à\s+(?:partir|compter)\s+d[eu]|depuis|dès|jusqu['’]\s?(?:à|au)|(?:le|la|the)|(?:and\s+)?including)\s+",
    re.IGNORECASE,
)


def denied(read: ReadSentence, clause: Clause | None, quote: Span, text: str) -> bool:
    """Whether the text denies what its clause says; without a parse, whether the quote has such a word."""
    if clause is not None and read.tree is not None:
        return clause.negated or any(item.negated for item in (*clause.subjects, *clause.arguments))
    return NEGATORS.search(text[quote[0] : quote[1]]) is not None


def stated_modality(claimed: str, clause: Clause | None, quote: str) -> str | None:
    """The modality that the text states; None where it states no such one as claimed.

    The clause's own modal stands; a claimed one that no modal expresses needs a word of its kind in the quote.
    """
    if clause is not None and clause.modality != "is":
        return clause.modality if claimed in ("is", clause.modality) or _alike(claimed, clause.modality) else None
    if claimed == "is":
        return "is"
    found = re.search(rf"(?<!\w)(?:{_MODAL_WORDS[claimed]})(?!\w)", quote, re.IGNORECASE)
    return claimed if found else None


def stated_validity(text: str, since: Span | None, until: Span | None, order: DateOrder | None = None) -> Validity:
    """Validity of the words that state it; what is no date stays words. The last day named is included."""
    spans = [span for span in (since, until) if span is not None]
    if not spans:
        return Validity()
    words = text[min(start for start, _ in spans) : max(end for _, end in spans)]
    first, last = (_date(text[slice(*span)], order) if span is not None else None for span in (since, until))
    start = first[0] if first else None
    end = _after(*last) if last else None
    if start is not None and end is not None and start >= end:
        start = end = None
    if start is None and end is None:
        return Validity(text=words)
    stated: list[Precision] = [item[1] for item in (first, last) if item]
    precision = max(stated, key=_COARSER.index)
    return Validity(start, end, precision, "stated" if end else "stated_open", words)


def _after(day: date, precision: Precision) -> date | None:
    """The first day after the day, month or year; None after the last year that there is."""
    if day.year == date.max.year:
        return None
    if precision == "year":
        return date(day.year + 1, 1, 1)
    if precision == "month":
        return date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return day + timedelta(days=1)


def _date(words: str, order: DateOrder | None) -> tuple[date, Precision] | None:
    stripped = words.strip().strip(".,;()")
    while match := _OPENING.match(stripped):
        stripped = stripped[match.end() :]
    found = read_date(stripped, order)
    return (found.day, found.precision) if found is not None else None


def _alike(claimed: str, stated: str) -> bool:
    """must for shall and the like: one duty in two words."""
    return {claimed, stated} <= {"must", "shall"} or {claimed, stated} <= {"may", "can"}
