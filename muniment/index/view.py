"""A reader's own view of a published index folder: hard links in a private folder, removed when done.

The engine rewrites small files when it loads (by rename, so the published ones stay); the view takes
these changes. A view is held by a lock on a file beside it: the kernel drops the lock when its
process ends, however it ends, and the next reader removes what nobody holds.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from muniment.index.files import link_tree

_LOCK = ".lock"


class View:
    """One private view. `folder` holds the files; `close` removes them and the lock."""

    def __init__(self, published: Path, views: Path) -> None:
        views.mkdir(parents=True, exist_ok=True, mode=0o700)
        sweep(views)
        self._lock, self._descriptor = _locked_file(views)
        self.folder = self._lock.with_suffix("")
        try:
            link_tree(published, self.folder)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the view. Safe to call twice."""
        if self._descriptor < 0:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = -1


def sweep(views: Path) -> int:
    """Remove views that no living process holds; return how many."""
    removed = 0
    for lock in sorted(views.glob(f"*{_LOCK}")):
        try:
            descriptor = os.open(lock, os.O_RDWR)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
            lock.unlink(missing_ok=True)
            removed += 1
        finally:
            os.close(descriptor)
    return removed


def _locked_file(views: Path) -> tuple[Path, int]:
    while True:
        descriptor, name = tempfile.mkstemp(prefix=f"{os.getpid()}-", suffix=_LOCK, dir=views)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # a sweep took it for an orphan and is removing it
            os.close(descriptor)
            continue
        if os.fstat(descriptor).st_nlink:
            return Path(name), descriptor
        os.close(descriptor)
