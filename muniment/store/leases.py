"""Leases: a reader says which snapshot it needs, so that expiry leaves it alone.

A lease is a locked file. The system drops the lock when the process dies, however it dies, so a lease
left behind is recognised without trusting process ids.
"""

from __future__ import annotations

import fcntl
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_numbers = itertools.count(1)


@contextmanager
def lease(folder: Path, snapshot_id: int) -> Iterator[None]:
    """Hold a lease of a snapshot of the warehouse in `folder` while the block runs."""
    leases = folder / "leases"
    leases.mkdir(exist_ok=True, mode=0o700)
    name = f"{snapshot_id}-{os.getpid()}-{next(_numbers)}"
    draft, final = leases / f"{name}.draft", leases / f"{name}.lease"
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        # locked before it gets its name: whoever sees a lease sees it locked
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        draft.rename(final)
        yield
    finally:
        final.unlink(missing_ok=True)
        os.close(descriptor)


def leased(folder: Path) -> set[int]:
    """Snapshot ids of living leases; those of dead processes are removed."""
    return {int(path.name.split("-")[0]) for path in sorted((folder / "leases").glob("*.lease")) if _held(path)}


def _held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False  # given back meanwhile
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        path.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)
