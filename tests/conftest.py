"""Shared fixtures: telemetry off, no settings of the developer's own, and one ingested example home.

The home is made once for a whole run (all workers wait for the one that makes it) and copied for tests
that change it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import muniment

from muniment import telemetry

telemetry.switch_off()

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _no_outside_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("MUNIMENT_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this test run share."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = shared / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def example_corpus(run_folder: Path) -> Path:
    """The example corpus, made once."""
    target = run_folder / "corpus"
    with _only_one(run_folder / "corpus.lock"):
        if not target.is_dir():
            subprocess.run([sys.executable, str(ROOT / "examples/make_corpus.py"), str(target)], check=True)
    return target


@pytest.fixture(scope="session")
def ingested_home(run_folder: Path, example_corpus: Path) -> Path:
    """A home with the example corpus, ingested by the command line; read only."""
    home = run_folder / "home"
    with _only_one(run_folder / "home.lock"):
        if not home.is_dir():
            draft = run_folder / "home-draft"
            shutil.rmtree(draft, ignore_errors=True)
            done = muniment(draft, "ingest", str(example_corpus), "--source", "examples")
            assert done.returncode == 4, done.stderr
            draft.rename(home)
    return home


@pytest.fixture
def home_copy(ingested_home: Path, tmp_path: Path) -> Path:
    """A copy of the ingested home that a test may change."""
    target = tmp_path / "home"
    shutil.copytree(ingested_home, target, symlinks=True)
    return target


class _only_one:  # noqa: N801 - used as a context manager
    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        self._file = self._path.open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()


@pytest.fixture
def write_files(tmp_path: Path) -> Iterator[object]:
    """Write files of a small source: `write_files({"a.txt": "…"})` returns its folder."""

    def write(files: dict[str, str | bytes], folder: str = "source") -> Path:
        target = tmp_path / folder
        for name, content in files.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    yield write
