"""What a PostgreSQL catalog needs beside DuckLake: a schema for each warehouse, and the writer lock.

DuckLake finds most conflicts itself, but not two writers that add the same key: they must take turns here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from muniment.ids import text_digest
from muniment.store.connection import literal, load_extension, process_connection, quoted
from muniment.store.lock import thread_lock


@contextmanager
def advisory_lock(database: str, name: str) -> Iterator[None]:
    """Hold the advisory lock `name` of a database (a connection string), waiting for it.

    The server releases it when the connection ends. Raises WarehouseError when this thread holds it already.
    """
    number = int(text_digest(name)[:15], 16)
    with thread_lock(f"{database}/{name}"), _connection().cursor() as cursor:
        alias = _attach(cursor, database)
        cursor.execute("BEGIN")
        try:
            _query(cursor, alias, f"SELECT pg_advisory_xact_lock({number})::text")
            yield
        finally:
            cursor.execute("ROLLBACK")


def create_schema(database: str, name: str) -> None:
    """Make the schema of a warehouse unless it is there; DuckLake makes its tables in it."""
    with _connection().cursor() as cursor:
        alias = _attach(cursor, database)
        cursor.execute(
            f"CALL postgres_execute({literal(alias)}, {literal(f'CREATE SCHEMA IF NOT EXISTS {quoted(name)}')})"
        )


def has_schema(database: str, name: str) -> bool:
    """Whether the schema of a warehouse is there."""
    with _connection().cursor() as cursor:
        alias = _attach(cursor, database)
        return bool(_query(cursor, alias, f"SELECT 1 FROM pg_namespace WHERE nspname = {literal(name)}"))


def _connection() -> duckdb.DuckDBPyConnection:
    """Not the warehouses': DuckDB asks every attached server about a name it does not know, dead ones too."""
    return process_connection(None, "postgres")


def _attach(cursor: duckdb.DuckDBPyConnection, database: str) -> str:
    alias = f"postgres_{text_digest(database)[:16]}"
    load_extension(cursor, "postgres_scanner")
    cursor.execute(f"ATTACH IF NOT EXISTS {literal(database)} AS {quoted(alias)} (TYPE postgres)")
    return alias


def _query(cursor: duckdb.DuckDBPyConnection, alias: str, sql: str) -> list[tuple[object, ...]]:
    return cursor.execute(f"FROM postgres_query({literal(alias)}, {literal(sql)})").fetchall()
