"""Reading mock documents in tests: what they say, how they ended, and which processes are alive."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from muniment.settings import WorkerSettings
from muniment.workers import mockdoc
from muniment.workers.executor import open_executor
from muniment.workers.tasks import DocumentTask, Failure, Result

#: Fork server without readers: the tests are about the walls, not about formats.
BARE = "muniment.workers.bare_preload"

#: Put into the environment of a run under test: all its processes carry it, whatever they do.
MARK = "MUNIMENT_TEST_MARK"


def settings(**changes: Any) -> WorkerSettings:
    """Short limits, wide enough for a busy machine."""
    values = {"processes": 2, "wall_seconds": 20.0, "cpu_seconds": 15, "output_bytes": 2_000_000, **changes}
    return WorkerSettings(**values)


def mock_tasks(folder: Path, documents: Mapping[str, str], *, packable: bool = False) -> list[DocumentTask]:
    """A file and a task for each document: name and behaviours."""
    folder.mkdir(exist_ok=True)
    tasks = []
    for name, behaviours in documents.items():
        path = folder / f"{name}.mockdoc"
        path.write_text(behaviours, encoding="utf-8")
        tasks.append(DocumentTask(name, mockdoc.ENTRY, {"path": str(path)}, path.stat().st_size, packable))
    return tasks


def read_all(
    tmp_path: Path, documents: Mapping[str, str], *, packable: bool = False, **changes: Any
) -> tuple[dict[str, Result | Failure], dict[str, str]]:
    """Outcomes and texts of the results, by name."""
    tasks = mock_tasks(tmp_path / "documents", documents, packable=packable)
    with open_executor(settings(**changes), tmp_path / "work", BARE) as executor:
        outcomes = dict(executor.map(tasks))
        texts = {key: one.output.read_text("utf-8") for key, one in outcomes.items() if isinstance(one, Result)}
    return outcomes, texts


def reason(outcome: Result | Failure) -> str:
    """Reason code, or "read" for a result."""
    return outcome.reason_code if isinstance(outcome, Failure) else "read"


def marked(mark: str) -> list[int]:
    """Living processes of the run that carries `mark` (zombies are dead)."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            environment = (folder / "environ").read_bytes()
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment and state != "Z":
            found.append(int(folder.name))
    return found


@contextmanager
def cleaned(mark: str) -> Iterator[None]:
    """End what a failed test leaves running, and nothing but the processes that carry its mark."""
    try:
        yield
    finally:
        for pid in marked(mark):
            if pid != os.getpid():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def wait_until(condition: Any, seconds: float) -> bool:
    """Whether the condition came true before the deadline."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
