"""Reading the published generation: rows and index of one CURRENT, resolved once per request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from muniment.home import Home
from muniment.index.embedder import Embedder, open_embedder
from muniment.index.folder import open_index
from muniment.index.port import IndexReader
from muniment.settings import Settings
from muniment.store.current import Current, read_current
from muniment.store.errors import SnapshotGone
from muniment.store.opening import open_warehouse
from muniment.store.rows import Rows
from muniment.store.warehouse import Warehouse

_T = TypeVar("_T")


class NothingPublished(RuntimeError):
    """The home has no generation yet; ingest something first."""


@dataclass(frozen=True)
class Generation:
    """One published state: its rows and its index always belong together."""

    current: Current
    rows: Rows
    index: IndexReader


class GenerationReader:
    """Hands out the published generation. It holds no write method; close it when done."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self.home, self.settings = home, settings
        self._warehouse: Warehouse | None = None
        self._index: tuple[str, IndexReader] | None = None
        self._embedder: Embedder | None = None

    @property
    def embedder(self) -> Embedder:
        """The embedder of questions, loaded at first use."""
        if self._embedder is None:
            self._embedder = open_embedder(self.settings.index.embedder)
        return self._embedder

    def with_generation(self, request: Callable[[Generation], _T]) -> _T:
        """Answer a request from the generation that CURRENT names now.

        When that generation expires while the request reads it, CURRENT is resolved again, once.
        Raises NothingPublished.
        """
        try:
            return request(self._resolve())
        except SnapshotGone:
            return request(self._resolve())

    def close(self) -> None:
        """Close index and warehouse."""
        if self._index is not None:
            self._index[1].close()
            self._index = None
        if self._warehouse is not None:
            self._warehouse.close()
            self._warehouse = None

    def _resolve(self) -> Generation:
        current = read_current(self.home)
        if current is None:
            raise NothingPublished(f"{self.home.root}: nothing is published; run `muniment ingest PATH`")
        folder = self.home.warehouses / current.warehouse
        if self._warehouse is None or self._warehouse.folder != folder:
            if self._warehouse is not None:
                self._warehouse.close()
            self._warehouse = open_warehouse(self.home, self.settings.store, folder=folder)
        return Generation(current, self._warehouse.at(current.snapshot_id), self._open_index(current))

    def _open_index(self, current: Current) -> IndexReader:
        if self._index is not None and self._index[0] == current.index:
            return self._index[1]
        folder = self.home.indexes / current.index
        reader = open_index(folder, self.home.work, self.settings.index, self.embedder.digest)
        if self._index is not None:
            self._index[1].close()
        self._index = (current.index, reader)
        return reader
