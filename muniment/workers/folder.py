"""The folder of one executor under the work folder: locked while it lives, removed at its end, or by the next one."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "documents-"
_LOCK = ".lock"


@contextmanager
def own_folder(work: Path) -> Iterator[Path]:
    """An empty private folder under `work` (made if absent), removed with all its content at the end.

    Folders that a killed run left behind are removed first: they hold text of documents.
    """
    work.mkdir(parents=True, exist_ok=True, mode=0o700)
    _remove_abandoned(work)
    lock, descriptor = _new_lock(work.absolute())
    folder = lock.with_suffix("")
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        remove_tree(folder)
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def remove_tree(folder: Path) -> None:
    """Remove a folder that a reader may have made unreadable."""
    if not folder.exists():
        return
    try:
        shutil.rmtree(folder)
    except PermissionError:
        for parent, names, _ in os.walk(folder):
            for name in names:
                path = Path(parent, name)
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder)


def _new_lock(work: Path) -> tuple[Path, int]:
    while True:
        descriptor, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_LOCK, dir=work)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if _is_same_file(descriptor, Path(name)):
            return Path(name), descriptor
        os.close(descriptor)  # taken for abandoned and removed between the two calls


def _is_same_file(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _remove_abandoned(work: Path) -> None:
    for lock in sorted(work.glob(f"{_PREFIX}*{_LOCK}")):
        try:
            descriptor = os.open(lock, os.O_RDWR)
        except FileNotFoundError:
            continue  # its owner just ended
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(lock.with_suffix(""))
            lock.unlink(missing_ok=True)
        except BlockingIOError:
            continue  # its owner is alive
        finally:
            os.close(descriptor)
