"""Reconciliation: the books add up, no expected row is missing, and a recount by SQL agrees.

What this finds is a bug of ours, never a property of a document: it fails the check and blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from muniment.store.rows import Rows

#: Code points that are not counted: white space, separators and controls (see extraction.counting).
_NOT_COUNTED = r"[\s\p{Z}\p{Cc}]"

#: Units that every version with a result must have a book for, by stage.
REQUIRED_UNITS = {
    "structured_extraction": ("documents", "chars_visible"),
    "annotations": ("chars",),
    "chunks": ("chars",),
    "contextualized_chunks": ("rows",),
    "entities": ("mentions",),
}


def _count(text: str) -> str:
    return f"length(regexp_replace(nfc_normalize({text}), '{_NOT_COUNTED}', '', 'g'))"


_SLICE = 'substring(c.text, (e.start + 1)::BIGINT, (e."end" - e.start)::BIGINT)'

#: SQL that recounts `actual` from the rows themselves, by (stage, unit).
RECOUNTS = {
    ("structured_extraction", "chars_visible"): (
        "SELECT version_id, sum(n)::BIGINT AS recount FROM ("
        f"SELECT e.version_id, {_count(_SLICE)} AS n FROM elements e JOIN canonical_texts c USING (extraction_id) "
        "WHERE NOT e.hidden AND e.kind <> 'table' UNION ALL "
        f"SELECT t.version_id, {_count('t.text')} FROM table_cells t JOIN document_tables d USING (table_id) "
        "JOIN elements e USING (element_id) WHERE NOT t.hidden AND NOT e.hidden) GROUP BY 1"
    ),
    ("structured_extraction", "documents"): "SELECT version_id, count(*) AS recount FROM extractions GROUP BY 1",
    ("structured_extraction", "cells"): (
        f"SELECT version_id, count(*) AS recount FROM table_cells WHERE {_count('text')} > 0 GROUP BY 1"
    ),
    ("entities", "pattern_matches"): (
        "SELECT version_id, count(*) AS recount FROM mentions WHERE source = 'pattern' GROUP BY 1"
    ),
    ("entities", "model_claims"): "SELECT version_id, count(*) AS recount FROM claims WHERE rule = 'L' GROUP BY 1",
    ("contextualized_chunks", "rows"): "SELECT version_id, count(*) AS recount FROM chunk_contexts GROUP BY 1",
}


@dataclass
class Reconciliation:
    """Findings of one stage; each list names versions by id."""

    stage: str
    books: int = 0
    unbalanced: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    recount_differs: list[str] = field(default_factory=list)
    unexplained_rows: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not (self.unbalanced or self.missing or self.recount_differs or self.unexplained_rows)


def reconcile(rows: Rows, stage: str, version_ids: pl.DataFrame | None = None) -> Reconciliation:
    """Check the books of a stage for all versions, or for those in `version_ids` (one column)."""
    wanted = (
        version_ids
        if version_ids is not None
        else rows.read(
            "SELECT version_id FROM stage_status WHERE stage = ? "
            "UNION SELECT version_id FROM stage_books WHERE stage = ?",
            [stage, stage],
        )
    )
    frames = {"wanted": wanted}
    result = Reconciliation(stage)
    books = rows.read("SELECT b.* FROM stage_books b JOIN wanted USING (version_id) WHERE b.stage = ?", [stage], frames)
    result.books = books.height
    balance = pl.col("expected") + pl.col("additions") - pl.col("actual") - pl.col("explained")
    result.unbalanced = _ids(books.filter(balance != pl.col("unexplained")))
    result.missing = _missing(rows, stage, frames, books)
    for (counted_stage, unit), sql in sorted(RECOUNTS.items()):
        if counted_stage == stage:
            result.recount_differs += _differing(rows, sql, frames, books.filter(pl.col("unit") == unit))
    if stage != "structured_extraction":
        # from annotations on both sides are ours: a row lost without a code is a bug
        result.unexplained_rows = _ids(books.filter(pl.col("unexplained") != 0))
    return result


def _ids(frame: pl.DataFrame) -> list[str]:
    return sorted(set(frame["version_id"]))


def _missing(rows: Rows, stage: str, frames: dict[str, pl.DataFrame], books: pl.DataFrame) -> list[str]:
    done = rows.read(
        "SELECT version_id FROM stage_status JOIN wanted USING (version_id) "
        "WHERE stage = ? AND state IN ('ok', 'partial')",
        [stage],
        frames,
    )
    uncounted = rows.read(
        "SELECT DISTINCT version_id FROM losses JOIN wanted USING (version_id) "
        "WHERE stage = ? AND reason_code = 'counter_failed'",
        [stage],
        frames,
    )
    missing: set[str] = set()
    for unit in REQUIRED_UNITS.get(stage, ()):
        missing |= set(done["version_id"]) - set(books.filter(pl.col("unit") == unit)["version_id"])
    # nothing to hold the text against: the loss counter_failed says so in place of the book
    return sorted(missing - set(uncounted["version_id"]))


def _differing(rows: Rows, sql: str, frames: dict[str, pl.DataFrame], books: pl.DataFrame) -> list[str]:
    recount = rows.read(f"SELECT r.* FROM ({sql}) r JOIN wanted USING (version_id)", frames=frames)
    joined = books.join(recount, on="version_id", how="left").with_columns(
        pl.col("recount").fill_null(0).cast(pl.Int64)
    )
    return _ids(joined.filter(pl.col("recount") != pl.col("actual")))
