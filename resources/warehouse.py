"""The warehouse, opened through dagster-duckdb's in-memory DuckDB connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
from dagster_duckdb import DuckDBResource

from muniment.home import Home
from muniment.settings import Settings
from muniment.store.opening import open_warehouse
from muniment.store.warehouse import Warehouse


def _connect() -> duckdb.DuckDBPyConnection:
    # DuckDBResource hands out a connection inside a context manager that closes it; ours lives as
    # long as the process, so the manager is entered and kept with the connection.
    manager = DuckDBResource(database=":memory:").get_connection()
    connection = manager.__enter__()
    _MANAGERS.append(manager)
    return connection


_MANAGERS: list[object] = []


@contextmanager
def opened_warehouse(home: Home, settings: Settings) -> Iterator[Warehouse]:
    """The warehouse of a home for the length of a run; raises WarehouseError when it is not initialised."""
    warehouse = open_warehouse(home, settings.store, connect=_connect)
    try:
        yield warehouse
    finally:
        warehouse.close()
