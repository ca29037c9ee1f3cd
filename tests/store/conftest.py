"""Warehouses for the store's tests: made once, copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from muniment.store.warehouse import Warehouse


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an empty warehouse; not to be written to."""
    folder = tmp_path_factory.mktemp("pristine") / "w"
    Warehouse.create(folder).close()
    return folder


@pytest.fixture
def warehouse(tmp_path: Path, pristine: Path) -> Warehouse:
    """An empty warehouse at `tmp_path / "w"`."""
    shutil.copytree(pristine, tmp_path / "w")
    return Warehouse.open(tmp_path / "w")
