"""Loss report and review queue of a generation, and the report's files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from muniment.loss.report import loss_by_type, text_loss_by_type
from muniment.loss.review import review_items
from muniment.processing.context import RunContext
from muniment.publication.manifest import manifest
from muniment.publication.scope import OPERATOR_VIEW
from muniment.resolution.ambiguous import ambiguous_pairs
from muniment.store.changes import ReplaceAll


def build_loss_report(context: RunContext, *, reports: Path | None = None) -> pl.DataFrame:
    """Commit manifest and loss_by_type, write the CSV files (by default to the home), return text losses by type."""
    rows = context.warehouse.latest()
    versions = rows.table("generation_versions")
    context.warehouse.commit(
        [
            ReplaceAll("manifest", manifest(rows, versions, context.settings)),
            ReplaceAll("loss_by_type", loss_by_type(rows, context.settings.loss)),
        ],
        message="loss_report",
    )
    rows = context.warehouse.latest()
    summary = text_loss_by_type(rows)
    write_reports(reports or context.home.reports, rows.table("loss_by_type"), summary)
    return summary


def build_review_queue(context: RunContext) -> pl.DataFrame:
    """Commit and return the review items."""
    rows = context.warehouse.latest()
    items = review_items(rows, ambiguous_pairs(rows, OPERATOR_VIEW))
    context.warehouse.commit([ReplaceAll("review_items", items)], message="review_queue")
    return items


def write_reports(folder: Path, by_stage: pl.DataFrame, by_type: pl.DataFrame) -> None:
    """Write loss_by_type.csv (all stages and units) and text_by_type.csv; lists joined by a semicolon."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, frame in (("loss_by_type.csv", by_stage), ("text_by_type.csv", by_type)):
        flat = frame.with_columns(pl.col("top_reasons").list.join("; "))
        draft = folder / f".{name}"
        flat.write_csv(draft)
        draft.replace(folder / name)
