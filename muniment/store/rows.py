"""Reading rows of one consistent state, whatever holds them: a warehouse snapshot or frames in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import duckdb
import polars as pl

from muniment.tables.registry import TABLES


class Rows(Protocol):
    """One consistent state of all tables. Every query through it sees the same rows."""

    def read(
        self, sql: str, parameters: Sequence[Any] = (), frames: Mapping[str, pl.DataFrame] | None = None
    ) -> pl.DataFrame:
        """Result of a SELECT; tables by bare name, `?` parameters, extra `frames` by their names."""
        ...

    def table(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All rows of a table with the types that `tables` declares."""
        ...


class FrameRows:
    """Rows held in memory: a state that is not (or not yet) in a warehouse. Absent tables are empty."""

    def __init__(self, frames: Mapping[str, pl.DataFrame]) -> None:
        self._frames = {name: frames.get(name, table.empty()) for name, table in TABLES.items()}
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("SET TimeZone='UTC'")
        for name, frame in self._frames.items():
            self._connection.register(name, frame)

    def read(
        self, sql: str, parameters: Sequence[Any] = (), frames: Mapping[str, pl.DataFrame] | None = None
    ) -> pl.DataFrame:
        """See Rows.read."""
        cursor = self._connection.cursor()
        try:
            for name, frame in {**self._frames, **(frames or {})}.items():
                cursor.register(name, frame)
            return cursor.execute(sql, list(parameters)).pl()
        finally:
            cursor.close()

    def table(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """See Rows.table."""
        frame = self._frames[name]
        return frame.select(columns) if columns is not None else frame
