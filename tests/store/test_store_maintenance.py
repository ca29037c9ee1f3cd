"""Merging, expiry and leases: what is needed stays, what is not goes, and readers are told."""

from __future__ import annotations

import multiprocessing
import os
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest
from store_workers import EIGHT, eight_appends, hold_lease, rows_by_version

from muniment.store.changes import Append, ReplaceAll
from muniment.store.errors import SnapshotGone
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES


def fill(warehouse: Warehouse, *versions: str) -> list[int]:
    return [warehouse.commit(eight_appends(version, 2)) for version in versions]


def files(warehouse: Warehouse) -> int:
    return len(list((warehouse.folder / "data" / "main" / "chunks").glob("*.parquet")))


def test_a_pinned_snapshot_survives_the_expiry_of_all_others(warehouse: Warehouse) -> None:
    first, second, third, fourth = fill(warehouse, "a", "b", "c", "d")
    pinned = warehouse.at(second)
    assert set(rows_by_version(pinned)) == {"a", "b"}
    warehouse.merge_adjacent()
    newest = warehouse.latest().snapshot_id
    gone = warehouse.expire({second})
    assert {first, third, fourth} <= set(gone)
    assert warehouse.snapshots() == [second, newest]
    assert rows_by_version(pinned) == {version: dict.fromkeys(EIGHT, 2) for version in ("a", "b")}
    assert set(rows_by_version(warehouse.latest())) == {"a", "b", "c", "d"}
    for expired in (first, third):
        with pytest.raises(SnapshotGone, match=f"snapshot {expired} .*resolve CURRENT"):
            warehouse.at(expired).table("chunks")


def test_a_reader_of_an_expired_snapshot_is_told_and_the_newest_never_expires(warehouse: Warehouse) -> None:
    fill(warehouse, "a")
    held = warehouse.latest()
    assert set(rows_by_version(held)) == {"a"}
    warehouse.commit([ReplaceAll(name, TABLES[name].empty()) for name in EIGHT])
    newest = warehouse.latest()
    assert held.snapshot_id in warehouse.expire(set())
    with pytest.raises(SnapshotGone):
        held.read("SELECT * FROM chunks")
    assert warehouse.expire(set()) == []
    assert rows_by_version(newest) == {}
    with pytest.raises(SnapshotGone):
        warehouse.at(10_000).table("chunks")


def test_merging_leaves_fewer_files_and_the_same_rows(warehouse: Warehouse) -> None:
    fill(warehouse, *"abcd")
    before = rows_by_version(warehouse.latest())
    assert files(warehouse) == 4
    warehouse.merge_adjacent()
    warehouse.expire(set())
    assert files(warehouse) == 1
    assert rows_by_version(warehouse.latest()) == before
    settled = warehouse.snapshots()
    warehouse.merge_adjacent()
    assert warehouse.snapshots() == settled, "nothing to merge makes no snapshot"


def test_deleted_rows_leave_the_files_after_merging_and_expiry(warehouse: Warehouse) -> None:
    fill(warehouse, "secretword", "b")
    warehouse.commit([ReplaceAll("chunks", TABLES["chunks"].empty())])
    warehouse.merge_adjacent()
    warehouse.expire(set())
    assert files(warehouse) == 0


def test_a_lease_keeps_its_snapshot_until_it_is_given_back(warehouse: Warehouse) -> None:
    first, _, _ = fill(warehouse, "a", "b", "c")
    with warehouse.lease(first) as leased, warehouse.lease(first):
        assert warehouse.leased() == {first}
        assert first not in warehouse.expire(set())
        assert set(rows_by_version(leased)) == {"a"}
    assert warehouse.leased() == set()
    assert warehouse.expire(set()) == [first]


@pytest.mark.integration
def test_a_lease_of_another_process_counts_as_long_as_that_lives(warehouse: Warehouse) -> None:
    first, _ = fill(warehouse, "a", "b")
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    reader = context.Process(target=hold_lease, args=(warehouse.folder, first, there))
    reader.start()
    assert here.poll(60)
    here.recv()
    assert first not in warehouse.expire(set())
    assert set(rows_by_version(warehouse.at(first))) == {"a"}
    assert reader.pid is not None
    os.kill(reader.pid, signal.SIGKILL)
    reader.join(timeout=30)
    assert warehouse.leased() == set()
    assert warehouse.expire(set()) == [first]
    assert list((warehouse.folder / "leases").iterdir()) == []


def test_a_warehouse_is_made_while_an_expired_snapshot_of_another_is_still_attached(tmp_path: Path) -> None:
    """DuckDB looks into every attached catalog to suggest names for a table that is not there."""
    old = Warehouse.create(tmp_path / "old")
    first = old.latest()
    first.table("sources")  # attaches the snapshot
    for number in range(2):
        row = {"access_policy_id": f"p{number}", "description": "d", "declared_at": datetime(2026, 1, 1, tzinfo=UTC)}
        old.commit([Append("policies", TABLES["policies"].frame([row]))])
    old.expire(set())
    assert first.snapshot_id not in old.snapshots()
    new = Warehouse.create(tmp_path / "new")
    assert new.latest().table("policies").is_empty()
    new.close()
    old.close()
