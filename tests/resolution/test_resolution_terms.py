"""Terms, identifiers and other names: where they hold, and who may say so."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from resolution_rows import Documents, Named, Stated, alias_rows, decisions, groups, resolved

from muniment.resolution.acronyms import letters_match


def _contract(supplier: str) -> list[Named]:
    return [(supplier, "organisation"), Stated("Supplier", "organisation", supplier, "defined_term")]


def test_the_supplier_of_two_contracts_is_two_companies() -> None:
    frames = resolved(
        {"a": _contract("Acme Ltd"), "b": _contract("Brightwell Ltd"), "c": [("Supplier", "organisation")]}
    )
    assert groups(frames) == {frozenset({"a:0", "a:1"}), frozenset({"b:0", "b:1"}), frozenset({"c:0"})}
    assert ("Acme Ltd", "supplier", "defined_term", "accepted") in alias_rows(frames, "alias", "kind", "status")


def test_undefined_generic_names_of_two_documents_are_two_things() -> None:
    frames = resolved({"a": [("Gateway", "system")], "b": [("Gateway", "system")]})
    assert len(groups(frames)) == 2
    # as a common noun it is one concept
    assert len(groups(resolved({"a": [("gateway", "concept")], "b": [("gateway", "concept")]}))) == 1


def test_one_long_form_joins_the_terms_of_all_documents() -> None:
    frames = resolved({"a": _contract("Acme Ltd"), "b": _contract("Acme Limited")})
    assert groups(frames) == {frozenset({"a:0", "a:1", "b:0", "b:1"})}


def test_a_term_holds_in_the_family_of_its_contract() -> None:
    documents: Documents = {"a": _contract("Acme Ltd"), "b": [("Supplier", "organisation")]}
    together = resolved(documents, families={"a": "contract 7", "b": "contract 7"})
    assert groups(together) == {frozenset({"a:0", "a:1", "b:0"})}
    assert ("acme ltd", "supplier", "b", "merge", "defined_in_family") in decisions(together)


def _poison(definition: str = "aka") -> list[Named]:
    return [
        ("Evil Corp", "organisation"),
        Stated("Reserve Bank of India", "organisation", "Evil Corp", definition),
    ]


@pytest.mark.parametrize("definition", ["aka", "defined_term"])
def test_one_document_that_says_also_known_as_merges_nothing(definition: str) -> None:
    documents: Documents = {"a": [("Reserve Bank of India", "organisation")], "b": _poison(definition)}
    frames = resolved(documents)
    assert groups(frames) == {frozenset({"a:0", "b:1"}), frozenset({"b:0"})}
    assert ("Evil Corp", "reserve bank of india", "unconfirmed") in alias_rows(frames, "alias", "status")
    assert ("evil corp", "reserve bank of india", "b", "maybe_same", "alias_unconfirmed") in decisions(frames)


def test_a_second_independent_family_confirms_an_alias_and_a_copy_does_not() -> None:
    documents: Documents = {"a": _poison(), "b": _poison()}
    copies = resolved(documents, families={"a": "f", "b": "f"})
    assert len(groups(copies)) == 2
    assert groups(resolved(documents)) == {frozenset({"a:0", "a:1", "b:0", "b:1"})}


def test_a_person_s_word_confirms_an_alias() -> None:
    judged = pl.DataFrame(
        {"left_mention_id": ["m:a:0"], "right_mention_id": ["m:a:1"], "decision": ["same"], "judgement_id": ["j1"]}
    )
    frames = resolved({"a": _poison()}, judged=judged)
    assert groups(frames) == {frozenset({"a:0", "a:1"})}
    assert {status for _, status in alias_rows(frames, "status")} == {"accepted"}


def test_an_acronym_that_its_letters_do_not_make_needs_a_second_family_to_hold_elsewhere() -> None:
    one: Documents = {
        "a": [
            ("Reserve Bank of India", "organisation"),
            Stated("Mint Street", "organisation", "Reserve Bank of India", "aka"),
        ],
        "b": [("Mint Street", "organisation")],
    }
    assert groups(resolved(one)) == {frozenset({"a:0"}), frozenset({"a:1", "b:0"})}
    two = {**one, "c": one["a"]}
    assert groups(resolved(two)) == {frozenset({"a:0", "a:1", "b:0", "c:0", "c:1"})}


@pytest.mark.parametrize(
    ("short", "long", "expected"),
    [
        ("rbi", "reserve bank of india", True),
        ("ecb", "european central bank", True),
        ("hsbc", "hongkong and shanghai banking corporation", True),
        ("rbi", "evil corp", False),
        ("rbi", "central bank of india", False),
        ("", "anything", False),
    ],
)
def test_letters_of_an_acronym(short: str, long: str, *, expected: bool) -> None:
    assert letters_match(short, long) is expected


def test_an_identifier_beats_names() -> None:
    frames = resolved(
        {
            "a": [Stated("Remote Access Control AC-04", "control", identifier="AC-04")],
            "b": [Stated("AC-04", "control", identifier="AC-04")],
            "c": [Stated("Remote Access Control AC-07", "control", identifier="AC-07")],
        }
    )
    assert groups(frames) == {frozenset({"a:0", "b:0"}), frozenset({"c:0"})}
    assert ("ac-04", "remote access control ac-04", "", "merge", "identifier") in decisions(frames)
    assert (
        "remote access control ac-04", "remote access control ac-07", "", "keep_apart", "identifiers_differ",
    ) in decisions(frames)  # fmt: skip
    assert "identifier" in {kind for _, alias, kind in alias_rows(frames, "alias", "kind") if alias == "ac-04"}


def test_a_name_without_its_identifier_waits_for_a_person_and_is_the_same_in_one_document() -> None:
    control = Stated("Remote Access Control AC-04", "control", identifier="AC-04")
    apart = resolved({"a": [control], "b": [("Remote Access Control", "control")]})
    assert (
        "remote access control",
        "remote access control ac-04",
        "",
        "maybe_same",
        "identifier_missing",
    ) in decisions(apart)
    assert len(groups(apart)) == 2
    # one document that says both is evidence for all
    together: Documents = {
        "a": [control, ("Remote Access Control", "control")],
        "b": [("Remote Access Control", "control")],
    }
    assert groups(resolved(together)) == {frozenset({"a:0", "a:1", "b:0"})}
    alone = {**together, "c": [Stated("AC-04", "control", identifier="AC-04")]}
    assert groups(resolved(alone)) == {frozenset({"a:0", "a:1", "b:0", "c:0"})}


def test_an_undefined_acronym_is_the_only_name_of_its_document_that_has_its_initials() -> None:
    bank: Named = ("European Central Bank", "organisation")
    frames = resolved({"a": [bank, ("ECB", "organisation")], "b": [("ECB", "organisation")]})
    assert groups(frames) == {frozenset({"a:0", "a:1"}), frozenset({"b:0"})}
    assert ("ecb", "european central bank", "a", "merge", "same_document_initials") in decisions(frames)
    assert ("European Central Bank", "ecb", "acronym") in alias_rows(frames, "alias", "kind")
    # with the Eastern Caribbean Bank beside it, it is neither
    both = resolved({"a": [bank, ("ECB", "organisation"), ("Eastern Caribbean Bank", "organisation")]})
    assert len(groups(both)) == 3


def test_a_company_without_its_corporate_words_is_itself_in_its_document_only() -> None:
    frames = resolved(
        {
            "a": [("Brightwell Systems Limited", "organisation"), ("Brightwell", "organisation")],
            "b": [("Brightwell", "organisation")],
        }
    )
    assert groups(frames) == {frozenset({"a:0", "a:1"}), frozenset({"b:0"})}
    for longer, shorter in (
        ("Microsoft Research", "Microsoft"),
        ("Security Committee of Aldermoor Water Company", "Security Committee"),
    ):
        document: list[Named] = [(longer, "organisation"), (shorter, "organisation")]
        assert len(groups(resolved({"a": document}))) == 2


def test_an_alias_says_where_and_when_it_was_seen() -> None:
    frames = resolved(
        {
            "z": [Stated("Telemetry Gateway", "system", source="table_cell")],
            "y": [("Telemetry Gateway", "system"), Stated("TGW", "system", "Telemetry Gateway", "acronym")],
            "x": [Stated("TGW", "system", source="table_cell"), Stated("Harnley Intake", "place", source="table_cell")],
        }
    )
    columns = ("alias", "kind", "source", "evidence_mention_id", "first_seen", "last_seen", "mentions")
    assert alias_rows(frames, *columns) == {
        ("Telemetry Gateway", "telemetry gateway", "name", "table_cell", "m:z:0", 1, 2, 2),
        ("Telemetry Gateway", "tgw", "acronym", "ner", "m:y:1", 2, 3, 2),
        ("Harnley Intake", "harnley intake", "source_label", "table_cell", "m:x:1", 3, 3, 1),
    }


def test_near_vectors_only_propose() -> None:
    def embed(texts: list[str]) -> np.ndarray:
        close = {"data protection officer", "privacy commissioner"}
        return np.array([[1.0, 0.0] if text in close else [0.0, 1.0] for text in texts], dtype=np.float32)

    documents: Documents = {
        "a": [("Data Protection Officer", "role")],
        "b": [("Privacy Commissioner", "role")],
        "c": [("Harnley Intake", "place")],
    }
    frames = resolved(documents, embed=embed)
    assert len(groups(frames)) == 3
    assert ("data protection officer", "privacy commissioner", "", "maybe_same", "near_meaning") in decisions(frames)
    assert frames["pair_decisions"].height == 1
    assert resolved(documents)["pair_decisions"].is_empty()
