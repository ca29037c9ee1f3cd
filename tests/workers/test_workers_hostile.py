"""What documents do to their reader ends as their own failure, with its reason; all others are read."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest
from workers_support import BARE, mock_tasks, read_all, reason, settings, wait_until

from muniment.workers.executor import open_executor
from muniment.workers.tasks import Failure, Result

pytestmark = pytest.mark.integration

_POISON = {
    "endless": ("loop", "time_limit"),
    "endless_with_child": ("fork\nloop", "time_limit"),
    "hungry": ("allocate 8000000000", "memory_limit"),
    "segfault": ("segfault", "reader_crashed"),
    "abort": ("abort", "reader_crashed"),
    "exits": ("exit 0", "reader_crashed"),
    "exits_like_a_limit": ("exit 94", "reader_crashed"),
    "huge": ("write 3000000", "output_limit"),
    "refused": ("refuse password_protected asks for a password", "password_protected"),
    "unknown_code": ("refuse made_up nonsense", "reader_error"),
    "raises": ("raise TOPSECRET", "reader_error"),
    "nothing": ("nothing", "reader_error"),
}


def test_fifty_good_documents_among_poison_are_all_read_and_each_poison_has_its_reason(tmp_path: Path) -> None:
    good = {f"good{number:02d}": f"text document {number}" for number in range(50)}
    poison = {name: behaviours for name, (behaviours, _) in _POISON.items()}
    mixed = dict(sorted({**good, **poison}.items(), key=lambda pair: pair[0][::-1]))

    outcomes, texts = read_all(tmp_path, mixed, wall_seconds=2.0)

    assert texts == {f"good{number:02d}": f"document {number}" for number in range(50)}
    assert {name: reason(outcomes[name]) for name in poison} == {name: code for name, (_, code) in _POISON.items()}
    refused = outcomes["refused"]
    assert isinstance(refused, Failure)
    assert refused.detail == "asks for a password"
    details = [outcome.detail for outcome in outcomes.values() if isinstance(outcome, Failure)]
    assert not [detail for detail in details if "TOPSECRET" in detail or str(tmp_path) in detail or "/" in detail]


def test_cpu_limit_ends_a_reader_long_before_the_wall_limit_and_is_final(tmp_path: Path) -> None:
    flag = tmp_path / "second_try"
    outcomes, _ = read_all(tmp_path, {"busy": f"loop_unless {flag}"}, cpu_seconds=1, wall_seconds=60.0)
    busy = outcomes["busy"]
    assert isinstance(busy, Failure)
    assert busy.reason_code == "cpu_limit"  # a second reading would have found the flag and succeeded
    assert busy.wall_seconds < 60


def test_a_document_that_was_only_slow_is_read_at_the_second_try(tmp_path: Path) -> None:
    flag = tmp_path / "second_try"
    outcomes, texts = read_all(tmp_path, {"slow": f"loop_unless {flag}\ntext at last"}, wall_seconds=1.0)
    assert reason(outcomes["slow"]) == "read"
    assert texts["slow"].strip() == "at last"


def test_a_reader_reaches_no_network_where_namespaces_are_granted(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        inline, seen_inline = read_all(tmp_path, {"caller": f"connect 127.0.0.1 {port}"}, backend="inline")
        outcomes, seen = read_all(tmp_path, {"caller": f"connect 127.0.0.1 {port}"})
    if "network" not in outcomes["caller"].isolation or "no network" in outcomes["caller"].isolation:
        pytest.skip(f"no network namespace here: {outcomes['caller'].isolation}")
    assert seen_inline["caller"] == "connect: connected"  # the server was there to be reached
    assert inline["caller"].isolation == "inline"
    assert seen["caller"] == "connect: ENETUNREACH"


def test_results_tell_what_the_reading_cost(tmp_path: Path) -> None:
    outcomes, _ = read_all(tmp_path, {"large": "allocate 50000000", "small": "text x"})
    large, small = outcomes["large"], outcomes["small"]
    assert isinstance(large, Result)
    assert isinstance(small, Result)
    assert large.peak_rss_bytes > small.peak_rss_bytes + 40_000_000
    assert large.wall_seconds > 0


def test_a_second_map_at_the_same_time_is_refused_and_later_ones_are_not(tmp_path: Path) -> None:
    tasks = mock_tasks(tmp_path / "documents", {"a": "text a", "b": "text b"})
    with open_executor(settings(processes=1), tmp_path / "work", BARE) as executor:
        first = executor.map(tasks)
        next(first)
        with pytest.raises(RuntimeError, match="already reading"):
            next(executor.map(tasks))
        assert [key for key, _ in first] == ["b"]
        assert sorted(key for key, _ in executor.map(tasks)) == ["a", "b"]


def test_documents_that_died_with_the_fork_server_are_read_by_the_next_one(tmp_path: Path) -> None:
    flag = tmp_path / "second_try"
    documents = {"first": f"loop_unless {flag}\ntext once more", "second": "text x", "third": "text y"}
    tasks = mock_tasks(tmp_path / "documents", documents)
    seen: dict[str, str] = {}
    with open_executor(settings(wall_seconds=120.0), tmp_path / "work", BARE) as executor:
        for key, outcome in executor.map(tasks):
            assert isinstance(outcome, Result), outcome
            seen[key] = outcome.output.read_text().strip()
            if key == "second":
                assert wait_until(flag.exists, 30)
                os.kill(executor._server._server._forkserver_pid, signal.SIGKILL)  # type: ignore[attr-defined]
    assert seen == {"first": "once more", "second": "x", "third": "y"}
