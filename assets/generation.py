"""Asset `generation`: one published state of rows and index."""

import dagster as dg

from assets.describing import OWNER, definition_metadata
from muniment.publication.publish import publish
from resources.muniment import MunimentResource


@dg.asset(
    group_name="corpus",
    owners=[OWNER],
    kinds={"ducklake", "qdrant"},
    code_version="generation-1",
    deps=["indexes", "loss_report", "review_queue"],
    metadata=definition_metadata("generation_versions"),
)
def generation(muniment: MunimentResource) -> dg.MaterializeResult:
    """Verifies what was computed and publishes it by swapping CURRENT."""
    published = publish(muniment.run)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(published.content_digest),
        metadata={
            "dagster/row_count": published.versions,
            "versions": published.versions,
            "new": int(published.new),
            "snapshot_id": published.current.snapshot_id,
            "generation_id": published.current.generation_id,
        },
    )
