"""An ingest needs no network: it runs whole in a network namespace without any route."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MUNIMENT = str(Path(sys.executable).parent / "muniment")

PROBE = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=2)
except OSError as error:
    print(error.errno)
"""


def without_network(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in fresh user and network namespaces."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MUNIMENT_", "DAGSTER_"))}
    return subprocess.run(
        ["unshare", "--map-root-user", "--net", *command],
        env=environment, capture_output=True, text=True, timeout=280,
    )  # fmt: skip


@pytest.fixture(scope="module")
def namespaces() -> None:
    """Skips where the kernel or its policy gives no namespace."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    tried = without_network("true")
    if tried.returncode != 0:
        pytest.skip(f"no network namespace to be had here: {tried.stderr.strip()}")


@pytest.mark.integration
@pytest.mark.timeout(540)
def test_a_whole_ingest_and_a_search_work_without_any_route(namespaces: None, tmp_path: Path) -> None:
    unreachable = without_network(sys.executable, "-c", PROBE)
    assert unreachable.stdout.strip() in ("101", "100"), unreachable  # ENETUNREACH, ENETDOWN: the wall stands
    papers, home = tmp_path / "papers", str(tmp_path / "home")
    papers.mkdir()
    (papers / "a.md").write_text("# Pumps\n\nAnna Berg owns the Main Pump.\n")
    (papers / "b.html").write_text(
        "<html><body><h1>Valves</h1><p>The Valve Registry lists 12 valves.</p></body></html>"
    )
    (papers / "c.csv").write_text("part,weight\nrotor,12 kg\n")
    done = without_network(MUNIMENT, "--home", home, "ingest", str(papers))
    assert done.returncode == 0, done.stderr
    assert "3 received, 3 indexed" in done.stdout
    found = without_network(MUNIMENT, "--home", home, "search", "how many valves are listed")
    assert found.returncode == 0 and "The Valve Registry lists 12 valves." in found.stdout
