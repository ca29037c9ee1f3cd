"""Claims that cannot all hold are found, classified and kept; what can hold together is left in peace."""

from __future__ import annotations

import datetime
import random
from dataclasses import replace

import polars as pl
import pytest
from graph_rows import DOMAIN, VIEW, Said, corpus

from muniment.graph.conflicts import MAX_VALUES, compared, find_conflicts, many_valued
from muniment.graph.linked import linked_claims
from muniment.tables.registry import TABLES, check_frame

_YES, _NO = Said("P", "support", "Q", "a.1"), Said("P", "support", "Q", "b.1", polarity="negative")
_OWNS = Said("P", "owned_by", "R", "a.1")
_NEW_YEAR = datetime.date(2026, 1, 1)


def _days(number: float, unit: str, version: str, text: str | None = None) -> Said:
    written = text or f"{number:g} {unit}"
    return Said("P", "retention", version=version, value=written, value_type="duration", number=number, unit=unit, raw="retain_for")  # fmt: skip # noqa: E501


def _frames(said: list[Said], types: dict[str, str] | None = None, aliases: pl.DataFrame | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:  # fmt: skip # noqa: E501
    given = corpus(said, types)
    frames = find_conflicts(
        given.claims, given.mentions, given.entity_mentions, given.canonical_entities, VIEW,
        domain=DOMAIN, evidence=given.claim_evidence, aliases=aliases,
    )  # fmt: skip
    return check_frame(TABLES["conflicts"], frames["conflicts"]), check_frame(
        TABLES["conflict_claims"], frames["conflict_claims"]
    )


def _found(said: list[Said], types: dict[str, str] | None = None) -> list[tuple[str, str, dict[str, str]]]:
    """Kind, subject, and side by claim of each conflict."""
    conflicts, members = _frames(said, types)
    result = []
    for row in conflicts.sort("kind", "subject_id", "predicate").iter_rows(named=True):
        sides = dict(members.filter(conflict_id=row["conflict_id"]).select("claim_id", "side").iter_rows())
        assert len(sides) == row["claims"]
        assert row["listed"] == (row["kind"] == "contradiction")
        result.append((row["kind"], row["subject_id"], sides))
    return result


def _kinds(said: list[Said], types: dict[str, str] | None = None) -> list[str]:
    return [kind for kind, _, _ in _found(said, types)]


def test_a_denial_in_another_document_is_a_contradiction() -> None:
    assert _found([_YES, _NO]) == [("contradiction", "P", {"c0": "positive", "c1": "negative"})]


def test_a_denial_in_another_version_is_a_version_difference() -> None:
    other = Said("P", "support", "Q", "a.2", polarity="negative")
    assert _found([_YES, other]) == [("version_difference", "P", {"c0": "positive", "c1": "negative"})]


def test_a_document_that_contradicts_itself_is_shown() -> None:
    assert _kinds([_YES, replace(_NO, version="a.1")]) == ["contradiction"]
    assert _kinds([_OWNS, replace(_OWNS, object="S")]) == ["contradiction"]


def test_two_owners_in_one_sentence_or_one_table_are_a_list() -> None:
    assert _kinds([replace(_OWNS, sentence=1), replace(_OWNS, object="S", sentence=1)]) == []
    assert _kinds([replace(_OWNS, rule="T"), replace(_OWNS, object="S", rule="T")]) == []


def test_a_document_that_contradicts_itself_hides_no_other_document() -> None:
    # a.1 says R here and S there; b.1 says R
    said = [_OWNS, replace(_OWNS, object="S"), replace(_OWNS, version="b.1")]
    assert _found(said) == [("contradiction", "P", {"c0": "R", "c1": "S", "c2": "R"})]


def test_the_fields_of_a_document_are_its_own_unless_they_name_an_entity() -> None:
    # two files with one title: each has its date; both say who owns the thing
    dates = [
        Said(
            "P", "expiry", version=version, value=day, date=datetime.date.fromisoformat(day), precision="day", rule="M"
        )
        for version, day in (("a.1", "2025-01-01"), ("b.1", "2026-01-01"))
    ]
    assert _kinds(dates) == []
    assert _kinds([dates[0], replace(dates[1], version="a.2")]) == ["version_difference"]
    assert _kinds([replace(_OWNS, rule="M"), Said("P", "owned_by", "S", "b.1", rule="M")]) == ["contradiction"]


def test_two_owners_in_two_documents_are_a_contradiction() -> None:
    assert _found([_OWNS, Said("P", "owned_by", "S", "b.1"), Said("T", "owned_by", "R", "b.1")]) == [
        ("contradiction", "P", {"c0": "R", "c1": "S"})
    ]


def test_one_successor_at_a_time_where_the_schema_says_so() -> None:
    assert _found([Said("R", "succeeds", "P", "a.1"), Said("S", "succeeds", "P", "b.1")]) == [
        ("contradiction", "P", {"c0": "R", "c1": "S"})
    ]


def test_a_register_s_cell_with_a_name_is_the_person_of_that_name() -> None:
    said = [_OWNS, Said("P", "owned_by", version="b.1", value="Rita Olsen", value_type="text", rule="T")]
    alias = {
        "view_id": VIEW,
        "display_name": "Rita Olsen",
        "alias": "rita olsen",
        "kind": "name",
        "mentions": 1,
        "status": "accepted",
    }
    aliases = pl.DataFrame([{**alias, "entity_id": "R"}])
    assert _frames(said)[0]["kind"].to_list() == ["contradiction"]
    assert _frames(said, aliases=aliases)[0]["kind"].to_list() == ["duplicate"]  # R, and Rita Olsen, who is R
    # a name of two entities, or one that only a document's definition gives, says nothing
    two = pl.concat([aliases, aliases.with_columns(pl.lit("P").alias("entity_id"))])
    local = aliases.with_columns(pl.lit("defined_term").alias("kind"))
    assert _frames(said, aliases=two)[0]["kind"].to_list() == ["contradiction"]
    assert _frames(said, aliases=local)[0]["kind"].to_list() == ["contradiction"]
    unconfirmed = aliases.with_columns(pl.lit("unconfirmed").alias("status"))
    assert _frames(said, aliases=unconfirmed)[0]["kind"].to_list() == ["contradiction"]


def test_a_generic_word_is_another_thing_in_each_document() -> None:
    said = [Said("station", "owned_by", "R", "a.1"), Said("station", "owned_by", "S", "b.1")]
    assert _found(said, {"station": "concept"}) == []
    # nor is a type's own word, though the type is known: each contract is "the Agreement" in itself
    assert _found([replace(one, subject="Agreement") for one in said], {"Agreement": "contract"}) == []
    assert len(_found([replace(one, subject="Loan Agreement") for one in said], {"Loan Agreement": "contract"})) == 1
    named = [replace(one, subject="old station") for one in said]
    assert len(_found(named, {"old station": "concept"})) == 1


def test_denying_a_common_noun_denies_a_part_of_it_only() -> None:
    said = [Said("P", "collect", "data", "a.1"), Said("P", "collect", "data", "b.1", polarity="negative")]
    assert _kinds(said, {"data": "concept"}) == []
    whole = [replace(one, object="personal data") for one in said]
    assert _kinds(whole, {"personal data": "concept"}) == ["contradiction"]


def test_values_are_compared_without_case_and_spacing_where_they_are_words() -> None:
    same = [Said("P", "retention", "", version, value=text) for version, text in (("a.1", "Ten  Days"), ("b.1", "ten days"))]  # fmt: skip # noqa: E501
    assert _kinds(same) == ["duplicate"]
    differing = [*same, Said("P", "retention", "", "c.1", value="forever")]
    assert ("contradiction", "P", {"c0": "ten days", "c1": "ten days", "c2": "forever"}) in _found(differing)


def test_measures_are_compared_by_what_they_come_to() -> None:
    assert _kinds([_days(30, "day", "a.1"), _days(30, "day", "b.1")]) == []
    assert _kinds([_days(30, "day", "a.1"), _days(720, "hour", "b.1")]) == ["duplicate"]
    assert _kinds([_days(12, "month", "a.1"), _days(1, "year", "b.1")]) == ["duplicate"]
    assert _kinds([_days(30, "day", "a.1"), _days(90, "day", "b.1")]) == ["contradiction"]
    assert _kinds([_days(12, "month", "a.1"), _days(13, "month", "b.1")]) == ["contradiction"]
    assert _kinds([_days(30, "business day", "a.1"), _days(30, "day", "b.1")]) == ["contradiction"]


def test_equal_words_of_different_measures_are_two_sides() -> None:
    # a register with a column in days, one with a column in months
    said = [_days(5, "day", "a.1", "5"), _days(5, "month", "b.1", "5")]
    assert _found(said) == [("contradiction", "P", {"c0": "5 [is:5 day]", "c1": "5 [is:5 month]"})]


def test_what_leaves_room_for_the_other_is_refined_by_it() -> None:
    assert _kinds([_days(30, "day", "a.1"), _days(1, "month", "b.1", "about a month")]) == ["refinement"]
    assert _kinds([_days(30, "day", "a.1"), _days(14, "day", "b.1", "at least 14 days")]) == ["refinement"]
    assert _kinds([_days(30, "day", "a.1"), _days(14, "day", "b.1", "at most 14 days")]) == ["contradiction"]
    year = Said("P", "expiry", version="a.1", value="2025", date=datetime.date(2025, 1, 1), precision="year")
    day = Said("P", "expiry", version="b.1", value="1 March 2025", date=datetime.date(2025, 3, 1), precision="day")
    later = replace(day, date=datetime.date(2026, 3, 1))
    assert _kinds([year, day]) == ["refinement"]
    assert _kinds([year, later]) == ["contradiction"]


def test_a_part_of_the_other_object_is_narrower() -> None:
    said = [Said("P", "born_in", "R", "a.1"), Said("P", "born_in", "S", "b.1")]
    assert _kinds(said) == ["contradiction"]
    through = [Said("R", "part_of", "T", "c.1"), Said("T", "located_in", "S", "c.1")]
    assert _kinds([*said, *through]) == ["refinement"]


def test_values_said_of_different_things_are_different_questions() -> None:
    # "P retains logs for 30 days", "P retains mail for 90 days"
    logs = [Said("P", "retain", "logs", "a.1", shared=1), replace(_days(30, "day", "a.1"), shared=1)]
    mail = [Said("P", "retain", "mail", "b.1", shared=2), replace(_days(90, "day", "b.1"), shared=2)]
    assert _kinds([*logs, *mail]) == []
    same = [replace(mail[0], object="logs"), mail[1]]
    assert _found([*logs, *same]) == [("contradiction", "P", {"c1": "30 day", "c3": "90 day"})]


def test_a_time_that_the_schema_does_not_know_counts_where_a_verb_sets_it_for_an_object() -> None:
    def told(document: str, hours: float, mark: int) -> list[Said]:
        return [
            Said("P", "notify", "Q", document, shared=mark),
            Said(
                "P", "notify_within", version=document, value=f"{hours} hours", number=hours, unit="hour", shared=mark
            ),
        ]

    assert _kinds([*told("a.1", 24, 1), *told("b.1", 72, 2)]) == ["contradiction"]
    assert _kinds([told("a.1", 24, 1)[1], told("b.1", 72, 2)[1]]) == []


def test_a_date_that_a_mention_names_is_a_value() -> None:
    said = [Said("P", "expiry", "May", "a.1"), Said("P", "expiry", "June", "b.1")]
    assert _found(said, {"May": "date", "June": "date"}) == [("contradiction", "P", {"c0": "may", "c1": "june"})]


def test_a_number_by_the_copula_counts_for_named_things_only() -> None:
    said = [Said("P", "be", "", version, value=f"{n} %", value_type="percent", number=n, unit="%") for version, n in (("a.1", 5), ("b.1", 6))]  # fmt: skip # noqa: E501
    assert len(_found(said)) == 1
    assert _found(said, {"P": "concept"}) == []


@pytest.mark.parametrize(
    ("left", "right", "opposed"),
    [
        (("must", "positive"), ("must", "negative"), True),
        (("shall", "positive"), ("may", "negative"), True),  # shall, and may not
        (("may", "positive"), ("shall", "negative"), True),  # may, and shall not
        (("must", "positive"), ("need_not", "negative"), True),
        (("should", "positive"), ("must", "negative"), True),
        (("must", "positive"), ("may", "positive"), False),
        (("must", "positive"), ("shall", "positive"), False),
        (("must", "negative"), ("need_not", "negative"), False),
        (("must", "positive"), ("is", "negative"), False),  # a duty that is not met is no contradiction
    ],
)
def test_norm_against_norm(left: tuple[str, str], right: tuple[str, str], opposed: bool) -> None:
    said = [
        Said("P", "access", "Q", f"{document}.1", modality=modality, polarity=polarity)
        for document, (modality, polarity) in zip("ab", (left, right), strict=True)
    ]
    assert _kinds(said) == (["contradiction"] if opposed else [])


def test_a_norm_for_one_unnamed_party_holds_in_its_document_only() -> None:
    may = Said("supplier", "access", "Q", "a.1", modality="may")
    never = Said("supplier", "access", "Q", "b.1", modality="must", polarity="negative")
    assert _kinds([may, never], {"supplier": "concept"}) == []
    plural = [replace(one, subject="suppliers") for one in (may, never)]
    assert _kinds(plural, {"suppliers": "concept"}) == ["contradiction"]


def test_what_suppliers_may_not_a_supplier_may_not() -> None:
    may = Said("Brightwell", "access", "Q", "a.1", modality="may")
    never = Said("suppliers", "access", "Q", "b.1", modality="must", polarity="negative")
    types = {"suppliers": "concept", "supplier": "concept"}
    assert _kinds([may, never], types) == []
    member = Said("Brightwell", "is_a", "supplier", "c.1")
    assert _found([may, never, member], types) == [
        ("contradiction", "Brightwell", {"c0": "permitted", "c1": "forbidden"})
    ]
    assert _kinds([may, never, replace(member, polarity="negative")], types) == []


def test_co_occurrence_is_never_in_a_conflict() -> None:
    said = [replace(_OWNS, rule="R12"), Said("P", "owned_by", "S", "b.1", rule="R12")]
    assert _kinds(said) == []
    assert _kinds([replace(_YES, rule="R12"), _NO]) == []


@pytest.mark.parametrize(
    "peaceful",
    [
        # other objects, other predicates
        [_YES, Said("P", "support", "R", "b.1", polarity="negative")],
        [_YES, Said("P", "use", "Q", "b.1", polarity="negative")],
        # a list in one document; a longer list in another
        [replace(_OWNS, sentence=1), replace(_OWNS, object="S", sentence=1), replace(_OWNS, version="b.1")],
        # predicates with many values
        [Said("P", "use", "R", "a.1"), Said("P", "use", "S", "b.1")],
    ],
)
def test_what_can_hold_together_is_no_conflict(peaceful: list[Said]) -> None:
    assert _found(peaceful) == []


def test_validity_that_does_not_meet_is_a_succession() -> None:
    before, after = replace(_YES, valid_to=_NEW_YEAR), replace(_NO, valid_from=_NEW_YEAR)
    assert _kinds([before, after]) == ["succession"]
    assert _kinds([before, replace(after, valid_from=datetime.date(2025, 12, 31))]) == ["contradiction"]
    # a birthplace does not change with time
    places = [
        Said("P", "born_in", "R", "a.1", valid_to=_NEW_YEAR),
        Said("P", "born_in", "S", "b.1", valid_from=_NEW_YEAR),
    ]
    assert _kinds(places) == ["contradiction"]


def test_another_condition_is_another_scope() -> None:
    assert _kinds([_YES, replace(_NO, condition="unless offline")]) == ["different_scope"]
    both = [replace(_YES, condition="Unless  offline"), replace(_NO, condition="unless offline")]
    assert _kinds(both) == ["contradiction"]


def test_one_question_can_have_conflicts_of_several_kinds() -> None:
    third = Said("P", "owned_by", "T", "c.1", condition="during holidays")
    assert sorted(_kinds([_OWNS, Said("P", "owned_by", "S", "b.1"), third])) == ["contradiction", "different_scope"]


def test_undated_claims_are_said_to_be_undated() -> None:
    dated = [replace(one, valid_from=_NEW_YEAR) for one in (_YES, _NO)]
    assert _frames([_YES, dated[1]])[0]["undated"].to_list() == [True]
    assert _frames(dated)[0]["undated"].to_list() == [False]


def test_equal_definitions_are_one_and_a_changed_one_is_a_variant() -> None:
    def defined(document: str, words: str) -> Said:
        return Said("outage", "mean", "loss", document, raw="mean", quote=f"“Outage” means {words}.")

    types = {"outage": "concept", "loss": "concept"}
    same = [defined("a.1", "a loss of  alarms"), defined("b.1", "A loss of alarms")]
    assert _kinds(same, types) == []
    kind, subject, sides = _found([*same, defined("c.1", "a loss of alarms for an hour")], types)[0]
    assert (kind, subject) == ("variant", "outage")
    assert sides == {"c0": "loss of alarms", "c1": "loss of alarms", "c2": "loss of alarms for an hour"}


def test_a_subject_with_too_many_values_is_a_class_and_is_listed() -> None:
    said = [Said("P", "owned_by", f"O{n}", f"d{n}.1") for n in range(MAX_VALUES + 1)]
    given = corpus(said)
    assert _found(said) == []
    linked = linked_claims(given.claims, given.mentions, given.entity_mentions)
    sides = compared(
        linked, given.mentions, given.entity_mentions, given.canonical_entities, given.claim_evidence, DOMAIN
    )
    assert many_valued(sides).rows() == [("value", "P", "owned_by", MAX_VALUES + 1)]
    assert len(_found(said[:-1])) == 1


def test_ids_come_from_the_claims_not_from_their_order() -> None:
    given = corpus([_YES, _NO, _OWNS, Said("P", "owned_by", "S", "b.1"), replace(_NO, version="a.2")])
    order = random.Random(3).sample(range(5), 5)
    one, other = (
        find_conflicts(
            claims, given.mentions, given.entity_mentions, given.canonical_entities, VIEW,
            domain=DOMAIN, evidence=given.claim_evidence,
        )
        for claims in (given.claims, given.claims[order])
    )  # fmt: skip
    assert one["conflicts"].height == 3
    assert all(one[name].equals(other[name]) for name in one)
