"""All tables of the warehouse, and the check that a frame is one of them."""

from __future__ import annotations

import polars as pl

from muniment.tables import local, operational, published, recorded
from muniment.tables.model import Table

#: Stamped into each warehouse; another number is refused. Raise it when a definition changes.
SCHEMA_VERSION = 2

TABLES: dict[str, Table] = {
    table.name: table
    for module in (recorded, operational, local, published)
    for table in module.TABLES
}


class FrameError(ValueError):
    """A frame does not have the columns, types or values that its table demands."""


def check_frame(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Return `frame` with its columns in the table's order, or raise FrameError saying what is wrong.

    DuckLake has neither NOT NULL enforcement for missing columns nor keys, so this is the gate:
    columns, types, nulls, and uniqueness of the key within the frame.
    """
    expected = table.schema
    missing = [name for name in expected if name not in frame.columns]
    extra = [name for name in frame.columns if name not in expected]
    if missing or extra:
        raise FrameError(f"{table.name}: missing columns {missing}, unknown columns {extra}")
    ordered = frame.select(list(expected))
    wrong = {
        name: f"{actual} instead of {expected[name]}"
        for name, actual in ordered.schema.items()
        if actual != expected[name]
    }
    if wrong:
        raise FrameError(f"{table.name}: wrong types {wrong}")
    nulls = [name for name in table.required_columns if ordered[name].null_count()]
    if nulls:
        raise FrameError(f"{table.name}: null in {nulls}")
    if not ordered.is_empty() and ordered.select(table.key).is_duplicated().any():
        raise FrameError(f"{table.name}: key {table.key} is not unique")
    return ordered
