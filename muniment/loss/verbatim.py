"""The verbatim invariant: `canonical_text[start:end] == text` on every row that has both."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from muniment.store.rows import Rows

#: Tables with spans into the canonical text, and the column that must equal the slice.
SPANS = {
    "chunks": "text",
    "mentions": "text",
    "claim_evidence": "quote",
    "table_cells": "text",
    "text_edits": "canonical_text",
    "unit_references": "text",
}


@dataclass(frozen=True)
class VerbatimResult:
    """Rows compared and rows that differ, for one table."""

    table: str
    checked: int
    failures: int


def check_verbatim(rows: Rows, version_ids: pl.DataFrame | None = None) -> list[VerbatimResult]:
    """Compare every span with its text, by SQL; `version_ids` (one column) limits the versions.

    DuckDB's `substring` counts code points, as the offsets do.
    """
    results = []
    for table, column in SPANS.items():
        limit = "" if version_ids is None else "JOIN wanted USING (version_id)"
        frame = rows.read(
            f"SELECT count(*) AS checked, count(*) FILTER (c.text IS NULL OR "
            f'substring(c.text, (t.start + 1)::BIGINT, (t."end" - t.start)::BIGINT) <> t.{column}) AS failures '
            f"FROM {table} t {limit} LEFT JOIN canonical_texts c ON c.extraction_id = t.extraction_id "
            "WHERE t.start >= 0",  # -1: a property outside the text, see `loss.integrity`
            frames=None if version_ids is None else {"wanted": version_ids},
        )
        checked, failures = frame.row(0)
        results.append(VerbatimResult(table, checked, failures))
    return results
