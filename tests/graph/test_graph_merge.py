"""Relationships from claims, and what documents are about."""

from __future__ import annotations

import polars as pl
import pytest
from graph_rows import DOMAIN, VIEW, Corpus, Said, corpus

from muniment.graph.linked import claim_counts, linked_claims
from muniment.graph.merge import merge
from muniment.tables.registry import TABLES, check_frame


def _merged(given: Corpus, extractions: pl.DataFrame | None = None) -> dict[str, pl.DataFrame]:
    titles = TABLES["extractions"].empty() if extractions is None else extractions
    frames = merge(given.claims, given.mentions, given.entity_mentions, titles, VIEW, domain=DOMAIN)
    return {name: check_frame(TABLES[name], frame) for name, frame in frames.items()}


def test_a_relationship_counts_claims_statements_and_documents() -> None:
    frames = _merged(
        corpus(
            [
                Said("P", "use", "Q", "a.1", confidence=0.85, statement="s1"),
                Said("P", "use", "Q", "a.2", confidence=0.90, statement="s1"),
                Said("P", "use", "Q", "b.1", confidence=0.40, statement="s2"),
                Said("P", "use", "Q", "b.1", polarity="negative"),
                Said("Q", "use", "P", "b.1"),
            ]
        )
    )
    columns = ("subject_id", "object_id", "polarity", "claims", "statements", "documents", "weight")
    # s1 counts once, at its best confidence: 0.90 + 0.40
    assert set(frames["relationships"].select(columns).iter_rows()) == {
        ("P", "Q", "positive", 3, 2, 2, 1.3),
        ("P", "Q", "negative", 1, 1, 1, 0.85),
        ("Q", "P", "positive", 1, 1, 1, 0.85),
    }
    assert sorted(frames["relationship_claims"]["claim_id"]) == ["c0", "c1", "c2", "c3", "c4"]


def test_a_condition_or_a_denial_never_strengthens_an_edge() -> None:
    firm = Said("P", "use", "Q", "a.1", confidence=0.8, statement="s1")
    conditional = [
        Said("P", "use", "Q", "b.1", confidence=0.9, statement="s2", condition="if online"),
        Said("P", "use", "Q", "c.1", confidence=0.6, statement="s3", condition="after dark"),
    ]
    denied = Said("P", "use", "Q", "d.1", polarity="negative", statement="s4")
    columns = ("polarity", "claims", "conditional", "weight")
    rows = _merged(corpus([firm, *conditional, denied]))["relationships"].select(columns).rows()
    assert set(rows) == {("positive", 3, False, 0.8), ("negative", 1, False, 0.85)}
    # conditional only: marked, half of the best of them
    assert _merged(corpus(conditional))["relationships"].select(columns).rows() == [("positive", 2, True, 0.45)]


def test_a_relationship_says_in_which_modalities_it_is_stated() -> None:
    said = [Said("P", "use", "Q", "a.1", modality="shall"), Said("P", "use", "Q", "b.1")]
    assert _merged(corpus(said))["relationships"]["modalities"].to_list() == [["is", "shall"]]


def test_co_occurrence_weighs_a_quarter() -> None:
    said = [Said("P", "related_to", "Q", confidence=0.4, rule="R12")]
    assert _merged(corpus(said))["relationships"]["weight"].to_list() == [0.1]


def test_both_directions_of_a_symmetric_relation_are_one_edge_and_of_others_two() -> None:
    said = [Said("Q", "borders", "P", "a.1", statement="s1"), Said("P", "borders", "Q", "b.1", statement="s2")]
    frames = _merged(corpus(said))
    assert frames["relationships"].select("subject_id", "object_id", "statements").rows() == [("P", "Q", 2)]
    assert frames["relationship_claims"]["claim_id"].to_list() == ["c0", "c1"]
    directed = [Said("Q", "use", "P", "a.1"), Said("P", "use", "Q", "b.1")]
    assert _merged(corpus(directed))["relationships"].height == 2


def test_every_claim_is_accounted_for() -> None:
    given = corpus(
        [
            Said("P", "use", "Q"),
            Said("P", "replace", "P"),
            Said("P", "cost", value="5 EUR", value_type="money"),
            Said("P", "start on", "May"),
            Said("May", "precede", "P"),
        ],
        {"May": "date"},
    )
    assert claim_counts(linked_claims(given.claims, given.mentions, given.entity_mentions)) == {
        "claims": 5,
        "relations": 1,
        "self_loops": 1,
        "attributes": 2,
        "without_subject": 1,
        "without_object": 0,
    }
    frames = _merged(given)
    assert frames["relationships"].height == frames["relationship_claims"].height == 1


def test_a_statement_without_confidence_still_has_weight_and_a_wrong_one_is_refused() -> None:
    assert _merged(corpus([Said("P", "use", "Q", confidence=0.0)]))["relationships"]["weight"].to_list() == [0.001]
    for wrong in (float("nan"), -0.1, 1.5):
        with pytest.raises(ValueError, match="first c0"):
            _merged(corpus([Said("P", "use", "Q", confidence=wrong)]))


def test_row_order_changes_nothing() -> None:
    given = corpus([Said("P", "use", "Q", "a.1", confidence=0.1 * n, statement=f"s{n}") for n in range(1, 9)])
    turned = Corpus(given.claims.reverse(), given.claim_evidence, given.mentions.reverse(), given.entity_mentions.reverse(), given.canonical_entities)  # fmt: skip # noqa: E501
    assert all(frame.equals(_merged(turned)[name]) for name, frame in _merged(given).items())


def test_subjects_of_a_document_come_from_its_title_before_its_headings() -> None:
    given = corpus([Said("Ledger", "use", "Q"), Said("Backup", "use", "Ledger")])
    subjects = given.mentions.with_columns((pl.col("name") != "q").alias("is_subject"))
    titles = TABLES["extractions"].frame([{"extraction_id": "xa.1", "title": "The Ledger service"}])
    frame = merge(given.claims, subjects, given.entity_mentions, titles, VIEW, domain=DOMAIN)["document_subjects"]
    assert frame.select("version_id", "document_id", "entity_id", "basis").rows() == [
        ("a.1", "a", "Backup", "heading"),
        ("a.1", "a", "Ledger", "title"),
    ]
