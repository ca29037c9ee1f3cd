"""The stored form of a spreadsheet: strings, styles, and the cells of one sheet, streamed from its part."""

from __future__ import annotations

import bisect
import datetime
import io
import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from muniment.extraction.model import ReadError
from muniment.extraction.number_formats import general, hides, shown
from muniment.extraction.ooxml import Package, attribute, child, descendants, short_name, short_tag

_REFERENCE = re.compile(r"^\$?([A-Za-z]{1,3})\$?(\d{1,7})$")


@dataclass(slots=True)
class StoredCell:
    """One cell with content, as stored. Rows and columns from 1."""

    row: int
    column: int
    kind: str
    style: int
    value: str | None
    formula: str | None


@dataclass(slots=True)
class Sheet:
    """What one sheet part holds."""

    cells: list[StoredCell] = field(default_factory=list)
    skipped: list[StoredCell] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)  # first row and column, last row and column

    def is_hidden(self, row: int, column: int) -> bool:
        """Whether the cell is in a hidden row or column."""
        return row in self.hidden_rows or any(first <= column <= last for first, last in self.hidden_columns)


def place(reference: str) -> tuple[int, int] | None:
    """(row, column) of a reference such as B7; None when it is none."""
    match = _REFERENCE.match(reference.strip())
    if match is None:
        return None
    column = 0
    for letter in match.group(1).upper():
        column = column * 26 + ord(letter) - 64
    return int(match.group(2)), column


def area(reference: str) -> tuple[int, int, int, int] | None:
    """First row and column, last row and column of a range such as A1:C9."""
    first, _, last = reference.partition(":")
    start, end = place(first), place(last or first)
    if start is None or end is None:
        return None
    return (min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))


def shared_strings(package: Package, main: str) -> list[str]:
    """The shared strings; phonetic hints are no text."""
    parts = package.related(main, "sharedStrings")
    return [rich_text(item) for item in package.xml(parts[0]) if short_name(item) == "x:si"] if parts else []


def rich_text(item: Any) -> str:
    """Text of a string item with or without runs."""
    pieces = []
    for part in item:
        name = short_name(part)
        if name == "x:t":
            pieces.append(part.text or "")
        elif name == "x:r":
            pieces.extend(text.text or "" for text in descendants(part, "x:t"))
    return _unescaped("".join(pieces))


