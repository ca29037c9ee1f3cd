"""The warehouse: creating, opening, reading snapshots, and committing changes to all tables at once."""

from __future__ import annotations

import itertools
import os
import random
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import duckdb

from muniment.store import leases, maintenance, postgres
from muniment.store.catalog import Location, check_stamp, create_tables, rollback, stamped
from muniment.store.changes import Change, apply, checked
from muniment.store.connection import Connect, process_connection, quoted
from muniment.store.errors import WarehouseError
from muniment.store.lock import file_lock
from muniment.store.snapshot import AttachedSnapshots, Snapshot

#: What a lost race says; the whole transaction is then tried again.
_TRANSIENT = ("database is locked", "failed to commit", "transaction conflict")
_ATTEMPTS = 12
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.64

#: Changes, or what makes them from the newest state while nobody else can write.
Changes = Sequence[Change] | Callable[[Snapshot], Sequence[Change]]

_T = TypeVar("_T")

_aliases = itertools.count(1)

#: Sessions of a parent process, kept: to close one in a forked child would wait for threads that are not there.
_abandoned: list[object] = []


@dataclass(frozen=True)
class _Session:
    """A warehouse attached to this process's connection."""

    pid: int
    connection: duckdb.DuckDBPyConnection
    alias: str
    snapshots: AttachedSnapshots

    def detach(self) -> None:
        """Let the folder go. The connection is its maker's to close; a parent's session is left alone."""
        if self.pid != os.getpid():
            return
        try:
            self.snapshots.close()
            with self.connection.cursor() as cursor:
                cursor.execute(f"DETACH DATABASE IF EXISTS {quoted(self.alias)}")
        except duckdb.ConnectionException:
            return  # its maker has closed it: nothing is attached any more


