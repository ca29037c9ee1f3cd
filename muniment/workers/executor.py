"""Reading documents apart from the run: `open_executor` gives the backend that the settings name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from muniment.settings import WorkerSettings
from muniment.workers.errors import WorkerError
from muniment.workers.folder import own_folder
from muniment.workers.isolated import IsolatedExecutor
from muniment.workers.tasks import DocumentTask, Failure, Result, WorkItem, perform

#: Imported by the fork server before it forks.
PRELOAD = "muniment.workers.preload"


class DocumentExecutor(Protocol):
    """Reads documents; the backends differ in isolation, never in results."""

    @property
    def isolation(self) -> str:
        """What confines the readers, in the words that results carry."""
        ...

    def start(self) -> None:
        """Let readers load beforehand, while the caller does something else; returns at once."""
        ...

    def map(self, tasks: Iterable[DocumentTask]) -> Iterator[tuple[str, Result | Failure]]:
        """Key and outcome of each task, as completed; tasks are drawn as children become free.

        What a document does ends as a Failure. Raises PreloadFailed, IsolationRefused or WorkerError when
        reading as such is impossible. Closing the iterator kills what runs.
        """
        ...


class InlineExecutor:
    """Reads in the calling process, in order: no isolation and no limits. For tests and debuggers."""

    isolation = "inline"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started = 0

    def start(self) -> None:
        """Nothing to start."""

    def map(self, tasks: Iterable[DocumentTask]) -> Iterator[tuple[str, Result | Failure]]:
        """See DocumentExecutor.map."""
        for task in tasks:
            self._started += 1
            output = self._folder / f"{self._started:06d}"
            report = perform(WorkItem(task.entry, task.payload, output.with_suffix(".unfinished"), output))
            if report.reason_code is None:
                yield (
                    task.key,
                    Result(task.key, output, report.wall_seconds, report.cpu_seconds, report.peak_rss_bytes, "inline"),
                )
            else:
                yield task.key, Failure(task.key, report.reason_code, report.detail, report.wall_seconds, "inline")


@contextmanager
def open_executor(settings: WorkerSettings, work: Path, preload: str = PRELOAD) -> Iterator[DocumentExecutor]:
    """An executor of the backend that the settings name.

    Its files stand in a folder of their own under `work` and are removed at the end: outputs are to be
    read inside the context. Processes start with the first task and have all ended after the context.
    `preload` is an importable module that calls `preloading.prepare`.
    """
    with own_folder(work) as folder:
        if settings.backend == "inline":
            yield InlineExecutor(folder)
            return
        if sys.platform != "linux":
            raise WorkerError(
                "workers.backend = 'forkserver' needs Linux; set it to 'inline' to read without isolation"
            )
        with closing(IsolatedExecutor(settings, folder, preload)) as executor:
            yield executor
