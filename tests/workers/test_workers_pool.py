"""A pool gives the results of its function in the order of payloads, or says what went wrong; it never hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

import pool_functions
import pytest
from workers_support import MARK, cleaned, marked, wait_until

from muniment.workers.errors import RemoteError, WorkerDied, WorkerError
from muniment.workers.pool import open_pool

pytestmark = pytest.mark.integration

_HERE = Path(__file__).parent


@pytest.mark.parametrize("processes", [0, 1, 2])
def test_results_are_the_same_and_in_order_for_any_number_of_processes(processes: int) -> None:
    with open_pool(processes) as pool:
        assert list(pool.map(pool_functions.square, range(50))) == [number * number for number in range(50)]
        assert list(pool.map(pool_functions.slow_first, range(8))) == list(range(8))
        assert list(pool.map(pool_functions.square, [])) == []


def test_large_payloads_and_results_pass_each_other() -> None:
    payloads = [bytes([number]) * 3_000_000 for number in range(12)]
    with open_pool(2) as pool:
        assert list(pool.map(pool_functions.echo, payloads)) == payloads


def test_workers_keep_what_they_loaded_over_several_maps_and_end_with_the_pool() -> None:
    with open_pool(1) as pool:
        first = list(pool.map(pool_functions.process_and_calls, range(3)))
        second = list(pool.map(pool_functions.process_and_calls, range(2)))
        worker = first[0][0]
        assert worker != os.getpid()
        assert first + second == [(worker, count) for count in range(1, 6)]
    assert not Path(f"/proc/{worker}").exists()


def test_no_process_starts_before_it_is_needed_and_none_with_0_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    with open_pool(2):
        assert marked(str(tmp_path)) == []
    with open_pool(0) as inline:
        assert [process for process, _ in inline.map(pool_functions.process_and_calls, [1])] == [os.getpid()]


def test_payloads_are_drawn_only_a_few_ahead() -> None:
    drawn: list[int] = []

    def payloads() -> Iterator[int]:
        for number in range(1000):
            drawn.append(number)
            yield number

    with open_pool(2) as pool:
        results = pool.map(pool_functions.square, payloads())
        assert next(results) == 0
        assert len(drawn) <= 10
        results.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "POLARS_MAX_THREADS"])
def test_each_engine_of_a_worker_runs_on_one_thread(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "8")
    with open_pool(1) as pool:
        assert list(pool.map(pool_functions.environment, [name])) == ["1"]


def test_an_error_comes_back_with_the_place_in_the_worker_and_the_pool_goes_on() -> None:
    with open_pool(2) as pool:
        results = pool.map(pool_functions.divide, [1, 2, 0, 4])
        assert [next(results), next(results)] == [1.0, 0.5]
        with pytest.raises(ZeroDivisionError) as caught:
            next(results)
        text = "".join(traceback.format_exception(caught.value))
        assert "pool_functions.py" in text
        assert "return 1 / number" in text
        assert list(pool.map(pool_functions.square, [3])) == [9]


def test_an_error_or_result_that_cannot_travel_is_told_in_words() -> None:
    with open_pool(1) as pool:
        with pytest.raises(RemoteError, match="ReadError: corrupt_file: cut off"):
            list(pool.map(pool_functions.refuse, ["cut off"]))
        with pytest.raises((RemoteError, AttributeError, TypeError), match=r"pickle|local object"):
            list(pool.map(pool_functions.unpicklable, [1]))
        assert list(pool.map(pool_functions.square, [3])) == [9]


@pytest.mark.parametrize(("how", "said"), [("exit", "exit code 3"), ("kill", "signal 9")])
def test_a_dead_worker_is_an_error_and_the_next_map_has_a_new_one(how: str, said: str) -> None:
    with open_pool(2) as pool:
        with pytest.raises(WorkerDied, match=f"{said}.*pool_functions.end"):
            list(pool.map(pool_functions.end, [how]))
        assert list(pool.map(pool_functions.square, range(5))) == [0, 1, 4, 9, 16]


def test_functions_that_a_worker_cannot_find_are_refused() -> None:
    with open_pool(1) as pool, pytest.raises(ValueError, match="importable module"):
        list(pool.map(lambda number: number, [1]))


def test_a_closed_pool_says_so() -> None:
    with open_pool(2) as pool:
        assert list(pool.map(pool_functions.square, [1])) == [1]
    with pytest.raises(WorkerError, match="closed"):
        list(pool.map(pool_functions.square, [1]))


def test_workers_outlive_the_thread_that_first_used_them() -> None:
    seen: list[tuple[int, int]] = []
    with open_pool(1) as pool:
        for _ in range(2):
            thread = threading.Thread(target=lambda: seen.extend(pool.map(pool_functions.process_and_calls, [0])))
            thread.start()
            thread.join()
    assert [count for _, count in seen] == [1, 2]
    assert len({process for process, _ in seen}) == 1


def test_leaving_the_pool_ends_calls_that_would_never_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    flag = tmp_path / "looping"
    with open_pool(1) as pool:
        results = pool.map(pool_functions.loop, [str(flag)])
        threading.Thread(target=lambda: _ignore(results), daemon=True).start()
        assert wait_until(flag.exists, 30)
    assert marked(str(tmp_path)) == []


def _ignore(results: Iterator[object]) -> None:
    with pytest.raises(WorkerDied):
        next(results)


def test_kill_9_of_the_run_leaves_no_worker_after_two_seconds(tmp_path: Path) -> None:
    flags = [tmp_path / "first", tmp_path / "second"]
    run = subprocess.Popen(
        [sys.executable, str(_HERE / "pool_functions.py"), *map(str, flags)],
        env={**os.environ, MARK: str(tmp_path), "PYTHONPATH": str(_HERE)},
    )
    with cleaned(str(tmp_path)):
        assert wait_until(lambda: all(flag.exists() for flag in flags), 60)
        assert len(marked(str(tmp_path))) == 3
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        assert wait_until(lambda: not marked(str(tmp_path)), 2), marked(str(tmp_path))
