"""One scan of a source: what is new, changed, renamed, back, gone or refused, committed as a whole.

Bytes are stored first (content-addressed, so a killed scan costs nothing), then captures, documents,
versions and batches go into the warehouse in one transaction: a scan happened or it did not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import polars as pl

from muniment.ids import make_id
from muniment.intake.batches import plan_batches
from muniment.intake.detection import DetectedType, detect_stored
from muniment.intake.sources import Listed, Source, list_files
from muniment.settings import IntakeSettings
from muniment.store.changes import Append, Change, Upsert
from muniment.store.originals import FileRefused, OriginalStore, Stored
from muniment.store.rows import Rows
from muniment.store.snapshot import Snapshot
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES

Row = dict[str, Any]


@dataclass
class ScanReport:
    """Counts of one scan, by kind of change, and the batches that it planned."""

    source: str
    files: int = 0
    unchanged: int = 0
    changes: dict[str, int] = field(default_factory=dict)
    gone: int = 0
    batches: list[str] = field(default_factory=list)

    @property
    def changed_anything(self) -> bool:
        """Whether the warehouse differs from before."""
        return bool(self.changes or self.gone)


@dataclass
class _Seen:
    """A path whose bytes (or refusal) are not those of its open capture."""

    listed: Listed
    stored: Stored | None
    reason_code: str | None
    detail: str | None


def pending_changes(source: Source, rows: Rows, settings: IntakeSettings) -> int:
    """How many paths differ from the open captures by size, mtime or presence; reads no file."""
    opened = _open_captures(rows, source)
    listing = list_files(source, settings.exclude)
    differing = sum(1 for listed in listing if not _looks_unchanged(listed, opened.get(listed.path), settings))
    return differing + len(opened.keys() - {listed.path for listed in listing})


def scan(
    source: Source,
    warehouse: Warehouse,
    store: OriginalStore,
    settings: IntakeSettings,
    now: datetime,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> ScanReport:
    """Scan a source and commit what changed.

    `now` is the observation time. Raises SourceError when the source cannot be listed.
    """
    listing = list_files(source, settings.exclude)
    opened = _open_captures(warehouse.latest(), source)
    suspects = [listed for listed in listing if not _looks_unchanged(listed, opened.get(listed.path), settings)]
    seen: list[_Seen] = []
    for done, listed in enumerate(suspects, start=1):
        seen.append(_take(listed, store, settings))
        if progress is not None:
            progress(done, len(suspects))
    report = ScanReport(source.name, files=len(listing))

    def changes(snapshot: Snapshot) -> list[Change]:
        planner = _Planner(source, snapshot, settings, now, store)
        return planner.plan(listing, seen, report)

    warehouse.commit(changes, message="scan")
    return report


def _open_captures(rows: Rows, source: Source) -> dict[str, Row]:
    frame = rows.read(
        "SELECT * FROM captures WHERE source_id = ? AND closed_scan IS NULL ORDER BY path", [source.source_id]
    )
    return {row["path"]: row for row in frame.iter_rows(named=True)}


def _looks_unchanged(listed: Listed, capture: Row | None, settings: IntakeSettings) -> bool:
    if capture is None:
        return False
    if listed.refusal is not None:
        return capture["reason_code"] == listed.refusal
    if capture["reason_code"] == "file_too_large" and (listed.size or 0) <= settings.max_file_bytes:
        return False  # the limit was raised
    return capture["size"] == listed.size and capture["modified_ns"] == listed.modified_ns


def _take(listed: Listed, store: OriginalStore, settings: IntakeSettings) -> _Seen:
    if listed.refusal is not None:
        return _Seen(listed, None, listed.refusal, None)
    try:
        return _Seen(listed, store.put(listed.absolute, max_bytes=settings.max_file_bytes), None, None)
    except FileRefused as error:
        return _Seen(listed, None, error.reason_code, error.detail)


class _Planner:
    """Turns what was seen into rows, against one snapshot of what is known."""

    def __init__(
        self, source: Source, snapshot: Snapshot, settings: IntakeSettings, now: datetime, store: OriginalStore
    ) -> None:
        self.source, self.settings, self.now, self.store = source, settings, now, store
        self.snapshot = snapshot
        self.opened = _open_captures(snapshot, source)
        self.scan_no = self._one("SELECT coalesce(max(scan_no), 0) + 1 FROM scans")
        self.batch_count = self._one("SELECT count(*) FROM batches")
        past = snapshot.read("SELECT * FROM captures WHERE source_id = ? ORDER BY path", [source.source_id])
        self.captures_at: dict[str, int] = defaultdict(int)
        for row in past.iter_rows(named=True):
            self.captures_at[row["path"]] += 1
        self.documents = {
            row["document_id"]: row
            for row in snapshot.read("SELECT * FROM documents WHERE source_id = ?", [source.source_id]).iter_rows(
                named=True
            )
        }
        self.versions: dict[str, Row] = {}
        self.version_count: dict[str, int] = defaultdict(int)
        versions = snapshot.read(
            "SELECT v.* FROM document_versions v JOIN documents d USING (document_id) WHERE d.source_id = ?",
            [source.source_id],
        )
        for row in versions.iter_rows(named=True):
            self.versions[row["version_id"]] = row
            self.version_count[row["document_id"]] += 1
        self.originals = set(snapshot.table("originals", ["sha256"])["sha256"])
        self.new: dict[str, list[Row]] = defaultdict(list)
        self.types: dict[tuple[str, str], DetectedType] = {}

    def _one(self, sql: str) -> int:
        return int(self.snapshot.read(sql).item())

    def plan(self, listing: Sequence[Listed], seen: Sequence[_Seen], report: ScanReport) -> list[Change]:
        """Rows to write; fills `report`. Empty when nothing changed."""
        report.changes, report.gone, report.batches = {}, 0, []
        present = {listed.path for listed in listing}
        gone = [row for path, row in self.opened.items() if path not in present]
        movable = self._movable(gone)
        touched: list[Row] = []
        for item in seen:
            capture = self.opened.get(item.listed.path)
            if capture is not None and self._same(item, capture):
                touched.append({**capture, "modified_ns": item.listed.modified_ns})
                continue
            if capture is not None:
                self._close(capture)
            change = self._open(item, capture, movable)
            report.changes[change] = report.changes.get(change, 0) + 1
        for row in gone:
            self._close(row)
        renamed = report.changes.get("renamed", 0)
        report.gone = len(gone) - renamed
        report.unchanged = report.files - sum(report.changes.values())
        return self._changes(touched, report)

    def _movable(self, gone: Iterable[Row]) -> dict[str, list[Row]]:
        by_content: dict[str, list[Row]] = defaultdict(list)
        for row in gone:
            if row["sha256"] is not None:
                by_content[row["sha256"]].append(row)
        return by_content

    @staticmethod
    def _same(item: _Seen, capture: Row) -> bool:
        if item.stored is None:
            return capture["reason_code"] == item.reason_code
        return capture["sha256"] == item.stored.sha256

    def _close(self, capture: Row) -> None:
        self.new["closed"].append({**capture, "closed_scan": self.scan_no, "observed_to": self.now})

    def _open(self, item: _Seen, previous: Row | None, movable: dict[str, list[Row]]) -> str:
        path = item.listed.path
        row: Row = {
            "source_id": self.source.source_id,
            "path": path,
            "document_id": None,
            "version_id": None,
            "sha256": None,
            "size": item.listed.size,
            "change": "refused",
            "previous_path": None,
            "reason_code": item.reason_code,
            "detail": item.detail,
            "opened_scan": self.scan_no,
            "closed_scan": None,
            "modified_ns": item.listed.modified_ns,
            "observed_from": self.now,
            "observed_to": None,
        }
        if item.stored is not None:
            row |= self._identify(path, item.stored, previous, movable)
        ordinal = self.captures_at[path]
        self.captures_at[path] += 1
        row["capture_id"] = make_id(
            "capture", self.source.source_id, path, row["sha256"] or row["reason_code"], ordinal
        )
        self.new["captures"].append(row)
        return str(row["change"])

    def _identify(self, path: str, stored: Stored, previous: Row | None, movable: dict[str, list[Row]]) -> Row:
        """Document, version and kind of change of newly seen bytes."""
        moved_from: Row | None = None
        if previous is not None and previous["document_id"] is not None:
            document_id, change = str(previous["document_id"]), "changed"
        elif movable.get(stored.sha256):
            moved_from = movable[stored.sha256].pop(0)
            document_id, change = str(moved_from["document_id"]), "renamed"
        else:
            document_id, change = self._document_at(path)
        version_id = make_id("version", document_id, stored.sha256)
        if version_id in self.versions:
            change = "reverted" if change == "changed" else change
        else:
            self._add_version(version_id, document_id, path, stored)
        return {
            "document_id": document_id,
            "version_id": version_id,
            "sha256": stored.sha256,
            "size": stored.size,
            "change": change,
            "previous_path": moved_from["path"] if moved_from else None,
        }

    def _document_at(self, path: str) -> tuple[str, str]:
        """The document of a path without an open capture: one that left this path, else a new one.

        A document that was renamed away keeps its identity; what comes to its old path is another.
        """
        held_elsewhere = {row["document_id"] for at, row in self.opened.items() if at != path}
        ordinal = 0
        while True:
            parts = (path,) if ordinal == 0 else (path, ordinal)
            document_id = make_id("document", self.source.source_id, *parts)
            known = document_id in self.documents
            if not known:
                self._add_document(document_id, path)
                return document_id, "new"
            if document_id not in held_elsewhere and not self._taken_now(document_id):
                return document_id, "reappeared"
            ordinal += 1

    def _taken_now(self, document_id: str) -> bool:
        return any(row["document_id"] == document_id for row in self.new["captures"])

    def _add_document(self, document_id: str, path: str) -> None:
        row = {
            "document_id": document_id,
            "source_id": self.source.source_id,
            "first_path": path,
            "access_policy_id": self.source.access_policy_id,
            "first_scan": self.scan_no,
            "created_at": self.now,
        }
        self.documents[document_id] = row
        self.new["documents"].append(row)

    def _add_version(self, version_id: str, document_id: str, path: str, stored: Stored) -> None:
        name = path.rsplit("/", 1)[-1]
        detected = detect_stored(self.store.path(stored.sha256), name)
        self.version_count[document_id] += 1
        row = {
            "version_id": version_id,
            "document_id": document_id,
            "sha256": stored.sha256,
            "size": stored.size,
            "version_no": self.version_count[document_id],
            "name": name,
            "doc_type": detected.doc_type,
            "type_finding": detected.finding,
            "first_scan": self.scan_no,
            "created_at": self.now,
        }
        self.versions[version_id] = row
        self.new["document_versions"].append(row)
        if stored.sha256 not in self.originals:
            self.originals.add(stored.sha256)
            self.new["originals"].append({"sha256": stored.sha256, "size": stored.size, "stored_at": self.now})

    def _changes(self, touched: list[Row], report: ScanReport) -> list[Change]:
        updated = self.new["closed"] + touched
        changes: list[Change] = [Upsert("captures", _frame("captures", updated))] if updated else []
        if not report.changed_anything and not self.new["closed"]:
            return changes
        for name in ("originals", "documents", "document_versions", "captures"):
            if self.new[name]:
                changes.append(Append(name, _frame(name, self.new[name])))
        batches = plan_batches(
            [(row["version_id"], row["size"]) for row in self.new["document_versions"]],
            self.settings,
            self.now,
            first_ordinal=self.batch_count + 1,
            kind="ingest",
        )
        report.batches = batches.batch_ids
        changes += batches.changes
        scan_row = {
            "scan_no": self.scan_no,
            "source_id": self.source.source_id,
            "files_seen": report.files,
            "opened": len(self.new["captures"]),
            "closed": len(self.new["closed"]),
            "started_at": self.now,
            "finished_at": self.now,
        }
        return [*changes, Append("scans", _frame("scans", [scan_row]))]


def _frame(name: str, rows: list[Row]) -> pl.DataFrame:
    return TABLES[name].frame(rows)
