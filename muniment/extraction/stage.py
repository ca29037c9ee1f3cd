"""The stage structured_extraction: versions in, rows, books and one outcome a version out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from muniment.extraction import entry, serial
from muniment.extraction.books import actual_counts, close_books, close_failed
from muniment.extraction.canonical import Assembled, assemble
from muniment.extraction.formats import MODULES, TEXT_TYPES, UNSUPPORTED, engine_versions, promised_type
from muniment.extraction.rows import STAGE, Row, Version, count_rows, result_digest, to_rows
from muniment.ids import digest
from muniment.loss.ledger import Entry, Ledger
from muniment.settings import Settings
from muniment.stages import Outcome, StageOutput
from muniment.tables.registry import TABLES
from muniment.workers.tasks import DocumentTask, Failure, Result

if TYPE_CHECKING:
    from muniment.workers.executor import DocumentExecutor

#: Raise it when rows change for equal input; engine versions are part of `producer` already.
CODE_VERSION = "2"

#: Tables of the stage (beside stage_books and losses, which every stage writes).
STAGE_TABLES = tuple(name for name, table in TABLES.items() if table.stage == STAGE)


def producer(doc_type: str) -> str:
    """Code and engine versions that read a document type: part of the stage key."""
    engines = engine_versions(doc_type)
    module = MODULES.get(doc_type, UNSUPPORTED)
    return f"extraction {CODE_VERSION}; {module}" + (f"; {engines}" if engines else "")


def extract(
    versions: pl.DataFrame,
    settings: Settings,
    executor: DocumentExecutor,
    originals_path: Callable[[str], Path],
) -> StageOutput:
    """Read versions and close their books.

    `versions` has version_id, document_id, sha256, size, name and doc_type; `originals_path` gives the
    stored original of a sha256. Versions with equal bytes, suffix and type are read once. An
    unsupported type, an empty file, a reader's failure and a success without any text are failed
    outcomes; an unexplained loss of text above the critical threshold is `partial`.
    """
    collector = _Collector(settings)
    groups = _groups(versions, collector)
    tasks = [_task(key, group[0], settings, originals_path) for key, group in sorted(groups.items())]
    for key, answer in executor.map(tasks):
        for version in groups[key]:
            collector.take(version, answer)
        if isinstance(answer, Result):
            answer.output.unlink(missing_ok=True)
    return collector.output()


@dataclass(frozen=True, slots=True)
class _Readable:
    """A version that a reader can try, and the size of its original."""

    version: Version
    size: int


def _groups(versions: pl.DataFrame, collector: _Collector) -> dict[str, list[_Readable]]:
    groups: dict[str, list[_Readable]] = {}
    for row in versions.sort("version_id").iter_rows(named=True):
        version = cast(Version, {name: row[name] for name in Version.__annotations__})
        if row["size"] == 0:
            collector.fail(version, "empty_file", "the file has 0 bytes; check its source")
        elif row["doc_type"] not in MODULES:
            detail = f"no reader for {PurePosixPath(row['name']).suffix or 'this'} files; convert it"
            collector.fail(version, "unsupported_type", detail)
        else:
            suffix = PurePosixPath(row["name"]).suffix.lower()
            key = digest(row["sha256"], suffix, row["doc_type"])
            groups.setdefault(key, []).append(_Readable(version, row["size"]))
    return groups


def _task(key: str, readable: _Readable, settings: Settings, originals_path: Callable[[str], Path]) -> DocumentTask:
    version = readable.version
    payload: dict[str, Any] = {
        "path": str(originals_path(version["sha256"])),
        "name": version["name"],
        "doc_type": version["doc_type"],
        "options": settings.extraction.model_dump(mode="json"),
    }
    small = readable.size <= settings.workers.pack_file_bytes
    return DocumentTask(
        key=key,
        entry=entry.ENTRY,
        payload=payload,
        size=readable.size,
        packable=small and version["doc_type"] in TEXT_TYPES,
    )


class _Collector:
    """Rows, outcomes and books over a group of versions."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._config_digest = settings.extraction.digest()
        self._ledger = Ledger(STAGE)
        self._rows: dict[str, list[Row]] = {name: [] for name in STAGE_TABLES}
        self._outcomes: dict[str, Outcome] = {}
        self._loaded: tuple[Path, serial.ReadDocument, Assembled] | None = None

    def take(self, readable: _Readable, answer: Result | Failure) -> None:
        """Record what the executor answered for a version."""
        version = readable.version
        if isinstance(answer, Failure):
            self.fail(version, answer.reason_code, answer.detail, answer)
            return
        document, assembled = self._load(answer.output)
        self._note_mismatch(version)
        empty = _why_empty(version["doc_type"], document, assembled)
        if empty is not None:
            self._rows["source_counts"] += count_rows(version["version_id"], document)
            self.fail(version, *empty, answer)
            return
        critical = close_books(self._ledger, version["version_id"], document, assembled, self._settings.loss)
        for name, rows in to_rows(version, document, self._config_digest, assembled).items():
            self._rows[name] += rows
        self._outcomes[version["version_id"]] = Outcome(
            version["version_id"],
            "partial" if critical else "ok",
            "text_missing" if critical else None,
            "visible text and independent count differ beyond loss.critical_unexplained" if critical else None,
            result_digest(document, assembled),
            answer.isolation,
            answer.wall_seconds,
        )

    def fail(self, version: Version, reason_code: str, detail: str, answer: Result | Failure | None = None) -> None:
        """A failed outcome, its book and its loss row; `detail` holds no text of the document."""
        version_id = version["version_id"]
        close_failed(self._ledger, version_id, reason_code, detail)
        self._outcomes[version_id] = Outcome(
            version_id,
            "failed",
            reason_code,
            detail,
            isolation=answer.isolation if answer else None,
            wall_seconds=answer.wall_seconds if answer else None,
        )

    def output(self) -> StageOutput:
        """All frames, and outcomes sorted by version."""
        frames = {name: TABLES[name].frame(rows) for name, rows in self._rows.items()}
        outcomes = [self._outcomes[version_id] for version_id in sorted(self._outcomes)]
        return StageOutput({**frames, **self._ledger.frames()}, outcomes)

    def _load(self, output: Path) -> tuple[serial.ReadDocument, Assembled]:
        """The document at `output`; kept for the next version of the same bytes."""
        if self._loaded is None or self._loaded[0] != output:
            document = serial.load(output)
            self._loaded = (output, document, assemble(document.reading))
        return self._loaded[1], self._loaded[2]

    def _note_mismatch(self, version: Version) -> None:
        promised = promised_type(version["name"])
        if promised is not None and promised != version["doc_type"]:
            detail = f"the name says {promised}, the content is {version['doc_type']}"
            self._ledger.lose(version["version_id"], "documents", Entry("type_mismatch", 1, {}, detail, "minor"))


def _why_empty(doc_type: str, document: serial.ReadDocument, assembled: Assembled) -> tuple[str, str] | None:
    """Reason and detail when a reading has no text at all; a success without content is a failure."""
    actual = actual_counts(document.reading, assembled)
    if actual["chars_visible"] + actual["chars_hidden"] > 0:
        return None
    pages = document.reading.pages or 0
    if doc_type == "pdf" and pages:
        return "no_text_layer", f"none of {pages} pages has a text layer; run OCR and ingest the result"
    return "empty_result", "the reader found no text; open the original"
