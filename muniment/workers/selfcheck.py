"""Do the walls around readers hold on this machine? A few mock documents that try them, for `doctor`."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from muniment.settings import WorkerSettings
from muniment.workers import mockdoc
from muniment.workers.executor import open_executor
from muniment.workers.tasks import DocumentTask, Failure, Result

_PRELOAD = "muniment.workers.bare_preload"
_LIMITS = WorkerSettings(
    backend="forkserver",
    processes=1,
    wall_seconds=5.0,
    cpu_seconds=1,
    memory_bytes=1024**3,
    output_bytes=1024**2,
)

#: name, behaviours, what must come of it
_TRIALS = (
    ("a document is read", "text x", "read"),
    ("the CPU limit holds", "loop", "cpu_limit"),
    ("the memory limit holds", "allocate 4294967296", "memory_limit"),
    ("the output limit holds", "write 2097152", "output_limit"),
    ("a crash stays with its document", "segfault", "reader_crashed"),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One wall tried: `observed` is "read" or a reason code."""

    name: str
    expected: str
    observed: str
    isolation: str

    @property
    def good(self) -> bool:
        """The wall holds."""
        return self.expected == self.observed


def try_walls(work: Path) -> list[Trial]:
    """Read hostile mock documents under short limits, in a few seconds.

    `isolation` says which namespaces the machine grants. Raises WorkerError where no child can be started.
    """
    work.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(prefix="selfcheck-", dir=work) as folder:
        tasks = [_task(Path(folder), name, behaviours) for name, behaviours, _ in _TRIALS]
        with open_executor(_LIMITS, Path(folder) / "work", _PRELOAD) as executor:
            outcomes = dict(executor.map(tasks))
    return [Trial(name, code, _observed(outcomes[name]), outcomes[name].isolation) for name, _, code in _TRIALS]


def _task(folder: Path, name: str, behaviours: str) -> DocumentTask:
    path = folder / f"{name.replace(' ', '_')}.mockdoc"
    path.write_text(behaviours, encoding="utf-8")
    return DocumentTask(name, mockdoc.ENTRY, {"path": str(path.absolute())}, path.stat().st_size, packable=False)


def _observed(outcome: Result | Failure) -> str:
    return outcome.reason_code if isinstance(outcome, Failure) else "read"
