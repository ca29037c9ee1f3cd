"""What holds for any corpus: order does not matter, ids last, each mention is one entity's."""

from __future__ import annotations

import random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from resolution_rows import Named, Stated, mention_rows, resolved, scans

from muniment.resolution.resolve import resolve
from muniment.settings import ResolutionSettings
from muniment.tables.registry import TABLES

_NAMES: list[Named] = [
    ("Acme", "organisation"), ("Acme", "person"), ("Acme", "place"), ("Acme's", "concept"),
    ("ACME Ltd", "organisation"), ("Acme GmbH", "organisation"),
    ("Reserve Bank of India", "organisation"), ("Reserve Bank of Iran", "organisation"),
    ("RBI", "organisation"), ("RBI", "place"), ("RBI", "organisation", "Reserve Bank of India"),
    ("RBI", "organisation", "Reserve Bank of Iran"), ("RBI", "law", "Rule Book I"), ("data-base", "concept"),
    ("database", "concept"), ("data base", "system"), ("logs", "concept"), ("log", "concept"), ("5 May", "date"),
    ("John Smith", "person"), ("Smith, John", "person"), ("J. Smith", "person"), ("Smith", "person"),
    ("John A. Smith", "person"), ("John B. Smith", "person"), ("Supplier", "organisation"), ("supplier", "concept"),
    Stated("Supplier", "organisation", "ACME Ltd", "defined_term"),
    Stated("Mint Street", "organisation", "Reserve Bank of India", "aka"), ("Mint Street", "place"),
    Stated("Access Control AC-04", "control", identifier="AC-04"), Stated("AC-04", "control", identifier="AC-04"),
    ("Access Control", "control"), Stated("Access Control AC-07", "control", identifier="AC-07"),
]  # fmt: skip

_CORPORA = st.lists(st.lists(st.sampled_from(_NAMES), max_size=5), min_size=1, max_size=5)


def _documents(corpus: list[list[Named]]) -> dict[str, list[Named]]:
    # ids against the order of capture, so that one cannot stand in for the other
    return {f"d{9 - place}": named for place, named in enumerate(corpus)}


@settings(max_examples=30, deadline=None)
@given(_CORPORA, st.integers(0, 1000))
def test_the_order_of_rows_changes_nothing(corpus: list[list[Named]], seed: int) -> None:
    documents = _documents(corpus)
    rows = mention_rows(documents)
    order = random.Random(seed).sample(range(rows.height), rows.height)
    shuffled = resolve(rows[order], scans(documents).reverse(), "operator", ResolutionSettings())
    expected = resolved(documents)
    assert all(shuffled[name].equals(frame) for name, frame in expected.items())


@settings(max_examples=30, deadline=None)
@given(_CORPORA)
def test_each_mention_but_values_belongs_to_one_entity(corpus: list[list[Named]]) -> None:
    documents = _documents(corpus)
    frames = resolved(documents)
    named = mention_rows(documents).filter(pl.col("entity_type") != "date")
    assert frames["entity_mentions"]["mention_id"].to_list() == named["mention_id"].sort().to_list()
    assert set(frames["entity_mentions"]["entity_id"]) == set(frames["canonical_entities"]["entity_id"])
    assert frames["canonical_entities"]["mentions"].sum() == named.height
    assert frames["aliases"]["mentions"].sum() == named.height


@settings(max_examples=40, deadline=None)
@given(_CORPORA, st.lists(st.sampled_from(_NAMES), max_size=5))
def test_a_later_document_changes_no_id_unless_an_earlier_anchor_takes_the_entity(
    corpus: list[list[Named]], later: list[Named]
) -> None:
    before, after = _documents(corpus), _documents([*corpus, later])
    order = {document_id: place for place, document_id in enumerate(after)}
    old, new = resolved(before)["canonical_entities"], resolved(after)
    entity_of = dict(new["entity_mentions"].select("mention_id", "entity_id").iter_rows())
    anchors = dict(new["canonical_entities"].select("entity_id", "anchor_mention_id").iter_rows())

    def place(mention_id: str) -> tuple[int, int]:
        _, document_id, start = mention_id.split(":")
        return order[document_id], int(start)

    for entity_id, anchor in old.select("entity_id", "anchor_mention_id").iter_rows():
        now = entity_of[anchor]
        assert now == entity_id or place(anchors[now]) < place(anchor)


@settings(max_examples=25, deadline=None)
@given(_CORPORA)
def test_decisions_of_a_part_of_the_corpus_never_contradict_those_of_the_whole(corpus: list[list[Named]]) -> None:
    documents = _documents(corpus)
    part = dict(list(documents.items())[: len(documents) // 2])
    key = TABLES["pair_decisions"].key
    whole = resolved(documents)["pair_decisions"]
    both = resolved(part)["pair_decisions"].join(whole, on=key)
    assert both.filter(pl.col("decision") != pl.col("decision_right")).is_empty()


@settings(max_examples=30, deadline=None)
@given(_CORPORA, st.data())
def test_a_judgement_joins_or_parts_exactly_and_undone_it_restores_every_row(
    corpus: list[list[Named]], data: st.DataObject
) -> None:
    documents = _documents(corpus)
    before = resolved(documents)
    mentions = before["entity_mentions"]["mention_id"].to_list()
    if len(mentions) < 2:
        return
    left, right = data.draw(st.lists(st.sampled_from(mentions), min_size=2, max_size=2, unique=True))
    decision = data.draw(st.sampled_from(["same", "different"]))
    judged = pl.DataFrame(
        {"left_mention_id": [left], "right_mention_id": [right], "decision": [decision], "judgement_id": ["j"]}
    )
    frames = resolved(documents, judged=judged)
    entity = dict(frames["entity_mentions"].select("mention_id", "entity_id").iter_rows())
    assert (entity[left] == entity[right]) == (decision == "same")
    # mentions of entities that the judgement does not name keep their ids
    old = dict(before["entity_mentions"].select("mention_id", "entity_id").iter_rows())
    touched = {old[left], old[right]}
    assert {m: e for m, e in entity.items() if old[m] not in touched} == {
        m: e for m, e in old.items() if e not in touched
    }
    undone = resolved(documents, judged=judged.clear())
    assert all(undone[name].equals(frame) for name, frame in before.items())
