"""Whether a text stands in the text of an original: as it is, after the declared normalisation, or not.

The declared normalisation: NFKC; no soft hyphens, zero-width and control characters and no white space;
quotation marks and dashes of one kind. Numbers, signs and letters' case stay.

A text that does not stand there in one piece is looked for by its elements, in any order (the file's order
need not be the reading order); an element by its rows or lines; a row by its cells, in their order and near each
other (delimiters and marks stand between). Each piece must be found; then the answer is `normalised`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from muniment.trace.model import Verification

_DROPPED = dict.fromkeys(
    [*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF]
)
_UNIFIED = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
)
#: Characters that may stand between two cells of a row; a run of white space is one.
_GAP = 40
#: Places where a row may begin that are tried.
_STARTS = 1000

#: Whether a cell as shown stands for a stored value.
Shows = Callable[[str, str], bool]


def normalise(text: str) -> str:
    """The declared normalisation."""
    return "".join(_folded(text).split())


def compare(text: str, source: str, shows: Shows | None = None) -> Verification:
    """exact, normalised or not_found. With `shows`, rows are also compared cell by cell with stored rows:
    lines of `source` whose cells are apart by a tab."""
    if text in source:
        return "exact"
    place = _Place(source, shows)
    if normalise(text) in place.dense:
        return "normalised"
    elements = [element for element in re.split(r"\n\s*\n", text) if element.strip()]
    return "normalised" if elements and all(map(place.has_element, elements)) else "not_found"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text.translate(_DROPPED)).translate(_UNIFIED)


class _Place:
    """The text at the place where another is looked for."""

    def __init__(self, source: str, shows: Shows | None) -> None:
        self.dense = normalise(source)
        self._spaced = " ".join(_folded(source).split())
        self._stored = [line.split("\t") for line in source.split("\n")] if shows is not None else []
        self._shows = shows

    def has_element(self, element: str) -> bool:
        """Whether an element, or each of its rows or lines, stands here."""
        return normalise(element) in self.dense or all(map(self._has_row, element.split("\n")))

    def _has_row(self, row: str) -> bool:
        if normalise(row) in self.dense:
            return True
        cells = row.split("\t")
        if self._shows is not None and any(_is_in_line(cells, line, self._shows) for line in self._stored):
            return True
        wanted = [cell for cell in (" ".join(_folded(cell).split()) for cell in cells) if cell]
        return len(wanted) > 1 and self._has_in_order(wanted)

    def _has_in_order(self, cells: list[str]) -> bool:
        start = _find_word(cells[0], self._spaced, 0, len(self._spaced))
        for _ in range(_STARTS):
            if start < 0:
                return False
            if self._follow(cells[1:], start + len(cells[0])):
                return True
            start = _find_word(cells[0], self._spaced, start + 1, len(self._spaced))
        return False

    def _follow(self, cells: list[str], position: int) -> bool:
        for cell in cells:
            found = _find_word(cell, self._spaced, position, position + _GAP + len(cell))
            if found < 0:
                return False
            position = found + len(cell)
        return True


def _find_word(words: str, text: str, start: int, end: int) -> int:
    """First place of `words` that neither begins nor ends inside a word or number of the text; -1 if none."""
    found = text.find(words, start, end)
    while found >= 0:
        after = found + len(words)
        begins = not (words[0].isalnum() and text[max(found - 1, 0) : found].isalnum())
        if begins and not (words[-1].isalnum() and text[after : after + 1].isalnum()):
            return found
        found = text.find(words, found + 1, end)
    return -1


def _is_in_line(cells: Sequence[str], line: Sequence[str], shows: Shows) -> bool:
    return any(
        all(shows(shown, stored) for shown, stored in zip(cells, line[start:], strict=False))
        for start in range(len(line) - len(cells) + 1)
    )