class Warehouse:
    """A DuckLake under one folder. Usable from threads, after a fork, and picklable to other processes."""

    def __init__(self, location: Location, connect: Connect | None) -> None:
        """Use `create` or `open`."""
        self.location = location
        self._connect = connect
        self._session: _Session | None = None
        self._detach: weakref.finalize[..., Warehouse] | None = None

    @classmethod
    def create(
        cls, folder: Path, *, connect: Connect | None = None, catalog: str | None = None, data: str | None = None
    ) -> Warehouse:
        """Make the warehouse with every table, or open it when it is there; any number of processes may try at once.

        `catalog` and `data`: see Location. Raises WarehouseError when it is there with another schema.
        """
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        warehouse = cls(Location(folder, catalog, data), connect)
        return _retried(warehouse._create)

    @classmethod
    def open(
        cls, folder: Path, *, connect: Connect | None = None, catalog: str | None = None, data: str | None = None
    ) -> Warehouse:
        """Open a warehouse. Raises WarehouseError when it is absent, incomplete or of another schema."""
        return _retried(cls(Location(folder, catalog, data), connect)._open)

    @property
    def folder(self) -> Path:
        """The folder."""
        return self.location.folder

    def close(self) -> None:
        """Detach from the connection; a later use attaches again."""
        self._session = None
        if self._detach is not None:
            self._detach()

    def latest(self) -> Snapshot:
        """The newest state."""
        with self._cursor() as (cursor, alias):
            return self.at(_newest(cursor, alias))

    def at(self, snapshot_id: int) -> Snapshot:
        """The state that a commit left. A query on it raises SnapshotGone when it was expired."""
        return Snapshot(snapshot_id, lambda: self._attached().snapshots, lambda known: known in self.snapshots())

    def snapshots(self) -> list[int]:
        """Ids of the snapshots kept, ascending."""
        with self._cursor() as (cursor, alias):
            rows = cursor.execute(f"SELECT snapshot_id FROM {quoted(alias)}.snapshots() ORDER BY ALL").fetchall()
        return [int(row[0]) for row in rows]

    def commit(self, changes: Changes, *, message: str = "") -> int:
        """Apply all changes in one transaction, in order; returns the id of the snapshot that holds them.

        A callable gets the newest snapshot while no other writer can commit; it may raise to abort, and is
        called again when the transaction has to be repeated. Without any effect no snapshot is made and the
        present id is returned. `message` holds no words of documents.
        Raises FrameError (a frame does not fit its table), DuplicateKeyError, WarehouseError (no luck after
        repeated attempts); nothing is written then.
        """
        if callable(changes):
            return _retried(lambda: self._commit(changes, message))
        fixed = checked(changes)
        return _retried(lambda: self._commit(lambda _: fixed, message)) if fixed else self.latest().snapshot_id

    def merge_adjacent(self) -> None:
        """Merge small adjacent files, and rewrite those of which most rows are deleted; rows stay as they are."""
        _retried(lambda: self._maintain(maintenance.merge_adjacent))

    def expire(self, keep: set[int]) -> list[int]:
        """Forget all snapshots but `keep`, the leased and the newest, and delete files that only they used.

        `keep` must hold what CURRENT names. Returns the ids forgotten.
        """
        return _retried(
            lambda: self._maintain(lambda cursor, alias: maintenance.expire(cursor, alias, keep | self.leased()))
        )

    def collect_orphans(self, older_than: timedelta) -> list[str]:
        """Delete data files that no snapshot knows, left by killed writers; returns their paths.

        It holds the writer lock: beside a running writer it would take files of the commit under way.
        """
        return _retried(
            lambda: self._maintain(lambda cursor, alias: maintenance.collect_orphans(cursor, alias, older_than))
        )

    @contextmanager
    def lease(self, snapshot_id: int) -> Iterator[Snapshot]:
        """Keep a snapshot from expiry while the block runs, or until this process dies."""
        with leases.lease(self.folder, snapshot_id):
            yield self.at(snapshot_id)

    def leased(self) -> set[int]:
        """Snapshots that living processes hold a lease of."""
        return leases.leased(self.folder)

    def __getstate__(self) -> tuple[Location, Connect | None]:
        return (self.location, self._connect)

    def __setstate__(self, state: tuple[Location, Connect | None]) -> None:
        Warehouse.__init__(self, *state)

    def _attached(self) -> _Session:
        """The session of this process; one from before a fork is left alone."""
        session = self._session
        if session is not None and session.pid != os.getpid():
            _abandoned.append(session)
            session = None
        if session is None:
            session = self._session = self._attach()
            # the shared connection outlives this object, and must not collect what nobody uses
            self._detach = weakref.finalize(self, session.detach)
            self._detach.atexit = False
        return session

    def _attach(self) -> _Session:
        connection = process_connection(self._connect)
        alias = f"warehouse_{next(_aliases)}"
        with connection.cursor() as cursor:
            self.location.attach(cursor, alias)
        return _Session(os.getpid(), connection, alias, AttachedSnapshots(connection, self.location, alias))

    @contextmanager
    def _cursor(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
        session = self._attached()
        with session.connection.cursor() as cursor:
            yield cursor, session.alias

    def _create(self) -> Warehouse:
        where = self.location
        with self._writer_lock():
            if not where.is_sqlite:
                postgres.create_schema(where.database, self.folder.name)
            with self._cursor() as (cursor, alias):
                found = stamped(cursor, alias)
                if found is None:
                    create_tables(cursor, alias)
                    found = stamped(cursor, alias)
            check_stamp(self.folder, found)
        return self

    def _open(self) -> Warehouse:
        where = self.location
        if where.is_sqlite:
            exists = where.sqlite_file.is_file()
        else:
            exists = postgres.has_schema(where.database, self.folder.name)
        if not exists:
            raise WarehouseError(f"{self.folder}: there is no warehouse; run `muniment init` first")
        with self._cursor() as (cursor, alias):
            check_stamp(self.folder, stamped(cursor, alias))
        return self

    @contextmanager
    def _writer_lock(self) -> Iterator[None]:
        where = self.location
        if where.is_sqlite:
            lock = file_lock(where.lock_file)
        else:
            lock = postgres.advisory_lock(where.database, self.folder.name)
        with lock:
            yield

    def _commit(self, make: Callable[[Snapshot], Sequence[Change]], message: str) -> int:
        with self._writer_lock():
            wanted = checked(make(self.latest()))
            with self._cursor() as (cursor, alias):
                if wanted:
                    _transact(cursor, alias, wanted, message)
                return _newest(cursor, alias)

    def _maintain(self, work: Callable[[duckdb.DuckDBPyConnection, str], _T]) -> _T:
        with self._writer_lock(), self._cursor() as (cursor, alias):
            return work(cursor, alias)


def _newest(cursor: duckdb.DuckDBPyConnection, alias: str) -> int:
    row = cursor.execute(f"FROM {quoted(alias)}.current_snapshot()").fetchone()
    if row is None:
        raise WarehouseError("the catalog has no snapshot; restore it from a backup")
    return int(row[0])


def _transact(cursor: duckdb.DuckDBPyConnection, alias: str, wanted: Sequence[Change], message: str) -> None:
    """All changes or none; without an effect there is nothing to commit."""
    cursor.execute("BEGIN")
    try:
        effects = [apply(cursor, alias, change) for change in wanted]
        if any(effects):
            cursor.execute(f"CALL {quoted(alias)}.set_commit_message('muniment', ?)", [message])
            cursor.execute("COMMIT")
        else:
            cursor.execute("ROLLBACK")
    except BaseException:
        rollback(cursor)
        raise


def _retried(attempt: Callable[[], _T]) -> _T:
    """Result of `attempt`, repeated with growing pauses while it loses races for the catalog."""
    for number in range(1, _ATTEMPTS + 1):
        try:
            return attempt()
        except duckdb.Error as error:
            if not any(sign in str(error).lower() for sign in _TRANSIENT):
                raise
            if number == _ATTEMPTS:
                raise WarehouseError(
                    f"the warehouse could not be written in {_ATTEMPTS} attempts: {error}; "
                    "see what else holds the catalog open, and run again"
                ) from error
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**number)
            time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - jitter, never data
    raise AssertionError("unreachable")
