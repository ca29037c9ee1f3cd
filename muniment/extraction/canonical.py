"""The canonical text of a reading and where every element, cell and edit stands in it.

Element texts in reading order are joined by a blank line; the text of a table is made from its grid:
cells by tab, rows by newline, a spanned cell once, at the place where it starts. Nothing is normalised
but what cannot be kept: control characters, lone surrogates, and tabs or line breaks inside a cell
(they would read as cell and row borders). Each such change is an edit with both sides.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from muniment.extraction.model import Cell, Element, Grid, Reading

ELEMENT_SEPARATOR = "\n\n"
CELL_SEPARATOR = "\t"
ROW_SEPARATOR = "\n"

#: What cannot stay in a text, by kind of edit, and what takes its place.
_RULES = (
    ("line_break", r"\r\n?", "\n"),
    ("control_character", r"[\x0b\x0c\x1c-\x1f\x85]+", " "),
    ("control_character", r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]+", ""),
    ("lone_surrogate", r"[\ud800-\udfff]", "\ufffd"),
)
_CELL_RULES = (("cell_whitespace", r"[\t\r\n]+", " "), *_RULES)


def _pattern(rules: tuple[tuple[str, str, str], ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"({pattern})" for _, pattern, _ in rules))


_PATTERN = _pattern(_RULES)
_CELL_PATTERN = _pattern(_CELL_RULES)


@dataclass(frozen=True, slots=True)
class PlacedEdit:
    """An edit in canonical offsets."""

    start: int
    end: int
    kind: str
    source_text: str
    canonical_text: str


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell and its span; `text` is canonical_text[start:end]."""

    cell: Cell
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class PlacedElement:
    """An element, its span, its cells, edits and the headings above it (outermost first)."""

    element: Element
    start: int
    end: int
    section_path: tuple[str, ...]
    cells: tuple[PlacedCell, ...] = ()
    edits: tuple[PlacedEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class Assembled:
    """The canonical text and its elements in reading order."""

    text: str
    elements: tuple[PlacedElement, ...]


@dataclass(slots=True)
class _Writer:
    parts: list[str] = field(default_factory=list)
    length: int = 0

    def write(self, text: str) -> int:
        """Append a text and return where it starts."""
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        return start


def assemble(reading: Reading) -> Assembled:
    """Canonical text with spans in code points. Elements with neither text nor cells are left out.

    The section path of an element holds the headings above it; a deeper or equal heading closes those
    before it. `title` opens a section only in a document without any `heading`. Hidden headings open
    none, and slide, sheet and mail part each begin anew.
    """
    kept = [element for element in reading.elements if has_content(element)]
    writer = _Writer()
    placed: list[PlacedElement] = []
    for element, path in zip(kept, _section_paths(kept), strict=True):
        if placed:
            writer.write(ELEMENT_SEPARATOR)
        placed.append(_place(writer, element, path))
    return Assembled("".join(writer.parts), tuple(placed))


def has_content(element: Element) -> bool:
    """Whether an element takes part in the canonical text: it has a cell, or text that is not blank."""
    if element.grid is not None:
        return bool(element.grid.cells)
    return bool(_clean(element.text, _RULES, _PATTERN)[0].strip())


def _place(writer: _Writer, element: Element, path: tuple[str, ...]) -> PlacedElement:
    if element.grid is not None:
        return _place_grid(writer, element, element.grid, path)
    text, changes = _clean(element.text, _RULES, _PATTERN)
    start = writer.write(text)
    edits = [_placed(start, text, change) for change in changes]
    shift = _Shift(changes)
    for edit in element.edits:
        first, last = shift.to_clean(edit.start), shift.to_clean(edit.end)
        edits.append(PlacedEdit(start + first, start + last, edit.kind, printable(edit.source_text), text[first:last]))
    return PlacedElement(element, start, writer.length, path, (), tuple(edits))


def _place_grid(writer: _Writer, element: Element, grid: Grid, path: tuple[str, ...]) -> PlacedElement:
    cells: list[PlacedCell] = []
    edits: list[PlacedEdit] = []
    start = writer.length
    previous_row: int | None = None
    for cell in sorted(grid.cells, key=lambda item: (item.row, item.column)):
        if previous_row is not None:
            writer.write(CELL_SEPARATOR if cell.row == previous_row else ROW_SEPARATOR)
        previous_row = cell.row
        text, changes = _clean(cell.text, _CELL_RULES, _CELL_PATTERN)
        cell_start = writer.write(text)
        cells.append(PlacedCell(cell, cell_start, writer.length, text))
        edits.extend(_placed(cell_start, text, change) for change in changes)
    return PlacedElement(element, start, writer.length, path, tuple(cells), tuple(edits))


@dataclass(frozen=True, slots=True)
class _Change:
    """A replaced run: `start` in the clean text, `source_start` in the source."""

    start: int
    source_start: int
    kind: str
    source: str
    replacement: str


def _clean(text: str, rules: tuple[tuple[str, str, str], ...], pattern: re.Pattern[str]) -> tuple[str, list[_Change]]:
    parts: list[str] = []
    changes: list[_Change] = []
    position = length = 0
    for match in pattern.finditer(text):
        kind, _, replacement = rules[(match.lastindex or 1) - 1]
        kept = text[position : match.start()]
        length += len(kept)
        parts += (kept, replacement)
        changes.append(_Change(length, match.start(), kind, match.group(), replacement))
        length += len(replacement)
        position = match.end()
    if not changes:
        return text, changes
    parts.append(text[position:])
    return "".join(parts), changes


class _Shift:
    """Maps offsets of a source text to the cleaned text."""

    def __init__(self, changes: list[_Change]) -> None:
        self._starts = [change.source_start for change in changes]
        self._changes = changes

    def to_clean(self, offset: int) -> int:
        index = bisect.bisect_right(self._starts, offset) - 1
        if index < 0:
            return offset
        change = self._changes[index]
        inside = offset - change.source_start
        if inside < len(change.source):
            return change.start + min(inside, len(change.replacement))
        return change.start + len(change.replacement) + inside - len(change.source)


def _placed(start: int, text: str, change: _Change) -> PlacedEdit:
    first, last = change.start, change.start + len(change.replacement)
    return PlacedEdit(start + first, start + last, change.kind, printable(change.source), text[first:last])


def printable(text: str) -> str:
    """A text with control characters and surrogates written as U+XXXX, so that every store holds it."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", lambda match: f"U+{ord(match.group()):04X}", text)


def _section_paths(elements: list[Element]) -> Iterator[tuple[str, ...]]:
    opening = "heading" if any(element.kind == "heading" for element in elements) else "title"
    stack: list[tuple[int, str]] = []
    place: tuple[object, ...] | None = None
    for element in elements:
        here = (element.slide, element.sheet, element.mail_part)
        if here != place:
            stack, place = [], here
        if element.kind != opening or element.hidden:
            yield tuple(text for _, text in stack)
            continue
        level = element.level or 1
        while stack and stack[-1][0] >= level:
            stack.pop()
        yield tuple(text for _, text in stack)
        stack.append((level, " ".join(_clean(element.text, _RULES, _PATTERN)[0].split())))
