"""Asset `annotations`: runs the language pipeline once over each canonical text."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, stage_metadata
from assets.partitions import INGEST_BATCHES
from muniment.processing.runner import run_stage
from resources.muniment import MunimentResource


@dg.asset(
    group_name="documents",
    owners=[OWNER],
    kinds={"python", "spacy"},
    code_version="annotations-1",
    partitions_def=INGEST_BATCHES,
    deps=["structured_extraction"],
    metadata=definition_metadata("annotations"),
)
def annotations(context: dg.AssetExecutionContext, muniment: MunimentResource) -> dg.MaterializeResult:
    """Runs the language pipeline once over each canonical text."""
    counts = run_stage(muniment.run, context.partition_key, "annotations")
    return dg.MaterializeResult(metadata=stage_metadata(counts, "annotations"))
