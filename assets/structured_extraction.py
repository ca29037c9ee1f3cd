"""Asset `structured_extraction`: reads each new version in an isolated child process and counts it independently."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, stage_metadata
from assets.partitions import INGEST_BATCHES
from muniment.processing.runner import run_stage
from resources.muniment import MunimentResource


@dg.asset(
    group_name="documents",
    owners=[OWNER],
    kinds={"python", "unstructured"},
    code_version="structured_extraction-1",
    partitions_def=INGEST_BATCHES,
    deps=["originals"],
    metadata=definition_metadata("extractions"),
)
def structured_extraction(context: dg.AssetExecutionContext, muniment: MunimentResource) -> dg.MaterializeResult:
    """Reads each new version in an isolated child process and counts it independently."""
    counts = run_stage(muniment.run, context.partition_key, "structured_extraction")
    return dg.MaterializeResult(metadata=stage_metadata(counts, "extractions"))
