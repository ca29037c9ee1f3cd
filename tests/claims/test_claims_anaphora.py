"""Pronouns and short forms: resolved where one name before them must be meant, else left and counted."""

from __future__ import annotations

from typing import Any

import pytest
from claims_documents import Parts, claims, mentions
from claims_raw import books, read, read_parts, triple


def resolved(parts: Parts, language: str = "en") -> set[tuple[str, str, str | None]]:
    """Triples that rest on a resolved word."""
    return {triple(row) for row in claims(read_parts(parts, language)) if row["anaphora"]}


def of(text: str, language: str = "en") -> set[tuple[str, str, str | None]]:
    return resolved([("paragraph", text)], language)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the only subject of the sentence before, fitting in type and number
        (
            "The Payment Gateway depends on Redis. It is owned by Acme Ltd.",
            ("Acme Ltd", "own", "Payment Gateway"),
        ),
        ("Alice Brown joined Acme Ltd in 2020. She leads the Security Team.", ("Alice Brown", "lead", "Security Team")),
        ("The controls were reviewed. They are effective.", ("controls", "be", "effective")),
        # of its own sentence, where that has one
        ("The vendor provides support, nor does it sell licences.", ("vendor", "sell", "licences")),
        ("If the supplier fails, it shall inform the bank.", ("supplier", "inform", "bank")),
        # a possessive in its own sentence
        ("The Agency publishes its report.", ("Agency", "have", "report")),
        # a chain: each pronoun is a subject for the next
        (
            "The Agency was founded in 2004. It was moved to Athens. It publishes a report.",
            ("Agency", "publish", "report"),
        ),
        # short forms: by the last word of the name, or by its type
        (
            "The European Agency publishes reports. The agency is located in Athens.",
            ("European Agency", "be_locate_in", "Athens"),
        ),
        ("Acme Ltd develops software. The company employs engineers.", ("Acme Ltd", "employ", "engineers")),
    ],
)
def test_the_only_name_that_can_be_meant_is_meant(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in of(text)


@pytest.mark.parametrize(
    "text",
    [
        "Acme Ltd acquired Beta Ltd. It operates the Gateway.",  # both are companies
        "Acme Ltd built the Gateway. It handles payments.",  # the Gateway is meant, which a rule cannot know
        "Alice Brown met Carol White. She leads the team.",
        "Alice Brown works for Acme Ltd. It operates the Gateway.",  # a person is no "it", and Acme is no subject
        "Acme Ltd and Beta Ltd signed the Agreement. The company employs engineers.",
        "The controls were reviewed. It is effective.",  # number differs
        "It runs on Azure.",  # nothing before it
    ],
)
def test_where_names_compete_or_none_fits_nothing_is_guessed(text: str) -> None:
    output = read(text)
    assert not [row for row in claims(output) if row["anaphora"]]
    assert books(output, "anaphora") == (1, 0, {"anaphora_unresolved": 1})


def test_an_unresolved_pronoun_keeps_the_next_from_reaching_past_it() -> None:
    text = "The Gateway was built in 2020. Acme Ltd acquired Beta Ltd. It grew. It runs on Azure."
    assert of(text) == set()
    assert books(read(text), "anaphora") == (2, 0, {"anaphora_unresolved": 2})


def test_a_section_is_not_left_and_its_heading_may_be_meant() -> None:
    parts = [
        ("heading", "Billing System"),
        ("paragraph", "It depends on Oracle Database."),
        ("heading", "Core Platform"),
        ("paragraph", "It runs on Azure."),
    ]
    assert resolved(parts) == {
        ("Billing System", "depend_on", "Oracle Database"),
        ("Core Platform", "run_on", "Azure"),
    }
    crossing = [
        ("paragraph", "Acme Ltd develops software."),
        ("heading", "Annex"),
        ("paragraph", "The company employs engineers."),
    ]
    assert resolved(crossing) == set()


@pytest.mark.parametrize(
    "text",
    [
        "It is required that the supplier notifies the bank.",
        "It is important to note the date.",
        "It seems that the bank agrees.",
    ],
)
def test_a_word_that_stands_for_a_clause_is_no_pronoun_to_resolve(text: str) -> None:
    assert books(read(text), "anaphora") == (0, 0, {})


def test_the_claim_says_what_it_rests_on_and_quotes_its_own_sentence() -> None:
    text = "The Payment Gateway depends on Redis. It is hosted on Azure."
    output = read(text)
    (row,) = [row for row in claims(output) if row["anaphora"]]
    stated = next(row for row in claims(output) if row["predicate"] == "depend_on")
    assert row["anaphora"] == "subject"
    assert row["confidence"] == pytest.approx(0.9 * 0.8)  # passive, by anaphora
    # the antecedent's own mention, in its own place
    assert row["subject_mention_id"] == stated["subject_mention_id"]
    assert mentions(output)["Payment Gateway"]["start"] == text.index("Payment Gateway")
    evidence = output.tables["claim_evidence"].filter(claim_id=row["claim_id"]).row(0, named=True)
    assert evidence["quote"] == "It is hosted on Azure."
    assert text[evidence["start"] : evidence["end"]] == evidence["quote"]


def test_an_object_pronoun_and_a_table_are_left_alone() -> None:
    assert of("Acme Ltd built the Gateway. Beta Ltd uses it.") == set()


def test_french_pronouns_by_the_same_rules() -> None:
    text = "L'Agence publie un rapport. Elle emploie des experts."
    found = {triple(row): row for row in claims(read("L'Agence est située à Paris. Elle emploie des experts.", "fr"))}
    employed: Any = found["Agence", "employer", "experts"]
    assert employed["anaphora"] == "subject"
    assert of(text, "fr") == set()  # agency and report compete
    assert books(read("Il faut que le fournisseur notifie la banque.", "fr"), "anaphora") == (0, 0, {})
