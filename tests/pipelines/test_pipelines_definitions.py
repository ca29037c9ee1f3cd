"""The asset graph as people see it: assets, what they depend on, jobs, sensors, checks, and what describes them."""

from __future__ import annotations

import dagster as dg
import pytest

from assets.partitions import INGEST_BATCHES
from muniment.tables.registry import TABLES
from pipelines.definitions import build_defs

GRAPH = {
    "originals": set(),
    "structured_extraction": {"originals"},
    "annotations": {"structured_extraction"},
    "chunks": {"annotations"},
    "contextualized_chunks": {"chunks"},
    "entities": {"annotations", "contextualized_chunks"},
    "merged_graph": {"entities"},
    "communities": {"merged_graph"},
    "indexes": {"contextualized_chunks", "merged_graph", "communities"},
    "loss_report": {"originals", "structured_extraction", "chunks", "entities", "merged_graph", "indexes"},
    "review_queue": {"loss_report"},
    "generation": {"indexes", "loss_report", "review_queue"},
}
PARTITIONED = {"structured_extraction", "annotations", "chunks", "contextualized_chunks", "entities"}


@pytest.fixture(scope="module")
def defs() -> dg.Definitions:
    made = build_defs()
    dg.Definitions.validate_loadable(made)
    return made


@pytest.fixture(scope="module")
def specs(defs: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}


def test_the_assets_and_their_dependencies(specs: dict[str, dg.AssetSpec]) -> None:
    assert {
        name: {dependency.asset_key.to_user_string() for dependency in spec.deps} for name, spec in specs.items()
    } == GRAPH


def test_local_stages_are_partitioned_by_batch_and_nothing_else_is(specs: dict[str, dg.AssetSpec]) -> None:
    assert {name for name, spec in specs.items() if spec.partitions_def is not None} == PARTITIONED
    assert all(specs[name].partitions_def == INGEST_BATCHES for name in PARTITIONED)


def test_every_asset_is_described(specs: dict[str, dg.AssetSpec]) -> None:
    for name, spec in specs.items():
        assert spec.description and len(spec.description) > 30, name
        assert spec.group_name and spec.owners and spec.kinds and spec.code_version, name
        schema = spec.metadata["dagster/column_schema"]
        assert isinstance(schema, dg.TableSchema)
        table = TABLES[str(spec.metadata["table"])]
        assert [column.name for column in schema.columns] == [column.name for column in table.columns]


def test_jobs_and_sensors_are_there_and_running(defs: dg.Definitions) -> None:
    repository = defs.get_repository_def()
    assert {"intake", "process_batch", "publish"} <= set(repository.job_names)
    sensors = {sensor.name: sensor for sensor in repository.sensor_defs}
    assert set(sensors) == {"new_files", "waiting_batches", "quiet_corpus"}
    for sensor in sensors.values():
        assert sensor.minimum_interval_seconds == 5
        assert sensor.default_status == dg.DefaultSensorStatus.RUNNING


def test_the_stages_of_a_run_share_one_process(defs: dg.Definitions) -> None:
    for job in ("intake", "process_batch", "publish"):
        assert defs.resolve_job_def(job).executor_def is dg.in_process_executor


def test_reconciliation_blocks_and_losses_do_not(defs: dg.Definitions) -> None:
    blocking = {spec.name: spec.blocking for checks in defs.asset_checks or () for spec in checks.check_specs}  # type: ignore[union-attr]
    for stage in PARTITIONED:
        assert blocking[f"{stage}_reconciliation"] and blocking[f"{stage}_integrity"]
        assert not blocking[f"{stage}_losses"]
    assert blocking["manifest_adds_up"] and not blocking["loss_gate"]
