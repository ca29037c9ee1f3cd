"""Whole batches: the last stage with the batch's end, and a batch from start to end without Dagster."""

from __future__ import annotations

from muniment.intake.batches import finish, plan_more
from muniment.processing.context import RunContext
from muniment.processing.local_stages import STAGES, required_stages
from muniment.processing.runner import StageCounts, run_stage
from muniment.processing.status import stale_versions, transient_failures
from muniment.settings import Settings
from muniment.store.rows import Rows


def finish_batch(context: RunContext, batch_id: str) -> StageCounts:
    """Run the entity stage (unless the entity layer is off) and mark the batch done."""
    counts = StageCounts()
    if "entities" in required_stages(context.settings):
        counts = run_stage(context, batch_id, "entities")
    finish(context.warehouse, batch_id, context.clock())
    return counts


def process_batch(context: RunContext, batch_id: str) -> dict[str, StageCounts]:
    """Take a batch through every local stage in order; counts by stage."""
    counts = {name: run_stage(context, batch_id, name) for name in STAGES if name != "entities"}
    return {**counts, "entities": finish_batch(context, batch_id)}


def plan_reprocessing(context: RunContext) -> list[str]:
    """Plan batches for versions whose recorded keys are not what settings and code now demand."""
    stale = stale_versions(context.warehouse.latest(), context.settings)
    return plan_more(
        context.warehouse,
        stale.select("version_id", "size").rows(),
        context.settings.intake,
        context.clock(),
        kind="reprocess",
    )


def plan_retries(context: RunContext) -> list[str]:
    """Plan batches for versions that failed for a passing reason."""
    failed = transient_failures(context.warehouse.latest(), context.settings.pipeline.max_attempts)
    return plan_more(context.warehouse, failed.rows(), context.settings.intake, context.clock(), kind="retry")


def unplanned_versions(rows: Rows, settings: Settings) -> int:
    """How many versions are stale, or may be tried again, and are in no batch that waits."""
    due = set(stale_versions(rows, settings)["version_id"])
    due |= set(transient_failures(rows, settings.pipeline.max_attempts)["version_id"])
    waiting = rows.read("SELECT version_id FROM batch_members JOIN batches USING (batch_id) WHERE state = 'planned'")
    return len(due - set(waiting["version_id"]))
