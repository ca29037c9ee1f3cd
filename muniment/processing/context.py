"""What a run works with: home, settings, warehouse, originals, worker processes, and a clock.

The clock and the run id are given, never read inside a stage, so equal inputs make equal rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from muniment.home import Home
from muniment.settings import Settings
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


@dataclass
class RunContext:
    """One run. Worker processes start when first asked for and live until the context closes."""

    home: Home
    settings: Settings
    warehouse: Warehouse
    run_id: str
    progress: Progress = no_progress
    clock: Callable[[], datetime] = utc_now
    _stack: ExitStack = field(default_factory=ExitStack)
    _executor: DocumentExecutor | None = None
    _pool: WorkPool | None = None

    @property
    def originals(self) -> OriginalStore:
        """The store of originals."""
        return OriginalStore(self.home.originals)

    @property
    def executor(self) -> DocumentExecutor:
        """Isolated readers of documents."""
        if self._executor is None:
            self._executor = self._stack.enter_context(open_executor(self.settings.workers, self.home.work))
        return self._executor

    @property
    def pool(self) -> WorkPool:
        """Processes for language and embedding; none with the inline backend."""
        if self._pool is None:
            workers = self.settings.workers
            processes = 0 if workers.backend == "inline" else workers.processes
            self._pool = self._stack.enter_context(open_pool(processes))
        return self._pool

    def close(self) -> None:
        """End the worker processes."""
        self._executor = self._pool = None
        self._stack.close()


@contextmanager
def run_context(
    home: Home,
    settings: Settings,
    warehouse: Warehouse,
    run_id: str,
    progress: Progress = no_progress,
    clock: Callable[[], datetime] = utc_now,
) -> Iterator[RunContext]:
    """A RunContext whose worker processes end with the block."""
    context = RunContext(home, settings, warehouse, run_id, progress, clock)
    try:
        yield context
    finally:
        context.close()
