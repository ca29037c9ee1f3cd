"""Pairs of entities that may be one: what is asked of people, and what is not asked again."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest
from resolution_rows import mention_rows, resolved

from muniment.loss.review import review_items
from muniment.resolution.ambiguous import ambiguous_pairs, pair_id
from muniment.resolution.judged import judged_groups
from muniment.resolution.judgements import Side, judgement_row
from muniment.resolution.selectors import Units, make_selectors
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES, check_frame
from muniment.trace.identity import open_pairs

DOCUMENTS = {
    "a": [("Harbour Gateway", "system")],
    "b": [("Harbour Gatehouse", "system")],
    "c": [("Tide Log", "system")],
}


def _home(judgements: pl.DataFrame | None = None) -> FrameRows:
    """Three entities of one mention each; resolution left the first two to people."""
    mentions = mention_rows(DOCUMENTS)
    frames = resolved(DOCUMENTS)
    assert frames["canonical_entities"].height == 3
    pairs = TABLES["pair_decisions"]
    open_pair: dict[str, object] = {
        **dict.fromkeys(pairs.schema, ""), "left_name": "harbour gatehouse", "left_type": "system",
        "right_name": "harbour gateway", "right_type": "system", "decision": "maybe_same", "rule": "similar",
        "score": 0.8,
    }  # fmt: skip
    texts = mentions.select("extraction_id", "version_id", "text")
    elements = mentions.select(
        "extraction_id", "version_id", "start", "end", pl.lit(["Systems"]).alias("section_path"), "text"
    )
    versions = mentions.select("version_id", "document_id", "extraction_id", pl.lit(value=True).alias("held"))
    return FrameRows(
        {
            **frames,
            "pair_decisions": pairs.frame([open_pair]),
            "mentions": mentions,
            "canonical_texts": texts,
            "elements": elements,
            "generation_versions": versions,
            "judgements": TABLES["judgements"].empty() if judgements is None else judgements,
        }
    )


def _side(document_id: str) -> Side:
    some = mention_rows(DOCUMENTS).filter(pl.col("document_id") == document_id)
    elements = some.select("document_id", "extraction_id", "start", "end", pl.lit(["Systems"]).alias("section_path"))
    units = Units(elements, some.select("extraction_id", "text"))
    return Side(some["text"][0], tuple(make_selectors(some, units)), tuple(some["name"]))


def test_an_open_pair_is_asked_once_with_both_entities() -> None:
    rows = _home()
    entity = dict(rows.table("canonical_entities").select("name", "entity_id").iter_rows())
    (pair,) = open_pairs(rows, "operator").pairs
    assert {pair.left.name, pair.right.name} == {"Harbour Gateway", "Harbour Gatehouse"}
    assert pair.pair_id == pair_id(entity["Harbour Gateway"], entity["Harbour Gatehouse"])
    assert pair.pair_id in str(pair) and "0.80" in str(pair)
    assert open_pairs(rows, "legal").pairs == []
    items = check_frame(TABLES["review_items"], review_items(rows, ambiguous_pairs(rows, "operator")))
    (item,) = items.iter_rows(named=True)
    assert (item["item_id"], item["kind"], item["severity"]) == (pair.pair_id, "ambiguous_entity", "info")
    assert "Harbour Gatehouse" in item["detail"] and "muniment entity review" in item["advice"]


def test_a_pair_that_a_person_told_apart_is_not_asked_again() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    nothing = TABLES["judgements"].empty()
    other = judgement_row(nothing, "different_entity", _side("a"), _side("c"), "Ann", now)
    assert ambiguous_pairs(_home(other), "operator").height == 1
    apart = judgement_row(nothing, "different_entity", _side("a"), _side("b"), "Ann", now)
    assert ambiguous_pairs(_home(apart), "operator").is_empty()


def test_pairs_that_contradict_one_another_are_an_error_of_the_caller() -> None:
    ids = ["m:a:0", "m:b:0"]
    mentions = mention_rows(DOCUMENTS).with_columns(pl.col("mention_id").alias("group"), pl.lit(1).alias("first_scan"))
    judged = pl.DataFrame(
        [(*ids, "same", "j1"), (*ids, "different", "j2")],
        schema=["left_mention_id", "right_mention_id", "decision", "judgement_id"],
        orient="row",
    )
    with pytest.raises(ValueError, match="undo one of them"):
        judged_groups(mentions, judged)
    absent = judged.with_columns(pl.lit("m:gone").alias("right_mention_id"))
    assert judged_groups(mentions, absent).is_empty()
