"""The forkserver backend: each document in a confined child of its own, or a pack of small ones in one."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path

from muniment.settings import WorkerSettings
from muniment.workers import codes
from muniment.workers.child import ChildJob
from muniment.workers.errors import IsolationRefused, PreloadFailed, WorkerError
from muniment.workers.folder import remove_tree
from muniment.workers.forkserver import Child, ReaderServer, ServerLost
from muniment.workers.limits import Limits
from muniment.workers.scheduling import Agenda, Group, packed
from muniment.workers.tasks import DocumentTask, Failure, Report, Result, WorkItem, is_regular

Outcome = tuple[str, Result | Failure]

#: A child enforces its wall limit itself; this long after it, it is taken to be stuck and is killed from here.
WALL_GRACE = 5.0

_UNKNOWN = "unknown: the process ended before it said"


@dataclass(slots=True)
class _Running:
    group: Group
    child: Child
    items: tuple[WorkItem, ...]
    scratch: Path
    started: float

    @property
    def wall_seconds(self) -> float:
        return time.monotonic() - self.started

    def said(self, name: str) -> str | None:
        """Content of a file that the child left, if it did."""
        path = self.scratch / name
        return path.read_text(encoding="utf-8") if is_regular(path) else None


class IsolatedExecutor:
    """Reads documents in children of a fork server. Use `executor.open_executor`."""

    def __init__(self, settings: WorkerSettings, folder: Path, preload: str) -> None:
        self._settings = settings
        self._limits = Limits.of(settings)
        self._folder = folder
        self._server = ReaderServer(preload)
        self._running: dict[int, _Running] = {}
        self._started = 0
        self._mapping = False

    @property
    def isolation(self) -> str:
        """What confines the children here; tried in a child. Raises as `map` does."""
        running = self._start(Group(()))
        if not wait([running.child.status], self._limits.wall_seconds + WALL_GRACE):
            running.child.kill()
        code = self._collect(running)
        said = running.said(codes.ISOLATION)
        try:
            self._stop_for(code, running)
        finally:
            remove_tree(running.scratch)
        return said or _UNKNOWN

    def start(self) -> None:
        """Start the fork server, which then loads the readers by itself."""
        self._server.start()

    def map(self, tasks: Iterable[DocumentTask]) -> Iterator[Outcome]:
        """See executor.DocumentExecutor.map."""
        if self._mapping:
            raise WorkerError("this executor is already reading: finish or close the first map() before a second")
        self._mapping = True
        try:
            yield from self._map(Agenda(packed(tasks, self._settings)))
        finally:
            self._end_children()
            self._mapping = False

    def close(self) -> None:
        """Kill what runs and end the fork server."""
        self._end_children()
        self._server.stop()

    def _map(self, agenda: Agenda) -> Iterator[Outcome]:
        self._fill(agenda)
        while self._running:
            outcomes = [outcome for running in self._ended() for outcome in self._settle(running, agenda)]
            self._fill(agenda)  # before the caller works on them: the children go on meanwhile
            yield from outcomes

    def _fill(self, agenda: Agenda) -> None:
        while len(self._running) < self._settings.processes:
            if any(running.group.alone for running in self._running.values()):
                return
            group = agenda.next(idle=not self._running)
            if group is None:
                return
            self._start(group)

    def _start(self, group: Group) -> _Running:
        """Fork a child for the group; one that finds the fork server dead starts another, once."""
        self._started += 1
        name = f"{self._started:06d}"
        scratch = self._folder / name
        scratch.mkdir(mode=0o700)
        items = tuple(
            WorkItem(task.entry, task.payload, scratch / f"{number:02d}", self._folder / f"{name}-{number:02d}")
            for number, task in enumerate(group.tasks)
        )
        running = _Running(group, self._fork(items, scratch), items, scratch, time.monotonic())
        self._running[running.child.status] = running
        return running

    def _fork(self, items: tuple[WorkItem, ...], scratch: Path) -> Child:
        for _ in range(2):
            try:
                return self._server.fork(ChildJob(items, self._limits, scratch, self._server.pid))
            except ServerLost:
                continue
        raise self._server.lost()

    def _ended(self) -> list[_Running]:
        """Wait until a child has ended; those that are stuck are killed and come back as ended next time."""
        limit = self._limits.wall_seconds + WALL_GRACE
        remaining = min(limit - running.wall_seconds for running in self._running.values())
        ready = wait(list(self._running), max(0.0, remaining))
        if not ready:
            for running in self._running.values():
                if running.wall_seconds >= limit:
                    running.child.kill()
            ready = wait(list(self._running), 0.1)
        return [running for status, running in sorted(self._running.items()) if status in ready]

    def _collect(self, running: _Running) -> int | None:
        """Exit code of an ended child, which is forgotten."""
        code = running.child.exit_code()
        del self._running[running.child.status]
        running.child.close()
        return code

    def _settle(self, running: _Running, agenda: Agenda) -> list[Outcome]:
        """Outcomes of an ended child; none where its tasks get another chance."""
        code = self._collect(running)
        try:
            self._stop_for(code, running)
            if len(running.group.tasks) == 1:
                return self._settle_single(running, code, agenda)
            return self._settle_pack(running, code, agenda)
        finally:
            remove_tree(running.scratch)

    def _settle_pack(self, running: _Running, code: int | None, agenda: Agenda) -> list[Outcome]:
        outcomes = self._outcomes(running) if code == codes.DONE else []
        if outcomes and all(isinstance(result, Result) for _, result in outcomes):
            return outcomes
        for item in running.items:
            item.output.unlink(missing_ok=True)
        agenda.unpack(running.group)
        return []

    def _settle_single(self, running: _Running, code: int | None, agenda: Agenda) -> list[Outcome]:
        if code == codes.DONE:
            outcomes = self._outcomes(running)
            if outcomes:
                return outcomes
        elif _deserves_another_chance(code) and not running.group.alone:
            agenda.run_alone(running.group)
            return []
        running.items[0].output.unlink(missing_ok=True)
        reason, detail = self._reason(code, running)
        return [self._failure(running.group.tasks[0], running, reason, detail)]

    def _outcomes(self, running: _Running) -> list[Outcome]:
        """What the child reported of each task; empty when it reported nothing."""
        said = running.said(codes.REPORTS)
        reports = [Report(**report) for report in json.loads(said)] if said else []
        return [
            (task.key, self._outcome(task, item, report, running.said(codes.ISOLATION) or _UNKNOWN))
            for task, item, report in zip(running.group.tasks, running.items, reports, strict=bool(reports))
        ]

    def _outcome(self, task: DocumentTask, item: WorkItem, report: Report, isolation: str) -> Result | Failure:
        reason, detail = report.reason_code, report.detail
        if reason is None and not is_regular(item.output):
            reason, detail = "reader_error", "the result is not a plain file"
        if reason is None and item.output.stat().st_size > self._limits.output_bytes:
            reason, detail = "output_limit", f"the result exceeds {self._limits.output_bytes} bytes"
        if reason is not None:
            return Failure(task.key, reason, detail, report.wall_seconds, isolation)
        return Result(task.key, item.output, report.wall_seconds, report.cpu_seconds, report.peak_rss_bytes, isolation)

    def _failure(self, task: DocumentTask, running: _Running, reason: str, detail: str) -> Outcome:
        isolation = running.said(codes.ISOLATION) or _UNKNOWN
        return task.key, Failure(task.key, reason, detail, running.wall_seconds, isolation)

    def _reason(self, code: int | None, running: _Running) -> tuple[str, str]:
        """Reason code and detail for a child that ended without reports."""
        limits = self._limits
        known: dict[int | None, tuple[str, str]] = {
            None: ("reader_crashed", "its process ended together with the fork server, twice"),
            codes.DONE: ("reader_crashed", "its process ended without a report"),
            codes.ENDED_ITSELF: ("reader_crashed", "the reader ended its own process"),
            codes.WALL_LIMIT: ("time_limit", f"stopped after {limits.wall_seconds:g} s, the second time alone"),
            codes.CPU_LIMIT: ("cpu_limit", f"stopped after {limits.cpu_seconds} s of CPU time"),
            codes.OUTPUT_LIMIT: ("output_limit", f"a file of more than {limits.output_bytes} bytes"),
        }
        if code in known:
            return known[code]
        if running.wall_seconds >= limits.wall_seconds + WALL_GRACE:
            return "time_limit", f"stuck; killed after {running.wall_seconds:.0f} s"
        return "reader_crashed", f"its process was ended by {_cause(code or 0)}"

    def _stop_for(self, code: int | None, running: _Running) -> None:
        """Raise for an exit code that no document is to blame for."""
        if code == codes.NOT_PRELOADED:
            raise PreloadFailed(f"the fork server has not loaded the readers: {running.said(codes.PROBLEM)}")
        if code == codes.NOT_ISOLATED:
            raise IsolationRefused(
                f"workers.require_isolation is set, but the system grants only: {running.said(codes.ISOLATION)}. "
                "Allow (unprivileged) user, network and process namespaces, or unset it"
            )
        if code == codes.SETUP_FAILED and (running.group.alone or not running.group.tasks):
            raise WorkerError(f"a reader process could not be set up, twice: {running.said(codes.PROBLEM)}")

    def _end_children(self) -> None:
        for running in list(self._running.values()):
            running.child.kill()
        for running in list(self._running.values()):
            wait([running.child.status], WALL_GRACE)
            del self._running[running.child.status]
            running.child.close()
            remove_tree(running.scratch)


def _deserves_another_chance(code: int | None) -> bool:
    """Whether something else than the document may have ended it: load, the fork server, a full system."""
    return code is None or code < 0 or code in (codes.WALL_LIMIT, codes.SETUP_FAILED)


def _cause(code: int) -> str:
    """The signal behind an exit code: the reader's, handed on by its child, or the child's own."""
    number = -code if code < 0 else code - codes.SIGNALLED
    return signal.Signals(number).name if number in set(signal.Signals) else f"exit code {code}"
