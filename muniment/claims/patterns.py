"""The schema's patterns over a canonical text: which stretches they name, and the identifiers they stand for.

Patterns are run here, not by the language pipeline, so that a changed schema annotates nothing anew. A match
never reaches over the border of an element, a table cell or a line of code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from muniment.domain.model import Pattern
from muniment.nlp.names import leading_article, normalise
from muniment.nlp.segments import pieces_of

#: "No" before a number says nothing: Regulation (EU) No 648/2012.
_NUMBER_SIGN = re.compile(r"\b(?:no|nr|num)\b\.?\s*(?=\d)|n[°º]\s*(?=\d)")
_AROUND_MARKS = re.compile(r"\s*([^\w\s]|_)\s*")
_DIGIT = re.compile(r"\d")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """text[start:end] is what the pattern names; `identifier` where it names one thing."""

    start: int
    end: int
    pattern: str
    type: str
    identifier: str | None = None


def pattern_matches(
    text: str, elements: Iterable[tuple[int, int, str]], patterns: Iterable[Pattern]
) -> list[PatternMatch]:
    """Matches in order, without overlap: the higher priority, then the longer, the earlier, the first name.

    `elements` are (start, end, kind) of the extraction. Offsets are code points of `text`; matches lose outer
    white space; empty ones name nothing.
    """
    ordered = sorted(patterns, key=lambda item: item.name)
    if not ordered:
        return []
    found: list[tuple[int, PatternMatch]] = []
    for start, end in _stretches(text, elements):
        stretch = text[start:end]
        digits = _DIGIT.search(stretch) is not None
        for pattern in ordered:
            if pattern.needs_digit and not digits:
                continue
            group = "name" if "name" in pattern.compiled.groupindex else 0
            for match in pattern.compiled.finditer(stretch):
                place = _solid(stretch, *match.span(group))
                if place is not None:
                    found.append((pattern.priority, _match(text, start + place[0], start + place[1], pattern)))
    found.sort(key=lambda item: (-item[0], item[1].start - item[1].end, item[1].start, item[1].pattern))
    kept: list[PatternMatch] = []
    taken = bytearray(len(text))
    for _, match in found:
        if not any(taken[match.start : match.end]):
            taken[match.start : match.end] = b"\x01" * (match.end - match.start)
            kept.append(match)
    return sorted(kept, key=lambda item: item.start)


def identifier_of(text: str) -> str:
    """An identifier for comparison: ISO 27001 = ISO-27001, Regulation (EU) No 648/2012 = Regulation (EU) 648/2012.

    Normalised as names are; hyphens, white space and the sign for "number" are one separator. Digits keep
    their zeros.
    """
    name = _NUMBER_SIGN.sub("", normalise(unicodedata.normalize("NFKC", text)))
    tight = _AROUND_MARKS.sub(lambda mark: "-" if mark.group(1) in "-_" else mark.group(1), name)
    return _BLANKS.sub("-", tight)


def _match(text: str, start: int, end: int, pattern: Pattern) -> PatternMatch:
    identifier = identifier_of(text[start:end]) if pattern.identifier else None
    return PatternMatch(start, end, pattern.name, pattern.type, identifier or None)


def _solid(text: str, first: int, last: int) -> tuple[int, int] | None:
    """The span without outer white space and leading article; None for a group that took no part, or nothing."""
    if first < 0:
        return None
    content = text[first:last]
    first += len(content) - len(content.lstrip())
    last -= len(content) - len(content.rstrip())
    first += leading_article(text[first:last])
    return (first, last) if last > first else None


def _stretches(text: str, elements: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """Elements, cells of tables and lines of code."""
    for piece in pieces_of(text, elements):
        if piece.mode == "prose":
            yield piece.start, piece.start + len(piece.text)
            continue
        position = piece.start
        for cell in re.split(r"[\t\n]" if piece.mode == "rows" else r"\n", piece.text):
            if cell and not cell.isspace():
                yield position, position + len(cell)
            position += len(cell) + 1
