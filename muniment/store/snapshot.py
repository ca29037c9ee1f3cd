"""One consistent state of a warehouse, for reading, and the cache of attached snapshots behind it.

A snapshot is attached under an alias of its own, so that queries use bare table names. The first query on
one loads its catalog (50 ms); the newest state is therefore read through the warehouse itself, whose catalog
is loaded, until it has been asked so often that its own is worth loading. Both show the same rows.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import polars as pl

from muniment.store.catalog import Location, rollback
from muniment.store.connection import quoted
from muniment.store.errors import SnapshotGone
from muniment.tables.registry import TABLES

#: Attached snapshots kept beyond those in use.
_KEPT = 8

#: Queries on the newest state through the warehouse (2 ms dearer each) before it is attached by itself.
_UNATTACHED_READS = 20


class AttachedSnapshots:
    """Snapshots attached to one connection, the least recently used detached first. Safe between threads.

    `prefix` is the alias of the warehouse itself.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, location: Location, prefix: str) -> None:
        self._connection = connection
        self._location = location
        self._prefix = prefix
        self._guard = threading.Lock()
        self._users: OrderedDict[int, int] = OrderedDict()
        self._unattached: Counter[int] = Counter()

    @contextmanager
    def cursor(self, snapshot_id: int) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor on which bare table names mean the snapshot's tables."""
        with self._newest(snapshot_id) as newest:
            if newest is not None:
                yield newest
                return
        self._acquire(snapshot_id)
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(f"USE {quoted(self._alias(snapshot_id))}")
                yield cursor
        finally:
            self._release(snapshot_id)

    def close(self) -> None:
        """Detach all."""
        with self._guard:
            for snapshot_id in self._users:
                self._detach(snapshot_id)
            self._users.clear()

    @contextmanager
    def _newest(self, snapshot_id: int) -> Iterator[duckdb.DuckDBPyConnection | None]:
        """A cursor in a transaction on the warehouse, which keeps to one snapshot; None where that is another one."""
        if not self._may_stay_unattached(snapshot_id):
            yield None
            return
        with self._connection.cursor() as cursor:
            cursor.execute(f"USE {quoted(self._prefix)}")
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            try:
                found = cursor.execute(f"FROM {quoted(self._prefix)}.current_snapshot()").fetchone()
                is_newest = found is not None and int(found[0]) == snapshot_id
                yield cursor if is_newest else None
            finally:
                rollback(cursor)

    def _may_stay_unattached(self, snapshot_id: int) -> bool:
        with self._guard:
            if snapshot_id in self._users:
                return False
            asked = self._unattached[snapshot_id] + 1
            self._unattached = Counter({snapshot_id: asked})  # of the one asked last: the newest is asked in a row
            return asked <= _UNATTACHED_READS

    def _alias(self, snapshot_id: int) -> str:
        return f"{self._prefix}_at_{snapshot_id}"

    def _acquire(self, snapshot_id: int) -> None:
        with self._guard:
            if snapshot_id not in self._users:
                with self._connection.cursor() as cursor:
                    self._location.attach(cursor, self._alias(snapshot_id), snapshot_id)
                self._users[snapshot_id] = 0
            self._users[snapshot_id] += 1
            self._users.move_to_end(snapshot_id)

    def _release(self, snapshot_id: int) -> None:
        with self._guard:
            if snapshot_id not in self._users:
                return  # closed meanwhile
            self._users[snapshot_id] -= 1
            idle = [known for known, users in self._users.items() if not users]
            for known in idle[: max(0, len(self._users) - _KEPT)]:
                self._detach(known)
                del self._users[known]

    def _detach(self, snapshot_id: int) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(f"DETACH DATABASE IF EXISTS {quoted(self._alias(snapshot_id))}")


class Snapshot:
    """One state of all tables (implements `rows.Rows`). Cheap to make; holds nothing open between queries."""

    def __init__(
        self,
        snapshot_id: int,
        attached: Callable[[], AttachedSnapshots],
        exists: Callable[[int], bool],
    ) -> None:
        self.snapshot_id = snapshot_id
        self._attached = attached
        self._exists = exists

    def read(
        self, sql: str, parameters: Sequence[Any] = (), frames: Mapping[str, pl.DataFrame] | None = None
    ) -> pl.DataFrame:
        """See Rows.read. Raises SnapshotGone when the snapshot was expired."""
        with self._cursor() as cursor:
            for name, frame in (frames or {}).items():
                cursor.register(name, frame)
            return cursor.execute(sql, list(parameters)).pl()

    def table(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """See Rows.table. Rows come in no particular order. Raises SnapshotGone when the snapshot was expired."""
        schema = TABLES[name].schema
        chosen = list(schema) if columns is None else list(columns)
        listed = ", ".join(quoted(column) for column in chosen)
        frame = self.read(f"SELECT {listed} FROM {quoted(name)}")
        return frame.cast({column: schema[column] for column in chosen})

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with self._attached().cursor(self.snapshot_id) as cursor:
                yield cursor
        except duckdb.Error as error:
            # a file of an expired snapshot may be cleaned away under a running query
            missing_file = isinstance(error, duckdb.IOException) and not self._exists(self.snapshot_id)
            if missing_file or "No snapshot found" in str(error):
                raise SnapshotGone(
                    f"snapshot {self.snapshot_id} is no longer kept; resolve CURRENT and ask again"
                ) from error
            raise
