"""Ingests that are killed: the whole process group with SIGKILL, after a line of progress and a moment more."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

#: Words with which lines of progress begin, in the order in which an ingest prints them.
MOMENTS = (
    "originals", "batch", "structured_extraction", "annotations", "chunks", "contextualized_chunks", "entities",
    "publish",
)  # fmt: skip

#: Files of the example corpus: eight formats, small.
FILES = (
    "changes/CHG-1042.txt",
    "changes/change-log.csv",
    "architecture/plant-data-archive-design.md",
    "contracts/brightwell-support-agreement.docx",
    "governance/system-register.xlsx",
    "intranet/network-zones.html",
    "mail/2025-10-08-billing-logs.eml",
    "minutes/2025-11-13-board-paper.pdf",
)


def small_corpus(corpus: Path, target: Path) -> Path:
    """A folder with the eight files."""
    for name in FILES:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus / name, target / name)
    return target


@dataclass(frozen=True)
class Moment:
    """When to kill: after the first line that begins with `word`, and `seconds` more."""

    word: str
    seconds: float


def moments(seed: int, *strata: tuple[str, ...]) -> list[Moment]:
    """One moment from each stratum, chosen by a seeded generator."""
    chance = random.Random(seed)
    return [Moment(chance.choice(words), round(chance.uniform(0.0, 1.5), 2)) for words in strata]


class Ingest:
    """`muniment ingest` of a folder under way, in a session of its own; its lines of progress can be awaited."""

    def __init__(self, home: Path, folder: Path, source: str = "papers") -> None:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("MUNIMENT_", "DAGSTER_HOME"))
        }
        command = [str(Path(sys.executable).parent / "muniment"), "--home", str(home), "ingest", str(folder)]
        self.process = subprocess.Popen(
            [*command, "--source", source],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()

    def reached(self, word: str, seconds: float = 240.0) -> bool:
        """Wait for a line that begins with the word; False when the ingest ends without one."""

        def seen() -> bool:
            return any(line.startswith(word) for line in self.lines)

        with self._news:
            for _ in range(int(seconds / 0.2)):
                if seen() or (self.process.poll() is not None and not self._reader.is_alive()):
                    return seen()
                self._news.wait(0.2)
        raise AssertionError(f"no line {word!r} within {seconds} s: {self.lines[-5:]}")

    def kill_at(self, moment: Moment) -> bool:
        """Kill the process group at the moment; False when the ingest ended before it."""
        if not self.reached(moment.word):
            return False
        try:
            self.process.wait(timeout=moment.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait(timeout=30) == -signal.SIGKILL
