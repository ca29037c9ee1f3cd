"""Persons: which differences of two names one person may have."""

from __future__ import annotations

import pytest
from resolution_rows import Named, decisions, groups, resolved

from muniment.resolution.persons import PersonName, parse_person


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("smith, john a., jr", PersonName("john", "a", "smith", "junior")),
        ("dr. josé garcía", PersonName("jose", "", "garcia")),
        ("mrs ada byron", PersonName("ada", "", "byron", gender="f")),
        ("van der berg, jan", PersonName("jan", "", "van der berg")),
        ("osei", PersonName("", "", "osei")),
        ("agent 47", PersonName()),
    ],
)
def test_parts_of_names(name: str, expected: PersonName) -> None:
    assert parse_person(name) == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Smith, John", "John Smith"),
        ("Smith, John", "John A. Smith"),
        ("John Smith", "Dr. John Smith"),
        ("José García", "Jose Garcia"),
        ("John A. Smith", "John Adam Smith"),
        ("John Smith", "John A. Smith"),
        ("John Smith", "John Smith, PhD"),
        ("Jean-Luc Martin", "Jean Luc Martin"),
    ],
)
def test_one_person_written_in_two_ways(left: str, right: str) -> None:
    assert groups(resolved({"a": [(left, "person")], "b": [(right, "person")]})) == {frozenset({"a:0", "b:0"})}


@pytest.mark.parametrize(
    ("left", "right", "decision", "rule"),
    [
        ("j. smith", "john smith", "maybe_same", "person_initials"),
        ("anne estelle rice", "anne rice", "maybe_same", "middle_name_missing"),
        ("john smith", "john smith jr", "maybe_same", "generation_missing"),
        ("john smith jr", "john smith sr", "keep_apart", "generations_differ"),
        ("john a. smith", "john b. smith", "keep_apart", "middle_names_differ"),
        ("mr alex reed", "mrs alex reed", "keep_apart", "titles_differ"),
    ],
)
def test_what_is_not_enough_waits_or_is_refused(left: str, right: str, decision: str, rule: str) -> None:
    frames = resolved({"a": [(left, "person")], "b": [(right, "person")]})
    assert len(groups(frames)) == 2
    assert (left, right, "", decision, rule) in decisions(frames)


def test_a_name_between_two_that_exclude_one_another_joins_neither() -> None:
    frames = resolved(
        {"a": [("John A. Smith", "person")], "b": [("John Smith", "person")], "c": [("John B. Smith", "person")]}
    )
    assert len(groups(frames)) == 3
    cut = frames["pair_decisions"].filter(rule="ambiguous_bridge")
    assert cut["decision"].to_list() == ["maybe_same", "maybe_same"]
    assert "middle_names_differ" in cut["detail"][0]


def test_in_one_document_a_surname_and_an_initial_are_the_only_person_that_fits() -> None:
    document: list[Named] = [("Margit Osei", "person"), ("Osei", "person"), ("M. Osei", "person")]
    assert groups(resolved({"a": document})) == {frozenset({"a:0", "a:1", "a:2"})}
    assert len(groups(resolved({"a": document}, same_document=False))) == 3
    # a second Osei, and the surname says no longer who is meant
    two = groups(resolved({"a": [*document[:2], ("Daniel Osei", "person")]}))
    assert two == {frozenset({"a:0"}), frozenset({"a:1"}), frozenset({"a:2"})}


def test_one_document_that_names_a_person_with_and_without_middle_name_means_one() -> None:
    names: list[Named] = [("Fred Luther Foster", "person"), ("Fred Foster", "person")]
    frames = resolved({"a": names, "b": [("Fred Foster", "person")]})
    assert groups(frames) == {frozenset({"a:0", "a:1", "b:0"})}
    assert ("fred foster", "fred luther foster", "", "merge", "person_name_in_document") in decisions(frames)
    assert len(groups(resolved({"a": names[:1], "b": names[1:]}))) == 2


def test_a_name_with_a_number_of_its_own_is_nobody_s_surname() -> None:
    document: list[Named] = [("Duke Frederick II", "person"), ("Frederick III", "person")]
    assert len(groups(resolved({"a": document}))) == 2


def test_a_surname_alone_means_nothing_in_another_document() -> None:
    frames = resolved({"a": [("Margit Osei", "person"), ("Osei", "person")], "b": [("Osei", "person")]})
    assert groups(frames) == {frozenset({"a:0", "a:1"}), frozenset({"b:0"})}
