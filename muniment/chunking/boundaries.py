"""Where a run of blocks may be cut, and how good each place is: structure, then sentences, words, characters."""

from __future__ import annotations

import bisect
import re
import unicodedata

from muniment.chunking.model import Block, Outline, Rank
from muniment.chunking.protected import Guard

#: A sentence end where no pipeline found sentences: a full stop and the like, closing marks, white space.
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\s+(?=\S)|[。！？](?=\S)|\n\s*(?=\S)")
_WORD = re.compile(r"\S+")
#: Sentences that limit the rule before them.
_EXCEPTION = re.compile(
    r"\W*(?:however|except|unless|otherwise|provided that|notwithstanding|by way of derogation|this does not apply"
    r"|the (?:above|foregoing) does not apply|exceptions?)\b",
    re.IGNORECASE,
)
#: Code points in the smallest part of a word that is too long to stay whole.
CHARACTERS = 12
#: Levels of search, coarse to fine; each adds the places of these ranks.
LEVELS = (Rank.HEADING, Rank.WORD, Rank.ENTITY, Rank.CHARACTER)
TABLE_LEVELS = (Rank.ELEMENT, Rank.CELL, Rank.WORD, Rank.ENTITY, Rank.CHARACTER)

Cuts = dict[int, Rank]


class Boundaries:
    """Candidate cuts of one document, found on demand for a span."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._guard = Guard(outline.protected)
        self._sentence_starts = [start for start, _ in outline.sentences]
        self._sentence_ends = [end for _, end in outline.sentences]

    def structural(self, blocks: list[Block], start: int, end: int) -> Cuts:
        """Cuts between blocks, rows, cells and sentences strictly inside the span.

        A place inside a protected span has the rank ENTITY: it is used only when nothing else fits.
        """
        found: Cuts = {}
        for position, block in enumerate(blocks):
            if position:
                self._add(found, block.start, self._between(blocks[position - 1], block))
            if block.kind == "table":
                for cell in block.cell_starts:
                    self._add(found, cell, Rank.CELL)
                for row in block.row_starts:
                    self._add(found, row, Rank.ELEMENT)
            else:
                for sentence in self._sentences(block):
                    exception = _EXCEPTION.match(self._outline.text, sentence)
                    self._add(found, sentence, Rank.EXCEPTION if exception else Rank.SENTENCE)
        return {position: rank for position, rank in found.items() if start < position < end}

    def words(self, start: int, end: int) -> Cuts:
        """Cuts before words strictly inside the span."""
        found: Cuts = {}
        for match in _WORD.finditer(self._outline.text, start, end):
            if match.start() > start:
                self._add(found, match.start(), Rank.WORD)
        return found

    def characters(self, start: int, end: int) -> Cuts:
        """Cuts inside words, never before a mark that combines with the character before it."""
        text = self._outline.text
        found: Cuts = {}
        position = start + CHARACTERS
        while position < end:
            while position < end and _combines(text, position):
                position += 1
            if position < end:
                found[position] = Rank.CHARACTER
            position += CHARACTERS
        return found

    def _between(self, before: Block, after: Block) -> Rank:
        if before.kind in ("heading", "title"):
            return Rank.HEADING
        joined = "caption" in (before.kind, after.kind) and {before.kind, after.kind} & {"table", "figure"}
        return Rank.HEADING if joined else Rank.ELEMENT

    def _add(self, found: Cuts, position: int, rank: Rank) -> None:
        # the better rank of a place wins: a row start is a cell start too
        rank = Rank.ENTITY if self._guard.cuts(position) else rank
        if position not in found or (rank < found[position] and found[position] is not Rank.HEADING):
            found[position] = rank

    def _sentences(self, block: Block) -> list[int]:
        first = bisect.bisect_right(self._sentence_ends, block.start)
        last = bisect.bisect_left(self._sentence_starts, block.end)
        if first < last:
            return [start for start in self._sentence_starts[first:last] if block.start < start]
        return [match.end() for match in _SENTENCE_END.finditer(self._outline.text, block.start, block.end)]


def _combines(text: str, position: int) -> bool:
    character = text[position]
    joined = "\u200d" in (character, text[position - 1])  # zero width joiner of emoji sequences
    return joined or unicodedata.category(character).startswith("M")
