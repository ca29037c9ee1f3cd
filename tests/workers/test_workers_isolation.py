"""A run that is killed takes all its readers along, and what is missing of the isolation is said."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from workers_support import BARE, MARK, cleaned, marked, mock_tasks, settings, wait_until

from muniment.workers.executor import open_executor

pytestmark = pytest.mark.integration

_HERE = Path(__file__).parent
_NOBODY = 65534


@functools.cache
def _ordinary_python() -> tuple[str, dict[str, str]] | None:
    """An interpreter that an ordinary user can run, with the environment to find our packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = os.pathsep.join([str(_HERE), str(_HERE.parents[1]), sysconfig.get_paths()["purelib"]])
    environment = {"PATH": os.defpath, "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"}
    for python in (sys.executable, shutil.which(version, path="/usr/local/bin:/usr/bin")):
        if python is None:
            continue
        try:
            tried = subprocess.run(
                [python, "-c", "import muniment.workers.executor"],
                env=environment,
                cwd="/",
                capture_output=True,
                check=False,
                **_as_ordinary(),
            )
        except PermissionError:
            continue
        if tried.returncode == 0:
            return python, environment
    return None


def _as_ordinary() -> dict[str, Any]:
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


@contextmanager
def _place(who: str) -> Iterator[tuple[Path, list[str], dict[str, Any]]]:
    """A folder, the interpreter and the Popen options for a run by `who`."""
    if who == "root" and os.getuid() != 0:
        pytest.skip("not root: only the ordinary user is tried")
    python, environment = sys.executable, {**os.environ, "PYTHONPATH": str(_HERE)}
    options: dict[str, Any] = {}
    if who == "ordinary user":
        found = _ordinary_python()
        if found is None:
            pytest.skip(f"uid {_NOBODY} can run no Python {sys.version_info.major}.{sys.version_info.minor} here")
        (python, environment), options = found, _as_ordinary()
    with tempfile.TemporaryDirectory(prefix="muniment-test-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder, [python], {"env": {**environment, MARK: name}, "cwd": "/", **options}


@pytest.mark.parametrize("who", ["root", "ordinary user"])
def test_kill_9_of_the_run_leaves_no_process_after_two_seconds(who: str) -> None:
    with _place(who) as (folder, python, options), cleaned(options["env"][MARK]):
        flags = [folder / "first", folder / "second"]
        mock_tasks(folder / "documents", {flag.name: f"fork\ntouch {flag}\nloop" for flag in flags})
        arguments = ["processes=2", "wall_seconds=300", "cpu_seconds=300", "require_isolation=true"]
        run = subprocess.Popen(
            [*python, str(_HERE / "run_mock.py"), str(folder / "work"), str(folder / "documents"), *arguments],
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        try:
            ready = wait_until(lambda: run.poll() is not None or all(flag.exists() for flag in flags), 60)
            if run.poll() is not None:
                _, errors = run.communicate()
                if "IsolationRefused" in errors:
                    pytest.skip(f"namespaces are refused to {who} here")
                pytest.fail(errors)
            assert ready
            # run, fork server, and for each document: outer, reader and the descendant that loops
            assert len(marked(options["env"][MARK])) >= 2 + 2 * 3
        finally:
            os.kill(run.pid, signal.SIGKILL)
            run.wait()
        assert wait_until(lambda: not marked(options["env"][MARK]), 2), marked(options["env"][MARK])


def test_descendants_of_a_reader_are_gone_when_its_document_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    tasks = mock_tasks(tmp_path / "documents", {"done": "fork\ntext x", "late": "fork\nloop"})
    with cleaned(str(tmp_path)), open_executor(settings(wall_seconds=1.0), tmp_path / "work", BARE) as executor:
        assert len(list(executor.map(tasks))) == 2
        left = [pid for pid in marked(str(tmp_path)) if os.getsid(pid) != os.getsid(0)]
        assert left == []


def _refused(tmp_path: Path, names: str, documents: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    mock_tasks(tmp_path / "documents", documents)
    command = [sys.executable, str(_HERE / "run_refused.py"), names]
    done = subprocess.run(
        [*command, str(tmp_path / "work"), str(tmp_path / "documents"), "processes=1", *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(_HERE), MARK: str(tmp_path)},
    )
    if done.returncode == 77:
        pytest.skip(f"the refusal of namespaces cannot be arranged here: {done.stderr}")
    return done


@pytest.mark.parametrize(
    ("names", "isolation"),
    [
        ("net,pid", "rlimits only: no network namespace, no process namespace"),
        ("net", "process namespace: no network namespace"),
        ("pid", "network namespace: no process namespace"),
    ],
)
def test_what_is_missing_of_the_isolation_is_said_and_limits_still_hold(
    tmp_path: Path, names: str, isolation: str
) -> None:
    documents = {"bad": "segfault", "good": "fork\ntext x", "late": "fork\nloop"}
    with cleaned(str(tmp_path)):
        done = _refused(tmp_path, names, documents, "wall_seconds=1")
        assert done.stdout.splitlines() == [
            f"bad\treader_crashed\t{isolation}",
            f"good\tread\t{isolation}",
            f"late\ttime_limit\t{isolation}",
        ]
        assert wait_until(lambda: not marked(str(tmp_path)), 5)


def test_a_required_isolation_that_is_refused_stops_the_run(tmp_path: Path) -> None:
    done = _refused(tmp_path, "net", {"good": "text x"}, "require_isolation=true")
    assert done.returncode == 1
    assert "IsolationRefused" in done.stderr
    assert "no network namespace" in done.stderr
    assert list((tmp_path / "work").iterdir()) == []


def test_isolation_can_be_asked_for_without_a_document(tmp_path: Path) -> None:
    with open_executor(settings(), tmp_path / "work", BARE) as executor:
        asked = executor.isolation
        [(_, outcome)] = executor.map(mock_tasks(tmp_path / "documents", {"good": "text x"}))
    assert asked == outcome.isolation
