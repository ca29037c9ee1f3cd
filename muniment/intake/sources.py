"""Sources: declaring them and listing the files they hold."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from muniment.ids import make_id
from muniment.store.changes import Change, Upsert
from muniment.store.rows import Rows
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES


class SourceError(ValueError):
    """A source that cannot be declared or scanned; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """A declared source."""

    source_id: str
    name: str
    location: Path
    access_policy_id: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """One directory entry. `refusal` is a reason code where it may not be read."""

    path: str
    absolute: Path
    size: int | None
    modified_ns: int | None
    refusal: str | None = None


def declare_source(warehouse: Warehouse, name: str, location: Path, policy: str | None, now: datetime) -> Source:
    """Record a source (a folder, or a single file), or move a known one under the same name.

    Raises SourceError when the place is absent, or when a known source would change its policy:
    documents keep the policy they were captured under, so that needs a source of its own.
    """
    folder = location.resolve()
    if not (folder.is_dir() or folder.is_file()):
        raise SourceError(f"{location}: no such file or folder")
    source = Source(make_id("source", name), name, folder, policy)
    known = {row.source_id: row for row in list_sources(warehouse.latest())}.get(source.source_id)
    if known == source:
        return source
    if known is not None and known.access_policy_id != policy:
        raise SourceError(
            f"source {name!r} has policy {known.access_policy_id!r}, not {policy!r}; "
            "give documents with another policy a source of their own (--source NAME)"
        )
    row = {
        "source_id": source.source_id,
        "name": name,
        "kind": "folder" if folder.is_dir() else "file",
        "location": str(folder),
        "access_policy_id": policy,
        "added_at": now,
    }
    changes: list[Change] = [Upsert("sources", TABLES["sources"].frame([row]))]
    if policy is not None and policy not in set(warehouse.latest().table("policies")["access_policy_id"]):
        declared = {"access_policy_id": policy, "description": f"policy of source {name}", "declared_at": now}
        changes.append(Upsert("policies", TABLES["policies"].frame([declared])))
    warehouse.commit(changes, message="declare source")
    return source


def list_sources(rows: Rows) -> list[Source]:
    """Declared sources, by name."""
    return [
        Source(row["source_id"], row["name"], Path(row["location"]), row["access_policy_id"])
        for row in rows.table("sources").sort("name").iter_rows(named=True)
    ]


def excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether a relative path matches one of the patterns (`**/` also matches at the top)."""
    return any(
        fnmatch.fnmatchcase(path, pattern) or (pattern.startswith("**/") and fnmatch.fnmatchcase(path, pattern[3:]))
        for pattern in patterns
    )


def list_files(source: Source, exclude: Sequence[str]) -> list[Listed]:
    """Everything under a source, sorted by path; what may not be read comes with a refusal.

    Raises SourceError when the folder itself cannot be listed: an unreachable source must not look
    like one whose documents are gone.
    """
    if not source.location.is_dir():
        return _list_file(source)
    return sorted(_walk(source.location, "", tuple(exclude)), key=lambda listed: listed.path)


def _list_file(source: Source) -> list[Listed]:
    """A source that is one file; gone only when its folder is there and the file is not."""
    if not source.location.parent.is_dir():
        raise SourceError(f"source {source.name!r}: {source.location.parent} is not a folder; mount or correct it")
    with os.scandir(source.location.parent) as entries:
        return [_listed(entry, entry.name) for entry in entries if entry.name == source.location.name]


def _walk(folder: Path, prefix: str, exclude: tuple[str, ...]) -> Iterator[Listed]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        if not prefix:
            raise SourceError(f"{folder}: cannot be listed ({error.strerror}); check its permissions") from error
        yield Listed(prefix.rstrip("/"), folder, None, None, "unreadable_file")
        return
    for entry in entries:
        path = prefix + entry.name
        if excluded(path, exclude):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), path + "/", exclude)
        else:
            yield _listed(entry, path)


def _listed(entry: os.DirEntry[str], path: str) -> Listed:
    absolute = Path(entry.path)
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return Listed(shown, absolute, None, None, "name_not_utf8")
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return Listed(path, absolute, None, None, "unreadable_file")
    if stat.S_ISLNK(status.st_mode):
        return Listed(path, absolute, None, None, "symlink_refused")
    if not stat.S_ISREG(status.st_mode):
        return Listed(path, absolute, None, None, "not_a_regular_file")
    # ctime too: a file made readable, or written with its old mtime restored, must be looked at again
    return Listed(path, absolute, status.st_size, max(status.st_mtime_ns, status.st_ctime_ns))
