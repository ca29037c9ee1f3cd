"""Asset `review_queue`: what a person must look at."""

import dagster as dg
import polars as pl

from assets.describing import OWNER, definition_metadata
from muniment.publication.reporting import build_review_queue
from resources.muniment import MunimentResource


@dg.asset(
    group_name="quality",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="review_queue-1",
    deps=["loss_report"],
    metadata=definition_metadata("review_items"),
)
def review_queue(muniment: MunimentResource) -> dg.MaterializeResult:
    """Lists failed documents and losses that are major or critical, with advice."""
    items = build_review_queue(muniment.run)
    kinds = items.group_by("kind", "reason_code").len().sort("kind", "reason_code")
    lines = ["| kind | reason | items |", "|---|---|--:|"]
    lines += [f"| {row['kind']} | {row['reason_code']} | {row['len']} |" for row in kinds.iter_rows(named=True)]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": items.height,
            "failed_documents": items.filter(pl.col("kind") == "failed_document").height,
            "critical_losses": items.filter(pl.col("kind") == "critical_loss").height,
            "major_losses": items.filter(pl.col("kind") == "major_loss").height,
            "by_reason": dg.MetadataValue.md("\n".join(lines)),
        }
    )
