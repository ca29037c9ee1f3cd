"""Stated references to units of a document: Article 5(2), § 12, Annex II. Found by rule in any language's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Words for a kind of unit: singular, plural and abbreviation; English, French and German.
_KINDS: dict[str, str] = {
    "article": r"articles?|arts?\.|artikeln?",
    "section": r"sections?|sec(?:s|t)?\.|abschnitte?|§§?",
    "annex": r"annex(?:es)?|annexes?|anhang|anhänge",
    "clause": r"clauses?|cl\.",
    "paragraph": r"paragraphs?|paras?\.?|paragraphes?|absatz|abs\.|¶",
    "schedule": r"schedules?",
    "appendix": r"appendix|appendices",
    "chapter": r"chapters?|chapitres?|kapitel",
    "point": r"points?",
    "recital": r"recitals?|considérants?",
    "rule": r"rules?",
    "part": r"parts?",
}

_ENDS = r"(?![\w(]|[./-]\d)"
_NUMBER = r"\d{1,4}[a-z]{0,2}(?:\.\d{1,3}){0,5}(?:\s?\((?:\d{1,3}|[a-zA-Z]{1,5})\)){0,4}" + _ENDS
_LETTERED = r"(?:[IVXLC]{1,7}|[A-Z])(?:\.\d{1,3}){0,3}(?:\s?\((?:\d{1,3}|[a-z]{1,4})\)){0,3}" + _ENDS
_BRACKETED = r"\((?:\d{1,3}|[a-z]{1,4})\)(?:\s?\((?:\d{1,3}|[a-z]{1,4})\)){0,3}"
#: Kinds whose units may be lettered or in Roman numbers: Annex II, Schedule B.
_LETTERED_KINDS = {"annex", "schedule", "appendix", "chapter", "part", "article", "section"}
#: Kinds whose units may be in brackets alone: paragraph (3), point (a), clause (b).
_BRACKETED_KINDS = {"paragraph", "point", "recital", "clause"}

_WORDS = re.compile(
    "|".join(rf"(?P<{kind}>(?<![\w])(?:{words})(?=[\s\d(]))" for kind, words in _KINDS.items()), re.IGNORECASE
)
_NEXT = re.compile(r"(?:\s?,\s|\s?[–-]\s?|\s(?:and|or|to|et|ou|à|und|oder|bis)\s)")
#: By kind and whether its word is capitalised: "article I wrote" is no reference, "Article I" is one.
_LABELS = {
    (kind, capital): re.compile(
        "|".join(
            [_NUMBER]
            + ([_LETTERED] if capital and kind in _LETTERED_KINDS else [])
            + ([_BRACKETED] if kind in _BRACKETED_KINDS else [])
        )
    )
    for kind in _KINDS
    for capital in (False, True)
}


@dataclass(frozen=True, slots=True)
class UnitReference:
    """A reference at text[start:end]; of "Articles 5 and 6" the second is "6", kind article."""

    start: int
    end: int
    kind: str
    label: str


def unit_references(text: str) -> Iterator[UnitReference]:
    """References in order of place, without overlap."""
    position = 0
    while word := _WORDS.search(text, position):
        kind = str(word.lastgroup)
        position = word.end()
        start, place = word.start(), _skip_space(text, word.end())
        labels = _LABELS[kind, not word.group()[0].islower()]
        while place is not None and (label := labels.match(text, place)):
            yield UnitReference(start, label.end(), kind, _normalise(label.group()))
            position = label.end()
            following = _NEXT.match(text, label.end())
            place = following.end() if following else None
            start = place or position


def _skip_space(text: str, position: int) -> int:
    """At most one blank or line break stands between word and number."""
    return position + 1 if position < len(text) and text[position] in " \u00a0\u202f\n" else position


def _normalise(label: str) -> str:
    """5 (2) → 5(2); (a) → a."""
    compact = re.sub(r"\s", "", label)
    whole = re.fullmatch(r"\((\w+)\)", compact)
    return whole.group(1) if whole else compact
