"""Serving the Dagster UI: webserver and daemon of a home, ended together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from muniment.home import Home
from muniment.settings import settings_file

WORKSPACE = Path(__file__).resolve().parent.parent / "workspace.yaml"


def commands(port: int) -> list[list[str]]:
    """The two processes of the service. They bind the loopback interface only: the UI has no login."""
    dagster = [sys.executable, "-m"]
    return [
        [*dagster, "dagster_webserver", "-h", "127.0.0.1", "-p", str(port), "-w", str(WORKSPACE)],
        [*dagster, "dagster._daemon", "run", "-w", str(WORKSPACE)],
    ]


def serve(home: Home, port: int) -> int:
    """Run until interrupted, or until one of the two ends; returns an exit code."""
    environment = {**os.environ, "DAGSTER_HOME": str(home.dagster), "MUNIMENT_HOME": str(home.root)}
    settings = settings_file(home.root)
    if settings is not None:  # the processes work in another folder
        environment["MUNIMENT_CONFIG"] = str(settings.resolve())
    processes = [
        subprocess.Popen(command, env=environment, cwd=WORKSPACE.parent, start_new_session=True)
        for command in commands(port)
    ]
    print(f"UI: http://127.0.0.1:{port}  (Ctrl-C ends it)", flush=True)  # noqa: T201
    # SIGINT too: a shell that starts a program in the background has it ignored
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _interrupt())
    try:
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        _end(processes)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Interrupt the process groups, and kill what is left of them ten seconds later: code servers and runs too.

    A run that is cut off goes on from its last commit when it is started again.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # an impatient second Ctrl-C must not leave anything behind
    for process in processes:
        _signal_group(process, signal.SIGINT)
    deadline = time.monotonic() + 10
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=max(0.0, deadline - time.monotonic()))
    for process in processes:
        _signal_group(process, signal.SIGKILL)
        process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
