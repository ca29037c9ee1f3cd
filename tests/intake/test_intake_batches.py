"""Claims on batches: one run works on a batch, and a dead run's claim does not hold it up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from home_lab import START, HomeLab

from muniment.intake import batches
from muniment.intake.batches import BatchClaimed, claim, finish, planned_batches
from muniment.store.changes import Upsert


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[HomeLab]:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("Alpha owns the pump.")
    made = HomeLab(tmp_path / "home")
    made.scan(folder)
    yield made
    made.close()


def test_a_claimed_batch_is_refused_to_another_run_until_the_claim_expires(lab: HomeLab) -> None:
    (batch,) = planned_batches(lab.warehouse.latest())
    claim(lab.warehouse, batch, "run-a", START, 60)
    claim(lab.warehouse, batch, "run-a", START, 60)  # its own: a heartbeat
    with pytest.raises(BatchClaimed, match="run-a"):
        claim(lab.warehouse, batch, "run-b", START + timedelta(seconds=59), 60)
    claim(lab.warehouse, batch, "run-b", START + timedelta(seconds=61), 60)
    with pytest.raises(BatchClaimed, match="run-b"):
        claim(lab.warehouse, batch, "run-a", START + timedelta(seconds=62), 60)


def test_a_claim_of_a_process_that_is_gone_is_taken_over_at_once(lab: HomeLab) -> None:
    (batch,) = planned_batches(lab.warehouse.latest())
    claim(lab.warehouse, batch, "run-a", START, 60)
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    started = psutil.Process(child.pid).create_time()
    child.communicate()
    import socket

    import polars as pl

    row = lab.warehouse.latest().table("batch_claims")
    dead = row.with_columns(pl.lit(f"{socket.gethostname()}:{child.pid}:{started:.2f}").alias("owner"))
    lab.warehouse.commit([Upsert("batch_claims", dead)])
    claim(lab.warehouse, batch, "run-b", START + timedelta(seconds=1), 60)


def test_a_reused_process_number_is_not_the_owner() -> None:
    host, pid, _ = batches.this_owner().rsplit(":", 2)
    assert int(pid) == os.getpid()
    assert batches.owner_may_live(batches.this_owner())
    assert not batches.owner_may_live(f"{host}:{pid}:0.00")
    assert batches.owner_may_live(f"elsewhere:{pid}:0.00")  # of another host nothing is known


def test_a_finished_batch_waits_no_more_and_has_no_claim(lab: HomeLab) -> None:
    (batch,) = planned_batches(lab.warehouse.latest())
    claim(lab.warehouse, batch, "run-a", START, 60)
    finish(lab.warehouse, batch, START)
    assert planned_batches(lab.warehouse.latest()) == []
    assert lab.warehouse.latest().table("batch_claims").is_empty()
