"""The stage `contextualized_chunks`: a generated context for each chunk that is not a figure, and its books.

Unit counted: `rows` (chunks = contexts + figures skipped).
"""

from __future__ import annotations

import bisect
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from muniment.contextualization.rule import PARTIES, DocumentFacts, rule_context
from muniment.ids import digest
from muniment.loss.ledger import Entry, Ledger
from muniment.settings import ContextSettings
from muniment.stages import Outcome, StageOutput
from muniment.tables.registry import TABLES

STAGE = "contextualized_chunks"
#: Raise it when rows change for equal input and settings.
CODE_VERSION = "1"

Row = dict[str, Any]


def producer(settings: ContextSettings) -> str:
    """Code version and method, as the stage key needs them."""
    return f"{STAGE}-{CODE_VERSION} {settings.method}"


def contextualize(
    extractions: pl.DataFrame,
    documents_meta: pl.DataFrame,
    chunks: pl.DataFrame,
    document_tables: pl.DataFrame,
    table_cells: pl.DataFrame,
    settings: ContextSettings,
) -> StageOutput:
    """Contexts of a group of versions.

    `documents_meta` has the rows of extracted_metadata; only explicitly stated fields are used. A context
    holds no text of hidden cells, and that of a hidden chunk no cell text at all. A version without
    chunks is a failed outcome.
    """
    parties = _parties(documents_meta)
    tables = _tables(document_tables, table_cells)
    by_version = _grouped(chunks.sort("version_id", "extraction_id", "ordinal"), "version_id")
    ledger = Ledger(STAGE)
    rows: list[Row] = []
    outcomes: list[Outcome] = []
    for extraction in extractions.sort("version_id", "extraction_id").iter_rows(named=True):
        version_id = extraction["version_id"]
        own = [
            chunk for chunk in by_version.get(version_id, ()) if chunk["extraction_id"] == extraction["extraction_id"]
        ]
        if not own:
            outcomes.append(Outcome(version_id, "failed", "upstream_failed", "no chunks"))
            continue
        facts = _facts(extraction, parties.get(version_id, {}))
        held = tables.get(extraction["extraction_id"], [])
        made = [_row(chunk, facts, held, settings) for chunk in own if chunk["kind"] != "figure"]
        rows += made
        skipped = [Entry("figure_skipped", 1, _place(chunk)) for chunk in own if chunk["kind"] == "figure"]
        ledger.close(version_id, "rows", expected=len(own), actual=len(made), entries=skipped)
        outcomes.append(Outcome(version_id, "ok", output_digest=digest(made)))
    frames = {"chunk_contexts": TABLES["chunk_contexts"].frame(rows), **ledger.frames()}
    return StageOutput(tables=frames, outcomes=outcomes)


def _row(chunk: Row, facts: DocumentFacts, tables: Sequence[_Table], settings: ContextSettings) -> Row:
    place = json.loads(chunk["source_locator"])
    columns = [] if chunk["hidden"] or chunk["kind"] != "table" else _columns(chunk, tables)
    return {
        "chunk_id": chunk["chunk_id"],
        "version_id": chunk["version_id"],
        "generated_context": rule_context(
            facts, chunk["section_path"], columns, settings.max_characters, place.get("sheet")
        ),
        "method": settings.method,
        "request_digest": None,
    }


def _place(chunk: Row) -> dict[str, object]:
    place = json.loads(chunk["source_locator"])
    return {name: place[name] for name in ("page", "slide", "mail_part", "characters") if name in place}


def _facts(extraction: Row, parties: Mapping[str, tuple[str, ...]]) -> DocumentFacts:
    stated = dict(parties)
    if extraction["author"] and not stated.get("author"):
        stated["author"] = (extraction["author"],)
    return DocumentFacts(
        doc_type=extraction["doc_type"],
        title=extraction["title"],
        published_on=extraction["published_on"],
        valid_from=extraction["valid_from"],
        valid_to=extraction["valid_to"],
        parties=tuple((name, stated[name]) for name in PARTIES if stated.get(name)),
    )


def _parties(documents_meta: pl.DataFrame) -> dict[str, dict[str, tuple[str, ...]]]:
    """Explicitly stated parties by version and field, in the order stated."""
    stated = documents_meta.filter(pl.col("field").is_in(PARTIES) & (pl.col("basis") == "explicit"))
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in stated.sort("version_id", "field", "ordinal").iter_rows(named=True):
        fields = found.setdefault(row["version_id"], {})
        fields[row["field"]] = (*fields.get(row["field"], ()), row["value"])
    return found


class _Table:
    """The span of a table and its visible column headers, from the left; rows of headers joined by a slash."""

    def __init__(self, cells: Sequence[Row], header_rows: int) -> None:
        self.start = min(cell["start"] for cell in cells)
        self.end = max(cell["end"] for cell in cells)
        headers: dict[int, list[str]] = {}
        for cell in cells:
            heads = cell["row"] < header_rows or (header_rows == 0 and cell["is_header"] and cell["row"] == 0)
            text = " ".join(cell["text"].split())
            if heads and text and not cell["hidden"]:
                for column in range(cell["column"], cell["column"] + max(cell["column_span"], 1)):
                    headers.setdefault(column, []).append(text)
        labels = (" / ".join(dict.fromkeys(texts)) for _, texts in sorted(headers.items()))
        self.columns = tuple(dict.fromkeys(labels))


def _tables(document_tables: pl.DataFrame, table_cells: pl.DataFrame) -> dict[str, list[_Table]]:
    """Tables by extraction, sorted by their place."""
    cells = _grouped(table_cells.sort("table_id", "row", "column"), "table_id")
    found: dict[str, list[_Table]] = {}
    for table in document_tables.sort("extraction_id", "ordinal").iter_rows(named=True):
        if table["table_id"] in cells:
            item = _Table(cells[table["table_id"]], table["header_rows"])
            found.setdefault(table["extraction_id"], []).append(item)
    for tables in found.values():
        tables.sort(key=lambda item: item.start)
    return found


def _columns(chunk: Row, tables: Sequence[_Table]) -> Sequence[str]:
    """Headers of the table that a chunk is a part of."""
    index = bisect.bisect_left([table.start for table in tables], chunk["end"]) - 1
    if index < 0 or tables[index].end <= chunk["start"]:
        return ()
    return tables[index].columns


def _grouped(frame: pl.DataFrame, column: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in _rows(frame):
        groups.setdefault(row[column], []).append(row)
    return groups


def _rows(frame: pl.DataFrame) -> Iterable[Row]:
    return frame.iter_rows(named=True)
