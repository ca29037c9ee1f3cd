"""Claims that cannot all hold are found and kept; what can hold together is left in peace."""

from __future__ import annotations

import datetime
import random

import pytest
from graph_rows import VIEW, Said, corpus

from muniment.graph.conflicts import MAX_VALUES, find_conflicts, many_valued
from muniment.tables.registry import TABLES, check_frame

_YES, _NO = Said("P", "support", "Q", "a.1"), Said("P", "support", "Q", "b.1", polarity="negative")


def _found(said: list[Said], types: dict[str, str] | None = None) -> list[tuple[str, str, dict[str, str]]]:
    """Kind, subject, and side by claim of each conflict."""
    given = corpus(said, types)
    frames = find_conflicts(given.claims, given.mentions, given.entity_mentions, given.canonical_entities, VIEW)
    conflicts = check_frame(TABLES["conflicts"], frames["conflicts"])
    members = check_frame(TABLES["conflict_claims"], frames["conflict_claims"])
    result = []
    for row in conflicts.sort("kind", "subject_id", "predicate").iter_rows(named=True):
        sides = dict(members.filter(conflict_id=row["conflict_id"]).select("claim_id", "side").iter_rows())
        assert len(sides) == row["claims"]
        result.append((row["kind"], row["subject_id"], sides))
    return result


def test_a_denial_in_another_document_is_a_contradiction() -> None:
    assert _found([_YES, _NO]) == [("contradiction", "P", {"c0": "positive", "c1": "negative"})]


def test_a_denial_in_another_version_is_a_version_difference() -> None:
    other = Said("P", "support", "Q", "a.2", polarity="negative")
    assert _found([_YES, other]) == [("version_difference", "P", {"c0": "positive", "c1": "negative"})]


def test_a_document_that_contradicts_itself_is_shown() -> None:
    within = Said("P", "support", "Q", "a.1", polarity="negative")
    assert [kind for kind, _, _ in _found([_YES, within])] == ["contradiction"]


def test_two_owners_in_two_documents_are_a_contradiction() -> None:
    # the passive is stored turned round: R owns P
    assert _found([Said("R", "own", "P", "a.1"), Said("S", "own", "P", "b.1"), Said("R", "own", "T", "b.1")]) == [
        ("contradiction", "P", {"c0": "R", "c1": "S"})
    ]


def test_a_generic_word_is_another_thing_in_each_document() -> None:
    said = [Said("R", "own", "station", "a.1"), Said("S", "own", "station", "b.1")]
    assert _found(said, {"station": "concept"}) == []
    named = [Said("R", "own", "old station", "a.1"), Said("S", "own", "old station", "b.1")]
    assert len(_found(named, {"old station": "concept"})) == 1


def test_values_of_an_attribute_are_compared_without_case_and_spacing() -> None:
    same = [Said("P", "retain for", "", version, value=text) for version, text in (("a.1", "30  Days"), ("b.1", "30 days"))]  # fmt: skip # noqa: E501
    assert _found(same) == []
    differing = [*same, Said("P", "retain for", "", "c.1", value="90 days")]
    assert _found(differing) == [("contradiction", "P", {"c0": "30 days", "c1": "30 days", "c2": "90 days"})]


def test_a_date_that_a_mention_names_is_a_value() -> None:
    said = [Said("P", "expire on", "May", "a.1"), Said("P", "expire on", "June", "b.1")]
    assert _found(said, {"May": "date", "June": "date"}) == [("contradiction", "P", {"c0": "may", "c1": "june"})]


def test_a_number_by_the_copula_counts_for_named_things_only() -> None:
    said = [Said("P", "be", "", version, value=text, value_type="percent") for version, text in (("a.1", "5 %"), ("b.1", "6 %"))]  # fmt: skip # noqa: E501
    assert len(_found(said)) == 1
    assert _found(said, {"P": "concept"}) == []


@pytest.mark.parametrize(
    "peaceful",
    [
        # other objects, other predicates
        [_YES, Said("P", "support", "R", "b.1", polarity="negative")],
        [_YES, Said("P", "use", "Q", "b.1", polarity="negative")],
        # another condition is another scope
        [_YES, Said("P", "support", "Q", "b.1", polarity="negative", condition="unless offline")],
        # half-open intervals that only touch
        [
            Said("P", "support", "Q", "a.1", valid_to=datetime.date(2026, 1, 1)),
            Said("P", "support", "Q", "b.1", polarity="negative", valid_from=datetime.date(2026, 1, 1)),
        ],
        # a list in one document; a longer list in another
        [Said("R", "own", "P", "a.1"), Said("S", "own", "P", "a.1")],
        [Said("R", "own", "P", "a.1"), Said("S", "own", "P", "a.1"), Said("R", "own", "P", "b.1")],
        # predicates with many values
        [Said("P", "use", "R", "a.1"), Said("P", "use", "S", "b.1")],
    ],
)
def test_what_can_hold_together_is_no_conflict(peaceful: list[Said]) -> None:
    assert _found(peaceful) == []


def test_overlapping_validity_is_a_conflict() -> None:
    said = [
        Said("P", "support", "Q", "a.1", valid_to=datetime.date(2026, 1, 2)),
        Said("P", "support", "Q", "b.1", polarity="negative", valid_from=datetime.date(2026, 1, 1)),
    ]
    assert len(_found(said)) == 1


def test_a_subject_with_too_many_values_is_a_class_and_is_listed() -> None:
    said = [Said(f"O{n}", "own", "P", f"d{n}.1") for n in range(MAX_VALUES + 1)]
    given = corpus(said)
    assert _found(said) == []
    listed = many_valued(given.claims, given.mentions, given.entity_mentions, given.canonical_entities)
    assert listed.rows() == [("P", "own", MAX_VALUES + 1)]
    assert len(_found(said[:-1])) == 1


def test_ids_come_from_the_claims_not_from_their_order() -> None:
    given = corpus([_YES, _NO, Said("R", "own", "P", "a.1"), Said("S", "own", "P", "b.1")])
    order = random.Random(3).sample(range(4), 4)
    one, other = (
        find_conflicts(claims, given.mentions, given.entity_mentions, given.canonical_entities, VIEW)
        for claims in (given.claims, given.claims[order])
    )
    assert one["conflicts"].height == 2
    assert all(one[name].equals(other[name]) for name in one)
