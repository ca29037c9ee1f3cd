"""The strategy `structural`: whole sections where they fit, else the best cuts between elements and sentences.

A run is what belongs together: consecutive blocks of one unit, all visible or all hidden, one table, one
figure with its caption. A run that fits the hard maximum is one piece. A longer one is cut where the sum
of costs is least (shortest path over the candidate cuts): distance from the target size, and the rank of
each cut. Nothing is moved or repeated: pieces are slices (methods, section 5).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from muniment.chunking.boundaries import LEVELS, TABLE_LEVELS, Boundaries, Cuts
from muniment.chunking.model import Limits, Outline, Piece, Rank, TokenCounter
from muniment.chunking.runs import Run, runs_of

#: Cost of a cut by its rank, and of a piece; the cost of a piece far below the target is 10,000 at most.
_CUT_COST = {
    Rank.ELEMENT: 0,
    Rank.SENTENCE: 400,
    Rank.CELL: 2_500,
    Rank.EXCEPTION: 9_000,
    Rank.HEADING: 60_000,
    Rank.WORD: 1_000_000,
    Rank.ENTITY: 30_000_000,
    Rank.CHARACTER: 900_000_000,
}
_PIECE_COST = 300
#: A token stands for this many characters at most: a text without spaces may be a single unknown token.
_CHARACTERS_PER_TOKEN = 20


@dataclass(frozen=True, slots=True)
class _Atom:
    """A smallest part: its span, its size in tokens, and the rank of the cut before it."""

    start: int
    end: int
    size: int
    cut: Rank | None


class Measure:
    """Sizes of spans in tokens, each distinct text counted once."""

    def __init__(self, text: str, count_tokens: TokenCounter) -> None:
        self._text = text
        self._count = count_tokens
        self._known: dict[str, int] = {}

    def tokens(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Exact tokens of each span."""
        texts = [self._text[start:end].strip() for start, end in spans]
        new = sorted({text for text in texts if text not in self._known})
        if new:
            self._known.update(zip(new, self._count(new), strict=True))
        return [self._known[text] for text in texts]

    def sizes(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Tokens of each span, or more where its words are too long to be text."""
        lengths = [len(self._text[start:end].strip()) for start, end in spans]
        return [
            max(tokens, -(-length // _CHARACTERS_PER_TOKEN))
            for tokens, length in zip(self.tokens(spans), lengths, strict=True)
        ]


def split(outline: Outline, limits: Limits, count_tokens: TokenCounter) -> list[Piece]:
    """Pieces in reading order: every non-space character of the blocks once, none longer than the maximum.

    Deterministic; each element is counted once, sentences only in runs that do not fit, and each piece
    once more for its exact size.
    """
    measure = Measure(outline.text, count_tokens)
    boundaries = Boundaries(outline)
    runs = runs_of(outline, measure.sizes, limits)
    # counted together: a call of the tokenizer costs more than a text
    measure.tokens([_trimmed(outline.text, run.start, run.end) for run in runs if run.size <= limits.maximum])
    pieces: list[Piece] = []
    for run in runs:
        pieces += _split_run(run, outline, limits, measure, boundaries)
    return pieces


def _split_run(run: Run, outline: Outline, limits: Limits, measure: Measure, boundaries: Boundaries) -> list[Piece]:
    start, end = _trimmed(outline.text, run.start, run.end)
    if start >= end:
        return []
    whole = measure.sizes([(start, end)])[0] if run.size <= limits.maximum else run.size
    if whole <= limits.maximum:
        return [Piece(start, end, run.kind, run.hidden, measure.tokens([(start, end)])[0])]
    cuts = boundaries.structural(list(run.blocks), start, end)
    maximum = limits.maximum
    while True:
        planned = _plan(_Span(start, end, run.kind == "table", cuts), limits, maximum, measure, boundaries)
        kept = _pieces(planned, run, outline, measure)
        worst = max(piece.tokens for piece in kept)
        if worst <= limits.maximum:
            return _joined(kept)
        # parts can have fewer tokens than the whole where a tokenizer joins over a cut: plan for less
        maximum -= worst - limits.maximum
        if maximum < 1:
            raise ValueError(f"no cut makes characters {start} to {end} fit {limits.maximum} tokens")


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    table: bool
    cuts: Cuts


@dataclass(frozen=True, slots=True)
class _Planned:
    start: int
    end: int
    cut: Rank | None


def _plan(span: _Span, limits: Limits, maximum: int, measure: Measure, boundaries: Boundaries) -> list[_Planned]:
    atoms = _atoms(span, maximum, measure, boundaries)
    return _cheapest(atoms, min(limits.target, maximum), maximum)


def _atoms(span: _Span, maximum: int, measure: Measure, boundaries: Boundaries) -> list[_Atom]:
    """Parts at the coarsest level; parts longer than the maximum are divided at the next level."""
    atoms = [_Atom(span.start, span.end, maximum + 1, None)]
    for level in TABLE_LEVELS if span.table else LEVELS:
        divided: list[_Atom] = []
        for atom in atoms:
            if atom.size <= maximum:
                divided.append(atom)
                continue
            places = _places(atom, level, span.cuts, boundaries)
            edges = [atom.start, *sorted(places), atom.end]
            parts = list(itertools.pairwise(edges))
            sizes = measure.sizes(parts)
            ranks = [atom.cut, *(places[place] for place in edges[1:-1])]
            divided += [_Atom(*part, size, rank) for part, size, rank in zip(parts, sizes, ranks, strict=True)]
        atoms = divided
    return atoms


def _places(atom: _Atom, level: Rank, cuts: Cuts, boundaries: Boundaries) -> Cuts:
    found: Cuts = {}
    if level is Rank.CHARACTER:
        found |= boundaries.characters(atom.start, atom.end)
    if level >= Rank.WORD:
        found |= boundaries.words(atom.start, atom.end)
    found |= {place: rank for place, rank in cuts.items() if atom.start < place < atom.end}
    return {place: rank for place, rank in found.items() if rank <= level}


def _cheapest(atoms: list[_Atom], target: int, maximum: int) -> list[_Planned]:
    """Least total cost over all ways to join neighbouring atoms; of equals the one with the longest first pieces."""
    count = len(atoms)
    best = [0] * (count + 1)
    ends = [count] * (count + 1)
    for first in range(count - 1, -1, -1):
        size = 0
        chosen: tuple[int, int] | None = None
        for last in range(first, count):
            size += atoms[last].size
            if size > maximum and last > first:
                break
            following = atoms[last + 1].cut if last + 1 < count else None
            cost = _size_cost(size, target, maximum) + best[last + 1]
            cost += _CUT_COST[following] if following is not None else 0
            if chosen is None or cost <= chosen[0]:
                chosen = (cost, last + 1)
        best[first], ends[first] = chosen or (0, count)
    planned: list[_Planned] = []
    first = 0
    while first < count:
        last = ends[first]
        planned.append(_Planned(atoms[first].start, atoms[last - 1].end, atoms[first].cut))
        first = last
    return planned


def _size_cost(size: int, target: int, maximum: int) -> int:
    if size <= target:
        return _PIECE_COST + (100 * (target - size) // max(target, 1)) ** 2
    return _PIECE_COST + (50 * (size - target) // max(maximum - target, 1)) ** 2


def _pieces(planned: Sequence[_Planned], run: Run, outline: Outline, measure: Measure) -> list[Piece]:
    spans = [_trimmed(outline.text, item.start, item.end) for item in planned]
    counted = measure.tokens(spans)
    return [
        Piece(start, end, run.kind, run.hidden, tokens, item.cut)
        for (start, end), tokens, item in zip(spans, counted, planned, strict=True)
        if start < end
    ]


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Pieces of one run with the cut after each; the first has no cut before it."""
    cuts = [None, *(piece.cut_before for piece in pieces[1:]), None]
    return [
        dataclasses.replace(piece, cut_before=cuts[index], cut_after=cuts[index + 1])
        for index, piece in enumerate(pieces)
    ]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
