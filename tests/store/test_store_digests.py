"""Digests say whether the content is the same, whatever way it was written."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_workers import eight_appends, sample_rows

from muniment.store.changes import Append, ReplaceAll, Upsert
from muniment.store.digests import combined, content_digests, table_digest
from muniment.store.rows import FrameRows
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES

CHUNKS = TABLES["chunks"]


def digest_of(name: str, frame: pl.DataFrame) -> str:
    return table_digest(FrameRows({name: frame}), TABLES[name])


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(12)), cuts=st.lists(st.integers(0, 12), max_size=3))
def test_order_and_split_over_commits_do_not_matter(warehouse: Warehouse, order: list[int], cuts: list[int]) -> None:
    frame = sample_rows(CHUNKS, "v", 12)
    shuffled = frame[order]
    warehouse.commit([ReplaceAll("chunks", CHUNKS.empty())])
    bounds = [0, *sorted(cuts), 12]
    for start, end in itertools.pairwise(bounds):
        warehouse.commit([Append("chunks", shuffled[start:end])])
    assert table_digest(warehouse.latest(), CHUNKS) == digest_of("chunks", frame)


def test_rows_updated_rewritten_and_merged_have_the_digest_of_rows_written_once(warehouse: Warehouse) -> None:
    final = sample_rows(CHUNKS, "v", 40)
    warehouse.commit([Append("chunks", final.with_columns(text=pl.lit("draft")).head(30))])
    for part in final.iter_slices(14):
        warehouse.commit([Upsert("chunks", part)])
    expected = digest_of("chunks", final)
    assert table_digest(warehouse.latest(), CHUNKS) == expected
    warehouse.merge_adjacent()
    assert table_digest(warehouse.latest(), CHUNKS) == expected


CHANGES: dict[str, pl.Expr] = {
    "a text": pl.col("text") + " ",
    "a number": pl.col("tokens") + 1,
    "a flag": ~pl.col("hidden"),
    "null instead of a text": pl.lit(None, dtype=pl.String).alias("previous_chunk_id"),
    "the word null instead of null": pl.col("previous_chunk_id").fill_null("null"),
    "a list cut otherwise": pl.lit(["a,", "Ünï"]).alias("section_path"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_other_content_is_another_digest(what: str) -> None:
    frame = sample_rows(CHUNKS, "v", 3)
    assert digest_of("chunks", frame.with_columns(CHANGES[what])) != digest_of("chunks", frame)


def test_values_cannot_slide_from_column_to_column() -> None:
    frame = sample_rows(TABLES["policies"], "v", 1)
    left = frame.with_columns(access_policy_id=pl.lit('a","b'), description=pl.lit("c"))
    right = frame.with_columns(access_policy_id=pl.lit("a"), description=pl.lit('b","c'))
    assert digest_of("policies", left) != digest_of("policies", right)


def test_floats_count_to_the_last_bit_and_zero_has_no_sign() -> None:
    frame = sample_rows(TABLES["claims"], "v", 1)

    def digest_with(value: float) -> str:
        return digest_of("claims", frame.with_columns(confidence=pl.lit(value)))

    assert digest_with(0.1 + 0.2) != digest_with(0.3)
    assert digest_with(-0.0) == digest_with(0.0)


def test_who_and_when_do_not_matter() -> None:
    frame = sample_rows(TABLES["documents"], "v", 3)
    later = frame.with_columns(created_at=pl.lit(datetime(2030, 1, 1, tzinfo=UTC)).dt.cast_time_unit("us"))
    assert not later.equals(frame)
    assert digest_of("documents", later) == digest_of("documents", frame)


def test_two_empty_tables_differ_and_one_row_is_not_none() -> None:
    empty = {name: digest_of(name, TABLES[name].empty()) for name in ("chunks", "claims")}
    assert empty["chunks"] != empty["claims"]
    assert digest_of("chunks", sample_rows(CHUNKS, "v", 1)) != empty["chunks"]


def test_content_is_every_recorded_and_derived_table_but_published_ids(warehouse: Warehouse) -> None:
    warehouse.commit(eight_appends("w", 2))
    digests = content_digests(warehouse.latest())
    assert list(digests) == sorted(digests)
    assert {"sources", "model_answers", "chunks", "embeddings", "review_items"} <= set(digests)
    assert not {"published_ids", "batches", "stage_status", "generations"} & set(digests)
    warehouse.commit([Append(name, sample_rows(TABLES[name], "w", 2)) for name in ("published_ids", "batches")])
    assert content_digests(warehouse.latest()) == digests
    warehouse.commit([Append("losses", sample_rows(TABLES["losses"], "w", 1))])
    changed = content_digests(warehouse.latest())
    assert {name for name in digests if digests[name] != changed[name]} == {"losses"}
    assert combined(changed) != combined(digests) == combined(dict(reversed(digests.items())))
