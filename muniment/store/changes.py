"""What a commit may do to tables, checked beforehand and applied inside the open transaction.

DuckLake knows no keys: uniqueness is ours. Each change says whether it had an effect, so that equal rows
written again leave files and snapshots as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import duckdb
import polars as pl

from muniment.store.connection import quoted
from muniment.store.errors import DuplicateKeyError
from muniment.tables.model import Table
from muniment.tables.registry import TABLES, FrameError, check_frame


@dataclass(frozen=True, eq=False)
class Append:
    """Add rows; DuplicateKeyError when the table holds one of their keys."""

    table: str
    frame: pl.DataFrame


@dataclass(frozen=True, eq=False)
class ReplaceAll:
    """The table's rows become exactly these."""

    table: str
    frame: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Replace:
    """Delete the rows whose `match` columns equal a row of `keys`, then add `frame`.

    Without `keys` they are the frame's own distinct match values. Null equals null.
    """

    table: str
    frame: pl.DataFrame
    match: tuple[str, ...]
    keys: pl.DataFrame | None = None


@dataclass(frozen=True, eq=False)
class Upsert:
    """Update the rows with these keys, add those that are not there."""

    table: str
    frame: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Delete:
    """Delete the rows whose `match` columns equal a row of `keys`. Null equals null."""

    table: str
    match: tuple[str, ...]
    keys: pl.DataFrame


Change = Append | ReplaceAll | Replace | Upsert | Delete


def checked(changes: Sequence[Change]) -> list[Change]:
    """The changes with frames in table order and `keys` filled in.

    Raises FrameError for an unknown table or a frame that does not fit it.
    """
    return [_checked(change) for change in changes]


def _checked(change: Change) -> Change:
    if change.table not in TABLES:
        raise FrameError(f"{change.table}: no such table")
    table = TABLES[change.table]
    if isinstance(change, Delete):
        return replace(change, keys=_checked_keys(table, change.match, change.keys))
    frame = check_frame(table, change.frame)
    if not isinstance(change, Replace):
        return replace(change, frame=frame)
    _checked_match(table, change.match)
    keys = frame.select(change.match) if change.keys is None else change.keys
    return replace(change, frame=frame, keys=_checked_keys(table, change.match, keys))


def _checked_match(table: Table, match: tuple[str, ...]) -> None:
    unknown = [name for name in match if name not in table.schema]
    if unknown or not match:
        raise FrameError(f"{table.name}: rows cannot be matched by {list(match)}")


def _checked_keys(table: Table, match: tuple[str, ...], keys: pl.DataFrame) -> pl.DataFrame:
    _checked_match(table, match)
    expected = {name: table.schema[name] for name in match}
    if dict(keys.schema) != expected:
        raise FrameError(f"{table.name}: keys have {dict(keys.schema)} instead of {expected}")
    return keys.unique()


def apply(cursor: duckdb.DuckDBPyConnection, alias: str, change: Change) -> bool:
    """Do a checked change in the cursor's open transaction; whether it changed any row."""
    target = _Target(cursor, alias, TABLES[change.table])
    match change:
        case Append():
            return target.append(change.frame)
        case ReplaceAll():
            return target.replace_all(change.frame)
        case Upsert():
            return target.upsert(change.frame)
        case Delete():
            return target.delete(change.match, change.keys)
        case Replace():
            assert change.keys is not None, "checked() fills the keys in"
            return target.replace(change.frame, change.match, change.keys)


