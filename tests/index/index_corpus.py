"""Rows of a small corpus for tests: one document a `Doc`, one chunk a passage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from muniment.ids import make_id
from muniment.index.embedder import open_embedder
from muniment.tables.model import TIME, Table
from muniment.tables.registry import TABLES


@dataclass(frozen=True)
class Doc:
    """One document with one version."""

    name: str
    passages: Sequence[str]
    policy: str | None = None
    source: str = "contracts"
    held: bool = True
    doc_type: str = "txt"
    context: str | None = None
    hidden: Sequence[str] = ()
    valid_from: date | None = None
    valid_to: date | None = None
    family: str | None = None

    @property
    def document_id(self) -> str:
        return make_id("document", self.source, self.name)

    @property
    def version_id(self) -> str:
        return make_id("version", self.document_id)

    def chunk_id(self, ordinal: int = 0) -> str:
        return make_id("chunk", self.document_id, ordinal)


@dataclass
class Inline:
    """A pool of no processes that remembers what it was asked to embed."""

    seen: list[str] = field(default_factory=list)

    def map(self, function: Callable[[Any], Any], payloads: Sequence[Any]) -> Iterator[Any]:
        self.seen += [text for _, texts in payloads for text in texts]
        return map(function, payloads)


def frames(docs: Sequence[Doc]) -> dict[str, pl.DataFrame]:
    """Frames of the tables that index and search read."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for doc in docs:
        for name, row in _rows(doc):
            rows.setdefault(name, []).append(row)
    tables = {name: _filled(TABLES[name], TABLES[name].frame(items)) for name, items in rows.items()}
    return {name: frame.unique(list(TABLES[name].key), keep="first") for name, frame in tables.items()}


def _filled(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Columns that index and search do not read get any value that the table accepts."""
    values = {pl.String(): "", pl.Int64(): 0, pl.Boolean(): False, TIME: datetime(2026, 1, 1, tzinfo=UTC)}
    return frame.with_columns(
        pl.col(name).fill_null(values[frame.schema[name]])
        for name in table.required_columns
        if frame[name].null_count() and frame.schema[name] in values
    )


def _rows(doc: Doc) -> Iterator[tuple[str, dict[str, Any]]]:
    source_id = make_id("source", doc.source)
    ids: dict[str, Any] = {
        "document_id": doc.document_id,
        "version_id": doc.version_id,
        "extraction_id": make_id("extraction", doc.version_id),
    }
    yield "sources", {"source_id": source_id, "name": doc.source, "kind": "folder"}
    first = {"source_id": source_id, "first_path": doc.name, "access_policy_id": doc.policy, "first_scan": 1}
    yield "documents", {"document_id": doc.document_id} | first
    capture = {"capture_id": make_id("capture", doc.version_id), "source_id": source_id, "path": f"now/{doc.name}"}
    yield "captures", ids_of(ids) | capture | {"opened_scan": 1, "closed_scan": None if doc.held else 2}
    yield "generation_versions", ids | {"held": doc.held, "stage_keys": [], "newer_version_not_published": False}
    validity = {"valid_from": doc.valid_from, "valid_to": doc.valid_to, "validity_status": "stated"}
    yield "extractions", ids | validity | {"doc_type": doc.doc_type, "title": f"Title of {doc.name}", "language": "en"}
    yield "families", {"document_id": doc.document_id, "family_id": doc.family or doc.document_id}
    everything = [(text, False) for text in doc.passages] + [(text, True) for text in doc.hidden]
    sizes = open_embedder("minilm-int8").count_tokens([text for text, _ in everything])
    for ordinal, ((text, hidden), tokens) in enumerate(zip(everything, sizes, strict=True)):
        chunk_id = doc.chunk_id(ordinal)
        state = "excluded_hidden" if hidden else "indexed"
        chunk = {"chunk_id": chunk_id, "ordinal": ordinal, "kind": "text", "text": text, "tokens": tokens}
        place = {"section_path": ["Terms"], "source_locator": f'{{"page": {ordinal + 1}}}'}
        yield "chunks", ids | chunk | place | {"hidden": hidden, "index_state": state}
        if doc.context is not None:
            context = {"generated_context": doc.context, "method": "rule"}
            yield "chunk_contexts", {"chunk_id": chunk_id, "version_id": doc.version_id} | context


def ids_of(ids: dict[str, Any]) -> dict[str, Any]:
    """Without the extraction."""
    return {name: value for name, value in ids.items() if name != "extraction_id"}
