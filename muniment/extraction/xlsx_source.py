"""Text of a spreadsheet by the counter's engine, as stored, to look a text up in it again.

Numbers, dates and booleans stand as they are stored; how a format shows them is compared by `muniment.trace.shown`.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from muniment.extraction.charts_counter import ChartPart
from muniment.extraction.flow import Flow, joined
from muniment.extraction.model import ReadOptions
from muniment.extraction.ooxml_counter import Members, Part
from muniment.extraction.xlsx_counter import Cells, Drawing, SheetList, Strings

_RANGE = re.compile(r"\$?[A-Z]{1,3}\$?(\d+):\$?[A-Z]{1,3}\$?(\d+)")


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """Sheets: name, rows of stored cells, comments, shapes, titles of charts, alternative texts.

    Only one sheet where the locator has `sheet`; only its rows where it has a `range` (or `cell_range`) of rows.
    A cell without content is left out, a formula without a stored result is an empty cell.
    """
    rows = _RANGE.fullmatch(str(locator.get("range") or locator.get("cell_range") or ""))
    wanted = range(int(rows[1]), int(rows[2]) + 1) if rows else None
    flows: list[Flow | str] = []
    with Members(path, options) as members:
        main = members.main()
        index = SheetList()
        members.walk(main, index)
        strings = Strings("x:si")
        for part in members.targets(main, "sharedStrings")[:1]:
            members.walk(part, strings)
        links = members.links(main)
        for name, identifier, _ in index.sheets:
            if locator.get("sheet") in (None, name):
                part = links.get(identifier, ("", ""))[1]
                cells = _FlowCells(strings.texts, wanted)
                members.walk(part, cells)
                flows += [name, cells.flow, *_attached(members, part)]
    return joined(*flows)


def _attached(members: Members, part: str) -> list[str]:
    texts: list[str] = []
    for target in members.targets(part, "comments"):
        comments = Strings("x:comment")
        members.walk(target, comments)
        texts += comments.texts
    for target in members.targets(part, "drawing"):
        drawing, pictures = Drawing(), _Alternatives()
        members.walk(target, drawing)
        members.walk(target, pictures)
        texts += drawing.texts + pictures.texts
        links = members.links(target)
        for identifier in drawing.charts:
            chart = ChartPart()
            chart_part = links.get(identifier, ("", ""))[1]
            if members.has(chart_part):
                members.walk(chart_part, chart)
                texts += chart.texts
    return texts


class _Alternatives(Part):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "xdr:cNvPr" and attributes.get("descr", "").strip():
            self.texts.append(attributes["descr"].strip())


class _FlowCells(Cells):
    """The same walk, with the stored values kept."""

    def __init__(self, strings: list[str], rows: range | None) -> None:
        super().__init__(strings, Counter(), hidden=False)
        self.flow = Flow()
        self._rows = rows
        self._row = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Borders of rows, and what the counter looks at."""
        super().start(name, attributes)
        if name == "x:row":
            number = attributes.get("r", "")
            self._row = int(number) if number.isdigit() else self._row + 1
            self.flow.row()

    def _close(self) -> None:
        stored = self.stored()
        if (stored.strip() or self._formula) and (self._rows is None or self._row in self._rows):
            self.flow.cell(stored.replace("\t", " ").replace("\n", " "))
