"""Creating, opening, reading and committing: what a user of the warehouse relies on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import polars as pl
import pytest
from store_workers import EIGHT, counter, eight_appends, raise_counter, rows_by_version, sample_rows

from muniment.store.changes import Append, Change, Delete, Replace, ReplaceAll, Upsert
from muniment.store.connection import extension_path
from muniment.store.errors import DuplicateKeyError, WarehouseError
from muniment.store.snapshot import Snapshot
from muniment.store.warehouse import Warehouse
from muniment.tables import registry
from muniment.tables.registry import TABLES, FrameError

POLICIES = TABLES["policies"]


def policies(*names: str, description: str = "d") -> pl.DataFrame:
    return sample_rows(POLICIES, "x", len(names)).with_columns(
        access_policy_id=pl.Series(names, dtype=pl.String), description=pl.lit(description)
    )


def attached_databases(warehouse: Warehouse) -> list[str]:
    """Names under which the warehouse's folder is attached to this process's connection."""
    rows = warehouse._attached().connection.execute(
        "SELECT database_name FROM duckdb_databases() WHERE path LIKE ?", [f"%{warehouse.folder}/%"]
    )
    return [row[0] for row in rows.fetchall()]


def names_in(snapshot: Snapshot) -> list[str]:
    return sorted(snapshot.table("policies")["access_policy_id"])


def test_a_new_warehouse_has_every_table_empty_and_making_it_again_keeps_rows(tmp_path: Path) -> None:
    warehouse = Warehouse.create(tmp_path / "deep" / "w")
    for name, table in TABLES.items():
        frame = warehouse.latest().table(name)
        assert (frame.height, frame.schema) == (0, table.schema), name
    warehouse.commit([Append("policies", policies("open"))])
    assert names_in(Warehouse.create(tmp_path / "deep" / "w").latest()) == ["open"]


def test_every_table_gives_back_the_rows_and_types_written(warehouse: Warehouse) -> None:
    frames = {name: sample_rows(table, "v", 4) for name, table in TABLES.items()}
    warehouse.commit([Append(name, frame) for name, frame in frames.items()])
    snapshot = warehouse.latest()
    for name, frame in frames.items():
        key = TABLES[name].key
        assert snapshot.table(name).sort(key).equals(frame.sort(key)), name
        assert snapshot.table(name, list(key)).schema == frame.select(key).schema


def test_no_warehouse_is_an_error_with_advice_and_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=r"w: there is no warehouse; run `muniment init`"):
        Warehouse.open(tmp_path / "w")
    assert not (tmp_path / "w").exists()


def test_a_half_made_warehouse_is_refused_and_completed_by_create(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    sqlite3.connect(tmp_path / "w" / "catalog.sqlite").close()
    (tmp_path / "w" / "catalog.sqlite").touch()
    with pytest.raises(WarehouseError, match="muniment init"):
        Warehouse.open(tmp_path / "w")
    assert Warehouse.create(tmp_path / "w").latest().table("policies").height == 0


@pytest.mark.parametrize(("apart", "advice"), [(-1, "rebuild"), (1, "newer program")])
def test_another_schema_version_is_refused_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: int, advice: str
) -> None:
    ours = registry.SCHEMA_VERSION
    number = ours + apart
    with monkeypatch.context() as patch:
        patch.setattr("muniment.store.catalog.SCHEMA_VERSION", number)
        Warehouse.create(tmp_path / "w").close()
    for attempt in (Warehouse.open, Warehouse.create):
        with pytest.raises(WarehouseError, match=f"has schema {number}.*schema {ours}.*{advice}"):
            attempt(tmp_path / "w")


def test_the_same_number_over_other_columns_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delitem(TABLES, "policies")
        Warehouse.create(tmp_path / "w").close()
    with pytest.raises(WarehouseError, match="columns are not those"):
        Warehouse.open(tmp_path / "w")


def test_a_moved_warehouse_opens_with_its_rows_and_takes_new_ones(warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.commit([Append("policies", policies("before"))])
    warehouse.close()
    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "w").rename(tmp_path / "elsewhere" / "it's here")
    opened = Warehouse.open(moved)
    opened.commit([Append("policies", policies("after"))])
    assert names_in(opened.latest()) == ["after", "before"]
    assert not (tmp_path / "w").exists()


def test_a_snapshot_stays_what_it_was(warehouse: Warehouse) -> None:
    first = warehouse.commit([Append("policies", policies("a"))])
    pinned = warehouse.latest()
    second = warehouse.commit([ReplaceAll("policies", policies("b", "c"))])
    assert pinned.snapshot_id == first < second
    assert names_in(pinned) == ["a"]
    assert names_in(warehouse.at(first)) == ["a"]
    assert names_in(warehouse.latest()) == ["b", "c"]


def test_queries_take_parameters_and_frames_of_their_own(warehouse: Warehouse) -> None:
    warehouse.commit([Append("policies", policies("a", "b", "c"))])
    wanted = pl.DataFrame({"name": ["b", "c", "z"]})
    snapshot = warehouse.latest()
    found = snapshot.read(
        "SELECT access_policy_id AS name FROM policies JOIN wanted ON access_policy_id = name WHERE name > ?",
        ["b"],
        {"wanted": wanted},
    )
    assert found.to_dicts() == [{"name": "c"}]
    with pytest.raises(duckdb.CatalogException, match="wanted"):
        snapshot.read("SELECT * FROM wanted")


def test_reading_cannot_write(warehouse: Warehouse) -> None:
    with pytest.raises(duckdb.Error, match="read-only"):
        warehouse.latest().read("DELETE FROM policies")


def test_a_failing_change_undoes_those_before_it(warehouse: Warehouse) -> None:
    before = warehouse.commit([Append("policies", policies("a"))])
    with pytest.raises(DuplicateKeyError, match=r"policies.*'access_policy_id': 'a'"):
        warehouse.commit([Append("sources", sample_rows(TABLES["sources"], "s", 1)), Append("policies", policies("a"))])
    assert warehouse.latest().snapshot_id == before
    assert warehouse.latest().table("sources").is_empty()


def test_changes_of_one_commit_see_each_other_in_order(warehouse: Warehouse) -> None:
    keys = pl.DataFrame({"access_policy_id": ["a"]})
    warehouse.commit([Append("policies", policies("a"))])
    warehouse.commit(
        [Delete("policies", ("access_policy_id",), keys), Append("policies", policies("a", description="new"))]
    )
    assert warehouse.latest().table("policies")["description"].to_list() == ["new"]
    with pytest.raises(DuplicateKeyError):
        warehouse.commit([Append("policies", policies("b")), Append("policies", policies("b"))])


def test_replace_refuses_a_key_that_another_group_holds(warehouse: Warehouse) -> None:
    chunks = sample_rows(TABLES["chunks"], "v1", 2)
    warehouse.commit([Append("chunks", chunks)])
    moved = chunks.with_columns(version_id=pl.lit("v2"))
    with pytest.raises(DuplicateKeyError):
        warehouse.commit([Replace("chunks", moved, ("version_id",))])
    assert warehouse.latest().table("chunks").sort("chunk_id").equals(chunks.sort("chunk_id"))


def test_replace_without_rows_empties_the_groups_named(warehouse: Warehouse) -> None:
    warehouse.commit([*eight_appends("v1", 2), *eight_appends("v2", 3)])
    keys = pl.DataFrame({"version_id": ["v1"]})
    warehouse.commit([Replace(name, TABLES[name].empty(), ("version_id",), keys) for name in EIGHT])
    assert rows_by_version(warehouse.latest()) == {"v2": dict.fromkeys(EIGHT, 3)}


def test_nothing_to_change_makes_no_snapshot(warehouse: Warehouse) -> None:
    rows = policies("a", "b")
    held = warehouse.commit([Append("policies", rows)])
    before = warehouse.snapshots()
    absent = pl.DataFrame({"access_policy_id": ["z"]})
    without_effect: list[Sequence[Change]] = [
        [],
        [Append("policies", POLICIES.empty())],
        [Upsert("policies", rows.head(1)), Upsert("policies", POLICIES.empty())],
        [Replace("policies", rows.reverse(), ("access_policy_id",))],
        [ReplaceAll("policies", rows.reverse()), ReplaceAll("sources", TABLES["sources"].empty())],
        [Delete("policies", ("access_policy_id",), absent), Delete("policies", ("access_policy_id",), absent.clear())],
        [Replace("policies", POLICIES.empty(), ("access_policy_id",), absent)],
    ]
    for changes in without_effect:
        assert warehouse.commit(changes) == held
        assert warehouse.commit(lambda _, changes=changes: changes) == held
    assert warehouse.snapshots() == before


def test_a_claim_is_decided_on_the_newest_state_and_may_be_given_up(warehouse: Warehouse) -> None:
    old = warehouse.latest()
    for _ in range(3):
        warehouse.commit(raise_counter)
    assert (counter(old), counter(warehouse.latest())) == (0, 3)

    def refuse(snapshot: Snapshot) -> Sequence[Change]:
        raise LookupError(f"taken at {counter(snapshot)}")

    with pytest.raises(LookupError, match="taken at 3"):
        warehouse.commit(refuse)
    assert warehouse.commit(raise_counter) == warehouse.latest().snapshot_id
    assert counter(warehouse.latest()) == 4


def test_a_commit_inside_a_commit_is_an_error_and_not_a_deadlock(warehouse: Warehouse) -> None:
    def nested(_: Snapshot) -> Sequence[Change]:
        warehouse.commit([Append("policies", policies("inner"))])
        return []

    with pytest.raises(WarehouseError, match="commit inside a commit"):
        warehouse.commit(nested)
    warehouse.commit([Append("policies", policies("later"))])


BAD_FRAMES = {
    "missing columns": policies("a").drop("description"),
    "unknown columns": policies("a").with_columns(extra=pl.lit(1)),
    "wrong types": policies("a").with_columns(description=pl.lit(1)),
    "null in": policies("a").with_columns(description=pl.lit(None, dtype=pl.String)),
    "not unique": policies("a", "a"),
}


@pytest.mark.parametrize("problem", BAD_FRAMES)
def test_a_frame_that_does_not_fit_its_table_is_refused(warehouse: Warehouse, problem: str) -> None:
    frame = BAD_FRAMES[problem]
    match = ("access_policy_id",)
    before = warehouse.latest().snapshot_id
    for change in (
        Append("policies", frame),
        ReplaceAll("policies", frame),
        Upsert("policies", frame),
        Replace("policies", frame, match),
    ):
        with pytest.raises(FrameError, match=problem):
            warehouse.commit([change])
        with pytest.raises(FrameError, match=problem):
            warehouse.commit(lambda _, change=change: [change])
    assert warehouse.latest().snapshot_id == before


def test_unknown_tables_and_keys_that_do_not_fit_are_refused(warehouse: Warehouse) -> None:
    keys = pl.DataFrame({"access_policy_id": ["a"]})
    wrong: list[Change] = [
        Append("nothing", policies("a")),
        Delete("policies", ("nothing",), keys),
        Delete("policies", (), keys),
        Delete("policies", ("access_policy_id",), pl.DataFrame({"access_policy_id": [1]})),
        Replace("policies", policies("a"), ("access_policy_id",), pl.DataFrame({"other": ["a"]})),
    ]
    for change in wrong:
        with pytest.raises(FrameError, match=change.table):
            warehouse.commit([change])


def test_threads_share_a_warehouse(warehouse: Warehouse) -> None:
    def work(name: str) -> bool:
        for number in range(2):
            warehouse.commit([Append("policies", policies(f"{name}-{number}"))])
            warehouse.commit(raise_counter)
        return f"{name}-1" in names_in(warehouse.latest())

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, ("a", "b", "c", "d"))) == [True] * 4
    assert (len(names_in(warehouse.latest())), counter(warehouse.latest())) == (8, 8)


def test_many_snapshots_may_be_read_in_turn(warehouse: Warehouse) -> None:
    ids = [warehouse.commit([Append("policies", policies(f"p{number}"))]) for number in range(10)]
    for known, rows in [*zip(ids, range(1, 11), strict=True), (ids[0], 1)]:
        assert warehouse.at(known).table("policies").height == rows
    assert len(attached_databases(warehouse)) <= 9, "snapshots long unused are let go"


def test_a_warehouse_that_nobody_holds_any_more_is_detached(warehouse: Warehouse) -> None:
    for _ in range(3):
        names_in(Warehouse.open(warehouse.folder).latest())
    assert len(attached_databases(warehouse)) == 1


def test_a_connection_factory_is_used_and_told_the_rules(tmp_path: Path) -> None:
    made: list[duckdb.DuckDBPyConnection] = []

    def connect() -> duckdb.DuckDBPyConnection:
        made.append(duckdb.connect(":memory:"))
        return made[-1]

    warehouse = Warehouse.create(tmp_path / "w", connect=connect)
    warehouse.commit([Append("policies", policies("a"))])
    settings = warehouse.latest().read(
        "SELECT current_setting('TimeZone'), current_setting('autoload_known_extensions')::VARCHAR, "
        "current_setting('autoinstall_known_extensions')::VARCHAR"
    )
    assert settings.row(0) == ("UTC", "false", "false")
    assert len(made) == 1


def test_the_resource_of_dagster_duckdb_may_be_the_connection_factory(tmp_path: Path) -> None:
    from dagster_duckdb import DuckDBResource

    with DuckDBResource(database=":memory:").get_connection() as connection:
        warehouse = Warehouse.create(tmp_path / "w", connect=lambda: connection)
        warehouse.commit([Append("policies", policies("a"))])
        assert names_in(Warehouse.open(tmp_path / "w", connect=lambda: connection).latest()) == ["a"]


def test_a_closed_warehouse_attaches_again_when_used(warehouse: Warehouse) -> None:
    snapshot = warehouse.latest()
    warehouse.close()
    assert names_in(snapshot) == []
    warehouse.close()
    warehouse.close()


def test_rows_stand_in_files_and_the_catalog_in_write_ahead_mode(warehouse: Warehouse) -> None:
    warehouse.commit([Append("policies", policies("a-name-to-look-for"))])
    warehouse.close()
    catalog = sqlite3.connect(warehouse.folder / "catalog.sqlite")
    assert catalog.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert catalog.execute("SELECT count(*) FROM ducklake_data_file").fetchone() == (2,)  # the stamp and the row
    catalog.close()
    assert len(list((warehouse.folder / "data" / "main" / "policies").glob("*.parquet"))) == 1


def test_a_missing_extension_says_what_to_install() -> None:
    assert extension_path("ducklake").is_file()
    with pytest.raises(WarehouseError, match="install duckdb-extension-no-such=="):
        extension_path("no_such")
