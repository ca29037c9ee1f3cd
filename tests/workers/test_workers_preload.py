"""The fork server has all loaded before the first document, from wherever a run is started, or says so."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import run_mock
from workers_support import BARE, mock_tasks, read_all, settings

from muniment.workers.errors import PreloadFailed
from muniment.workers.executor import PRELOAD, open_executor
from muniment.workers.tasks import DocumentTask, Result

pytestmark = pytest.mark.integration

_HERE = Path(__file__).parent
_NAMES = ["DO_NOT_TRACK", "SCARF_NO_ANALYTICS", "UNSTRUCTURED_DISABLE_NOTICE", "OMP_NUM_THREADS"]


@pytest.fixture(autouse=True)
def importable_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fork server finds the preload modules of this folder."""
    monkeypatch.setenv("PYTHONPATH", str(_HERE))


def _look(tmp_path: Path, preload: str, modules: list[str], count: int = 3) -> list[dict[str, Any]]:
    payload = {"names": _NAMES, "modules": modules}
    tasks = [DocumentTask(str(number), "looking_entry:look", payload, 1, False) for number in range(count)]
    with open_executor(settings(), tmp_path / "work", preload) as executor:
        outcomes = dict(executor.map(tasks))
        results = [outcome for outcome in outcomes.values() if isinstance(outcome, Result)]
        assert len(results) == count, outcomes
        return [json.loads(result.output.read_text()) for result in results]


def test_first_and_later_documents_find_the_fork_server_prepared(tmp_path: Path) -> None:
    seen = _look(tmp_path, BARE, ["muniment.workers.mockdoc"])
    assert [one["prepared"] for one in seen] == [True, True, True]
    assert len({one["server"] for one in seen}) == 1
    assert all(one["loaded"] == ["muniment.workers.mockdoc"] for one in seen)
    assert seen[0]["environment"] == {
        "DO_NOT_TRACK": "1",
        "SCARF_NO_ANALYTICS": "1",
        "UNSTRUCTURED_DISABLE_NOTICE": "1",
        "OMP_NUM_THREADS": "1",
    }
    assert all(one["temporary"].startswith(str(tmp_path / "work")) for one in seen)


def test_the_readers_are_loaded_before_the_first_document(tmp_path: Path) -> None:
    seen = _look(tmp_path, PRELOAD, ["muniment.extraction.entry", "pypdfium2"], count=2)
    assert [one["warm"] for one in seen] == [True, True]
    assert all(one["loaded"] == ["muniment.extraction.entry", "pypdfium2"] for one in seen)


@pytest.mark.parametrize(
    ("preload", "said"),
    [
        ("no_such_preload", "was not imported"),
        ("broken_preload", "was not imported"),
        ("failing_preload", "the model is not installed"),
        ("dying_preload", "ended while it loaded dying_preload"),
    ],
)
def test_a_fork_server_without_readers_stops_the_run_and_says_why(tmp_path: Path, preload: str, said: str) -> None:
    tasks = mock_tasks(tmp_path / "documents", {"good": "text x"})
    with open_executor(settings(), tmp_path / "work", preload) as executor, pytest.raises(PreloadFailed, match=said):
        list(executor.map(tasks))
    assert list((tmp_path / "work").iterdir()) == []


def test_executors_can_follow_each_other_in_a_process_and_each_gets_its_own_preload(tmp_path: Path) -> None:
    multiprocessing.get_context("forkserver")  # what others set for the process does not matter
    multiprocessing.set_forkserver_preload(["no_such_preload"])
    for number in range(3):
        _, texts = read_all(tmp_path, {"good": f"text {number}"})
        assert texts == {"good": str(number)}
    with open_executor(settings(), tmp_path / "work", "no_such_preload") as broken, pytest.raises(PreloadFailed):
        list(broken.map(mock_tasks(tmp_path / "documents", {"good": "text x"})))
    _, texts = read_all(tmp_path, {"good": "text again"})
    assert texts == {"good": "again"}


def test_the_fork_server_outlives_the_thread_that_first_needed_it(tmp_path: Path) -> None:
    tasks = mock_tasks(tmp_path / "documents", {"first": "text 1", "second": "text 2"})
    seen: list[tuple[str, str]] = []
    servers: list[int] = []

    def read(task: DocumentTask, executor: Any) -> None:
        seen.extend((key, outcome.output.read_text()) for key, outcome in executor.map([task]))
        servers.append(executor._server._server._forkserver_pid)

    with open_executor(settings(), tmp_path / "work", BARE) as executor:
        for task in tasks:
            thread = threading.Thread(target=read, args=(task, executor))
            thread.start()
            thread.join()
    assert seen == [("first", "1"), ("second", "2")]
    assert len(set(servers)) == 1


def _run_lines(work: str, folder: str, queue: Any) -> None:
    queue.put(run_mock.run(work, folder))


@pytest.mark.parametrize("daemon", [False, True])
def test_a_run_that_is_itself_a_multiprocessing_child_reads(tmp_path: Path, daemon: bool) -> None:
    mock_tasks(tmp_path / "documents", {"good": "text x", "bad": "segfault"})
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(
        target=_run_lines, args=(str(tmp_path / "work"), str(tmp_path / "documents"), queue), daemon=daemon
    )
    process.start()
    lines = queue.get()
    process.join()
    assert [line.split("\t")[:2] for line in lines] == [["bad", "reader_crashed"], ["good", "read"]]


@pytest.mark.parametrize(
    "command",
    [
        [str(_HERE / "run_mock.py")],
        ["-c", "import sys; sys.argv[0] = 'run_mock.py'; import run_mock"],
    ],
    ids=["script without main guard", "python -c"],
)
def test_a_run_reads_whatever_its_main_module_is(tmp_path: Path, command: list[str]) -> None:
    mock_tasks(tmp_path / "documents", {"bad": "segfault", "good": "text x"})
    done = subprocess.run(
        [sys.executable, *command, str(tmp_path / "work"), str(tmp_path / "documents")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert [line.split("\t")[:2] for line in done.stdout.splitlines()] == [["bad", "reader_crashed"], ["good", "read"]]
