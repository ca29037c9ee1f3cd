"""Which mentions name one thing, which do not, and what is said of it."""

from __future__ import annotations

import polars as pl
import pytest
from resolution_rows import Named, decisions, groups, mention_rows, resolved

from muniment.ids import make_id
from muniment.resolution.entity_types import value_mentions
from muniment.resolution.resolve import resolve
from muniment.settings import ResolutionSettings


def test_one_name_under_confused_types_is_one_entity_with_the_majority_type() -> None:
    frames = resolved(
        {"a": [("Acme", "organisation"), ("Acme", "organisation")], "b": [("Acme", "person"), ("Acme", "concept")]}
    )
    (entity,) = frames["canonical_entities"].to_dicts()
    assert (entity["name"], entity["entity_type"], entity["mentions"], entity["documents"]) == (
        "Acme",
        "organisation",
        4,
        2,
    )
    assert ("acme", "acme", "", "merge", "same_name") in decisions(frames)


def test_a_generic_tag_does_not_outvote_a_quarter_of_specific_ones() -> None:
    three_to_one = resolved({"a": [("Ledger", "concept")] * 3 + [("Ledger", "system")]})
    four_to_one = resolved({"a": [("Ledger", "concept")] * 4 + [("Ledger", "system")]})
    assert three_to_one["canonical_entities"]["entity_type"].to_list() == ["system"]
    assert four_to_one["canonical_entities"]["entity_type"].to_list() == ["concept"]


def test_a_person_and_a_place_of_one_name_stay_apart() -> None:
    frames = resolved({"a": [("Jordan", "person")], "b": [("Jordan", "place")], "c": [("Jordan", "concept")]})
    # the document without a sense of its own joins the one that came first
    assert groups(frames) == {frozenset({"a:0", "c:0"}), frozenset({"b:0"})}
    assert ("jordan", "jordan", "", "keep_apart", "opposed_types") in decisions(frames)
    assert ("jordan", "jordan", "", "keep_apart", "other_sense_first") in decisions(frames)
    assert frames["canonical_entities"]["entity_id"].n_unique() == 2


def test_one_document_means_one_thing_by_one_name() -> None:
    frames = resolved({"a": [("Acme", "person"), ("Acme", "place"), ("Acme", "place")]})
    assert groups(frames) == {frozenset({"a:0", "a:1", "a:2"})}
    assert ("acme", "acme", "a", "merge", "one_sense_per_document") in decisions(frames)


@pytest.mark.parametrize(
    ("left", "right", "rule"),
    [
        (("Acme", "organisation"), ("Acme's", "organisation"), "possessive"),
        (("e-mail gateway", "system"), ("e mail gateway", "system"), "hyphen_or_space"),
        (("data-base", "concept"), ("database", "concept"), "hyphen_or_space"),
        (("audit logs", "concept"), ("audit log", "concept"), "plural"),
        (("policies", "concept"), ("policy", "concept"), "plural"),
        (("U.K.", "place"), ("UK", "place"), "abbreviation_dots"),
        (("Acme Ltd", "organisation"), ("Acme Limited", "organisation"), "legal_form"),
        (("Acme", "organisation"), ("Acme GmbH", "organisation"), "legal_form"),
    ],
)
def test_trivial_variants_are_one_entity(left: Named, right: Named, rule: str) -> None:
    frames = resolved({"a": [left], "b": [right]})
    assert groups(frames) == {frozenset({"a:0", "b:0"})}
    assert frames["pair_decisions"].filter(pl.col("rule") == rule)["decision"].to_list() == ["merge"]
    assert frames["aliases"].height == 2


@pytest.mark.parametrize(
    ("left", "right", "rule"),
    [
        (("Annex 1-2", "law"), ("Annex 12", "law"), "digits_differ"),
        (("Acme Ltd", "organisation"), ("Acme GmbH", "organisation"), "legal_forms_differ"),
        (("Smith", "person"), ("Smith Ltd", "organisation"), "opposed_types"),
    ],
)
def test_candidates_that_a_guard_refuses_stay_apart_and_it_is_said(left: Named, right: Named, rule: str) -> None:
    frames = resolved({"a": [left], "b": [right]})
    assert len(groups(frames)) == 2
    assert frames["pair_decisions"].select("decision", "rule", "score").rows() == [("keep_apart", rule, 0.0)]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("Directive 2014/65/EU", "law"), ("Directive 2014/56/EU", "law")),
        (("North Plant", "place"), ("South Plant", "place")),
        (("Part I", "law"), ("Part II", "law")),
        (("Bridges", "person"), ("Bridge", "person")),
        (("news", "concept"), ("new", "concept")),
        (("Ministry of Finance", "organisation"), ("Ministry of Defence", "organisation")),
    ],
)
def test_near_names_are_never_merged(left: Named, right: Named) -> None:
    assert len(groups(resolved({"a": [left], "b": [right]}))) == 2


def test_a_bare_name_beside_two_legal_forms_joins_neither() -> None:
    frames = resolved(
        {"a": [("Acme", "organisation")], "b": [("Acme Ltd", "organisation")], "c": [("Acme AG", "organisation")]}
    )
    assert len(groups(frames)) == 3
    assert ("acme", "acme ltd", "", "keep_apart", "legal_form_ambiguous") in decisions(frames)


def test_the_same_words_in_another_order_are_only_maybe_the_same() -> None:
    frames = resolved({"a": [("Ministry of Finance", "organisation")], "b": [("Finance Ministry", "organisation")]})
    assert len(groups(frames)) == 2
    assert ("finance ministry", "ministry of finance", "", "maybe_same", "same_words") in decisions(frames)


