"""Serving the Dagster UI: webserver and daemon of a home, ended together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from muniment.home import Home

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
    processes = [
        subprocess.Popen(command, env=environment, cwd=WORKSPACE.parent, start_new_session=True)
        for command in commands(port)
    ]
    print(f"UI: http://127.0.0.1:{port}  (Ctrl-C ends it)", flush=True)  # noqa: T201
    signal.signal(signal.SIGTERM, lambda *_: _interrupt())
    try:
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        for process in processes:
            _end(process)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt the process group, and kill what is left after ten seconds."""
    for signal_number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, signal_number)
        except ProcessLookupError:
            return
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            continue
