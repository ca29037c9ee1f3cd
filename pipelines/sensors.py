"""Sensors: new files start `intake`, planned batches start `process_batch`, a quiet corpus starts `publish`.

The truth is in the warehouse; a sensor only looks and asks. Guards are the runs in flight, not run
keys, since a run key is remembered for ever.
"""

from datetime import UTC, datetime, timedelta

import dagster as dg

from assets.partitions import INGEST_BATCHES
from muniment.home import Home
from muniment.intake.batches import planned_batches
from muniment.processing.batch import unplanned_versions
from muniment.processing.intake import look_at_sources
from muniment.publication.pending import Pending, pending_publication, waiting_for_reprocessing
from muniment.settings import Settings
from muniment.store.current import read_current
from muniment.store.errors import WarehouseError
from muniment.store.rows import Rows
from muniment.store.warehouse import Warehouse
from pipelines.jobs import intake, process_batch, publish
from resources.muniment import MunimentResource
from resources.warehouse import opened_warehouse

SECONDS = 5
BATCHES_PER_TICK = 3

#: A failed intake is not asked for again before this many seconds: what broke it rarely heals in one tick.
REST_AFTER_FAILURE_SECONDS = 300

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


def _failed_lately(instance: dg.DagsterInstance, job: str, now: datetime) -> bool:
    records = instance.get_run_records(dg.RunsFilter(job_name=job), limit=1)
    if not records or records[0].dagster_run.status != dg.DagsterRunStatus.FAILURE:
        return False
    ended = records[0].end_time
    return ended is None or now.timestamp() - ended < REST_AFTER_FAILURE_SECONDS


def _rows(resource: MunimentResource) -> tuple[Settings, Home]:
    settings = resource.settings()
    return settings, Home(settings.home.resolve())


@dg.sensor(job=intake, minimum_interval_seconds=SECONDS, default_status=dg.DefaultSensorStatus.RUNNING)
def new_files(context: dg.SensorEvaluationContext, muniment: MunimentResource) -> dg.SensorResult | dg.SkipReason:
    """Asks for `intake` when a source's listing differs from what was captured, or when settings or code have
    made versions stale that no batch holds yet."""
    if _in_flight(context.instance, "intake"):
        return dg.SkipReason("intake is under way")
    if _failed_lately(context.instance, "intake", datetime.now(UTC)):
        return dg.SkipReason(
            f"the last intake failed; see its log. It is tried again {REST_AFTER_FAILURE_SECONDS} s after it ended"
        )
    settings, home = _rows(muniment)
    try:
        with opened_warehouse(home, settings) as warehouse:
            rows = warehouse.latest()
            due, problems = look_at_sources(rows, settings)
            unplanned = unplanned_versions(rows, settings)
    except WarehouseError as error:
        return dg.SkipReason(str(error))
    if not due and not unplanned:
        return dg.SkipReason("; ".join(["nothing new in the sources", *problems]))
    return dg.SensorResult(run_requests=[dg.RunRequest(tags={"muniment/trigger": "new_files"})])


@dg.sensor(job=process_batch, minimum_interval_seconds=SECONDS, default_status=dg.DefaultSensorStatus.RUNNING)
def waiting_batches(context: dg.SensorEvaluationContext, muniment: MunimentResource) -> dg.SensorResult | dg.SkipReason:
    """Asks for `process_batch` for the oldest planned batches that no run works on."""
    settings, home = _rows(muniment)
    try:
        with opened_warehouse(home, settings) as warehouse:
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
        with opened_warehouse(home, settings) as warehouse:
            rows = warehouse.latest()
            waiting = _stale(context.instance, warehouse, home, settings)
            if waiting:
                return dg.SkipReason(f"{waiting} published versions wait to be processed anew")
            if not _due(rows, settings, datetime.now(UTC)):
                return dg.SkipReason("batches are open")
            pending: Pending | None = pending_publication(rows, home, settings)
    except WarehouseError as error:
        return dg.SkipReason(str(error))
    if pending is None:
        return dg.SkipReason("the published generation is up to date")
    inputs = {"muniment/inputs": pending.key[:16]}
    tags = {**inputs, "muniment/trigger": "quiet_corpus"}
    if _failures(context.instance, "publish", inputs):
        return dg.SkipReason("publishing these inputs failed; see the last run of publish")
    return dg.SensorResult(run_requests=[dg.RunRequest(tags=tags)])


def _stale(instance: dg.DagsterInstance, warehouse: Warehouse, home: Home, settings: Settings) -> int:
    current = read_current(home)
    if current is None:
        return 0
    rows, attempts = warehouse.latest(), settings.pipeline.max_attempts
    given_up = [
        batch
        for batch in planned_batches(rows)
        if _failures(instance, "process_batch", {"dagster/partition": batch}) >= attempts
    ]
    return waiting_for_reprocessing(rows, warehouse.at(current.snapshot_id), settings, given_up)


def _due(rows: Rows, settings: Settings, now: datetime) -> bool:
    if not planned_batches(rows):
        return True
    waiting = rows.read(
        "SELECT min(finished_at) FROM batches WHERE state = 'done' AND finished_at > "
        "(SELECT coalesce(max(published_at), TIMESTAMPTZ '1970-01-01 00:00:00Z') FROM generations)"
    ).item()
    return waiting is not None and now - waiting > timedelta(seconds=settings.pipeline.publish_after_seconds)


SENSORS = [new_files, waiting_batches, quiet_corpus]
