"""Files of an index folder: sparse copies, hard-linked views, digests, fsync."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

_BLOCK = 4_096


def copy_tree(source: Path, target: Path) -> None:
    """Copy all files with their holes; `target` must not exist. Shares nothing with the source."""
    _walk(source, target, copy_sparse)


def link_tree(source: Path, target: Path) -> None:
    """Hard-link all files; across file systems, or where links are refused, copy them."""
    _walk(source, target, _link_or_copy)


def folder_digest(folder: Path) -> str:
    """Digest over relative names, sizes and contents of all files, in order of their names.

    Blocks of zeros are skipped, so holes cost nothing and a copy that fills them has the same digest.
    """
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        total.update(f"{path.relative_to(folder).as_posix()}\0{_file_digest(path)}\n".encode())
    return total.hexdigest()


def sync_tree(folder: Path) -> None:
    """Flush files and folders to the disk."""
    for path in [*folder.rglob("*"), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def copy_sparse(source: Path, target: Path) -> None:
    """Copy one file; the engine's files are mostly holes (apparent size five to eight times the real one)."""
    with source.open("rb") as read, target.open("xb") as write:
        for start, end in _extents(read):
            _copy_range(read, write, start, end - start)
        write.truncate(os.fstat(read.fileno()).st_size)


def _extents(stream: BinaryIO) -> Iterator[tuple[int, int]]:
    """Ranges that are not holes; the whole file where the system cannot tell."""
    size = os.fstat(stream.fileno()).st_size
    if not hasattr(os, "SEEK_DATA"):
        yield 0, size
        return
    position = 0
    while position < size:
        try:
            start = os.lseek(stream.fileno(), position, os.SEEK_DATA)
        except OSError:  # ENXIO: only a hole is left
            return
        position = os.lseek(stream.fileno(), start, os.SEEK_HOLE)
        yield start, position


def _file_digest(path: Path) -> str:
    content = hashlib.sha256()
    with path.open("rb") as stream:
        content.update(os.fstat(stream.fileno()).st_size.to_bytes(8, "big"))
        done = 0
        for start, end in _extents(stream):
            done = max(done, start // _BLOCK * _BLOCK)
            stream.seek(done)
            while done < end:
                block = stream.read(_BLOCK)
                if block.strip(b"\0"):
                    content.update(done.to_bytes(8, "big") + block)
                done += _BLOCK
    return content.hexdigest()


def _copy_range(read: BinaryIO, write: BinaryIO, start: int, length: int) -> None:
    read.seek(start)
    write.seek(start)
    while length > 0:
        data = read.read(min(length, 1 << 20))
        if not data:
            raise OSError(f"{read.name}: shorter than its size; it changed while it was copied")
        write.write(data)
        length -= len(data)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or links not permitted there
        copy_sparse(source, target)


def _walk(source: Path, target: Path, place: Callable[[Path, Path], None]) -> None:
    target.mkdir(parents=True, mode=0o700)
    for path in sorted(source.rglob("*")):
        there = target / path.relative_to(source)
        if path.is_dir():
            there.mkdir(mode=0o700)
        else:
            place(path, there)
