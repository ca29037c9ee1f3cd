"""Delimited text: one table, every cell as written.

unstructured's partition_csv is not used: it knows three delimiters and UTF-8 only and reads numbers
through pandas. Encoding and dialect are found by our own code, rows by Python's csv module. Lines above
the header that hold one cell are paragraphs. Delimiters, quotes and escapes are marks: their number
is entered as markup_removed, so that the counter may count the raw characters.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from muniment.extraction import counting
from muniment.extraction.decoding import decode
from muniment.extraction.dialect import Dialect, is_value, parse, sniff
from muniment.extraction.formats import engine_versions
from muniment.extraction.model import Adjustment, Cell, Element, Grid, Reading, ReadOptions

COUNTER = "csv: raw characters 1"

_QUOTES = re.compile(r"\"\"|''|\\\\[\"'\\\\]")


def read(path: Path, options: ReadOptions) -> Reading:
    """One table, and a paragraph for each line above it. Never fails on content."""
    decoded = decode(path.read_bytes())
    text, named = _without_separator_line(decoded.text)
    dialect = Dialect(named, '"') if named else sniff(text)
    rows = parse(text, dialect)
    adjustments = [*decoded.adjustments, *_marks(decoded.text, text, rows, dialect)]
    preamble = _preamble(rows)
    elements = [Element("paragraph", cell) for row in rows[:preamble] for cell in row if cell.strip()]
    grid, skipped = _grid(rows[preamble:], options.max_cells)
    adjustments += skipped
    if grid.cells:
        attributes: dict[str, object] = {"delimiter": dialect.delimiter, "encoding": decoded.encoding}
        elements.append(Element("table", grid=grid, attributes=attributes))
    return Reading("csv", engine_versions("csv"), elements, [], adjustments)


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """Raw characters with delimiters and quotes, digits and percent signs of the file."""
    return counting.count_visible(counting.plain_decode(path.read_bytes()))


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """The raw characters, and again with doubled quotes and escaped quotes as one."""
    raw = counting.plain_decode(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")
    return f"{raw}\n\n{_QUOTES.sub(_one_quote, raw)}"


def _one_quote(match: re.Match[str]) -> str:
    return match.group()[-1]


def _without_separator_line(text: str) -> tuple[str, str | None]:
    """Spreadsheet programs name the delimiter in a first line `sep=;`."""
    first, _, rest = text.partition("\n")
    line = first.strip("\r").strip('"')
    if line.lower().startswith("sep=") and len(line) == 5:
        return rest, line[4]
    return text, None


def _marks(whole: str, text: str, rows: list[list[str]], dialect: Dialect) -> list[Adjustment]:
    """Marks that the cells no longer hold: delimiters by the shape of the rows, quotes and escapes by number."""
    removed = counting.characters(whole) - counting.characters(text)
    if dialect.delimiter.strip():
        removed += sum(len(row) - 1 for row in rows)
    for mark in {dialect.quote, dialect.escape} - {""}:
        removed += text.count(mark) - sum(cell.count(mark) for row in rows for cell in row)
    if not removed:
        return []
    return [Adjustment("chars_visible", "markup_removed", removed, {}, "delimiters, quotes and escapes")]


def _preamble(rows: list[list[str]]) -> int:
    """Leading rows with at most one filled cell above a table of several columns."""
    widths = Counter(len(row) for row in rows)
    if not widths or max(widths.items(), key=lambda item: (item[1], item[0]))[0] < 2:
        return 0
    count = 0
    while count < len(rows) and sum(1 for cell in rows[count] if cell.strip()) <= 1:
        count += 1
    return count if count < len(rows) else 0


def _grid(rows: list[list[str]], max_cells: int) -> tuple[Grid, list[Adjustment]]:
    header = _has_header(rows)
    cells: list[Cell] = []
    for number, row in enumerate(rows):
        if len(cells) + len(row) > max_cells:
            detail = f"{len(rows) - number} of {len(rows)} rows beyond the limit"
            rest = "\n".join("\n".join(skipped) for skipped in rows[number:])
            return Grid(cells, int(header)), counting.adjustments(rest, "far_cells_skipped", {"row": number}, detail)
        for column, value in enumerate(row):
            cells.append(Cell(number, column, value, is_header=header and number == 0))
    return Grid(cells, int(header)), []


def _has_header(rows: list[list[str]]) -> bool:
    """The first row names columns: filled cells, all different, none a number or a date.

    A single row, or a first row that looks like those below it in a table without numbers, is a
    header only where its cells are all filled.
    """
    if len(rows) < 2:
        return False
    names = [cell.strip() for cell in rows[0]]
    filled = [name for name in names if name]
    if not filled or any(is_value(name) for name in filled) or len(set(filled)) < len(filled):
        return False
    typed_below = any(is_value(cell) for row in rows[1:50] for cell in row if cell.strip())
    return typed_below or len(filled) == len(names)
