"""The child that reads documents: it confines itself, forks, and watches over the reader.

Two processes a child. The outer one enters the namespaces, enforces the wall limit and hands on the
status; the inner one is the first of the new process namespace and reads. When either dies, for
whatever reason, the kernel ends all that the reader started.
"""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import select
import signal
import tempfile
import time
import traceback
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from typing import Any, NoReturn

from muniment.workers import codes, limits, namespaces
from muniment.workers.kernel import adopt_orphans, die_with_parent, no_new_privileges
from muniment.workers.limits import Limits
from muniment.workers.namespaces import Isolation
from muniment.workers.preloading import problem_of
from muniment.workers.tasks import WorkItem, perform


@dataclass(frozen=True, slots=True)
class ChildJob:
    """The work of one child: items read one after the other, in `scratch`, which is its own."""

    items: tuple[WorkItem, ...]
    limits: Limits
    scratch: Path
    server_pid: int

    def _bootstrap(self, parent_sentinel: int) -> int:
        """Called by multiprocessing in the forked process, like that of a Process; returns the exit code."""
        try:
            return self._run(parent_sentinel)
        except BaseException:  # noqa: BLE001  # the executor raises it
            self._say(codes.PROBLEM, traceback.format_exc())
            return codes.SETUP_FAILED

    def _run(self, parent_sentinel: int) -> int:
        _leave_server(parent_sentinel)
        os.setsid()
        _tie_to(self.server_pid)
        problem = problem_of(self.server_pid)
        if problem is not None:
            self._say(codes.PROBLEM, problem)
            return codes.NOT_PRELOADED
        no_new_privileges()
        adopt_orphans()
        limits.apply(self.limits)
        isolation = namespaces.enter()
        _tie_to(self.server_pid)  # a change of credentials may have undone it
        self._say(codes.ISOLATION, isolation.describe())
        if self.limits.require_isolation and not isolation.complete:
            return codes.NOT_ISOLATED
        return self._watch(*self._fork_reader(), isolation)

    def _fork_reader(self) -> tuple[int, int]:
        """Fork the inner process. Its pid, and a descriptor that stays open as long as this process lives."""
        lifeline, held = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(held)
            self._read(lifeline)
        os.close(lifeline)
        return pid, held

    def _watch(self, pid: int, held: int, isolation: Isolation) -> int:
        """Wait for the inner process up to the wall limit, end what it left behind, tell how it ended."""
        late = not _ends_within(pid, self.limits.wall_seconds)
        if late:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        if not isolation.processes:
            _end_descendants()
        os.close(held)
        return codes.WALL_LIMIT if late else _exit_code(status, usage, self.limits.cpu_seconds)

    def _read(self, lifeline: int) -> NoReturn:
        """The inner process: read the items and write the reports."""
        code = codes.ENDED_ITSELF
        try:
            die_with_parent()
            if _is_closed(lifeline):  # the outer process ended before the line above
                os._exit(code)
            # The first process of a namespace ignores signals without handler, and so the CPU limit's.
            signal.signal(signal.SIGXCPU, lambda *_: os._exit(codes.CPU_LIMIT))
            self._use_own_temporary_folder()
            reports = [dataclasses.asdict(perform(item)) for item in self.items]
            self._say(codes.REPORTS, json.dumps(reports))
            code = codes.DONE
        finally:
            os._exit(code)

    def _use_own_temporary_folder(self) -> None:
        folder = self.scratch / "temporary"
        folder.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)

    def _say(self, name: str, text: str) -> None:
        """Write a file for the executor, whole or not at all."""
        unfinished = self.scratch / f"{name}.unfinished"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.rename(self.scratch / name)


def _leave_server(parent_sentinel: int) -> None:
    """Give back what the fork server's children inherit, and speak to nobody.

    An open alive pipe would keep the server running after the run's end. What readers print may
    quote the document, so it goes nowhere.
    """
    server: Any = forkserver
    tracker: Any = resource_tracker
    for owner, name in (
        (server._forkserver, "_forkserver_alive_fd"),
        (tracker._resource_tracker, "_fd"),
    ):
        descriptor = getattr(owner, name)
        if descriptor is not None:
            os.close(descriptor)
            setattr(owner, name, None)
    os.close(parent_sentinel)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def _tie_to(server_pid: int) -> None:
    """Die with the fork server, even if it died before this call."""
    die_with_parent()
    if os.getppid() != server_pid:
        os._exit(codes.ENDED_ITSELF)


def _is_closed(read_end: int) -> bool:
    poll = select.poll()
    poll.register(read_end, select.POLLHUP)
    return bool(poll.poll(0))


def _ends_within(pid: int, seconds: float) -> bool:
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _exit_code(status: int, usage: resource.struct_rusage, cpu_seconds: int) -> int:
    """The child's exit code for the inner process's wait status."""
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if ended_by == signal.SIGXCPU or (ended_by == signal.SIGKILL and usage.ru_utime + usage.ru_stime >= cpu_seconds):
        return codes.CPU_LIMIT
    if ended_by == signal.SIGXFSZ:
        return codes.OUTPUT_LIMIT
    if ended_by:
        return codes.SIGNALLED + ended_by
    code = os.WEXITSTATUS(status)
    return code if code in (codes.DONE, codes.CPU_LIMIT) else codes.ENDED_ITSELF


def _end_descendants() -> None:
    """Kill what the reader left behind, where no process namespace does it. Orphans are children of this process."""
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
        except ChildProcessError:
            return


def _children() -> list[int]:
    own = str(os.getpid())
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue  # ended meanwhile
            if stat.rpartition(")")[2].split()[1] == own:
                found.append(int(folder.name))
    return found
