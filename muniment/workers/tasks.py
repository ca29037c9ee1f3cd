"""What is asked of a document executor and what comes back; running one task, wherever that is."""

from __future__ import annotations

import errno
import importlib
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import Any

from muniment.reason_codes import REASONS
from muniment.workers.limits import cpu_used, peak_rss


@dataclass(frozen=True, slots=True)
class DocumentTask:
    """One document to read.

    `entry` is "module:function", called in the child as `entry(payload, output)`; it writes its result
    to the path `output`. `payload` holds keys and paths, never data, and must pickle. `size` is that of
    the document in bytes; `packable` says that it may share a child with other small ones.
    """

    key: str
    entry: str
    payload: dict[str, Any]
    size: int
    packable: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A document that was read. `output` stays until the executor closes.

    Wall and CPU seconds are those of the entry. `peak_rss_bytes` is that of its process, shared pages
    of the fork server included; in a pack, that of the child so far.
    """

    key: str
    output: Path
    wall_seconds: float
    cpu_seconds: float
    peak_rss_bytes: int
    isolation: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that was not read. `detail` holds no text of the document."""

    key: str
    reason_code: str
    detail: str
    wall_seconds: float
    isolation: str


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A task with its paths: the entry writes `temporary`, which becomes `output` when it succeeds."""

    entry: str
    payload: dict[str, Any]
    temporary: Path
    output: Path


@dataclass(frozen=True, slots=True)
class Report:
    """How an item went. Without reason code its output is in place."""

    reason_code: str | None
    detail: str
    wall_seconds: float
    cpu_seconds: float
    peak_rss_bytes: int


def resolve(entry: str) -> Callable[[dict[str, Any], Path], None]:
    """The function that "module:function" names."""
    module, _, name = entry.partition(":")
    return getattr(importlib.import_module(module), name)


def perform(item: WorkItem) -> Report:
    """Run an item in this process; whatever it raises becomes a reason."""
    started, cpu = time.perf_counter(), cpu_used()
    code, detail = None, ""
    try:
        resolve(item.entry)(item.payload, item.temporary)
        if is_regular(item.temporary):
            item.temporary.rename(item.output)
        else:
            code, detail = "reader_error", "the reader wrote no result"
    except (Exception, SystemExit) as error:  # noqa: BLE001  # each becomes a loss row
        code, detail = explain(error)
        item.temporary.unlink(missing_ok=True)
    return Report(code, detail, time.perf_counter() - started, cpu_used() - cpu, peak_rss())


def is_regular(path: Path) -> bool:
    """A plain file, not a link to one: a subverted reader must not make us read elsewhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def explain(error: BaseException) -> tuple[str, str]:
    """Reason code and detail of an error: its type and place, never its message, which may quote the document.

    Errors with `reason_code` and `detail` (ReadError) say both themselves, unless a limit stands behind them.
    """
    chain = list(_chain(error))
    if any(isinstance(link, MemoryError) for link in chain):
        return "memory_limit", _place(error)
    if any(isinstance(link, OSError) and link.errno == errno.EFBIG for link in chain):
        return "output_limit", _place(error)
    code, detail = getattr(error, "reason_code", None), getattr(error, "detail", None)
    if isinstance(code, str) and isinstance(detail, str):
        if code in REASONS:
            return code, detail
        return "reader_error", f"unknown reason code {code!r} in {_place(error)}"
    return "reader_error", _place(error)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _place(error: BaseException) -> str:
    """`Type (errno) at module:line`, with the innermost place of ours if the last one is a library's."""
    name = type(error).__qualname__
    if isinstance(error, OSError) and error.errno is not None:
        name += f" ({errno.errorcode.get(error.errno, error.errno)})"
    places = [(frame.f_globals.get("__name__", "?"), line) for frame, line in walk_tb(error.__traceback__)]
    if len(places) < 2:
        return name  # not the reader's doing but ours: the entry was not found, or could not be called
    module, line = places[-1]
    text = f"{name} at {module}:{line}"
    ours = [place for place in places if place[0].startswith("muniment.") and place[0] != __name__]
    if ours and ours[-1] != places[-1]:
        text += f", called from {ours[-1][0]}:{ours[-1][1]}"
    return text
