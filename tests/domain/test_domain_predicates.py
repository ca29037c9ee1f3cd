"""From what texts say and fields are called to the schema's predicates; types decide where words alone do not."""

from __future__ import annotations

import copy
import pickle

import pytest
from domain_packs import shipped, small
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.model import DomainSchema
from muniment.domain.predicates import Predicate, Predicates, plain, predicates_of

_RUN = (
    "relations:",
    "  - {name: operated_by, range: [agent], inverse_verbs: [run]}",
    "  - {name: runs_on, range: [system], inverse_verbs: [run], verbs: [run_on]}",
    "  - {name: replaces, domain: [document], range: [document], strict: true, verbs: [replace], inverse: replaced_by}",
    "  - {name: approves, nouns: [approves], inverse_nouns: [approver], verbs: [approve]}",
    "attributes:",
    "  - {name: expiry, datatype: date, verbs: [expire_in], nouns: [end date]}",
    "  - {name: lifetime, datatype: duration, nouns: [lifetime]}",
)


def test_types_choose_between_two_meanings_of_a_verb() -> None:
    lookup = Predicates(small(*_RUN))
    assert lookup.of_verb("run", has_value=False, subject_type="person") == Predicate("operated_by", "relation", True)
    assert lookup.of_verb("run", has_value=False, subject_type="server") == Predicate("runs_on", "relation", True)


@pytest.mark.parametrize("subject", [None, "concept", "document", "unheard_of"])
def test_where_types_do_not_choose_nothing_is_guessed(subject: str | None) -> None:
    assert Predicates(small(*_RUN)).of_verb("run", has_value=False, subject_type=subject) == Predicate("run", "raw")


def test_a_strict_relation_refuses_other_types_and_takes_unknown_ones() -> None:
    lookup = Predicates(small(*_RUN))
    assert lookup.of_verb("replace", has_value=False, subject_type="person", object_type="document").kind == "raw"
    assert lookup.of_verb("replace", has_value=False, subject_type="concept", object_type="document").name == "replaces"
    assert lookup.of_verb("replace", has_value=False).name == "replaces"


def test_a_relation_that_is_not_strict_takes_any_types() -> None:
    assert Predicates(small(*_RUN)).of_verb("run_on", has_value=False, object_type="person").name == "runs_on"


def test_a_weak_word_says_a_relation_only_between_known_types_and_then_goes_first() -> None:
    lookup = Predicates(
        small(
            "relations:",
            "  - {name: works_in, domain: [person], range: [organisation], weak_verbs: [be_in]}",
            "  - {name: member_of, verbs: [be_in]}",
            "  - {name: kept_in, range: [system], weak_verbs: [in]}",
        )
    )
    ends = {"subject_type": "person", "object_type": "organisation"}
    assert lookup.of_verb("be_in", has_value=False, **ends).name == "works_in"
    assert lookup.of_verb("be_in", has_value=False, subject_type="person").name == "member_of"
    assert lookup.of_verb("in", has_value=False, object_type="server").name == "kept_in"
    assert lookup.of_verb("in", has_value=False, object_type="concept").kind == "raw"
    assert lookup.of_verb("in", has_value=False).kind == "raw"


def test_a_value_of_another_kind_is_not_the_attribute() -> None:
    lookup = Predicates(small(*_RUN))
    assert lookup.of_verb("expire_in", has_value=True, value_type="date").name == "expiry"
    assert lookup.of_verb("expire_in", has_value=True, value_type="number").kind == "raw"
    assert lookup.of_verb("expire_in", has_value=False).kind == "raw"


def test_the_names_of_the_schema_are_words_too() -> None:
    lookup = Predicates(small(*_RUN))
    assert lookup.of_verb("replaces", has_value=False) == Predicate("replaces", "relation")
    assert lookup.of_verb("replaced_by", has_value=False) == Predicate("replaces", "relation", inverse=True)
    assert lookup.of_verb("expiry", has_value=True) == Predicate("expiry", "attribute")


def test_fields_lose_their_marks_and_the_kind_of_thing_that_they_are_of() -> None:
    lookup = Predicates(small(*_RUN))
    assert lookup.of_field("End date (planned):") == Predicate("expiry", "attribute")
    assert lookup.of_field("System end-date") == Predicate("expiry", "attribute")
    assert lookup.of_field("Approver") == Predicate("approves", "relation", inverse=True)
    assert lookup.of_field("End") is None


@pytest.mark.parametrize(
    ("written", "key"),
    [("Depend On", "depend_on"), ("be-base_on", "be_base_on"), ("être propriétaire du", "être_propriétaire_de")],
)
def test_words_are_compared_in_one_form(written: str, key: str) -> None:
    assert plain(written) == key


def test_a_schema_is_looked_through_once_a_process_and_not_once_a_document() -> None:
    schema = small(*_RUN)
    assert predicates_of(pickle.loads(pickle.dumps(schema))) is predicates_of(copy.deepcopy(schema))
    assert predicates_of(schema) is not predicates_of(shipped())


@given(st.text(max_size=30), st.booleans(), st.sampled_from([None, "person", "system", "date"]))
def test_any_words_have_a_predicate_and_a_raw_one_is_kept_as_written(words: str, value: bool, kind: str | None) -> None:
    found = predicates_of(shipped()).of_verb(words, has_value=value, subject_type=kind)
    assert found.kind != "raw" or found == Predicate(words, "raw")


def test_every_word_of_the_shipped_packs_leads_to_its_definition() -> None:
    schema: DomainSchema = shipped()
    lookup = predicates_of(schema)
    wrong = []
    for item in schema.relations.values():
        ends = (item.domain[0] if item.domain else None, item.range[0] if item.range else None)
        for words, inverse in ((item.verbs, False), (item.inverse_verbs, True)):
            subject, target = ends[::-1] if inverse else ends
            for word in words:
                found = lookup.of_verb(word, has_value=False, subject_type=subject, object_type=target)
                if found != Predicate(item.name, "relation", inverse):
                    wrong.append((item.name, word, found))
    for attribute in schema.attributes.values():
        wrong += [
            (attribute.name, word)
            for word in attribute.verbs
            if lookup.of_verb(word, has_value=True) != Predicate(attribute.name, "attribute")
        ]
    assert wrong == []