class _Target:
    """One table inside an open transaction."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, alias: str, table: Table) -> None:
        self._cursor = cursor
        self._table = table
        self._name = f"{quoted(alias)}.{quoted(table.name)}"
        self._columns = ", ".join(quoted(name) for name in table.schema)

    def append(self, frame: pl.DataFrame) -> bool:
        if frame.is_empty():
            return False
        with self._registered(frame=frame):
            self._refuse_known_keys(frame)
            return self._insert()

    def replace_all(self, frame: pl.DataFrame) -> bool:
        with self._registered(frame=frame):
            held = self._count(f"FROM {self._name}")
            if held == frame.height and self._holds(f"FROM {self._name}"):
                return False
            if held:
                self._cursor.execute(f"DELETE FROM {self._name}")
            if not frame.is_empty():
                self._insert()
            return True

    def replace(self, frame: pl.DataFrame, match: tuple[str, ...], keys: pl.DataFrame) -> bool:
        with self._registered(frame=frame, keys=keys):
            matched = f"FROM {self._name} t WHERE EXISTS (FROM keys k WHERE {self._equal('t', 'k', match)})"
            held = self._count(matched) if not keys.is_empty() else 0
            if held == frame.height and (not held or self._holds(matched)):
                return False
            if held:
                self._delete_matched(match)
            if frame.is_empty():
                return True
            own = set(match) <= set(self._table.key) and frame.join(keys, on=match, how="anti", nulls_equal=True)
            if not (isinstance(own, pl.DataFrame) and own.is_empty()):
                self._refuse_known_keys(frame)
            return self._insert()

    def delete(self, match: tuple[str, ...], keys: pl.DataFrame) -> bool:
        if keys.is_empty():
            return False
        with self._registered(keys=keys):
            return self._delete_matched(match)

    def upsert(self, frame: pl.DataFrame) -> bool:
        if frame.is_empty():
            return False
        by_key = self._equal("t", "f", self._table.key)
        with self._registered(frame=frame):
            same = f"SELECT {self._columns} FROM {self._name} t WHERE EXISTS (FROM frame f WHERE {by_key})"
            changed = self._cursor.execute(f"SELECT {self._columns} FROM frame EXCEPT ({same})").pl()
        if changed.is_empty():
            return False
        with self._registered(frame=changed.cast(self._table.schema)):
            self._cursor.execute(
                f"MERGE INTO {self._name} t USING frame f ON {by_key} "
                "WHEN MATCHED THEN UPDATE BY NAME WHEN NOT MATCHED THEN INSERT BY NAME"
            )
        return True

    @contextmanager
    def _registered(self, **frames: pl.DataFrame) -> Iterator[None]:
        for name, frame in frames.items():
            self._cursor.register(name, frame)
        try:
            yield
        finally:
            for name in frames:
                self._cursor.unregister(name)

    def _equal(self, left: str, right: str, columns: Sequence[str]) -> str:
        """Null-safe equality only where nulls may be: plain equality lets row groups be skipped."""
        required = set(self._table.required_columns)
        return " AND ".join(
            f"{left}.{quoted(name)} {'=' if name in required else 'IS NOT DISTINCT FROM'} {right}.{quoted(name)}"
            for name in columns
        )

    def _count(self, rest: str) -> int:
        row = self._cursor.execute(f"SELECT count(*) {rest}").fetchone()
        return int(row[0]) if row else 0

    def _holds(self, rest: str) -> bool:
        """Whether rows as many as the frame's are the frame's; keys make both sides sets."""
        missing = self._cursor.execute(
            f"SELECT 1 FROM (SELECT {self._columns} FROM frame EXCEPT SELECT {self._columns} {rest}) LIMIT 1"
        ).fetchone()
        return missing is None

    def _delete_matched(self, match: tuple[str, ...]) -> bool:
        row = self._cursor.execute(
            f"DELETE FROM {self._name} t WHERE EXISTS (FROM keys k WHERE {self._equal('t', 'k', match)})"
        ).fetchone()
        return bool(row and row[0])

    def _refuse_known_keys(self, frame: pl.DataFrame) -> None:
        key = ", ".join(f"t.{quoted(name)}" for name in self._table.key)
        known = self._cursor.execute(
            f"SELECT {key} FROM {self._name} t WHERE EXISTS "
            f"(FROM frame f WHERE {self._equal('t', 'f', self._table.key)}) LIMIT 1"
        ).fetchone()
        if known is not None:
            values = dict(zip(self._table.key, known, strict=True))
            raise DuplicateKeyError(
                f"{self._table.name}: {frame.height} rows not added, the table already holds {values}; "
                "use Upsert or Replace to write rows again"
            )

    def _insert(self) -> bool:
        self._cursor.execute(f"INSERT INTO {self._name} BY NAME SELECT {self._columns} FROM frame")
        return True
