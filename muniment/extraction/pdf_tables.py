"""Ruled tables of a PDF page: cells from the lines drawn on it.

Edges come from pdfium's path objects; pdfplumber's table finder (edges, crossings, cells, tables; after Nurminen 2013,
section 3) makes the cells. So no second parse of the page is needed, and pages without rules cost nothing.
"""

from __future__ import annotations

import ctypes
from typing import Any

from muniment.extraction.model import Cell, Grid
from muniment.extraction.pdf_glyphs import Box, Frame, Glyph

_THIN = 2.0  # points: a filled rectangle up to this height or width is a line
_SHORT = 3.0
_MIN_EDGES = 4
_MAX_EDGES = 4000  # drawings and maps, not tables

Table = list[Box]


def edges(page: Any, frame: Frame) -> list[dict[str, Any]]:
    """Horizontal and vertical lines of the page, in the shape that the table finder takes."""
    import pypdfium2.raw as pdfium

    found: list[dict[str, Any]] = []
    for item in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_PATH,), max_depth=4):
        left, bottom, right, top = item.get_bounds()
        box = frame.box(left, bottom, right, top)
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(item.raw, fill, stroke)
        if not fill.value and not stroke.value:
            continue
        count = pdfium.FPDFPath_CountSegments(item.raw)
        if count > 200:
            continue
        found += _edges_of(box) if count <= 6 else _segments(pdfium, item, frame)
        if len(found) > _MAX_EDGES:
            return []
    return found


def _edges_of(box: Box) -> list[dict[str, Any]]:
    """A line for a thin box, the four sides of any other."""
    x0, top, x1, bottom = box
    if bottom - top <= _THIN and x1 - x0 > _SHORT:
        return [_edge("h", x0, (top + bottom) / 2, x1, (top + bottom) / 2)]
    if x1 - x0 <= _THIN and bottom - top > _SHORT:
        return [_edge("v", (x0 + x1) / 2, top, (x0 + x1) / 2, bottom)]
    if x1 - x0 <= _SHORT or bottom - top <= _SHORT:
        return []
    return [
        _edge("h", x0, top, x1, top),
        _edge("h", x0, bottom, x1, bottom),
        _edge("v", x0, top, x0, bottom),
        _edge("v", x1, top, x1, bottom),
    ]


def _segments(pdfium: Any, item: Any, frame: Frame) -> list[dict[str, Any]]:
    """Lines of a path that draws several."""
    matrix = item.get_matrix()
    found: list[dict[str, Any]] = []
    previous: tuple[float, float] | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(pdfium.FPDFPath_CountSegments(item.raw)):
        segment = pdfium.FPDFPath_GetPathSegment(item.raw, index)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = frame.point(*matrix.on_point(x.value, y.value))
        if previous is not None and pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO:
            (xa, ya), (xb, yb) = previous, point
            if abs(ya - yb) < 0.5 and abs(xa - xb) > _SHORT:
                found.append(_edge("h", min(xa, xb), ya, max(xa, xb), ya))
            elif abs(xa - xb) < 0.5 and abs(ya - yb) > _SHORT:
                found.append(_edge("v", xa, min(ya, yb), xa, max(ya, yb)))
        previous = point
    return found


def _edge(orientation: str, x0: float, top: float, x1: float, bottom: float) -> dict[str, Any]:
    return {
        "orientation": orientation, "object_type": "line", "x0": x0, "x1": x1, "top": top, "bottom": bottom,
        "width": x1 - x0, "height": bottom - top,
    }  # fmt: skip


def ruled_tables(lines: list[dict[str, Any]]) -> list[Table]:
    """Cell boxes of each table with at least two cells in a row and two rows, or four cells."""
    if len(lines) < _MIN_EDGES or not {"h", "v"} <= {line["orientation"] for line in lines}:
        return []
    from pdfplumber import table as finder

    merged = finder.merge_edges(lines, 3, 3, 3, 3)
    crossings = finder.edges_to_intersections(merged, 3, 3)
    cells = finder.intersections_to_cells(crossings)
    tables = [sorted(found, key=lambda cell: (cell[1], cell[0])) for found in finder.cells_to_tables(cells)]
    return [table for table in tables if _is_table(table)]


def _is_table(cells: list[Box]) -> bool:
    columns = {round(cell[0]) for cell in cells}
    rows = {round(cell[1]) for cell in cells}
    return len(cells) >= 4 and len(columns) >= 2 and len(rows) >= 2


def owner(cells: Table, glyph: Glyph) -> int | None:
    """Index of the smallest cell that holds a glyph's centre."""
    x, y = (glyph.x0 + glyph.x1) / 2, (glyph.top + glyph.bottom) / 2
    holding = [
        (index, (cell[2] - cell[0]) * (cell[3] - cell[1]))
        for index, cell in enumerate(cells)
        if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]
    ]
    return min(holding, key=lambda item: item[1])[0] if holding else None


def box_of(cells: Table) -> Box:
    """Box around a table."""
    return min(c[0] for c in cells), min(c[1] for c in cells), max(c[2] for c in cells), max(c[3] for c in cells)


def grid(cells: Table, texts: list[str], bold: list[bool]) -> Grid:
    """Grid of cell boxes: rows and columns are the distinct edges, spans what a box covers of them.

    The first row is a header when all its text is bold and the next row's is not.
    """
    lefts = _distinct([edge for cell in cells for edge in (cell[0], cell[2])])
    tops = _distinct([edge for cell in cells for edge in (cell[1], cell[3])])
    made: dict[tuple[int, int], Cell] = {}
    weights: dict[int, list[bool]] = {}
    for cell, text, is_bold in zip(cells, texts, bold, strict=True):
        row, column = _nearest(tops, cell[1]), _nearest(lefts, cell[0])
        spans = (_nearest(tops, cell[3]) - row, _nearest(lefts, cell[2]) - column)
        if (row, column) in made:  # two boxes on one place: overlapping frames
            made[row, column].text = "\n".join(filter(None, (made[row, column].text, text)))
            continue
        made[row, column] = Cell(row, column, text, max(spans[0], 1), max(spans[1], 1))
        if text:
            weights.setdefault(row, []).append(is_bold)
    header = all(weights.get(0, [False])) and not all(weights.get(1, [True]))
    for cell_made in made.values():
        cell_made.is_header = header and cell_made.row == 0
    return Grid([made[place] for place in sorted(made)], int(header))


def _distinct(values: list[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > 2.5:
            found.append(value)
    return found


def _nearest(values: list[float], value: float) -> int:
    return min(range(len(values)), key=lambda index: abs(values[index] - value))
