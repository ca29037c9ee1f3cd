"""A running `muniment ui`: started as a user would, asked over GraphQL, watched from outside."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

LAUNCH = """
mutation Launch($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  }
}
"""

LOCATIONS = "{ workspaceOrError { ... on Workspace { locationEntries { name loadStatus } } } }"

RUNS = "{ runsOrError(limit: 50) { ... on Runs { results { jobName status } } } }"


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def poll(question: Callable[[], Any], seconds: float, what: str) -> Any:
    """The first answer that is true; fails when there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(0.25)
    raise AssertionError(f"{what}: not within {seconds} s")


def processes_of(home: Path) -> dict[int, list[str]]:
    """Live processes that work on a home: by environment or command line."""
    found = {}
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE or process.pid == os.getpid():
                continue
            command = process.cmdline()
            environment = process.environ()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        homes = (environment.get("MUNIMENT_HOME"), environment.get("DAGSTER_HOME"))
        if {str(home), str(home / "dagster")} & set(homes) or any(str(home) in part for part in command):
            found[process.pid] = command
    return found


class Service:
    """`muniment ui` of a home; whatever is left of it is killed at the end of the block."""

    def __init__(self, home: Path) -> None:
        self.home, self.port = home, free_port()

    def __enter__(self) -> Service:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("MUNIMENT_", "DAGSTER_HOME"))
        }
        with (self.home / "ui.log").open("wb") as log:
            self.process = subprocess.Popen(
                [
                    str(Path(sys.executable).parent / "muniment"),
                    *("--home", str(self.home), "ui", "--port", str(self.port)),
                ],
                env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                # as a script's `muniment ui &` would start it
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
            )  # fmt: skip
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=40)
            except subprocess.TimeoutExpired:
                self.process.kill()
        for pid in processes_of(self.home):
            psutil.Process(pid).kill()

    def answers(self) -> bool:
        """Whether the webserver serves."""
        assert self.process.poll() is None, (self.home / "ui.log").read_text()[-2000:]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/server_info", timeout=5) as response:
                return "dagster_webserver_version" in json.load(response)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def ask(self, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """The data of a GraphQL answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql",
            json.dumps({"query": query, "variables": variables or {}}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def loaded(self) -> bool:
        """Whether the code location is loaded."""
        entries = self.ask(LOCATIONS)["workspaceOrError"]["locationEntries"]
        return [(entry["name"], entry["loadStatus"]) for entry in entries] == [("muniment", "LOADED")]

    def launch(self, job: str) -> str:
        """Launch a job as the button does; returns the run id."""
        selector = {"repositoryLocationName": "muniment", "repositoryName": "__repository__", "jobName": job}
        answer = self.ask(LAUNCH, {"params": {"selector": selector, "runConfigData": {}}})["launchRun"]
        assert answer["__typename"] == "LaunchRunSuccess", answer
        return str(answer["run"]["runId"])

    def runs(self) -> list[tuple[str, str]]:
        """Job and status of every run, oldest first."""
        results = self.ask(RUNS)["runsOrError"]["results"]
        return [(run["jobName"], run["status"]) for run in reversed(results)]

    def family(self) -> list[psutil.Process]:
        """The service and everything under it."""
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def listening(self) -> set[str]:
        """Addresses at which the service and what is under it accept TCP connections."""
        addresses = set()
        for process in self.family():
            try:
                addresses |= {c.laddr.ip for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
            except psutil.NoSuchProcess:
                continue
        return addresses
