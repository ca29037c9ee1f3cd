"""DuckDB connections: the extensions of the installed packages, fixed settings, one connection a process.

Nothing is downloaded or found through the user's home: extensions are loaded by path, and DuckDB checks
their signatures itself (feasibility, section 8).
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb

from muniment.store.errors import WarehouseError

#: Makes the connection that warehouses are attached to.
Connect = Callable[[], duckdb.DuckDBPyConnection]

_SETTINGS = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET GLOBAL TimeZone = 'UTC'",
    "SET enable_progress_bar = false",
    # a mistyped table name must be an error, never some Python variable of that name
    "SET python_enable_replacements = false",
)

_guard = threading.Lock()
_shared: dict[tuple[int, str], duckdb.DuckDBPyConnection] = {}


def _renew_guard() -> None:
    """A fork may have happened while another thread held the guard."""
    global _guard
    _guard = threading.Lock()


os.register_at_fork(after_in_child=_renew_guard)


def extension_path(name: str) -> Path:
    """Path of an extension binary in its installed package.

    Raises WarehouseError when the package, or its binary for this DuckDB, is not installed.
    """
    package = f"duckdb_extension_{name}"
    spec = importlib.util.find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        binary = Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if binary.is_file():
            return binary
    raise WarehouseError(
        f"the DuckDB extension {name} for DuckDB {duckdb.__version__} is not installed; "
        f"install duckdb-extension-{name.replace('_', '-')}=={duckdb.__version__}"
    )


def literal(text: str) -> str:
    """`text` as a SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """`name` as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def prepare(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Set what every connection needs and load DuckLake; returns the connection."""
    for statement in _SETTINGS:
        connection.execute(statement)
    load_extension(connection, "ducklake")
    return connection


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Load an extension by path; loading it again does nothing."""
    connection.execute(f"LOAD {literal(str(extension_path(name)))}")


def process_connection(connect: Connect | None, purpose: str = "warehouses") -> duckdb.DuckDBPyConnection:
    """This process's connection; use `.cursor()` of it, one at a time and thread.

    Without a factory all uses of one purpose share one in-memory connection; a factory is called anew.
    A connection made before a fork is left alone: its threads do not exist in the child.
    """
    if connect is not None:
        return prepare(connect())
    key = (os.getpid(), purpose)
    with _guard:
        if key not in _shared:
            # connections of a parent stay in the dictionary: closing them here would wait for its threads
            _shared[key] = prepare(duckdb.connect(":memory:"))
        return _shared[key]