def test_a_defined_acronym_is_its_long_form_everywhere_when_all_documents_agree() -> None:
    frames = resolved(
        {
            "a": [("Reserve Bank of India", "organisation"), ("RBI", "place", "Reserve Bank of India")],
            "b": [("RBI", "organisation")],
        }
    )
    (entity,) = frames["canonical_entities"].to_dicts()
    assert (entity["name"], entity["entity_type"], entity["mentions"]) == ("Reserve Bank of India", "organisation", 3)
    assert set(frames["aliases"].select("alias", "kind", "mentions").iter_rows()) == {
        ("reserve bank of india", "name", 1),
        ("rbi", "acronym", 2),
    }
    assert ("rbi", "reserve bank of india", "a", "merge", "acronym_defined") in decisions(frames)
    assert ("rbi", "reserve bank of india", "", "merge", "acronym_everywhere") in decisions(frames)


def test_an_acronym_with_two_meanings_holds_in_each_document_only() -> None:
    frames = resolved(
        {
            "a": [("Data Protection Act", "law"), ("DPA", "law", "Data Protection Act")],
            "b": [("Data Processing Agreement", "law"), ("DPA", "law", "Data Processing Agreement")],
            "c": [("DPA", "law")],
        }
    )
    assert groups(frames) == {frozenset({"a:0", "a:1"}), frozenset({"b:0", "b:1"}), frozenset({"c:0"})}
    assert ("data protection act", "dpa", "", "keep_apart", "acronym_ambiguous") in decisions(frames)


def test_two_long_forms_in_one_document_define_nothing() -> None:
    frames = resolved(
        {
            "a": [
                ("Data Protection Act", "law"),
                ("Data Processing Agreement", "law"),
                ("DPA", "law", "Data Protection Act"),
                ("DPA", "law", "Data Processing Agreement"),
            ]
        }
    )
    assert groups(frames) == {frozenset({"a:0"}), frozenset({"a:1"}), frozenset({"a:2", "a:3"})}
    assert ("data protection act", "dpa", "a", "keep_apart", "acronym_ambiguous") in decisions(frames)


def test_a_defined_term_of_a_contract_means_nothing_elsewhere() -> None:
    frames = resolved(
        {
            "a": [("Acme Ltd", "organisation"), ("Supplier", "organisation", "Acme Ltd")],
            "b": [("Supplier", "organisation")],
        }
    )
    assert groups(frames) == {frozenset({"a:0", "a:1"}), frozenset({"b:0"})}


def test_a_word_written_otherwise_is_not_the_acronym() -> None:
    documents: dict[str, list[Named]] = {
        "a": [("Americans with Disabilities Act", "law"), ("ADA", "law", "Americans with Disabilities Act")],
        "b": [("Ada", "person")],
    }
    frames = resolved(documents)
    assert groups(frames) == {frozenset({"a:0", "a:1"}), frozenset({"b:0"})}
    pair = ("ada", "americans with disabilities act")
    assert (*pair, "b", "keep_apart", "acronym_written_otherwise") in decisions(frames)


def test_an_acronym_with_other_digits_than_its_long_form_is_refused() -> None:
    frames = resolved({"a": [("Basel 3 Accord", "law"), ("BA2", "law", "Basel 3 Accord")]})
    assert len(groups(frames)) == 2
    assert ("ba2", "basel 3 accord", "a", "keep_apart", "digits_differ") in decisions(frames)


def test_a_long_form_that_is_only_defined_is_an_alias_and_joins_documents() -> None:
    frames = resolved(
        {"a": [("ECB", "organisation", "European Central Bank")], "b": [("ECB", "place", "European Central Bank")]}
    )
    assert groups(frames) == {frozenset({"a:0", "b:0"})}
    assert ("european central bank", 0) in set(frames["aliases"].select("alias", "mentions").iter_rows())


def test_acronyms_can_be_switched_off() -> None:
    frames = resolved(
        {"a": [("Reserve Bank of India", "organisation"), ("RBI", "organisation", "Reserve Bank of India")]},
        acronyms=False,
        same_document=False,
    )
    assert len(groups(frames)) == 2


def test_values_are_no_entities_and_are_counted() -> None:
    documents: dict[str, list[Named]] = {
        "a": [("Acme", "organisation"), ("1 May 2026", "date"), ("5 %", "percent")],
        "b": [("30 EUR", "money")],
    }
    frames = resolved(documents)
    assert frames["entity_mentions"]["mention_id"].to_list() == ["m:a:0"]
    assert value_mentions(mention_rows(documents)).rows() == [("v:a", 2), ("v:b", 1)]


def test_the_id_is_that_of_the_earliest_mention() -> None:
    frames = resolved({"z": [("Acme's", "person")], "a": [("Acme", "organisation")]})
    # document z was captured first, whatever its id; the type is the tag that it has there
    assert frames["canonical_entities"].select("entity_id", "anchor_mention_id", "anchor_document_id").rows() == [
        (make_id("entity", "z", "acme's", "person", 0), "m:z:0", "z")
    ]


def test_no_mentions_give_empty_tables() -> None:
    assert all(frame.is_empty() for frame in resolved({}).values())


def test_a_document_without_first_capture_is_an_error() -> None:
    rows = mention_rows({"a": [("Acme", "organisation")]})
    nothing = pl.DataFrame(schema={"document_id": pl.String, "first_scan": pl.Int64})
    with pytest.raises(ValueError, match="not among the documents given, first a"):
        resolve(rows, nothing, "operator", ResolutionSettings())
