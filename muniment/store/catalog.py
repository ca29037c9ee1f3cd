"""Where a warehouse stands and how it is attached: ATTACH statements, tables, and the stamp of the schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from muniment.ids import digest
from muniment.store.connection import literal, load_extension, quoted
from muniment.store.errors import WarehouseError
from muniment.tables.model import Table
from muniment.tables.registry import SCHEMA_VERSION, TABLES

#: Holds one row: which schema the tables have.
STAMP = "warehouse_stamp"

_SQL_TYPES: dict[pl.DataType, str] = {
    pl.String(): "VARCHAR",
    pl.Int64(): "BIGINT",
    pl.Float64(): "DOUBLE",
    pl.Boolean(): "BOOLEAN",
    pl.Date(): "DATE",
    pl.Datetime("us", "UTC"): "TIMESTAMPTZ",
    pl.List(pl.String()): "VARCHAR[]",
    pl.List(pl.Int64()): "BIGINT[]",
    pl.List(pl.Float32()): "FLOAT[]",
}


@dataclass(frozen=True)
class Location:
    """A warehouse folder, and its catalog and data when they stand elsewhere.

    `catalog` is `postgres:` followed by a connection string (each warehouse takes a schema named after its
    folder), or None for `<folder>/catalog.sqlite`; `data` is a path or URL, or None for `<folder>/data`.
    """

    folder: Path
    catalog: str | None = None
    data: str | None = None

    def __post_init__(self) -> None:
        if self.catalog is not None and not self.catalog.startswith("postgres:"):
            raise WarehouseError("the catalog must begin with postgres: (or be left out for SQLite in the folder)")

    @property
    def is_sqlite(self) -> bool:
        """Whether the catalog is the folder's SQLite file."""
        return self.catalog is None

    @property
    def database(self) -> str:
        """The connection string of a PostgreSQL catalog."""
        return (self.catalog or "").removeprefix("postgres:")

    @property
    def sqlite_file(self) -> Path:
        """The SQLite catalog, if this warehouse has one."""
        return self.folder / "catalog.sqlite"

    @property
    def lock_file(self) -> Path:
        """Held by whoever writes."""
        return self.folder / "writer.lock"

    @property
    def data_path(self) -> str:
        """Where the Parquet files stand."""
        if self.data is not None:
            return f"{self.data.rstrip('/')}/{self.folder.name}"
        return str(self.folder.resolve() / "data")

    def attach(self, connection: duckdb.DuckDBPyConnection, alias: str, snapshot_id: int | None = None) -> None:
        """Attach the warehouse as `alias`, or one snapshot of it for reading."""
        options = ["DATA_INLINING_ROW_LIMIT 0", f"DATA_PATH {literal(self.data_path)}", "OVERRIDE_DATA_PATH true"]
        if self.catalog is None:
            load_extension(connection, "sqlite_scanner")
            source = f"sqlite:{self.sqlite_file.resolve()}"
            # in the default journal mode one unfinished result blocks every commit (spike, row 2)
            options.append("META_JOURNAL_MODE 'WAL'")
        else:
            load_extension(connection, "postgres_scanner")
            source = self.catalog
            options.append(f"META_SCHEMA {literal(self.folder.name)}")
        if snapshot_id is not None:
            options += [f"SNAPSHOT_VERSION {snapshot_id}", "READ_ONLY"]
        connection.execute(f"ATTACH {literal('ducklake:' + source)} AS {quoted(alias)} ({', '.join(options)})")


def _definition(table: Table) -> str:
    """CREATE TABLE's column list."""
    return ", ".join(
        f"{quoted(column.name)} {_SQL_TYPES[column.dtype]}{'' if column.nullable else ' NOT NULL'}"
        for column in table.columns
    )


def schema_digest() -> str:
    """Digest of what a table definition means to stored rows: names, types, nullability."""
    return digest({name: _definition(table) for name, table in TABLES.items()})


def stamped(cursor: duckdb.DuckDBPyConnection, alias: str) -> tuple[int, str] | None:
    """Schema number and digest stamped into an attached warehouse; None when it has no tables yet."""
    # looked up, not tried: to suggest other names for a missing table DuckDB opens every attached
    # catalog, also a snapshot of another warehouse that has expired meanwhile
    names = cursor.execute(f"SELECT table_name FROM ducklake_table_info({literal(alias)})").fetchall()
    if (STAMP,) not in names:
        return None
    row = cursor.execute(f"SELECT schema_version, schema_digest FROM {quoted(alias)}.{STAMP}").fetchone()
    return (int(row[0]), str(row[1])) if row else None


def create_tables(cursor: duckdb.DuckDBPyConnection, alias: str) -> None:
    """Make every table and the stamp in one transaction."""
    cursor.execute("BEGIN")
    try:
        for name, table in TABLES.items():
            cursor.execute(f"CREATE TABLE {quoted(alias)}.{quoted(name)} ({_definition(table)})")
        cursor.execute(f"CREATE TABLE {quoted(alias)}.{STAMP} (schema_version BIGINT, schema_digest VARCHAR)")
        cursor.execute(
            f"INSERT INTO {quoted(alias)}.{STAMP} VALUES (?, ?)",
            [SCHEMA_VERSION, schema_digest()],
        )
        cursor.execute("COMMIT")
    except BaseException:
        rollback(cursor)
        raise


def rollback(cursor: duckdb.DuckDBPyConnection) -> None:
    """Leave the open transaction, if there still is one."""
    try:
        cursor.execute("ROLLBACK")
    except duckdb.TransactionException:
        return  # a failed COMMIT has ended it already


def check_stamp(folder: Path, found: tuple[int, str] | None) -> None:
    """Raise WarehouseError unless the stamp is the schema that this program writes."""
    if found is None:
        raise WarehouseError(f"{folder}: the warehouse has no tables; run `muniment init` again to complete it")
    version, columns = found
    if version != SCHEMA_VERSION:
        older = version < SCHEMA_VERSION
        raise WarehouseError(
            f"{folder}: the warehouse has schema {version}, this program reads schema {SCHEMA_VERSION}; "
            + ("run `muniment rebuild` into a new home" if older else "use the newer program that wrote it")
        )
    if columns != schema_digest():
        raise WarehouseError(
            f"{folder}: the warehouse says schema {version}, but its columns are not those that this program "
            "defines for it; use the program that wrote it, or rebuild into a new home"
        )
