"""Jobs: what one run does. All stages of a run execute in one process; the parallelism is inside the assets."""

from __future__ import annotations

import dagster as dg

from assets.partitions import INGEST_BATCHES

LOCAL_ASSETS = ("structured_extraction", "annotations", "chunks", "contextualized_chunks", "entities")
GLOBAL_ASSETS = ("merged_graph", "communities", "indexes", "loss_report", "review_queue", "generation")

intake = dg.define_asset_job(
    "intake",
    selection=dg.AssetSelection.assets("originals"),
    description="Scan the sources, store what is new, plan batches.",
    executor_def=dg.in_process_executor,
)

process_batch = dg.define_asset_job(
    "process_batch",
    selection=dg.AssetSelection.assets(*LOCAL_ASSETS),
    description="Take one batch through the local stages.",
    partitions_def=INGEST_BATCHES,
    executor_def=dg.in_process_executor,
)

publish = dg.define_asset_job(
    "publish",
    selection=dg.AssetSelection.assets(*GLOBAL_ASSETS),
    description="Compute the global stages and publish a generation.",
    executor_def=dg.in_process_executor,
)

JOBS = [intake, process_batch, publish]
