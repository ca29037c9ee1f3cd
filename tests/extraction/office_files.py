"""Helpers of the tests of office readers: packages with parts put in, and books that must add up."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from muniment.extraction.books import actual_counts
from muniment.extraction.canonical import assemble
from muniment.extraction.model import Element, FormatModule, Reading, ReadOptions
from muniment.reason_codes import reason

OPTIONS = ReadOptions()


def rewrite(path: Path, change: Callable[[str, bytes], bytes], **added: bytes) -> Path:
    """Rewrite the members of a package; `added` maps names (with __ for /) to new members."""
    with zipfile.ZipFile(path) as archive:
        members = {name: change(name, archive.read(name)) for name in archive.namelist()}
    members |= {name.replace("__", "/"): data for name, data in added.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def put_in(path: Path, member: str, old: str, new: str) -> Path:
    """Replace a text in one member, which must hold it."""

    def change(name: str, data: bytes) -> bytes:
        if name != member:
            return data
        assert old.encode() in data, f"{old} is not in {member}"
        return data.replace(old.encode(), new.encode(), 1)

    return rewrite(path, change)


def unbalanced(module: FormatModule, path: Path, reading: Reading | None = None) -> dict[str, int]:
    """Units whose book does not close: counter + additions - actual - explained, where it is not 0."""
    reading = reading or module.read(path, OPTIONS)
    counts = module.count(path, OPTIONS)
    actual = actual_counts(reading, assemble(reading))
    rest = {}
    for unit in set(counts) & set(actual):
        rest[unit] = counts[unit] - actual[unit]
        for adjustment in reading.adjustments:
            if adjustment.unit == unit:
                sign = 1 if reason(adjustment.reason_code).use == "addition" else -1
                rest[unit] += sign * adjustment.amount
    return {unit: amount for unit, amount in rest.items() if amount}


def amounts(reading: Reading, code: str) -> dict[str, int]:
    """Amounts of a reason by unit."""
    found: dict[str, int] = {}
    for adjustment in reading.adjustments:
        if adjustment.reason_code == code:
            found[adjustment.unit] = found.get(adjustment.unit, 0) + adjustment.amount
    return found


def texts(reading: Reading, kind: str | None = None, *, hidden: bool | None = None) -> list[str]:
    """Texts of the elements of a kind."""
    return [
        element.text
        for element in reading.elements
        if (kind is None or element.kind == kind) and (hidden is None or element.hidden == hidden)
    ]


def table(element: Element) -> list[tuple[int, int, str]]:
    """(row, column, text) of the cells of a table."""
    assert element.grid is not None
    return [(cell.row, cell.column, cell.text) for cell in element.grid.cells]
