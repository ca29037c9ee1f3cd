"""The same warehouse over a PostgreSQL catalog, with a real server where one is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from store_workers import EIGHT, counter, eight_appends, raise_counter, rows_by_version

from muniment.store.errors import SnapshotGone, WarehouseError
from muniment.store.warehouse import Warehouse

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("initdb") is None, reason="no PostgreSQL server installed"),
]


@pytest.fixture(scope="module")
def catalog() -> Iterator[str]:
    """A server of its own, reached by a socket file; PostgreSQL refuses to run as root."""
    user = "nobody" if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as name:
        folder = Path(name)
        if user:
            shutil.chown(folder, user)

        def run(*command: str) -> None:
            subprocess.run(command, check=True, user=user, cwd="/", stdout=subprocess.DEVNULL, timeout=120)

        data = str(folder / "db")
        run("initdb", "-D", data, "-U", "muniment", "-A", "trust", "-N")
        run("pg_ctl", "-D", data, "-o", f"-k {folder} -h '' -F", "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgres:host={folder} user=muniment dbname=postgres"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def test_writers_lose_and_repeat_nothing(catalog: str, tmp_path: Path) -> None:
    data = str(tmp_path / "shared")
    Warehouse.create(tmp_path / "w000001", catalog=catalog, data=data)

    def write(name: str) -> None:
        warehouse = Warehouse.open(tmp_path / "w000001", catalog=catalog, data=data)
        for number in range(2):
            warehouse.commit(eight_appends(f"{name}-{number}", 5))
            warehouse.commit(raise_counter)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, ("a", "b")))
    snapshot = Warehouse.open(tmp_path / "w000001", catalog=catalog, data=data).latest()
    assert counter(snapshot) == 4
    assert rows_by_version(snapshot) == {f"{name}-{n}": dict.fromkeys(EIGHT, 5) for name in "ab" for n in range(2)}
    assert list((tmp_path / "shared" / "w000001").rglob("*.parquet"))


def test_two_warehouses_of_one_database_are_apart(catalog: str, tmp_path: Path) -> None:
    left, right = (Warehouse.create(tmp_path / name, catalog=catalog) for name in ("left", "right"))
    left.commit(eight_appends("v", 2))
    kept = left.latest()
    left.commit(eight_appends("w", 2))
    assert rows_by_version(right.latest()) == {}
    left.merge_adjacent()
    left.expire({kept.snapshot_id})
    assert set(rows_by_version(kept)) == {"v"}
    left.expire(set())
    with pytest.raises(SnapshotGone):
        rows_by_version(kept)
    assert set(rows_by_version(left.latest())) == {"v", "w"}


def test_an_absent_warehouse_is_refused(catalog: str, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="muniment init"):
        Warehouse.open(tmp_path / "absent", catalog=catalog)
