"""How the command line prints: models, JSON, and progress per stage with counts and time left."""

from __future__ import annotations

import json
import time
from types import TracebackType
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn


def print_json(content: Any) -> None:
    """One line of JSON on standard output."""
    print(json.dumps(content, ensure_ascii=False, default=str))  # noqa: T201


def print_model(model: BaseModel, as_json: bool) -> None:
    """A model as JSON, or as it prints itself."""
    if as_json:
        print_json(model.model_dump(mode="json"))
    else:
        print(model)  # noqa: T201


class ProgressLines:
    """Progress on standard error: bars on a terminal, a line every few seconds elsewhere, nothing when quiet."""

    def __init__(self, console: Console, *, quiet: bool, seconds: float = 5.0) -> None:
        self._console, self._quiet, self._seconds = console, quiet, seconds
        self._bars = (
            Progress(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                console=console,
            )
            if console.is_terminal and not quiet
            else None
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}
        self._printed: dict[str, float] = {}

    def __enter__(self) -> ProgressLines:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def announce(self, line: str) -> None:
        """A line of its own; bars start anew after it."""
        if self._quiet:
            return
        self._tasks.clear()
        self._printed.clear()
        self._console.print(line, markup=False, soft_wrap=True)

    def report(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` versions of a stage."""
        if self._quiet or total == 0:
            return
        if self._bars is not None:
            if stage not in self._tasks:
                self._tasks[stage] = self._bars.add_task(stage, total=total)
            self._bars.update(self._tasks[stage], completed=done, total=total)
            return
        now = time.monotonic()
        if done == total or now - self._printed.get(stage, 0.0) >= self._seconds:
            self._printed[stage] = now
            self._console.print(f"{stage}: {done} of {total}", markup=False, soft_wrap=True)