def _unescaped(text: str) -> str:
    """`_x000D_` is how the format writes characters that XML forbids (ECMA-376 part 1, 22.9.2.19)."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match.group(1), 16)), text) if "_x" in text else text


class Formats:
    """Number formats by style index, and how values look under them."""

    def __init__(self, package: Package, main: str) -> None:
        from openpyxl.styles.numbers import BUILTIN_FORMATS

        self._codes: list[str] = []
        workbook = child(package.xml(main), "x:workbookPr")
        self._from_1904 = workbook is not None and attribute(workbook, "date1904") in ("1", "true")
        parts = package.related(main, "styles")
        if not parts:
            return
        root = package.xml(parts[0])
        own = {attribute(item, "numFmtId"): attribute(item, "formatCode") for item in descendants(root, "x:numFmt")}
        cell_formats = child(root, "x:cellXfs")
        for item in cell_formats if cell_formats is not None else ():
            identifier = attribute(item, "numFmtId") or "0"
            builtin = BUILTIN_FORMATS.get(int(identifier), "General") if identifier.isdigit() else "General"
            self._codes.append(own.get(identifier) or builtin)

    def code(self, style: int) -> str:
        """Number format code of a style."""
        return self._codes[style] if 0 <= style < len(self._codes) else "General"

    def text(self, stored: str, kind: str, style: int) -> tuple[str, bool]:
        """A stored number, boolean or date as shown, and whether its format hides it."""
        code = self.code(style)
        if kind == "b":
            return ("TRUE" if stored.strip() in ("1", "true") else "FALSE"), False
        if kind == "d":
            return self._iso(stored, code), False
        number = _number(stored)
        if number is None:
            return stored, False
        moment = self._moment(number, code)
        if moment is not None:
            return shown(moment, code), False
        if hides(number, code):
            return general(number), True
        text = shown(number, code)
        return (text, False) if text else (general(number), True)

    def _iso(self, stored: str, code: str) -> str:
        try:
            return shown(datetime.datetime.fromisoformat(stored), code)
        except ValueError:
            return stored

    def _moment(self, number: int | float, code: str) -> Any | None:
        from openpyxl.styles.numbers import is_date_format, is_timedelta_format
        from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

        if not is_date_format(code):
            return None
        epoch = CALENDAR_MAC_1904 if self._from_1904 else CALENDAR_WINDOWS_1900
        try:
            return from_excel(number, epoch, timedelta=is_timedelta_format(code))
        except (ValueError, OverflowError):
            return None


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


class SheetReader:
    """Streams sheet parts; cells over the limit of the workbook go to `skipped`."""

    def __init__(self, strings: list[str], max_cells: int) -> None:
        self._strings = strings
        self._left = max_cells
        self._masters: dict[str, tuple[str, str]] = {}

    def read(self, package: Package, part: str) -> Sheet:
        """Cells with a value or a formula. Raises ReadError corrupt_file."""
        sheet = Sheet()
        self._masters = {}
        row = column = 0
        events = etree.iterparse(
            io.BytesIO(package.read(part)), events=("start", "end"), resolve_entities=False, no_network=True
        )
        try:
            for event, item in events:
                name = short_tag(item.tag) if isinstance(item.tag, str) else ""
                if event == "start" and name == "x:row":
                    row, column = _whole(item.get("r")) or row + 1, 0
                    if item.get("hidden") in ("1", "true"):
                        sheet.hidden_rows.add(row)
                elif event == "end" and name == "x:c":
                    at = place(item.get("r") or "")
                    row, column = at or (row, column + 1)
                    self._cell(sheet, item, row, column)
                elif event == "end":
                    _settings(sheet, item, name)
        except etree.XMLSyntaxError as error:
            raise ReadError("corrupt_file", f"part {part} is not well-formed XML") from error
        return sheet

    def _cell(self, sheet: Sheet, item: Any, row: int, column: int) -> None:
        kind, style = item.get("t") or "n", _whole(item.get("s"))
        value, formula = self._content(item, kind)
        item.clear()
        if formula is None and (value is None or not value.strip()):
            return
        cell = StoredCell(row, column, kind, style, value, formula)
        if self._left > 0:
            self._left -= 1
            sheet.cells.append(cell)
        else:
            sheet.skipped.append(cell)

    def _content(self, item: Any, kind: str) -> tuple[str | None, str | None]:
        value = formula = None
        for part in item:
            name = short_name(part)
            if name == "x:v":
                value = part.text or ""
            elif name == "x:is":
                value = rich_text(part)
            elif name == "x:f":
                formula = self._formula(part, item.get("r") or "")
        if kind == "s" and value is not None:
            index = _whole(value) if value.strip().isdigit() else -1
            value = self._strings[index] if 0 <= index < len(self._strings) else None
        elif kind == "str" and value is not None:
            value = _unescaped(value)
        return value, formula

    def _formula(self, item: Any, reference: str) -> str:
        text, group = item.text or "", item.get("si")
        if item.get("t") != "shared" or group is None:
            return f"={text}"
        if text:
            self._masters[group] = (f"={text}", reference)
            return f"={text}"
        if group not in self._masters:
            return "="
        return _translated(*self._masters[group], reference)


def _translated(formula: str, origin: str, reference: str) -> str:
    from openpyxl.formula.tokenizer import TokenizerError
    from openpyxl.formula.translate import Translator, TranslatorError

    try:
        return str(Translator(formula, origin=origin).translate_formula(reference))
    except (TokenizerError, TranslatorError, ValueError, IndexError):
        return formula


def _whole(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0


def _settings(sheet: Sheet, item: Any, name: str) -> None:
    if name == "x:col" and item.get("hidden") in ("1", "true"):
        sheet.hidden_columns.append((_whole(item.get("min")), _whole(item.get("max"))))
    elif name == "x:mergeCell":
        found = area(item.get("ref") or "")
        if found is not None:
            sheet.merges.append(found)
    elif name == "x:row":
        item.clear()


def blocks(places: list[tuple[int, int, int, int]]) -> list[list[int]]:
    """Indices of cells by used block: blocks are two or more empty rows, or columns, apart.

    `places` holds first row and column, last row and column of each cell with its merge.
    """
    done: list[list[int]] = []
    todo = [list(range(len(places)))]
    while todo:
        members = todo.pop()
        parts = _split(members, places, 0) or _split(members, places, 1)
        if parts:
            todo.extend(reversed(parts))
        elif members:
            done.append(members)
    return done


def _split(members: list[int], places: list[tuple[int, int, int, int]], axis: int) -> list[list[int]]:
    ordered = sorted(members, key=lambda index: (places[index][axis], index))
    starts: list[int] = []
    last: int | None = None
    for index in ordered:
        first, end = places[index][axis], places[index][axis + 2]
        if last is not None and first - last > 2:
            starts.append(first)
        last = end if last is None else max(last, end)
    if not starts:
        return []
    parts: list[list[int]] = [[] for _ in range(len(starts) + 1)]
    for index in members:
        parts[bisect.bisect_right(starts, places[index][axis])].append(index)
    return parts
