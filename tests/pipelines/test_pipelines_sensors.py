"""The sensors lead from new files to a published generation, and ask for nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest
from home_lab import HomeLab

from muniment.api import Muniment
from muniment.intake.sources import declare_source
from muniment.processing.context import utc_now
from muniment.store.current import read_current
from pipelines.definitions import build_defs
from pipelines.instance import prepare_instance
from pipelines.sensors import new_files, quiet_corpus, waiting_batches
from resources.muniment import MunimentResource


def evaluate(sensor: dg.SensorDefinition, instance: dg.DagsterInstance, resource: MunimentResource) -> object:
    """What a sensor answers, called as the daemon calls it."""
    context = dg.build_sensor_context(instance=instance)
    function = getattr(sensor, "_raw_fn")  # noqa: B009 - the decorated function itself
    return function(context, muniment=resource)


class Daemon:
    """Evaluates sensors and executes what they ask for, as the daemon does."""

    def __init__(self, root: Path) -> None:
        self.resource = MunimentResource(home=str(root))
        self.instance = prepare_instance(HomeLab(root).home)
        self.defs = build_defs(muniment=self.resource, sensors=())

    def ask(self, sensor: dg.SensorDefinition) -> list[dg.RunRequest]:
        # sensors use the resource's settings only: its run part opens a warehouse and is not entered here
        answer = evaluate(sensor, self.instance, self.resource)
        if isinstance(answer, dg.SkipReason):
            return []
        assert isinstance(answer, dg.SensorResult)
        for request in answer.dynamic_partitions_requests or []:
            self.instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
        return list(answer.run_requests or [])

    def run(self, job: str, request: dg.RunRequest) -> bool:
        return (
            self.defs.resolve_job_def(job)
            .execute_in_process(
                instance=self.instance, partition_key=request.partition_key, tags=request.tags, raise_on_error=False
            )
            .success
        )


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Daemon:
    monkeypatch.setenv("MUNIMENT_WORKERS__BACKEND", "inline")
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.md").write_text("# Pumps\n\nAnna Berg owns the Main Pump.\n")
    lab = HomeLab(tmp_path / "home")
    declare_source(lab.warehouse, "papers", folder, None, utc_now())
    lab.close()
    return Daemon(tmp_path / "home")


@pytest.mark.integration
def test_from_a_new_file_to_a_generation_and_then_quiet(daemon: Daemon, tmp_path: Path) -> None:
    (intake,) = daemon.ask(new_files)
    assert daemon.ask(waiting_batches) == [] and daemon.ask(quiet_corpus) == []
    assert daemon.run("intake", intake)
    assert daemon.ask(new_files) == []
    assert daemon.ask(quiet_corpus) == []  # a batch is open
    (batch,) = daemon.ask(waiting_batches)
    assert daemon.run("process_batch", batch)
    assert daemon.ask(waiting_batches) == []
    (publish,) = daemon.ask(quiet_corpus)
    assert daemon.run("publish", publish)
    assert read_current(HomeLab(tmp_path / "home").home) is not None
    assert [daemon.ask(sensor) for sensor in (new_files, waiting_batches, quiet_corpus)] == [[], [], []]


@pytest.mark.integration
def test_a_home_without_warehouse_is_skipped_with_advice(tmp_path: Path) -> None:
    answer = evaluate(new_files, dg.DagsterInstance.ephemeral(), MunimentResource(home=str(tmp_path / "empty")))
    assert isinstance(answer, dg.SkipReason) and "muniment init" in str(answer.skip_message)


@pytest.mark.integration
def test_changed_settings_reprocess_what_is_published_and_publish_nothing_before(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_through(sensor: dg.SensorDefinition, job: str) -> None:
        (request,) = daemon.ask(sensor)
        assert daemon.run(job, request)

    for sensor, job in ((new_files, "intake"), (waiting_batches, "process_batch"), (quiet_corpus, "publish")):
        take_through(sensor, job)
    first = read_current(HomeLab(tmp_path / "home").home)
    monkeypatch.setenv("MUNIMENT_CONTEXTS__MAX_CHARACTERS", "300")
    # the published version is stale now: publishing would leave it out
    assert daemon.ask(quiet_corpus) == []
    take_through(new_files, "intake")
    assert daemon.ask(quiet_corpus) == [] and daemon.ask(new_files) == []
    take_through(waiting_batches, "process_batch")
    take_through(quiet_corpus, "publish")
    with Muniment.open(tmp_path / "home") as opened:
        assert opened.status().manifest == {"indexed": {"markdown": 1}}
        assert opened.status().batches == {"done": 2}
    assert read_current(HomeLab(tmp_path / "home").home) != first
    assert [daemon.ask(sensor) for sensor in (new_files, waiting_batches, quiet_corpus)] == [[], [], []]


@pytest.mark.integration
def test_a_source_that_is_not_there_is_named_and_asked_for_no_run(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (request,) = daemon.ask(new_files)
    assert daemon.run("intake", request)
    gone = tmp_path / "gone"
    monkeypatch.setenv("MUNIMENT_SOURCES", json.dumps([{"name": "gone", "path": str(gone)}]))
    answer = evaluate(new_files, daemon.instance, daemon.resource)
    assert isinstance(answer, dg.SkipReason)
    assert "source 'gone'" in str(answer.skip_message) and f"{gone} is not there" in str(answer.skip_message)
    gone.mkdir()
    (request,) = daemon.ask(new_files)
    gone.rmdir()  # the run fails, and is not asked for again at the next tick
    assert not daemon.run("intake", request)
    gone.mkdir()
    answer = evaluate(new_files, daemon.instance, daemon.resource)
    assert isinstance(answer, dg.SkipReason) and "the last intake failed" in str(answer.skip_message)
