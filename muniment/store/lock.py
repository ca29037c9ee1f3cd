"""The writer lock: one writer of a warehouse at a time, over processes and threads.

It is held for one commit only, and the system releases it when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.store.errors import WarehouseError

#: One mutex a lock: POSIX locks belong to the process, so threads need their own.
_mutexes: dict[str, threading.Lock] = {}
_owners: dict[str, int] = {}
_guard = threading.Lock()


def _forget() -> None:
    """In a forked child no thread holds anything, and POSIX locks are not inherited."""
    global _guard
    _guard = threading.Lock()
    _mutexes.clear()
    _owners.clear()


os.register_at_fork(after_in_child=_forget)


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold the exclusive lock of `path`, waiting for it; the system releases it when the process dies.

    Raises WarehouseError when this thread holds it already (a commit inside a commit would wait for ever).
    """
    with thread_lock(str(path.resolve())):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


@contextmanager
def thread_lock(name: str) -> Iterator[None]:
    """Hold the mutex `name` of this process. Raises WarehouseError when this thread holds it already."""
    with _guard:
        mutex = _mutexes.setdefault(name, threading.Lock())
    if _owners.get(name) == threading.get_ident():
        raise WarehouseError(f"{name}: a commit inside a commit; return the changes instead of committing them")
    with mutex:
        _owners[name] = threading.get_ident()
        try:
            yield
        finally:
            del _owners[name]
