"""Digests of tables: equal exactly when the content rows are equal, however they were written.

A row becomes a JSON array of its content columns (floats as their shortest exact decimal), each row is
hashed, and the sorted hashes are hashed. Order of rows, files and commits do not enter.
"""

from __future__ import annotations

from collections.abc import Mapping

from muniment.ids import digest
from muniment.store.connection import quoted
from muniment.store.rows import Rows
from muniment.tables.model import FLOAT, Table
from muniment.tables.registry import TABLES

#: Recorded, but it maps ids of the past to the present (DESIGN, section 4).
_OUTSIDE = frozenset({"published_ids"})


def table_digest(rows: Rows, table: Table) -> str:
    """sha256 hex digest of the rows' content columns; process columns do not enter."""
    columns = table.content_columns
    # -0.0 and 0.0 are equal to the warehouse, so they are equal here
    listed = ", ".join(f"{quoted(name)} + 0.0" if table.schema[name] == FLOAT else quoted(name) for name in columns)
    hashes = rows.read(
        f"SELECT count(*) AS n, sha256(string_agg(h, '' ORDER BY h)) AS h "
        f"FROM (SELECT sha256(CAST(json_array({listed}) AS VARCHAR)) AS h FROM {quoted(table.name)})"
    )
    count, rows_digest = hashes.row(0)
    return digest(table.name, columns, count, rows_digest)


def content_digests(rows: Rows) -> dict[str, str]:
    """Digest of every recorded and derived table by name, in name order, without `published_ids`."""
    return {
        name: table_digest(rows, table)
        for name, table in sorted(TABLES.items())
        if table.kind != "operational" and name not in _OUTSIDE
    }


def combined(digests: Mapping[str, str]) -> str:
    """One digest of many, whatever their order."""
    return digest(dict(digests))
