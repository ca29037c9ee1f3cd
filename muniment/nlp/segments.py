"""Cutting a canonical text into pieces at its elements, and pieces into windows: the unit of work of a pipeline.

Windows depend on text, elements and `window_characters` only; a window is always read as one batch. So
no number of workers and no neighbouring document can change what the pipeline says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Mode = Literal["prose", "rows", "lines"]

#: A piece of prose longer than this is cut, at a line or sentence end where there is one.
MAX_PIECE_CHARACTERS = 20_000

_MODES: dict[str, Mode] = {"table": "rows", "code": "lines"}
_SOFT_ENDS = (re.compile(r"\n\s*"), re.compile(r"[.!?。！？؟]['\"’”)\]]*\s+|[。！？]"))
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """text of one element (or part of it) at `start` of the canonical text; `cut`: ends inside a sentence."""

    start: int
    text: str
    mode: Mode
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """Pieces read as one batch by one pipeline (`package` None: the language's rules)."""

    language: str
    package: str | None
    pieces: tuple[Piece, ...]

    @property
    def characters(self) -> int:
        """Length of its texts."""
        return sum(len(piece.text) for piece in self.pieces)


def pieces_of(text: str, elements: Iterable[tuple[int, int, str]]) -> list[Piece]:
    """Pieces that cover every non-space character once; elements are (start, end, kind).

    Text that no element claims is a piece of prose of its own; of overlapping elements the earlier
    (then longer) one has the overlap.
    """
    pieces: list[Piece] = []
    position = 0
    for start, end, kind in sorted(elements, key=lambda item: (item[0], -item[1], item[2])):
        pieces += _cut(text, position, max(position, start), "prose")
        pieces += _cut(text, max(position, start), end, _MODES.get(kind, "prose"))
        position = max(position, end)
    pieces += _cut(text, position, len(text), "prose")
    return pieces


def windows_of(pieces: Iterable[Piece], language: str, package: str | None, window_characters: int) -> Iterator[Window]:
    """Consecutive pieces, closed as soon as a window has `window_characters`."""
    waiting: list[Piece] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece.text)
        if size >= window_characters:
            yield Window(language, package, tuple(waiting))
            waiting, size = [], 0
    if waiting:
        yield Window(language, package, tuple(waiting))


def _cut(text: str, start: int, end: int, mode: Mode) -> Iterator[Piece]:
    while end - start > MAX_PIECE_CHARACTERS:
        place, inside = _cut_place(text, start, start + MAX_PIECE_CHARACTERS)
        yield from _piece(text, start, place, mode, cut=inside)
        start = place
    yield from _piece(text, start, end, mode, cut=False)


def _piece(text: str, start: int, end: int, mode: Mode, *, cut: bool) -> Iterator[Piece]:
    if end > start and not text[start:end].isspace():
        yield Piece(start, text[start:end], mode, cut)


def _cut_place(text: str, start: int, limit: int) -> tuple[int, bool]:
    """Where to cut before `limit`, and whether that is inside a sentence."""
    for pattern in _SOFT_ENDS:
        ends = [match.end() for match in pattern.finditer(text, start + 1, limit)]
        if ends:
            return ends[-1], False
    spaces = [match.end() for match in _SPACE.finditer(text, start + 1, limit)]
    return (spaces[-1] if spaces else limit), True
