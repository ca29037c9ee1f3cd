"""Pools of lasting workers for language and embedding: one function over many payloads, results in order.

A worker keeps what the function keeps in module globals (models), for as long as the pool is open.
Which worker gets which payload never shows in a result.
"""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from muniment.workers.environment import WORKER_ENVIRONMENT
from muniment.workers.errors import RemoteError, RemoteTraceback, WorkerDied, WorkerError
from muniment.workers.threads import in_lasting_thread

P = TypeVar("P")
R = TypeVar("R")

#: Payloads drawn ahead of the result that is waited for, for each worker: the workers go on while the caller works.
_AHEAD = 3

#: A worker that was told to end gets this many seconds before it is killed.
_END_SECONDS = 2.0


class _Worker:
    """One worker process and the connection to it. One call at a time."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = f"from muniment.workers.pool_worker import serve; serve({theirs.fileno()}, {os.getpid()})"
            self._process = in_lasting_thread(
                lambda: subprocess.Popen(
                    [sys.executable, "-c", command],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=2,  # what libraries print must not mix with what the run prints
                    env={**os.environ, **WORKER_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(_search_path())},
                )
            )
        self._connection = Connection(ours.detach())

    def call(self, function: Callable[[Any], Any], payload: object) -> Any:
        """Result of `function(payload)` in the worker; raises what it raises, with the worker's traceback."""
        try:
            self._connection.send((function, payload))
            good, value, trace = self._connection.recv()
        except (EOFError, ConnectionError) as error:
            raise WorkerDied(
                f"a worker process ended ({self._ended()}) while it ran {function.__module__}.{function.__qualname__}; "
                "if it was killed, give it more memory or set workers.processes lower"
            ) from error
        if good:
            return value
        if not isinstance(value, BaseException):
            value = RemoteError(value)
        raise value from RemoteTraceback(trace)

    def kill(self) -> None:
        """End the process at once; a call in progress raises WorkerDied."""
        self._process.kill()

    def close(self) -> None:
        """End the process and wait for it. No call may be in progress."""
        self._connection.close()  # read as "end" by an idle worker
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ended(self) -> str:
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return "connection lost"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


class WorkPool:
    """Workers that start when first needed. With 0 processes functions run in the calling process."""

    def __init__(self, processes: int) -> None:
        if processes < 0:
            raise ValueError(f"processes must not be negative: {processes}")
        self._processes = processes
        self._threads: ThreadPoolExecutor | None = None  # one thread a worker, to wait for it
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._workers: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def map(self, function: Callable[[P], R], payloads: Iterable[P]) -> Iterator[R]:
        """Results in the order of payloads, which are drawn a few ahead.

        `function` is a module-level callable of an importable module; payloads and results must pickle.
        Raises what it raises, with the worker's traceback as cause, and WorkerDied when a worker ends.
        """
        if self._closed:
            raise WorkerError("this pool is closed")
        if self._processes == 0:
            yield from map(function, payloads)
            return
        _require_importable(function)
        pending: deque[Future[R]] = deque()
        try:
            for payload in payloads:
                pending.append(self._submit(function, payload))
                if len(pending) >= self._processes * _AHEAD:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def close(self) -> None:
        """End all workers; calls in progress are cut off."""
        with self._lock:
            self._closed = True
            workers = set(self._workers)
        idle: set[_Worker] = set()
        while not self._idle.empty():
            idle.add(self._idle.get())
        for worker in workers - idle:
            worker.kill()
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in workers:
            worker.close()

    def _submit(self, function: Callable[[P], R], payload: P) -> Future[R]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._processes, thread_name_prefix="muniment-pool")
        return self._threads.submit(self._call, function, payload)

    def _call(self, function: Callable[[P], R], payload: P) -> R:
        worker = self._take()
        try:
            result = worker.call(function, payload)
        except WorkerDied:
            self._drop(worker)
            raise
        except BaseException:
            self._idle.put(worker)
            raise
        self._idle.put(worker)
        return result

    def _take(self) -> _Worker:
        """An idle worker, or a new one: there are as many threads as workers, and a call holds one of each."""
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            pass
        with self._lock:
            if self._closed:
                raise WorkerError("this pool is closed")
            worker = _Worker()
            self._workers.add(worker)
            return worker

    def _drop(self, worker: _Worker) -> None:
        with self._lock:
            known = worker in self._workers and not self._closed
            self._workers.discard(worker)
        if known:
            worker.close()


@contextmanager
def open_pool(processes: int) -> Iterator[WorkPool]:
    """A pool of so many workers, which have ended after the context. 0: everything runs in this process."""
    pool = WorkPool(processes)
    try:
        yield pool
    finally:
        pool.close()


def _require_importable(function: Callable[..., Any]) -> None:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if module in (None, "__main__") or "<" in name:
        raise ValueError(f"{function!r} must be a function of an importable module, so that a worker can find it")


def _search_path() -> list[str]:
    """Import path for a worker: ours, with the working directory by name."""
    return [entry or str(Path.cwd()) for entry in sys.path]
