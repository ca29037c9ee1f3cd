"""`muniment doctor`: each missing model, system tool or wrong setting, and what to do about it."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from muniment.home import Home
from muniment.index.embedder import EmbedderError, open_embedder
from muniment.index.folder import check_folder
from muniment.index.port import IndexFolderError
from muniment.models.health import endpoint_findings
from muniment.nlp.pipelines import resolve
from muniment.settings import Settings, SettingsError, settings_file
from muniment.store.current import CurrentError, read_current, warehouse_folder
from muniment.store.errors import WarehouseError
from muniment.store.opening import open_warehouse
from muniment.store.originals import OriginalStore
from muniment.workers.namespaces import Isolation
from muniment.workers.selfcheck import try_walls

State = Literal["ok", "warn", "error"]


@dataclass(frozen=True)
class Check:
    """One thing looked at."""

    name: str
    state: State
    detail: str


def examine(home: Home, settings: Settings) -> list[Check]:
    """All checks, in order; nothing is changed and nothing is fetched."""
    sections: tuple[Callable[[], Iterator[Check]], ...] = (
        _interpreter,
        lambda: _settings(settings),
        lambda: _models(settings),
        lambda: _endpoint(settings),
        lambda: _isolation(home),
        lambda: _home(home, settings),
        lambda: _published(home),
    )
    return [check for section in sections for check in section()]


def _interpreter() -> Iterator[Check]:
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    detail = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    yield Check("python", "ok" if supported else "error", detail if supported else f"{detail}; use 3.11 to 3.13")
    for package in ("dagster", "duckdb", "duckdb-extension-ducklake", "polars", "qdrant-edge-py", "unstructured"):
        try:
            yield Check(package, "ok", version(package))
        except PackageNotFoundError:
            yield Check(package, "error", "not installed; install requirements.lock")


def _settings(settings: Settings) -> Iterator[Check]:
    try:
        path = settings_file(settings.home)
    except SettingsError as error:
        yield Check("settings", "error", str(error))
        return
    yield Check("settings", "ok", f"file {path}" if path else "no muniment.toml; defaults and MUNIMENT_* only")
    cores = os.cpu_count() or 1
    if settings.workers.processes > cores:
        yield Check(
            "workers", "warn", f"{settings.workers.processes} processes on {cores} cores; lower workers.processes"
        )


def _models(settings: Settings) -> Iterator[Check]:
    for language, names in sorted(settings.nlp.pipelines.items()):
        found = resolve(language, settings.nlp)
        if found is None:
            yield Check(f"language {language}", "warn", f"none of {', '.join(names)} is installed: sentences only")
        else:
            yield Check(f"language {language}", "ok", found.label)
    try:
        embedder = open_embedder(settings.index.embedder)
    except EmbedderError as error:
        yield Check("embedder", "error", str(error))
    else:
        yield Check("embedder", "ok", f"{settings.index.embedder}, digest {embedder.digest[:12]}")


def _endpoint(settings: Settings) -> Iterator[Check]:
    for finding in endpoint_findings(settings):
        yield Check("model endpoint", "ok" if finding.good else "warn", finding.detail)


def _isolation(home: Home) -> Iterator[Check]:
    home.work.mkdir(parents=True, exist_ok=True, mode=0o700)
    trials = try_walls(home.work)
    complete = Isolation(network=True, processes=True).describe()
    found = next((trial.isolation for trial in trials if trial.isolation), "unknown")
    advice = "" if found == complete else "; allow user namespaces, or read only trusted files"
    yield Check("isolation of readers", "ok" if found == complete else "warn", found + advice)
    for trial in trials:
        if not trial.good:
            detail = f"{trial.observed} instead of {trial.expected}; read only trusted files on this machine"
            yield Check(trial.name, "error", detail)
    if importlib.util.find_spec("tesserocr") is None:
        yield Check("OCR", "warn", "not installed: pages without a text layer go to the review queue")


def _home(home: Home, settings: Settings) -> Iterator[Check]:
    try:
        folder = warehouse_folder(home)
        warehouse = open_warehouse(home, settings.store, folder=folder)
    except (WarehouseError, CurrentError) as error:
        yield Check("warehouse", "error", str(error))
        return
    try:
        rows = warehouse.latest()
        store = OriginalStore(home.originals)
        digests = rows.table("originals", ["sha256"])["sha256"].sort()
        damaged = [sha256 for sha256 in digests if not store.verify(sha256)]
        yield Check("warehouse", "ok", f"{folder.name}, snapshot {rows.snapshot_id}")
        if damaged:
            yield Check(
                "originals", "error", f"{len(damaged)} damaged or missing, first {damaged[0]}; restore a backup"
            )
        else:
            yield Check("originals", "ok", f"{len(digests)} verified")
    finally:
        warehouse.close()


def _published(home: Home) -> Iterator[Check]:
    try:
        current = read_current(home)
    except CurrentError:
        return  # reported above
    if current is None:
        yield Check("generation", "warn", "nothing is published; run `muniment ingest PATH`")
        return
    try:
        check_folder(home.indexes / current.index)
    except IndexFolderError as error:
        yield Check("index", "error", str(error))
    else:
        yield Check("index", "ok", f"{current.index}, files as published")
    yield Check("generation", "ok", current.generation_id)
