"""A run of its own, for tests that kill it, strip it of rights or start it in another way: reads mock documents.

Usage: run_mock.py WORK FOLDER [name=value settings]; prints one line a document: key, reason or "read", isolation.
"""

from __future__ import annotations

import sys
from pathlib import Path

from muniment.settings import WorkerSettings
from muniment.workers import mockdoc
from muniment.workers.executor import open_executor
from muniment.workers.tasks import DocumentTask


def run(work: str, folder: str, *options: str, preload: str = "muniment.workers.bare_preload") -> list[str]:
    """Read each file of the folder, in the order of names."""
    values = dict(option.split("=", 1) for option in options)
    tasks = [
        DocumentTask(path.stem, mockdoc.ENTRY, {"path": str(path)}, path.stat().st_size, False)
        for path in sorted(Path(folder).glob("*.mockdoc"))
    ]
    lines = []
    with open_executor(WorkerSettings.model_validate(values), Path(work), preload) as executor:
        for key, outcome in executor.map(tasks):
            lines.append(f"{key}\t{getattr(outcome, 'reason_code', 'read')}\t{outcome.isolation}")
    return sorted(lines)


# No `if __name__ == "__main__"`: a caller's script without it must not be run again in the children.
if sys.argv[0].endswith("run_mock.py"):
    sys.stdout.write("\n".join(run(*sys.argv[1:])) + "\n")
