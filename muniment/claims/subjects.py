"""What a document and its sections are about: names in the title, the headings and the stated subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from muniment.nlp.model import Sentence
from muniment.nlp.names import normalise

_NUMBERING = re.compile(
    r"^\s*(?:(?:article|section|annex|chapter|part|clause|schedule|appendix|title|chapitre|annexe|artikel|abschnitt|§)\s*"
    r"(?:\d[\w.()]*|[IVXLC]+|[A-Z])(?=[\s.:–—-]|$)|\d+(?:\.\d+)*[.)]?(?=\s)|[IVXLC]+[.)]|[A-Z][.)]|\([a-z\d]{1,4}\))"
    r"[\s.:–—-]*",
    re.IGNORECASE,
)
#: Headings that say where in a document one is, not what about.
_GENERIC = frozenset(
    {"abstract", "annex", "annexes", "appendices", "appendix", "background", "champ d'application", "conclusion",
     "conclusions", "contents", "definition", "definitions", "définitions", "entry into force", "final provisions",
     "general", "general provisions", "introduction", "introduction générale", "objet", "overview", "preamble",
     "purpose", "recitals", "references", "scope", "sommaire", "summary", "table of contents", "whereas"}
)  # fmt: skip
_SUBJECT_FIELDS = ("title", "subject")
_FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})


def subject_spans(
    text: str,
    elements: Iterable[tuple[int, int, str]],
    sentences: list[Sentence],
    stated: Iterable[tuple[str, str]],
    max_tokens: int,
) -> Iterator[tuple[int, int]]:
    """Code points of names in titles and headings, and of a stated title or subject that stands in the text."""
    headings = [(start, end) for start, end, kind in elements if kind in ("title", "heading")]
    for field, value in stated:
        place = text.find(value) if field in _SUBJECT_FIELDS and value.strip() else -1
        if place >= 0:
            headings.append((place, place + len(value)))
    by_start = {sentence.start: sentence for sentence in sentences}
    for start, end in sorted(set(headings)):
        span = _name_in(text, start, end)
        if span is not None:
            sentence = _holding(sentences, by_start, span)
            if sentence is not None and _name_like(sentence, span, max_tokens):
                yield span


def heading_ranges(elements: Iterable[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """Code points of titles and headings: mentions in them are subjects."""
    return sorted((start, end) for start, end, kind in elements if kind in ("title", "heading"))


def title_range(elements: Iterable[tuple[int, int, str]]) -> tuple[int, int] | None:
    """Code points of the document's title: its title element, else its first heading."""
    places = sorted((kind != "title", start, end) for start, end, kind in elements if kind in ("title", "heading"))
    return places[0][1:] if places else None


def _name_in(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The heading without its numbering and outer white space."""
    numbering = _NUMBERING.match(text[start:end])
    first = start + (numbering.end() if numbering else 0)
    content = text[first:end]
    first += len(content) - len(content.lstrip())
    last = first + len(text[first:end].rstrip(" \t\n.:;"))
    return (first, last) if last > first and "\n" not in text[first:last] else None


def _holding(sentences: list[Sentence], by_start: dict[int, Sentence], span: tuple[int, int]) -> Sentence | None:
    first = by_start.get(span[0])
    if first is not None and first.end >= span[1]:
        return first
    return next((item for item in sentences if item.start <= span[0] and span[1] <= item.end), None)


def _name_like(sentence: Sentence, span: tuple[int, int], max_tokens: int) -> bool:
    """No sentence, not generic, not long; names inside a longer heading stay names of their own."""
    tokens = [
        index
        for index, (start, end) in enumerate(zip(sentence.token_starts, sentence.token_ends, strict=True))
        if start >= span[0] and end <= span[1]
    ]
    name = normalise(sentence.text[span[0] - sentence.start : span[1] - sentence.start])
    if not tokens or len(tokens) > max_tokens or name in _GENERIC or not any(char.isalpha() for char in name):
        return False
    if sentence.parsed and any(sentence.tags[index] in _FINITE or (sentence.deps[index] == "cop") for index in tokens):
        return False
    whole = [chunk for chunk in sentence.noun_chunks if chunk.start <= tokens[0] and chunk.end > tokens[-1]]
    inside = [item for item in sentence.entities if item.start >= tokens[0] and item.end <= tokens[-1] + 1]
    partial = any(item.end - item.start < len(tokens) for item in inside)
    return bool(whole) or not partial
