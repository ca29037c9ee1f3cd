"""Asset `loss_report`: what became of everything received, by document type."""

import dagster as dg
import polars as pl

from assets.describing import OWNER, definition_metadata
from assets.loss_plot import loss_plot
from muniment.publication.reporting import build_loss_report
from resources.muniment import MunimentResource


@dg.asset(
    group_name="quality",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="loss_report-1",
    deps=["originals", "structured_extraction", "chunks", "entities", "merged_graph", "indexes"],
    metadata=definition_metadata("loss_by_type"),
)
def loss_report(muniment: MunimentResource) -> dg.MaterializeResult:
    """Reconciles the books by stage and document type, and writes manifest and report."""
    summary = build_loss_report(muniment.run)
    return dg.MaterializeResult(
        metadata={
            "received": int(summary["received"].sum()),
            "indexed": int(summary["indexed"].sum()),
            "partial": int(summary["partial"].sum()),
            "not_indexed": int(summary["not_indexed"].sum()),
            "characters_expected": int(summary["characters_expected"].sum() or 0),
            "characters_kept": int(summary["characters_kept"].sum() or 0),
            "by_type": dg.MetadataValue.md(_table(summary)),
            "plot": dg.MetadataValue.md(f"![text kept and lost by document type]({loss_plot(summary)})"),
        }
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f} %"


def _table(summary: pl.DataFrame) -> str:
    lines = [
        "| type | received | indexed | partial | not indexed | text expected | kept | explained | unexplained "
        "| worst decile | reasons |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for row in summary.iter_rows(named=True):
        reasons = ", ".join(row["top_reasons"] or [])
        lines.append(
            f"| {row['doc_type']} | {row['received']} | {row['indexed']} | {row['partial']} | {row['not_indexed']} "
            f"| {row['characters_expected'] or 0} | {row['characters_kept'] or 0} | {_percent(row['lost_explained'])} "
            f"| {_percent(row['lost_unexplained'])} | {_percent(row['worst_decile'])} | {reasons} |"
        )
    return "\n".join(lines)
