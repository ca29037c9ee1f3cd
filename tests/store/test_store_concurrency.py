"""Several processes on one warehouse: nothing lost, nothing mixed, nothing torn, whoever dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from store_workers import (
    EIGHT,
    count_chunks,
    counter,
    create_and_write,
    eight_appends,
    hold_unfinished_result,
    rows_by_version,
    write_until_killed,
    write_versions,
)

from muniment.store.warehouse import Warehouse

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def processes() -> Any:
    """Fresh interpreters that have imported the workers once; each process is forked from there."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["store_workers"])
    return context


def _start(processes: Any, work: Callable[..., None], *arguments: object) -> BaseProcess:
    process = processes.Process(target=work, args=arguments)
    process.start()
    return process


def _finish(*started: BaseProcess) -> None:
    for process in started:
        process.join(timeout=60)
        assert process.exitcode == 0


def _whole(rows: int) -> dict[str, int]:
    return dict.fromkeys(EIGHT, rows)


def test_two_writers_and_a_reader_lose_mix_and_repeat_nothing(
    warehouse: Warehouse, tmp_path: Path, processes: Any
) -> None:
    writers = [_start(processes, write_versions, tmp_path / "w", name, 4, 200) for name in ("left", "right")]
    seen = 0
    while any(writer.is_alive() for writer in writers):
        versions = rows_by_version(warehouse.latest())
        assert all(tables == _whole(200) for tables in versions.values())
        assert len(versions) >= seen, "a committed version vanished"
        seen = len(versions)
    _finish(*writers)
    assert rows_by_version(warehouse.latest()) == {
        f"{writer}-{number}": _whole(200) for writer in ("left", "right") for number in range(4)
    }
    assert counter(warehouse.latest()) == 8


def test_four_processes_create_one_warehouse(tmp_path: Path, processes: Any) -> None:
    _finish(*[_start(processes, create_and_write, tmp_path / "w", f"creator-{number}") for number in range(4)])
    assert rows_by_version(Warehouse.open(tmp_path / "w").latest()) == {
        f"creator-{number}": _whole(2) for number in range(4)
    }


def test_25_writers_killed_inside_commits_leave_whole_transactions(
    warehouse: Warehouse, tmp_path: Path, processes: Any
) -> None:
    here, there = processes.Pipe()
    versions: dict[str, dict[str, int]] = {}
    for number in range(25):
        writer = _start(processes, write_until_killed, tmp_path / "w", f"writer{number}", 200, there)
        assert here.poll(30)
        here.recv()
        writer.join(timeout=0.006 * number)  # it never ends by itself: each is killed at another place
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join(timeout=30)
        assert writer.exitcode == -signal.SIGKILL
        versions = rows_by_version(warehouse.latest())
        assert all(tables == _whole(200) for tables in versions.values())
    assert len(versions) >= 25, "each writer had committed something before it was killed"
    # the lock died with its holder, and the files that nobody knows can go
    warehouse.commit(eight_appends("after", 1))
    warehouse.collect_orphans(timedelta(0))
    assert rows_by_version(warehouse.latest()) == versions | {"after": _whole(1)}


def test_a_reader_with_an_unfinished_result_blocks_no_commit(
    warehouse: Warehouse, tmp_path: Path, processes: Any
) -> None:
    warehouse.commit(eight_appends("first", 10))
    here, there = processes.Pipe()
    reader = _start(processes, hold_unfinished_result, tmp_path / "w", there)
    assert here.poll(30)
    here.recv()
    warehouse.commit(eight_appends("second", 10))
    assert reader.is_alive(), "the reader held its result all the while"
    here.send("enough")
    _finish(reader)
    assert set(rows_by_version(warehouse.latest())) == {"first", "second"}


def test_collecting_orphans_and_merging_beside_a_writer_takes_nothing(
    warehouse: Warehouse, tmp_path: Path, processes: Any
) -> None:
    orphan = tmp_path / "w/data/main/chunks/left-by-a-killed-writer.parquet"
    writer = _start(processes, write_versions, tmp_path / "w", "writer", 4, 100)
    collected: list[str] = []
    while writer.is_alive():
        collected += warehouse.collect_orphans(timedelta(0))
        warehouse.merge_adjacent()
        warehouse.expire(set())
    _finish(writer)
    assert rows_by_version(warehouse.latest()) == {f"writer-{number}": _whole(100) for number in range(4)}
    assert warehouse.latest().table("chunks").height == 400
    assert collected == []
    orphan.write_bytes(b"PAR1")
    assert warehouse.collect_orphans(timedelta(hours=1)) == [], "it is younger than an hour"
    assert warehouse.collect_orphans(timedelta(0)) == [str(orphan)]
    assert not orphan.exists()


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_warehouse_handed_to_another_process_works_there_and_here(warehouse: Warehouse, method: str) -> None:
    warehouse.commit(eight_appends("first", 3))
    assert warehouse.latest().table("chunks").height == 3
    context = multiprocessing.get_context(method)
    here: Connection
    here, there = context.Pipe()
    process = context.Process(target=count_chunks, args=(warehouse, there))  # type: ignore[attr-defined]
    process.start()
    assert here.poll(60)
    pid, rows = here.recv()
    _finish(process)
    assert (pid == process.pid, rows) == (True, 3)
    warehouse.commit(eight_appends("second", 3))
    assert warehouse.latest().table("chunks").height == 6
