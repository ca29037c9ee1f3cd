"""Lists under a lead-in: each item has the subject, modality, negation and conditions of the sentence above."""

from __future__ import annotations

import pytest
from claims_documents import Parts, claims
from claims_raw import read_parts, triple


def signed(parts: Parts, language: str = "en") -> set[tuple[tuple[str, str, str | None], str, str]]:
    """(triple, polarity, modality) of each claim."""
    return {(triple(row), row["polarity"], row["modality"]) for row in claims(read_parts(parts, language))}


def test_items_of_a_list_inherit_from_its_lead_in() -> None:
    parts: Parts = [
        ("paragraph", "Unless the Bank agrees otherwise, the Supplier shall:"),
        ("list_item", "(a) delete all personal data and return the equipment;"),
        ("list_item", "(b) not disclose the report;"),
        ("list_item", "(c) encrypt the backups if the Bank asks for it."),
        ("paragraph", "The Bank pays the fee."),
    ]
    assert signed(parts) == {
        (("Supplier", "delete", "personal data"), "positive", "shall"),
        (("Supplier", "return", "equipment"), "positive", "shall"),
        (("Supplier", "disclose", "report"), "negative", "shall"),
        (("Supplier", "encrypt", "backups"), "positive", "shall"),
        (("Bank", "pay", "fee"), "positive", "is"),
    }
    rows = {row["predicate"]: row for row in claims(read_parts(parts))}
    outer = "Unless the Bank agrees otherwise"
    assert rows["disclose"]["condition_text"] == outer
    assert rows["encrypt"]["condition_text"] == f"{outer}; if the Bank asks for it"
    assert rows["pay"]["condition_text"] is None
    assert (rows["disclose"]["rule"], rows["disclose"]["anaphora"]) == ("R7", "subject")  # named elsewhere
    assert rows["disclose"]["confidence"] == pytest.approx(0.85 * 0.9)


def test_the_quote_of_an_item_is_the_item() -> None:
    output = read_parts([("paragraph", "The Supplier shall not:"), ("paragraph", "(a) copy the data;")])
    assert output.tables["claim_evidence"]["quote"].to_list() == ["(a) copy the data;"]
    assert output.tables["claims"]["polarity"].to_list() == ["negative"]


def test_an_obligation_denied_above_a_list_is_denied_in_it() -> None:
    parts: Parts = [("paragraph", "The Supplier is not required to:"), ("list_item", "notify the Bank.")]
    assert signed(parts) == {(("Supplier", "notify", "Bank"), "negative", "need_not")}


def test_another_sentence_ends_the_list() -> None:
    parts: Parts = [
        ("paragraph", "The Supplier shall:"),
        ("list_item", "delete the data."),
        ("paragraph", "Keep this document."),
        ("list_item", "return the equipment."),
    ]
    assert signed(parts) == {(("Supplier", "delete", "data"), "positive", "shall")}


def test_what_has_a_subject_of_its_own_inherits_nothing() -> None:
    parts: Parts = [
        ("paragraph", "The Supplier shall:"),
        ("list_item", "the Bank pays the fee."),
    ]
    assert signed(parts) == {(("Bank", "pay", "fee"), "positive", "is")}


def test_a_french_list() -> None:
    parts: Parts = [
        ("paragraph", "Le fournisseur doit :"),
        ("list_item", "notifier la banque ;"),
        ("list_item", "ne pas divulguer le rapport."),
    ]
    assert signed(parts, "fr") == {
        (("fournisseur", "notifier", "banque"), "positive", "must"),
        (("fournisseur", "divulguer", "rapport"), "negative", "must"),
    }
