"""Shared by the tests of readers: read a text file made in the test and look at its books."""

from __future__ import annotations

from pathlib import Path

from muniment.extraction.books import actual_counts
from muniment.extraction.canonical import assemble
from muniment.extraction.formats import module_of
from muniment.extraction.model import Element, Reading, ReadOptions
from muniment.reason_codes import reason


def read(folder: Path, doc_type: str, data: bytes | str, options: ReadOptions | None = None) -> Reading:
    """The reading of a file with this content; its books must balance in every unit of text."""
    path = folder / "file"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    module = module_of(doc_type)
    chosen = options or ReadOptions()
    reading = module.read(path, chosen)
    assert unbalanced(reading, module.count(path, chosen)) == {}
    return reading


def unbalanced(reading: Reading, counts: dict[str, int]) -> dict[str, int]:
    """Units whose book does not close, with what is left over."""
    actual = actual_counts(reading, assemble(reading))
    rest: dict[str, int] = {}
    for unit, expected in counts.items():
        entries = [a for a in reading.adjustments if a.unit == unit]
        added = sum(a.amount for a in entries if reason(a.reason_code).use == "addition")
        explained = sum(a.amount for a in entries if reason(a.reason_code).use != "addition")
        left = expected + added - explained - actual[unit]
        if left:
            rest[unit] = left
    return rest


def shape(reading: Reading) -> list[tuple[str, str]]:
    """Kind and text of each element; a table as rows of cells."""
    return [(element.kind, text_of(element)) for element in reading.elements]


def text_of(element: Element) -> str:
    """Text of an element; cells with | between and / between rows."""
    if element.grid is None:
        return element.text
    rows: dict[int, list[str]] = {}
    for cell in element.grid.cells:
        rows.setdefault(cell.row, []).append(cell.text)
    return "/".join("|".join(row) for _, row in sorted(rows.items()))


def amounts(reading: Reading, reason_code: str) -> dict[str, int]:
    """Amounts entered with a reason, by unit."""
    found: dict[str, int] = {}
    for adjustment in reading.adjustments:
        if adjustment.reason_code == reason_code:
            found[adjustment.unit] = found.get(adjustment.unit, 0) + adjustment.amount
    return found
