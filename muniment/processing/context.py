"""What a run works with: home, settings, warehouse, originals, worker processes, and a clock.

The clock and the run id are given, never read inside a stage, so equal inputs make equal rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from muniment.home import Home
from muniment.models.gateway import Gateway
from muniment.settings import Settings, WorkerSettings
from muniment.store.originals import OriginalStore
from muniment.store.warehouse import Warehouse
from muniment.workers.executor import DocumentExecutor, open_executor
from muniment.workers.pool import WorkPool, open_pool

#: Called with (stage, versions done, versions in all).
Progress = Callable[[str, int, int], None]


def utc_now() -> datetime:
    """The present time; the one clock of the product."""
    return datetime.now(UTC)


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""


class Workers:
    """Worker processes. They start when first asked for and have ended after `close`."""

    def __init__(self, settings: WorkerSettings, work: Path) -> None:
        self.settings, self.work = settings, work
        self._stack = ExitStack()
        self._executor: DocumentExecutor | None = None
        self._pool: WorkPool | None = None

    @property
    def executor(self) -> DocumentExecutor:
        """Isolated readers of documents."""
        if self._executor is None:
            self._executor = self._stack.enter_context(open_executor(self.settings, self.work))
        return self._executor

    @property
    def pool(self) -> WorkPool:
        """Processes for language and embedding; none with the inline backend."""
        if self._pool is None:
            processes = 0 if self.settings.backend == "inline" else self.settings.processes
            self._pool = self._stack.enter_context(open_pool(processes))
        return self._pool

    def close(self) -> None:
        """End the worker processes."""
        self._executor = self._pool = None
        self._stack.close()


#: Workers that outlive single runs, while `kept_workers` is open.
_kept: list[Workers] = []


@contextmanager
def kept_workers(home: Home, settings: Settings) -> Iterator[Workers]:
    """Let all runs of this process in the block share their worker processes, with the models that they hold.

    A block inside another one of the same home and settings shares the outer one's.
    """
    outer = _kept_for(home, settings)
    if outer is not None:
        yield outer
        return
    workers = Workers(settings.workers, home.work)
    _kept.append(workers)
    try:
        yield workers
    finally:
        _kept.remove(workers)
        workers.close()


def _kept_for(home: Home, settings: Settings) -> Workers | None:
    wanted = (settings.workers, home.work)
    return next((workers for workers in _kept if (workers.settings, workers.work) == wanted), None)


@dataclass
class RunContext:
    """One run. `replay`: models are not called, their recorded answers are used (a rebuild)."""

    home: Home
    settings: Settings
    warehouse: Warehouse
    run_id: str
    workers: Workers
    progress: Progress = no_progress
    clock: Callable[[], datetime] = utc_now
    replay: bool = False
    _gateway: Gateway | None = field(default=None, init=False)

    @property
    def gateway(self) -> Gateway:
        """The run's access to language models, with its budget."""
        if self._gateway is None:
            self._gateway = Gateway(
                self.settings.endpoint, self.settings.egress, self.warehouse.latest, self.clock, replay=self.replay
            )
        return self._gateway

    def close(self) -> None:
        """Close connections to models."""
        if self._gateway is not None:
            self._gateway.close()

    @property
    def originals(self) -> OriginalStore:
        """The store of originals."""
        return OriginalStore(self.home.originals)

    @property
    def executor(self) -> DocumentExecutor:
        """See Workers."""
        return self.workers.executor

    @property
    def pool(self) -> WorkPool:
        """See Workers."""
        return self.workers.pool


@contextmanager
def run_context(
    home: Home,
    settings: Settings,
    warehouse: Warehouse,
    run_id: str,
    progress: Progress = no_progress,
    clock: Callable[[], datetime] = utc_now,
) -> Iterator[RunContext]:
    """A RunContext whose worker processes end with the block, or with `kept_workers` where it is open."""
    kept = _kept_for(home, settings)
    workers = kept or Workers(settings.workers, home.work)
    context = RunContext(home, settings, warehouse, run_id, workers, progress, clock)
    try:
        yield context
    finally:
        context.close()
        if kept is None:
            workers.close()
