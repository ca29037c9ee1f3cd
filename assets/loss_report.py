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
            # apart, because the UI shows a short text in place and a long one (an image) in a dialog
            "by_type": dg.MetadataValue.md(_table(summary)),
            "reasons": dg.MetadataValue.md(_reasons(summary)),
            "plot": dg.MetadataValue.md(_image(summary)),
        }
    )


def _percent(share: float | None) -> str:
    # a no-break space: narrow columns must not part number and unit
    return "–" if share is None else f"{100 * share:.2f}\u00a0%"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _table(summary: pl.DataFrame) -> str:
    """Documents and text by type; shares are of the visible characters counted in the originals that opened."""
    lines = [
        "| type | received | indexed | in part | not\u00a0indexed | characters | kept | set\u00a0aside "
        "| lost | unexplained | worst 10\u00a0% |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in summary.iter_rows(named=True):
        lines.append(
            f"| {row['doc_type']} | {row['received']} | {row['indexed']} | {row['partial']} | {row['not_indexed']} "
            f"| {_count(row['characters_expected'])} | {_count(row['characters_kept'])} "
            f"| {_percent(row['set_aside'])} | {_percent(row['lost_explained'])} | {_percent(row['lost_unexplained'])} "
            f"| {_percent(row['worst_decile'])} |"
        )
    return "\n".join(lines)


def _reasons(summary: pl.DataFrame) -> str:
    """What the reasons are, in characters."""
    reasons = [
        f"| {row['doc_type']} | {code} | {int(amount):,} |"
        for row in summary.iter_rows(named=True)
        for code, _, amount in (reason.rpartition("=") for reason in row["top_reasons"] or [])
    ]
    return (
        "\n".join(["| type | reason of loss | characters |", "|---|---|--:|", *reasons])
        if reasons
        else "nothing was lost"
    )


def _image(summary: pl.DataFrame) -> str:
    plot = loss_plot(summary)
    return f"![text kept and lost by document type]({plot})" if plot else "no document"
