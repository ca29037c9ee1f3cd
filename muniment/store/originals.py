"""Originals: the bytes as received, in files named by their sha256, never rewritten.

A source file is read once. What cannot be stored is refused with a reason code, never skipped.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from muniment.reason_codes import reason
from muniment.store.files import sync_folder

_CHUNK = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")

#: Why a file cannot be opened, where that is not simply "unreadable".
_OPEN_REASONS = {
    errno.ELOOP: "symlink_refused",
    errno.ENXIO: "not_a_regular_file",  # a socket
    errno.ENODEV: "not_a_regular_file",
    errno.ENOENT: "changing_file",  # it was listed, and is gone
}

#: File systems without hard links say one of these.
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}


class FileRefused(OSError):
    """A source file that was not stored. `reason_code` is one of `reason_codes`; the message names the file."""

    def __init__(self, path: Path, reason_code: str, detail: str) -> None:
        why = reason(reason_code)
        super().__init__(f"{path}: {why.description} ({detail}); {why.advice}")
        self.path = path
        self.reason_code = reason_code
        self.detail = detail


class OriginalDamaged(RuntimeError):
    """A stored original no longer has the bytes of its name."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored original: hex digest, bytes, and whether this call stored it."""

    sha256: str
    size: int
    new: bool


class OriginalStore:
    """Content-addressed files under one folder: `ab/cd/<sha256>`. Any number of processes may use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._drafts = folder / "drafts"

    def put(self, path: Path, *, max_bytes: int) -> Stored:
        """Store the bytes of `path`, reading it once; equal bytes are kept once.

        Raises FileRefused (symlink_refused, not_a_regular_file, unreadable_file, changing_file,
        file_too_large), OriginalDamaged when the store holds other bytes under this digest.
        """
        with _opened(path) as (source, before):
            if before.st_size > max_bytes:
                raise FileRefused(path, "file_too_large", f"{before.st_size} bytes, limit {max_bytes}")
            with self._draft() as (draft, file):
                sha256 = _copy(path, source, file, before)
                _refuse_changed(path, before, os.fstat(source))
                os.fsync(file)
                return self._keep(draft, sha256, before.st_size)

    def path(self, sha256: str) -> Path:
        """Where the original stands, or would stand. Raises ValueError for what is no sha256 hex digest."""
        if not _SHA256.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is not a sha256 hex digest")
        return self.folder / sha256[:2] / sha256[2:4] / sha256

    def open(self, sha256: str) -> BufferedReader:
        """The original for reading. Raises FileNotFoundError when it is not stored."""
        return self.path(sha256).open("rb")

    def verify(self, sha256: str) -> bool:
        """Whether the original is stored and its bytes still have this digest."""
        try:
            with self.open(sha256) as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == sha256
        except FileNotFoundError:
            return False

    def clean(self) -> int:
        """Remove drafts that dead processes left; returns how many. Drafts in use stay."""
        if not self._drafts.is_dir():
            return 0
        return sum(_remove_unlocked(path) for path in sorted(self._drafts.iterdir()))

    @contextmanager
    def _draft(self) -> Iterator[tuple[Path, int]]:
        """A locked empty file in the store, open for writing; what is left of it at the end is removed."""
        self._drafts.mkdir(parents=True, exist_ok=True, mode=0o700)
        file, path = _locked_draft(self._drafts)
        try:
            yield path, file
        finally:
            path.unlink(missing_ok=True)
            os.close(file)

    def _keep(self, draft: Path, sha256: str, size: int) -> Stored:
        """Give a complete draft its name, unless the name is taken."""
        target = self.path(sha256)
        if not target.exists():
            _make_folder(target.parent, self.folder)
            draft.chmod(0o440)
            if _name(draft, target):
                sync_folder(target.parent)
                return Stored(sha256, size, new=True)
        held = target.stat().st_size
        if held != size:
            raise OriginalDamaged(
                f"{target}: {held} bytes instead of {size}; restore it from a backup, or move it away and scan again"
            )
        return Stored(sha256, size, new=False)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[int, os.stat_result]]:
    """Descriptor and status of a regular file; no link is followed, no fifo waited for."""
    try:
        source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        code = _OPEN_REASONS.get(error.errno or 0, "unreadable_file")
        raise FileRefused(path, code, os.strerror(error.errno or 0)) from error
    try:
        before = os.fstat(source)
        if not stat.S_ISREG(before.st_mode):
            raise FileRefused(path, "not_a_regular_file", stat.filemode(before.st_mode))
        yield source, before
    finally:
        os.close(source)


def _copy(path: Path, source: int, target: int, before: os.stat_result) -> str:
    """Copy everything; returns the sha256. The size must be what it was when the file was opened."""
    sha256 = hashlib.sha256()
    copied = 0
    while chunk := _read(path, source):
        copied += len(chunk)
        if copied > before.st_size:
            raise FileRefused(path, "changing_file", f"it grew beyond {before.st_size} bytes")
        sha256.update(chunk)
        view = memoryview(chunk)
        while view:
            view = view[os.write(target, view) :]
    if copied != before.st_size:
        raise FileRefused(path, "changing_file", f"{copied} bytes instead of {before.st_size}")
    return sha256.hexdigest()


def _read(path: Path, source: int) -> bytes:
    """The next bytes; an error of the source is the file's, one of the store is ours and not caught here."""
    try:
        return os.read(source, _CHUNK)
    except OSError as error:
        raise FileRefused(path, "unreadable_file", os.strerror(error.errno or 0)) from error


def _refuse_changed(path: Path, before: os.stat_result, after: os.stat_result) -> None:
    watched = ("st_size", "st_mtime_ns", "st_ctime_ns")
    changed = [name for name in watched if getattr(before, name) != getattr(after, name)]
    if changed:
        raise FileRefused(path, "changing_file", f"{', '.join(changed)} changed")


def _locked_draft(folder: Path) -> tuple[int, Path]:
    """A new locked file. `clean` may take one between its making and its locking: then another is made."""
    while True:
        file, name = tempfile.mkstemp(dir=folder)
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink:
            return file, Path(name)
        os.close(file)


def _remove_unlocked(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False  # finished meanwhile
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False  # in use
    else:
        return True
    finally:
        os.close(file)


def _make_folder(folder: Path, root: Path) -> None:
    """Make `folder` under `root`, durably."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for made in (folder.parent, root):
        sync_folder(made)


def _name(draft: Path, target: Path) -> bool:
    """Give `draft` the name `target`; False when another process was first."""
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        draft.rename(target)
    return True
