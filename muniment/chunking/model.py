"""The shapes that chunking strategies share: blocks and units in, pieces out. No frames, no settings, no ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

#: Tokens of each text by the embedder's tokenizer, without special tokens.
TokenCounter = Callable[[list[str]], list[int]]


class Rank(IntEnum):
    """How good a place is to cut at, best first. From WORD on a cut is forced by the hard maximum."""

    ELEMENT = 0  # between elements, or between rows of a table
    SENTENCE = 1
    CELL = 2  # between cells of a row
    EXCEPTION = 3  # between a rule and the exception in the next sentence
    HEADING = 4  # between a heading and the text that follows it
    WORD = 5
    ENTITY = 6  # inside a protected span, between words
    CHARACTER = 7

    @property
    def forced(self) -> bool:
        """Whether only the hard maximum allows a cut here."""
        return self >= Rank.WORD


@dataclass(frozen=True, slots=True)
class Block:
    """One element of the document: a span of the canonical text, where it stands, and its owner.

    `unit` is the index of the smallest section, slide, sheet, mail part or document that holds it.
    `row_numbers` are the grid rows that start at `row_starts`; `hidden_spans` are the parts of a visible
    table that are not visible, in order; `place` holds what the locator needs.
    """

    index: int
    start: int
    end: int
    kind: str
    unit: int
    hidden: bool = False
    table_unit: int | None = None
    row_starts: tuple[int, ...] = ()
    row_numbers: tuple[int, ...] = ()
    cell_starts: tuple[int, ...] = ()
    hidden_spans: tuple[tuple[int, int], ...] = ()
    place: dict[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class Unit:
    """A unit of the document's own structure; `parent` is an index into the list of units."""

    kind: str
    start: int
    end: int
    parent: int | None
    level: int
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """A document as strategies see it.

    `sentences` are spans in order; `protected` are spans not to be cut (named entities first of all),
    sorted. Offsets are code points of `text`.
    """

    text: str
    blocks: tuple[Block, ...]
    units: tuple[Unit, ...]
    sentences: tuple[tuple[int, int], ...] = ()
    protected: tuple[tuple[int, int], ...] = ()

    def ancestors(self, unit: int) -> list[int]:
        """A unit and the units that hold it, innermost first."""
        chain = [unit]
        while (parent := self.units[chain[-1]].parent) is not None:
            chain.append(parent)
        return chain

    def common_unit(self, units: list[int]) -> int:
        """Smallest unit that holds all of `units` (at least one)."""
        shared = self.ancestors(units[0])
        for unit in units[1:]:
            chain = set(self.ancestors(unit))
            shared = [candidate for candidate in shared if candidate in chain]
        return shared[0]


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in tokens: what a piece should have, and what it may have at most."""

    target: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A verbatim slice of the canonical text, without outer white space.

    `cut_before` and `cut_after` are the ranks of the cuts at its ends; None where its run begins or ends.
    """

    start: int
    end: int
    kind: str
    hidden: bool
    tokens: int
    cut_before: Rank | None = None
    cut_after: Rank | None = None

    @property
    def forced(self) -> bool:
        """Whether the hard maximum cut it where no boundary allowed it."""
        return any(cut is not None and cut.forced for cut in (self.cut_before, self.cut_after))
