"""Asset `entities`: finds mentions and claims, with the exact wording of each."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, stage_metadata
from assets.partitions import INGEST_BATCHES
from muniment.processing.batch import finish_batch
from resources.muniment import MunimentResource


@dg.asset(
    group_name="documents",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="entities-1",
    partitions_def=INGEST_BATCHES,
    deps=["annotations", "contextualized_chunks"],
    metadata=definition_metadata("claims"),
)
def entities(context: dg.AssetExecutionContext, muniment: MunimentResource) -> dg.MaterializeResult:
    """Finds mentions and claims, with the exact wording of each."""
    counts = finish_batch(muniment.run, context.partition_key)
    return dg.MaterializeResult(metadata=stage_metadata(counts, "claims"))
