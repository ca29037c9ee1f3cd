"""Counts a spreadsheet by streaming its parts; shares nothing with the reader.

Text (string cells, stored results that are text, errors, comments, shapes, sheet names) is counted in characters.
Numbers, dates and booleans are counted as `cells` only: how they look is the reader's work.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from muniment.extraction.charts_counter import ChartPart
from muniment.extraction.counting import characters, count_visible
from muniment.extraction.model import ReadOptions
from muniment.extraction.ooxml_counter import Members, Part

COUNTER: str = "xlsx parts by expat 1"

_ON = ("1", "true")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """chars_visible, chars_hidden, digits, percents, sheets, cells, comments. May raise ReadError."""
    names = ("chars_visible", "chars_hidden", "digits", "percents", "sheets", "cells")
    totals: Counter[str] = Counter(dict.fromkeys(names, 0))
    with Members(path, options) as members:
        main = members.main()
        index = SheetList()
        members.walk(main, index)
        strings = Strings("x:si")
        for part in members.targets(main, "sharedStrings")[:1]:
            members.walk(part, strings)
        links = members.links(main)
        for name, identifier, hidden in index.sheets:
            totals["sheets"] += 1
            _add(totals, name, hidden)
            part = links.get(identifier, ("", ""))[1]
            sheet = Cells(strings.texts, totals, hidden)
            members.walk(part, sheet)
            _count_attached(members, part, totals, hidden)
    return dict(totals)


def _add(totals: Counter[str], text: str, hidden: bool) -> None:
    if hidden:
        totals["chars_hidden"] += characters(text)
    else:
        totals.update(count_visible(text))


def _count_attached(members: Members, part: str, totals: Counter[str], hidden: bool) -> None:
    for target in members.targets(part, "comments"):
        comments = Strings("x:comment")
        members.walk(target, comments)
        totals["comments"] += sum(1 for text in comments.texts if text.strip())
        for text in comments.texts:
            _add(totals, text, hidden)
    for target in members.targets(part, "drawing"):
        drawing = Drawing()
        members.walk(target, drawing)
        for text in drawing.texts:
            _add(totals, text, hidden)
        links = members.links(target)
        for identifier in drawing.charts:
            chart_part = links.get(identifier, ("", ""))[1]
            if members.has(chart_part):
                chart = ChartPart()
                members.walk(chart_part, chart)
                _add(totals, "\n".join(chart.texts), hidden)


class SheetList(Part):
    """Names, relationship ids and visibility of the sheets, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[tuple[str, str, bool]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if name == "x:sheet":
            hidden = attributes.get("state", "visible") != "visible"
            self.sheets.append((attributes.get("name", ""), attributes.get("r:id", ""), hidden))


class Strings(Part):
    """Texts of the items of a part; phonetic hints are passed over."""

    def __init__(self, item: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._item = item
        self._pieces: list[str] = []
        self._phonetic = 0
        self._inside = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if name == "x:rPh":
            self._phonetic += 1
        self._inside = name == "x:t" and not self._phonetic

    def text(self, text: str) -> None:
        """A piece of text."""
        if self._inside:
            self._pieces.append(text)

    def end(self, name: str) -> None:
        """An element ends."""
        self._inside = False
        if name == "x:rPh":
            self._phonetic -= 1
        elif name == self._item:
            self.texts.append(_plain("".join(self._pieces)))
            self._pieces.clear()


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


class Cells(Part):
    """Cells of a sheet, counted."""

    def __init__(self, strings: list[str], totals: Counter[str], hidden: bool) -> None:
        super().__init__()
        self._strings = strings
        self._totals = totals
        self._hidden = hidden
        self._hidden_row = False
        self._columns: list[range] = []
        self._column = 0
        self._kind = "n"
        self._value: list[str] = []
        self._inside = False
        self._formula = False
        self._phonetic = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if name == "x:row":
            self._hidden_row, self._column = attributes.get("hidden") in _ON, 0
        elif name == "x:col" and attributes.get("hidden") in _ON:
            self._columns.append(range(int(attributes["min"]), int(attributes["max"]) + 1))
        elif name == "x:c":
            self._kind = attributes.get("t", "n")
            self._column = _column(attributes.get("r", "")) or self._column + 1
            self._value, self._formula = [], False
        elif name == "x:f":
            self._formula = True
        elif name == "x:rPh":
            self._phonetic += 1
        self._inside = name == "x:v" or (name == "x:t" and not self._phonetic)

    def text(self, text: str) -> None:
        """A piece of text."""
        if self._inside:
            self._value.append(text)

    def end(self, name: str) -> None:
        """An element ends."""
        self._inside = False
        if name == "x:rPh":
            self._phonetic -= 1
        elif name == "x:c":
            self._close()

    def stored(self) -> str:
        """The stored value of the cell that ends: its text, or its number as written."""
        stored = "".join(self._value)
        if self._kind == "s":
            stored = self._strings[int(stored)] if stored.strip().isdigit() and int(stored) < len(self._strings) else ""
        elif self._kind in ("str", "inlineStr"):
            stored = _plain(stored)
        return stored

    def _close(self) -> None:
        stored = self.stored()
        if not stored.strip() and not self._formula:
            return
        self._totals["cells"] += 1
        if self._kind in ("s", "str", "inlineStr", "e"):
            hidden = self._hidden or self._hidden_row or any(self._column in columns for columns in self._columns)
            _add(self._totals, stored, hidden)


def _column(reference: str) -> int:
    number = 0
    for letter in reference:
        if not letter.isalpha():
            break
        number = number * 26 + ord(letter.upper()) - 64
    return number


class Drawing(Part):
    """Texts of shapes, and which charts are shown."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.charts: list[str] = []
        self._shapes = 0
        self._inside = False
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self._shapes += name == "xdr:sp"
        if name == "c:chart" and "r:id" in attributes:
            self.charts.append(attributes["r:id"])
        self._inside = name == "a:t" and self._shapes > 0

    def text(self, text: str) -> None:
        """A piece of text."""
        if self._inside:
            self._pieces.append(text)

    def end(self, name: str) -> None:
        """An element ends."""
        self._inside = False
        if name == "xdr:sp":
            self._shapes -= 1
        elif name == "a:p" and self._shapes:
            self.texts.append("".join(self._pieces))
            self._pieces.clear()
