"""From rows of elements and cells to blocks and the tree of units that hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from muniment.chunking.model import Block, Unit

Row = Mapping[str, Any]

#: Columns that make a container of their own under the document, by kind of unit.
CONTAINERS = (("slide", "slide"), ("sheet", "sheet"), ("mail_part", "mail_part"))


def outline_of(
    text: str, elements: Sequence[Row], tables: Mapping[str, Row], cells: Mapping[str, Sequence[Row]]
) -> tuple[tuple[Block, ...], tuple[Unit, ...]]:
    """Blocks and units of a document.

    `elements` in reading order; `tables` and `cells` by element_id, cells sorted by start. Sections nest
    by the level of their headings and begin anew in each slide, sheet and mail part, as in the section
    paths of the extraction: hidden headings open none, a title only where the document has no heading.
    """
    builder = _Builder(text, "heading" if any(row["kind"] == "heading" for row in elements) else "title")
    for index, row in enumerate(elements):
        builder.add(index, row, tables.get(row["element_id"]), cells.get(row["element_id"], ()))
    return tuple(builder.blocks), tuple(builder.units)


class _Builder:
    def __init__(self, text: str, opening: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.units = [Unit("document", 0, len(text), None, 0)]
        self._opening = opening
        self._place: tuple[object, ...] = (None, None, None)
        self._container = 0
        self._sections: list[tuple[int, int]] = []  # level of the heading, unit

    def add(self, index: int, row: Row, table: Row | None, cells: Sequence[Row]) -> None:
        """Take the next element."""
        self._enter(row)
        start, end = row["start"], row["end"]
        if row["kind"] == self._opening and not row["hidden"]:
            self._open_section(row)
        owner = self._sections[-1][1] if self._sections else self._container
        self._extend(owner, end)
        self._name(row, owner)
        table_unit = self._open_table(row, owner, table) if row["kind"] == "table" else None
        rows = _row_starts(cells)
        self.blocks.append(
            Block(
                index=index,
                start=start,
                end=end,
                kind=row["kind"],
                unit=owner,
                hidden=row["hidden"],
                table_unit=table_unit,
                row_starts=tuple(rows.values()),
                row_numbers=tuple(rows),
                cell_starts=tuple(cell["start"] for cell in cells),
                hidden_spans=() if row["hidden"] else _hidden_spans(cells),
                place=_place(row, table),
            )
        )

    def _enter(self, row: Row) -> None:
        place = tuple(row[column] for column, _ in CONTAINERS)
        if place == self._place:
            return
        self._place, self._sections, self._container = place, [], 0
        for column, kind in CONTAINERS:
            if row[column] is not None:
                heading = row[column] if kind == "sheet" else None
                self._container = self._open(kind, row, self._container, heading)

    def _open_section(self, row: Row) -> None:
        level = row["level"] or 1
        while self._sections and self._sections[-1][0] >= level:
            self._sections.pop()
        parent = self._sections[-1][1] if self._sections else self._container
        heading = " ".join(self.text[row["start"] : row["end"]].split())
        self._sections.append((level, self._open("section", row, parent, heading)))

    def _open_table(self, row: Row, owner: int, table: Row | None) -> int:
        return self._open("table", row, owner, table["caption"] if table else None)

    def _open(self, kind: str, row: Row, parent: int, heading: str | None) -> int:
        level = self.units[parent].level + 1
        self.units.append(Unit(kind, row["start"], row["end"], parent, level, heading))
        return len(self.units) - 1

    def _extend(self, owner: int, end: int) -> None:
        unit: int | None = owner
        while unit is not None:
            self.units[unit].end = max(self.units[unit].end, end)
            unit = self.units[unit].parent

    def _name(self, row: Row, owner: int) -> None:
        """A slide and the document are named by their first title or heading."""
        if row["hidden"] or row["kind"] not in ("title", "heading"):
            return
        heading = " ".join(self.text[row["start"] : row["end"]].split())
        for unit in (self.units[self._container], self.units[0] if row["kind"] == "title" else None):
            if unit is not None and unit.kind in ("slide", "document") and unit.heading is None:
                unit.heading = heading


def _row_starts(cells: Sequence[Row]) -> dict[int, int]:
    starts: dict[int, int] = {}
    for cell in cells:
        starts.setdefault(cell["row"], cell["start"])
    return starts


def _hidden_spans(cells: Sequence[Row]) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    open_span = False
    for cell in cells:
        if not cell["hidden"]:
            open_span = False
        elif open_span:
            spans[-1] = (spans[-1][0], cell["end"])
        else:
            spans.append((cell["start"], cell["end"]))
            open_span = True
    return tuple(span for span in spans if span[1] > span[0])


def _place(row: Row, table: Row | None) -> dict[str, object]:
    box = [row[edge] for edge in ("x0", "y0", "x1", "y1")]
    return {
        "page": row["page"],
        "box": None if any(edge is None for edge in box) else box,
        "slide": row["slide"],
        "sheet": row["sheet"],
        "range": row["cell_range"],
        "mail_part": row["mail_part"],
        "rows": table["rows"] if table else None,
        "attributes": json.loads(row["attributes"]) if row["kind"] == "figure" else {},
    }
