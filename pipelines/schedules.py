"""Schedules: a nightly full scan and retry of what failed for a passing reason, since sensors can miss things."""

from __future__ import annotations

import dagster as dg

from pipelines.jobs import intake

nightly_reconciliation = dg.ScheduleDefinition(
    name="nightly_reconciliation",
    job=intake,
    cron_schedule="30 2 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Scan every source in full and plan retries and reprocessing.",
)

SCHEDULES = [nightly_reconciliation]
