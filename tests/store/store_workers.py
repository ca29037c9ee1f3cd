"""What the store's tests run in other processes, and the rows that they write."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from datetime import UTC, date, datetime
from multiprocessing.connection import Connection
from pathlib import Path

import polars as pl

from muniment.store.changes import Append, Change, Upsert
from muniment.store.snapshot import Snapshot
from muniment.store.warehouse import Warehouse
from muniment.tables.model import Table
from muniment.tables.registry import TABLES

EIGHT = (
    "elements",
    "table_cells",
    "chunks",
    "mentions",
    "claims",
    "claim_evidence",
    "annotations",
    "text_edits",
)

_SAMPLES: dict[pl.DataType, object] = {
    pl.Int64(): 2**62,
    pl.Float64(): 0.1,
    pl.Boolean(): True,
    pl.Date(): date(2026, 11, 30),
    pl.Datetime("us", "UTC"): datetime(2026, 11, 30, 23, 59, 59, 123456, tzinfo=UTC),
    pl.List(pl.String()): ["a", "", "Ünï"],
    pl.List(pl.Int64()): [1, -2],
    pl.List(pl.Float32()): [0.5, -0.25],
}


def sample_rows(table: Table, prefix: str, count: int) -> pl.DataFrame:
    """`count` rows; texts begin with `prefix`, a version_id outside the key is it; every other nullable is null."""

    def value(name: str, dtype: pl.DataType, number: int) -> object:
        if name == "version_id" and name not in table.key:
            return prefix
        return f"{prefix}/{name}/{number}" if dtype == pl.String() else _SAMPLES[dtype]

    rows: list[dict[str, object]] = [
        {
            column.name: None if column.nullable and number % 2 else value(column.name, column.dtype, number)
            for column in table.columns
        }
        for number in range(count)
    ]
    # keys without a text column of their own need a number of their own
    for number, row in enumerate(rows):
        row.update({name: number for name in table.key if table.schema[name] == pl.Int64()})
    return table.frame(rows)


def eight_appends(prefix: str, count: int) -> list[Change]:
    """One version's rows in eight tables."""
    return [Append(name, sample_rows(TABLES[name], prefix, count)) for name in EIGHT]


def rows_by_version(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    """Rows of each version in each of the eight tables: {version: {table: rows}}."""
    counted = snapshot.read(
        " UNION ALL ".join(f"SELECT version_id, '{name}', count(*) FROM {name} GROUP BY ALL" for name in EIGHT)
    )
    versions: dict[str, dict[str, int]] = {}
    for version, name, count in counted.iter_rows():
        versions.setdefault(version, {})[name] = count
    return versions


def counter(snapshot: Snapshot) -> int:
    """The counter that writers raise: `versions` of the one batch."""
    rows = snapshot.read("SELECT versions FROM batches WHERE batch_id = 'counter'")
    return rows.item() if rows.height else 0


def raise_counter(snapshot: Snapshot) -> Sequence[Change]:
    """One more than now: lost if another writer could come between reading and writing."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    row = {
        "batch_id": "counter",
        "kind": "ingest",
        "state": "planned",
        "versions": counter(snapshot) + 1,
        "bytes": 0,
        "planned_at": moment,
    }
    return [Upsert("batches", TABLES["batches"].frame([row]))]


def write_versions(folder: Path, writer: str, commits: int, rows: int) -> None:
    """Append versions and raise the counter, each in a commit of its own."""
    warehouse = Warehouse.open(folder)
    for number in range(commits):
        warehouse.commit(eight_appends(f"{writer}-{number}", rows))
        warehouse.commit(raise_counter)


def write_until_killed(folder: Path, writer: str, rows: int, ready: Connection) -> None:
    """Commit one version after another, for ever; says so after the first."""
    warehouse = Warehouse.open(folder)
    warehouse.commit(eight_appends(f"{writer}-0", rows))
    ready.send("ready")
    for number in itertools.count(1):
        warehouse.commit(eight_appends(f"{writer}-{number}", rows))


def create_and_write(folder: Path, writer: str) -> None:
    """Create the warehouse, whoever else does, and write to it."""
    Warehouse.create(folder).commit(eight_appends(writer, 2))


def hold_unfinished_result(folder: Path, channel: Connection) -> None:
    """Fetch one row of a long result inside an open transaction, and keep it until told."""
    warehouse = Warehouse.open(folder)
    with warehouse._cursor() as (cursor, alias):
        cursor.execute("BEGIN")
        cursor.execute(f"SELECT * FROM {alias}.chunks, range(100000)")
        cursor.fetchone()
        channel.send("holding")
        channel.recv()


def hold_lease(folder: Path, snapshot_id: int, channel: Connection) -> None:
    """Hold a lease until told, or killed."""
    with Warehouse.open(folder).lease(snapshot_id):
        channel.send("holding")
        channel.recv()


def count_chunks(warehouse: Warehouse, channel: Connection) -> None:
    """Rows of `chunks` as this process sees them, through an object that another process made."""
    channel.send((os.getpid(), warehouse.latest().read("SELECT count(*) AS n FROM chunks").item()))
