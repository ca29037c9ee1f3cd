"""Asset `chunks`: cuts canonical texts by their structure into verbatim chunks."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, stage_metadata
from assets.partitions import INGEST_BATCHES
from muniment.processing.runner import run_stage
from resources.muniment import MunimentResource


@dg.asset(
    group_name="documents",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="chunks-1",
    partitions_def=INGEST_BATCHES,
    deps=["annotations"],
    metadata=definition_metadata("chunks"),
)
def chunks(context: dg.AssetExecutionContext, muniment: MunimentResource) -> dg.MaterializeResult:
    """Cuts canonical texts by their structure into verbatim chunks."""
    counts = run_stage(muniment.run, context.partition_key, "chunks")
    return dg.MaterializeResult(metadata=stage_metadata(counts, "chunks"))
