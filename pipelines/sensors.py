"""Sensors: new files start `intake`, planned batches start `process_batch`, a quiet corpus starts `publish`.

The truth is in the warehouse; a sensor only looks and asks. Guards are the runs in flight, not run
keys, since a run key is remembered for ever.
"""

from datetime import UTC, datetime, timedelta

import dagster as dg

from assets.partitions import INGEST_BATCHES
from muniment.home import Home
from muniment.intake.batches import planned_batches
from muniment.intake.sources import list_sources
from muniment.processing.intake import sources_with_changes
from muniment.publication.pending import Pending, pending_publication
from muniment.settings import Settings
from muniment.store.errors import WarehouseError
from muniment.store.rows import Rows
from pipelines.jobs import intake, process_batch, publish
from resources.muniment import MunimentResource
from resources.warehouse import open_warehouse

SECONDS = 5
BATCHES_PER_TICK = 3

_IN_FLIGHT = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def _in_flight(instance: dg.DagsterInstance, job: str, tags: dict[str, str] | None = None) -> bool:
    filters = dg.RunsFilter(job_name=job, statuses=_IN_FLIGHT, tags=tags or {})
    return bool(instance.get_run_records(filters, limit=1))


def _failures(instance: dg.DagsterInstance, job: str, tags: dict[str, str]) -> int:
    filters = dg.RunsFilter(job_name=job, statuses=[dg.DagsterRunStatus.FAILURE], tags=tags)
    return len(instance.get_run_ids(filters, limit=100))


def _rows(resource: MunimentResource) -> tuple[Settings, Home]:
    settings = resource.settings()
    return settings, Home(settings.home.resolve())


@dg.sensor(job=intake, minimum_interval_seconds=SECONDS, default_status=dg.DefaultSensorStatus.RUNNING)
def new_files(context: dg.SensorEvaluationContext, muniment: MunimentResource) -> dg.SensorResult | dg.SkipReason:
    """Asks for `intake` when a source's listing differs from what was captured."""
    if _in_flight(context.instance, "intake"):
        return dg.SkipReason("intake is under way")
    settings, home = _rows(muniment)
    try:
        with open_warehouse(home) as warehouse:
            rows = warehouse.latest()
            undeclared = {source.name for source in settings.sources} - {source.name for source in list_sources(rows)}
            changed = sources_with_changes(rows, settings)
    except WarehouseError as error:
        return dg.SkipReason(str(error))
    if not changed and not undeclared:
        return dg.SkipReason("nothing new in the sources")
    return dg.SensorResult(run_requests=[dg.RunRequest(tags={"muniment/trigger": "new_files"})])


@dg.sensor(job=process_batch, minimum_interval_seconds=SECONDS, default_status=dg.DefaultSensorStatus.RUNNING)
def waiting_batches(context: dg.SensorEvaluationContext, muniment: MunimentResource) -> dg.SensorResult | dg.SkipReason:
    """Asks for `process_batch` for the oldest planned batches that no run works on."""
    settings, home = _rows(muniment)
    try:
        with open_warehouse(home) as warehouse:
            planned = planned_batches(warehouse.latest())
    except WarehouseError as error:
        return dg.SkipReason(str(error))
    free = [batch for batch in planned if _free(context.instance, batch, settings.pipeline.max_attempts)]
    if not free:
        return dg.SkipReason(
            f"{len(planned)} batches wait for runs in flight or failed too often" if planned else "no batch"
        )
    chosen = free[:BATCHES_PER_TICK]
    return dg.SensorResult(
        dynamic_partitions_requests=[INGEST_BATCHES.build_add_request(chosen)],
        run_requests=[
            dg.RunRequest(partition_key=batch, tags={"muniment/trigger": "waiting_batches"}) for batch in chosen
        ],
    )


def _free(instance: dg.DagsterInstance, batch: str, max_attempts: int) -> bool:
    tags = {"dagster/partition": batch}
    return not _in_flight(instance, "process_batch", tags) and _failures(instance, "process_batch", tags) < max_attempts


@dg.sensor(job=publish, minimum_interval_seconds=SECONDS, default_status=dg.DefaultSensorStatus.RUNNING)
def quiet_corpus(context: dg.SensorEvaluationContext, muniment: MunimentResource) -> dg.SensorResult | dg.SkipReason:
    """Asks for `publish` when no batch is open, or a finished one has waited long enough."""
    if _in_flight(context.instance, "publish") or _in_flight(context.instance, "intake"):
        return dg.SkipReason("intake or publish is under way")
    settings, home = _rows(muniment)
    try:
        with open_warehouse(home) as warehouse:
            rows = warehouse.latest()
            if not _due(rows, settings, datetime.now(UTC)):
                return dg.SkipReason("batches are open")
            pending: Pending | None = pending_publication(rows, home, settings)
    except WarehouseError as error:
        return dg.SkipReason(str(error))
    if pending is None:
        return dg.SkipReason("the published generation is up to date")
    tags = {"muniment/inputs": pending.key, "muniment/trigger": "quiet_corpus"}
    if _failures(context.instance, "publish", {"muniment/inputs": pending.key}):
        return dg.SkipReason("publishing these inputs failed; see the last run of publish")
    return dg.SensorResult(run_requests=[dg.RunRequest(tags=tags)])


def _due(rows: Rows, settings: Settings, now: datetime) -> bool:
    if not planned_batches(rows):
        return True
    waiting = rows.read(
        "SELECT min(finished_at) FROM batches WHERE state = 'done' AND finished_at > "
        "(SELECT coalesce(max(published_at), TIMESTAMPTZ '1970-01-01 00:00:00Z') FROM generations)"
    ).item()
    return waiting is not None and now - waiting > timedelta(seconds=settings.pipeline.publish_after_seconds)


SENSORS = [new_files, waiting_batches, quiet_corpus]
