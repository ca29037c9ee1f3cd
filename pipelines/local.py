"""Ingesting in one process: the same jobs as the sensors launch, on the same Dagster instance.

With nothing pending no run is launched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from assets.partitions import INGEST_BATCHES
from muniment import progress
from muniment.home import Home
from muniment.ingestion import RunFailedError, Waiting, plan_and_look
from muniment.intake.batches import planned_batches
from muniment.processing.context import kept_workers
from muniment.publication.pending import pending_publication
from muniment.settings import Settings
from pipelines.definitions import build_defs
from pipelines.instance import prepare_instance
from resources.muniment import MunimentResource
from resources.warehouse import opened_warehouse


@dataclass
class IngestSummary:
    """Runs launched by an ingest, in order: job and run id."""

    runs: list[tuple[str, str]] = field(default_factory=list)


def ingest(
    home: Home,
    settings: Settings,
    announce: Callable[[str], None] = lambda line: None,
    observer: Callable[[str, int, int], None] = lambda stage, done, total: None,
    waiting: Waiting | None = None,
) -> IngestSummary:
    """Scan changed sources, process waiting batches and publish; raises RunFailedError.

    `waiting`: what `plan_and_look` has just found, where the caller looked already.
    """
    found = waiting or plan_and_look(home, settings)
    if not found.anything:
        return IngestSummary()
    with progress.observed(observer), kept_workers(home, settings):
        return _ingest(home, settings, announce, found)


def _ingest(home: Home, settings: Settings, announce: Callable[[str], None], found: Waiting) -> IngestSummary:
    summary = IngestSummary()
    instance = prepare_instance(home)
    defs = build_defs(muniment=MunimentResource(home=str(home.root)), sensors=())
    if found.sources:
        config = {"ops": {"originals": {"config": {"sources": found.sources}}}}
        summary.runs.append(_execute(defs, instance, "intake", run_config=config))
    for batch in _batches(home, settings):
        announce(f"batch {batch}")
        instance.add_dynamic_partitions(str(INGEST_BATCHES.name), [batch])
        summary.runs.append(_execute(defs, instance, "process_batch", partition_key=batch))
    if _publication_due(home, settings):
        announce("publish")
        summary.runs.append(_execute(defs, instance, "publish"))
    return summary


def _batches(home: Home, settings: Settings) -> list[str]:
    with opened_warehouse(home, settings) as warehouse:
        return planned_batches(warehouse.latest())


def _publication_due(home: Home, settings: Settings) -> bool:
    with opened_warehouse(home, settings) as warehouse:
        return pending_publication(warehouse.latest(), home, settings) is not None


def _execute(
    defs: dg.Definitions,
    instance: dg.DagsterInstance,
    job: str,
    *,
    partition_key: str | None = None,
    run_config: Mapping[str, Any] | None = None,
) -> tuple[str, str]:
    result = defs.resolve_job_def(job).execute_in_process(
        instance=instance,
        partition_key=partition_key,
        # the log of a run stands in the instance; the console shows progress and the reason of a failure
        run_config={**(run_config or {}), "loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        raise_on_error=False,
        tags={"muniment/trigger": "command line"},
    )
    if not result.success:
        checks = [
            evaluation.check_name
            for evaluation in result.get_asset_check_evaluations()
            if not evaluation.passed and evaluation.severity == dg.AssetCheckSeverity.ERROR
        ]
        steps = [_step_error(event) for event in result.filter_events(lambda event: event.is_step_failure)]
        raise RunFailedError(job, result.run_id, steps + [f"check {name}" for name in checks], quality=bool(checks))
    return job, result.run_id


def _step_error(event: dg.DagsterEvent) -> str:
    error = event.step_failure_data.error
    cause = error.cause if error is not None and error.cause is not None else error
    return f"{event.step_key}: {' '.join(cause.message.split()) if cause is not None else 'no message'}"
