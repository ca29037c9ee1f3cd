"""Any sequence of changes leaves what the same changes to a plain Python dictionary leave."""

from __future__ import annotations

import copy
from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.store.changes import Append, Change, Delete, Replace, ReplaceAll, Upsert
from muniment.store.errors import DuplicateKeyError
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES

TABLE = TABLES["chunk_states"]  # key (view_id, chunk_id); reason_code may be null

Row = tuple[str, str, str, str, str | None, str | None]
Model = dict[tuple[str, str], Row]
Step = tuple[Change, Callable[[Model], None]]

rows = st.tuples(
    st.sampled_from(["v", "w"]),
    st.sampled_from(["c1", "c2", "c3"]),
    st.sampled_from(["x", "y"]),
    st.sampled_from(["indexed", 'it\'s "quoted"']),
    st.none() | st.sampled_from(["r", ""]),
    st.none(),
)
frames = st.lists(rows, max_size=4, unique_by=lambda row: row[:2])
#: Columns to match by: with and without nulls, inside the key, outside it, across it.
matches = st.sampled_from([("view_id",), ("version_id",), ("reason_code",), ("chunk_id", "reason_code"), TABLE.key])


def frame_of(content: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(content, schema=TABLE.schema, orient="row")


def matched(row: Row, match: tuple[str, ...]) -> tuple[str | None, ...]:
    return tuple(row[list(TABLE.schema).index(name)] for name in match)


def remove(model: Model, match: tuple[str, ...], keys: set[tuple[str | None, ...]]) -> None:
    for key in [key for key, row in model.items() if matched(row, match) in keys]:
        del model[key]


def insert(model: Model, content: list[Row]) -> None:
    for row in content:
        if row[:2] in model:
            raise DuplicateKeyError
        model[row[:2]] = row


def append(content: list[Row]) -> Step:
    return Append(TABLE.name, frame_of(content)), lambda model: insert(model, content)


def replace_all(content: list[Row]) -> Step:
    def change(model: Model) -> None:
        model.clear()
        insert(model, content)

    return ReplaceAll(TABLE.name, frame_of(content)), change


def upsert(content: list[Row]) -> Step:
    return Upsert(TABLE.name, frame_of(content)), lambda model: model.update({row[:2]: row for row in content})


def delete(content: list[Row], match: tuple[str, ...]) -> Step:
    keys = {matched(row, match) for row in content}
    return Delete(TABLE.name, match, frame_of(content).select(match)), lambda model: remove(model, match, keys)


def replace(content: list[Row], match: tuple[str, ...], named: list[Row] | None) -> Step:
    def change(model: Model) -> None:
        remove(model, match, {matched(row, match) for row in (content if named is None else named)})
        insert(model, content)

    keys = None if named is None else frame_of(named).select(match)
    return Replace(TABLE.name, frame_of(content), match, keys), change


steps = st.one_of(
    st.builds(append, frames),
    st.builds(replace_all, frames),
    st.builds(upsert, frames),
    st.builds(delete, frames, matches),
    st.builds(replace, frames, matches, st.none() | frames),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=frames, commits=st.lists(st.lists(steps, min_size=1, max_size=3), min_size=1, max_size=3))
def test_changes_do_what_a_dictionary_does(warehouse: Warehouse, start: list[Row], commits: list[list[Step]]) -> None:
    warehouse.commit([ReplaceAll(TABLE.name, frame_of(start))])
    model: Model = {row[:2]: row for row in start}
    for commit in commits:
        before = (warehouse.latest().snapshot_id, copy.copy(model))
        try:
            for _, expected in commit:
                expected(model)
        except DuplicateKeyError:
            model = before[1]
            with pytest.raises(DuplicateKeyError):
                warehouse.commit([change for change, _ in commit])
            assert warehouse.latest().snapshot_id == before[0]
        else:
            after = warehouse.commit([change for change, _ in commit])
            if len(commit) == 1:
                assert (after == before[0]) == (model == before[1]), "a snapshot is made by an effect, and only by one"
        assert sorted(warehouse.latest().table(TABLE.name).rows(), key=repr) == sorted(model.values(), key=repr)


def test_a_replaced_group_takes_part_in_no_other(warehouse: Warehouse) -> None:
    first: list[Row] = [("v", "c1", "x", "indexed", None, None), ("v", "c2", "y", "indexed", None, None)]
    warehouse.commit([Append(TABLE.name, frame_of(first))])
    second: list[Row] = [("v", "c3", "x", "indexed", None, None)]
    warehouse.commit([Replace(TABLE.name, frame_of(second), ("version_id",))])
    assert sorted(warehouse.latest().table(TABLE.name)["chunk_id"]) == ["c2", "c3"]
