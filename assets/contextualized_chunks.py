"""Asset `contextualized_chunks`: adds a generated context to each chunk that is not a figure."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, stage_metadata
from assets.partitions import INGEST_BATCHES
from muniment.processing.runner import run_stage
from resources.muniment import MunimentResource


@dg.asset(
    group_name="documents",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="contextualized_chunks-1",
    partitions_def=INGEST_BATCHES,
    deps=["chunks"],
    metadata=definition_metadata("chunk_contexts"),
)
def contextualized_chunks(context: dg.AssetExecutionContext, muniment: MunimentResource) -> dg.MaterializeResult:
    """Adds a generated context to each chunk that is not a figure; used only in what is indexed."""
    counts = run_stage(muniment.run, context.partition_key, "contextualized_chunks")
    return dg.MaterializeResult(metadata=stage_metadata(counts, "chunk_contexts"))
