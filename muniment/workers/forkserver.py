"""The fork server of one executor, and the children that it forks.

It is multiprocessing's own fork server, an instance of ours: the one that multiprocessing keeps for
the whole process takes preload modules only at its first start and re-imports the caller's
`__main__` in every child.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import psutil

from muniment.workers.child import ChildJob
from muniment.workers.errors import PreloadFailed
from muniment.workers.threads import in_lasting_thread


class ServerLost(Exception):
    """The fork server ended before it could fork."""


class Child:
    """A running child. Its status descriptor becomes readable when it ends."""

    def __init__(self, pid: int, status: int) -> None:
        self.pid = pid
        self.status = status

    def exit_code(self) -> int | None:
        """Exit code once the status is readable; None when the fork server died with it."""
        try:
            return forkserver.read_signed(self.status)
        except (EOFError, ConnectionError):
            return None

    def kill(self) -> None:
        """Kill it, its process group and its descendants; without effect when it has ended."""
        if wait([self.status], 0):
            return  # reaped: its pid may be another's by now
        with suppress(psutil.NoSuchProcess):
            for descendant in psutil.Process(self.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    descendant.kill()
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Give back its descriptor."""
        os.close(self.status)


class ReaderServer:
    """A fork server with the readers loaded. Started with its first child, ended by `stop`."""

    def __init__(self, preload: str) -> None:
        self._preload = preload
        self._server: Any = forkserver.ForkServer()
        self._server.set_forkserver_preload([preload])

    @property
    def pid(self) -> int:
        """Process id; started if it is not running."""
        self.start()
        return self._server._forkserver_pid

    def start(self) -> None:
        """Start it if it is not running."""
        in_lasting_thread(self._server.ensure_running)

    def fork(self, job: ChildJob) -> Child:
        """A child that does `job`, whose `server_pid` must be `pid`. Raises ServerLost."""
        message = io.BytesIO()
        pickle.dump({"name": "muniment-reader", "sys_path": _search_path(), "dir": str(Path.cwd())}, message)
        pickle.dump(job, message)
        status = None
        try:
            status, data = self._server.connect_to_new_process([])
            with os.fdopen(data, "wb") as stream:
                stream.write(message.getbuffer())
            return Child(forkserver.read_signed(status), status)
        except (EOFError, ConnectionError, FileNotFoundError) as error:
            if status is not None:
                os.close(status)
            raise ServerLost from error

    def lost(self) -> PreloadFailed:
        """The error to raise when it ends again and again."""
        return PreloadFailed(
            f"the fork server ended while it loaded {self._preload}; its error output says why. "
            "Correct the installation, or set workers.backend = 'inline' to read without isolation"
        )

    def stop(self) -> None:
        """End it. Children must have ended or been killed."""
        pid = self._server._forkserver_pid
        if pid is not None:
            # It holds nothing to be saved; a child that still has the alive pipe would make a polite end wait.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self._server._stop()


def _search_path() -> list[str]:
    """Import path for the child: ours, with the working directory by name."""
    return [entry or str(Path.cwd()) for entry in sys.path]
