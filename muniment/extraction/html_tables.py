"""HTML tables as grids: which tables hold data, and where each cell stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from muniment.extraction import counting
from muniment.extraction.inline import Inline
from muniment.extraction.model import Adjustment, Cell, Grid

#: Tags whose content is no text of the page.
EXCLUDED = frozenset({"script", "style", "iframe", "noembed", "noframes", "title"})
#: Tags that do not break a line: words on both sides may touch.
PHRASING = frozenset(
    (  # noqa: SIM905
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter nobr q s "
        "samp small span strike strong sub sup svg tt u var wbr time ruby rb rt rp rtc output progress math mi "
        "mo mn mrow msup msub mfrac mtext semantics tspan text g blink noscript"
    ).split()
)
_LAYOUT_CONTENT = {"h1", "h2", "h3", "h4", "h5", "h6", "form", "nav", "article", "section", "main", "header", "footer"}
_MAX_SPAN = 1000
_MAX_COLUMNS = 16_384
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.I)


def is_hidden(element: Any) -> bool:
    """Whether the element itself says that a browser shows nothing of it (style sheets are not read)."""
    if element.get("hidden") is not None or element.tag in ("template", "del"):
        return True
    style = element.get("style")
    return bool(style and _HIDDEN_STYLE.search(style))


def is_counted(table: Any) -> bool:
    """A table in the sense of the books: not marked as presentation and with two cells or more of its own."""
    return table.get("role") not in ("presentation", "none") and len(_own(table, ("td", "th"), 2)) > 1


def is_layout(table: Any) -> bool:
    """A table that only arranges: marked so, with one cell, around other tables or around parts of a page."""
    if not is_counted(table):
        return True
    if _own(table, ("th",), 1):
        return False
    return any(inner.tag == "table" or inner.tag in _LAYOUT_CONTENT for inner in table.iterdescendants(etree.Element))


@dataclass(slots=True)
class ReadTable:
    """A grid with the text around and inside it that is not part of a visible cell."""

    grid: Grid
    caption: str = ""
    stray: str = ""
    hidden_texts: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    row: int
    tag: str
    row_span: int
    column_span: int
    in_head: bool
    hidden: bool
    text: Inline = field(default_factory=Inline)
    concealed: Inline = field(default_factory=Inline)


class _TableReader:
    """One walk over a table; nested tables are read as text of their cell."""

    def __init__(self, table: Any, max_cells: int) -> None:
        self.table = table
        self.max_cells = max_cells
        self.cells: list[_Draft] = []
        self.row = -1
        self.nested = self.nested_counted = self.hidden = self.head = 0
        self.current: list[_Draft] = []
        self.in_caption = 0
        self.caption = Inline()
        self.stray = Inline()
        self.alternatives: list[str] = []

    def read(self) -> ReadTable:
        walker = etree.iterwalk(self.table, events=("start", "end"))
        for event, element in walker:
            if element is self.table:
                if event == "start":
                    self._text(element.text)
                continue
            if event == "start":
                if element.tag in EXCLUDED:
                    walker.skip_subtree()
                    continue
                self._start(element)
                self._text(element.text)
            else:
                if element.tag not in EXCLUDED:
                    self._end(element)
                self._text(element.tail)
        return self._result()

    def _start(self, element: Any) -> None:
        self.hidden += is_hidden(element)
        tag = element.tag
        if tag == "table":
            self.nested += 1
            self.nested_counted += is_counted(element)
        own = self.nested == 0
        if own and tag == "tr":
            self.row += 1
        elif own and tag == "thead":
            self.head += 1
        elif own and tag == "caption":
            self.in_caption += 1
        elif own and tag in ("td", "th"):
            self._open_cell(element)
            return
        elif tag == "br":
            self._target().line_break()
        elif tag == "img" and (element.get("alt") or "").strip():
            self.alternatives.append(element.get("alt").strip())
        if tag not in PHRASING:
            self._target().space()
        if tag in ("sup", "sub"):
            self._target().open(tag, "")

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in ("sup", "sub"):
            self._target().close(tag)
        if tag not in PHRASING:
            self._target().space()
        if tag == "table":
            self.nested -= 1
        elif self.nested == 0:
            self._end_own(tag)
        self.hidden -= is_hidden(element)

    def _end_own(self, tag: str) -> None:
        if tag in ("td", "th") and self.current:
            self.current.pop()
        elif tag == "thead":
            self.head -= 1
        elif tag == "caption":
            self.in_caption -= 1

    def _open_cell(self, element: Any) -> None:
        self.row = max(self.row, 0)
        draft = _Draft(
            self.row,
            element.tag,
            _span(element.get("rowspan")),
            _span(element.get("colspan")),
            self.head > 0,
            self.hidden > 0,
        )
        self.cells.append(draft)
        self.current.append(draft)

    def _target(self) -> Inline:
        if self.current:
            draft = self.current[-1]
            return draft.concealed if self.hidden and not draft.hidden else draft.text
        return self.caption if self.in_caption else self.stray

    def _text(self, text: str | None) -> None:
        if text:
            self._target().add(text)

    def _result(self) -> ReadTable:
        result = ReadTable(Grid([]), self.caption.take()[0], self.stray.take()[0], [], self.alternatives)
        skipped: list[str] = []
        placed = _place(self.cells)
        for draft, row, column in placed:
            text, _ = draft.text.take()
            concealed, _ = draft.concealed.take()
            if concealed:
                result.hidden_texts.append(concealed)
            if len(result.grid.cells) >= self.max_cells:
                skipped.append(text)
                continue
            result.grid.cells.append(
                Cell(row, column, text, draft.row_span, draft.column_span, draft.tag == "th", None, draft.hidden)
            )
        result.grid.cells.sort(key=lambda cell: (cell.row, cell.column))
        result.grid.header_rows = _header_rows(placed)
        result.grid.caption = result.caption or None
        if skipped:
            detail = f"{len(skipped)} cells beyond the limit"
            result.adjustments += counting.adjustments("\n".join(skipped), "far_cells_skipped", {}, detail)
        if self.nested_counted:
            result.adjustments.append(Adjustment("tables", "nested_table_flattened", self.nested_counted))
        return result


def read_table(table: Any, max_cells: int) -> ReadTable:
    """Grid of a data table. Spanned cells appear once, where they start."""
    return _TableReader(table, max_cells).read()


def _own(table: Any, tags: tuple[str, ...], limit: int) -> list[Any]:
    """Up to `limit` descendants with these tags whose nearest table is this one."""
    found: list[Any] = []
    for element in table.iterdescendants(*tags):
        if next(element.iterancestors("table"), None) is table:
            found.append(element)
            if len(found) >= limit:
                break
    return found


def _span(value: str | None) -> int:
    match = re.match(r"\s*(\d{1,6})", value or "")
    return min(max(int(match.group(1)), 1), _MAX_SPAN) if match else 1


def _place(drafts: list[_Draft]) -> list[tuple[_Draft, int, int]]:
    """Rows and columns of cells by the HTML table model (WHATWG, 4.9.12): spans occupy what lies below."""
    last_row = max((draft.row for draft in drafts), default=0)
    occupied: dict[int, int] = {}  # column -> last row covered from above
    placed: list[tuple[_Draft, int, int]] = []
    row, column = -1, 0
    for draft in drafts:
        if draft.row != row:
            row, column = draft.row, 0
        while occupied.get(column, -1) >= row:
            column += 1
        width = min(draft.column_span, max(1, _MAX_COLUMNS - column))
        free = 1
        while free < width and occupied.get(column + free, -1) < row:
            free += 1
        height = min(draft.row_span, last_row - row + 1)
        draft.column_span, draft.row_span = free, height
        for covered in range(column, column + free):
            occupied[covered] = row + height - 1
        placed.append((draft, row, column))
        column += free
    return placed


def _header_rows(placed: list[tuple[_Draft, int, int]]) -> int:
    """Leading rows that stand in thead or hold nothing but th; never the whole table."""
    by_row: dict[int, bool] = {}
    for draft, row, _ in placed:
        by_row[row] = by_row.get(row, True) and (draft.in_head or draft.tag == "th")
    count = 0
    while by_row.get(count):
        count += 1
    return count if count < len(by_row) else min(count, 1)
