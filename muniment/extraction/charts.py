"""Charts and diagrams of office files as tables and texts, from the values that the file keeps with them."""

from __future__ import annotations

from typing import Any

from muniment.extraction.model import Cell, Element, Grid
from muniment.extraction.ooxml import Package, attribute, child, descendants, short_name


def chart_elements(package: Package, part: str) -> list[Element]:
    """A caption with the chart's titles, and a table for each set of categories; empty without stored values."""
    root = package.xml(part)
    chart = child(root, "c:chart")
    if chart is None:
        return []
    elements = []
    titles = [_paragraph(item) for item in descendants(root, "a:p")]
    text = "\n".join(title for title in titles if title.strip())
    if text:
        elements.append(Element("caption", text, attributes={"chart": True}))
    groups: dict[tuple[str, ...], list[Any]] = {}
    for series in _series(chart):
        groups.setdefault(_categories(series), []).append(series)
    for categories, members in groups.items():
        grid = _grid(categories, members)
        if any(cell.text for cell in grid.cells):
            elements.append(Element("table", grid=grid, attributes={"chart": True}))
    return elements


def diagram_texts(package: Package, part: str) -> list[str]:
    """Texts of a diagram's points, in the order of the file."""
    texts = [_paragraph(item) for item in descendants(package.xml(part), "a:p")]
    return [text for text in texts if text.strip()]


def _paragraph(element: Any) -> str:
    return "".join(item.text or "" for item in descendants(element, "a:t"))


def _series(element: Any) -> list[Any]:
    found = []
    for item in element:
        name = short_name(item)
        if name == "c:ser":
            found.append(item)
        elif name != "c:extLst":
            found.extend(_series(item))
    return found


def _values(series: Any, *names: str) -> list[str]:
    holder = next((item for item in series if short_name(item) in names), None)
    if holder is None:
        return []
    return [item.text or "" for item in descendants(holder, "c:v")]


def _points(series: Any, *names: str) -> dict[int, str]:
    holder = next((item for item in series if short_name(item) in names), None)
    points: dict[int, str] = {}
    for item in descendants(holder, "c:pt") if holder is not None else ():
        index = int(attribute(item, "idx") or 0)
        text = "".join(part.text or "" for part in descendants(item, "c:v"))
        points[index] = f"{text} {points[index]}" if index in points else text  # outer levels come last
    return points


def _categories(series: Any) -> tuple[str, ...]:
    return tuple(_values(series, "c:cat", "c:xVal"))


def _grid(categories: tuple[str, ...], members: list[Any]) -> Grid:
    cells = []
    labels = _points(members[0], "c:cat", "c:xVal") if categories else {}
    cells.extend(Cell(index + 1, 0, text, is_header=True) for index, text in labels.items())
    column = 1
    for series in members:
        name = "".join(_values(series, "c:tx"))
        if name:
            cells.append(Cell(0, column, name, is_header=True))
        for holder in ("c:val", "c:yVal", "c:bubbleSize"):
            points = _points(series, holder)
            cells.extend(Cell(index + 1, column, text) for index, text in points.items())
            column += 1 if points else 0
        column += 1 if not any(cell.column == column - 1 for cell in cells) else 0
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return Grid(cells, header_rows=1 if any(cell.row == 0 for cell in cells) else 0)
