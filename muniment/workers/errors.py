"""Errors of the worker processes themselves: the run stops, because no document is to blame."""

from __future__ import annotations


class WorkerError(RuntimeError):
    """Worker processes cannot do their work; the message says why and what to do."""


class PreloadFailed(WorkerError):
    """The fork server did not load the readers: every document would pay seconds for it, or fail."""


class IsolationRefused(WorkerError):
    """`workers.require_isolation` is set and the system refuses the namespaces."""


class WorkerDied(WorkerError):
    """A worker of a pool ended while it was working."""


class RemoteError(WorkerError):
    """A function raised, in a worker, an exception that cannot travel between processes."""


class RemoteTraceback(Exception):
    """Text of a worker's traceback, as the `__cause__` of the error that its caller sees."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n{self.text}"
