"""Negation, modality, conditions and reported speech: what a claim must not lose."""

from __future__ import annotations

import pytest
from claims_documents import claims
from claims_raw import books, one, read, read_parts, triple, triples


def signs(text: str, language: str = "en") -> set[tuple[str, str, str]]:
    """(predicate, polarity, modality) of each claim."""
    return {(row["predicate"], row["polarity"], row["modality"]) for row in claims(read(text, language))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # prohibitions
        ("The supplier shall not disclose the report.", {("disclose", "negative", "shall")}),
        ("The supplier may not disclose the report.", {("disclose", "negative", "may")}),
        ("The supplier is not permitted to disclose the report.", {("disclose", "negative", "may")}),
        ("The supplier is required not to disclose the report.", {("disclose", "negative", "must")}),
        ("No supplier shall disclose the report.", {("disclose", "negative", "shall")}),
        # an obligation denied is no prohibition
        ("The supplier need not notify the bank.", {("notify", "negative", "need_not")}),
        ("The supplier is not required to notify the bank.", {("notify", "negative", "need_not")}),
        ("The supplier does not have to notify the bank.", {("notify", "negative", "need_not")}),
        ("The supplier does not need to notify the bank.", {("notify", "negative", "need_not")}),
        ("The supplier is not required not to notify the bank.", {("notify", "positive", "may")}),
        # ability
        ("The supplier is able to notify the bank.", {("notify", "positive", "can")}),
        ("The supplier is unable to notify the bank.", {("notify", "negative", "can")}),
        # failing is not doing
        ("The supplier failed to notify the bank.", {("notify", "negative", "is")}),
        ("The supplier must not fail to notify the bank.", {("notify", "positive", "must")}),
        # coordination
        (
            "The supplier neither discloses nor sells data.",
            {("disclose", "negative", "is"), ("sell", "negative", "is")},
        ),
        (
            "The vendor not only provides support but also sells licences.",
            {("provide", "positive", "is"), ("sell", "positive", "is")},
        ),
        (
            "The supplier shall notify the bank and keep records.",
            {("notify", "positive", "shall"), ("keep", "positive", "shall")},
        ),
        ("The system no longer uses Redis.", {("use", "negative", "is")}),
        # duties and permissions given by another
        (
            "The Order requires the Company to notify the bank.",
            {("require", "positive", "is"), ("notify", "positive", "must")},
        ),
        (
            "The policy does not allow suppliers to use the Gateway.",
            {("allow", "negative", "is"), ("use", "negative", "may")},
        ),
        ("The bank wants Acme to pay the fee.", {("want", "positive", "is")}),  # whether it pays is not said
        # no object, no claim about it at any time
        (
            "The platform received no alarms for 2 hours.",
            {("receive", "negative", "is"), ("receive_for", "negative", "is")},
        ),
        # without
        (
            "Acme operates the Gateway without a licence.",
            {("operate", "positive", "is"), ("operate_with", "negative", "is")},
        ),
    ],
)
def test_polarity_and_modality(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert signs(text) == expected


@pytest.mark.parametrize(
    ("text", "claim", "condition"),
    [
        (
            "The supplier shall not disclose the report without the consent of the bank.",
            ("supplier", "disclose", "report"),
            "without the consent of the bank",
        ),
        (
            "No supplier may use the data without a permit.",
            ("supplier", "use", "data"),
            "without a permit",
        ),
        (
            "The Agency may, unless the Board decides otherwise, publish the report.",
            ("Agency", "publish", "report"),
            "unless the Board decides otherwise",
        ),
        ("The fee is EUR 500 unless waived.", ("fee", "be", "EUR 500"), "unless waived"),
        (
            "The provider shall keep records of all processing activities carried out on behalf of the controller, "
            "including the categories of data, the transfers to third countries and the envisaged time limits for "
            "erasure, unless the competent authority has granted an exemption in writing.",
            ("provider", "keep", "records of all processing activities"),
            "unless the competent authority has granted an exemption in writing",
        ),
    ],
)
def test_the_condition_stays_with_the_claim(text: str, claim: tuple[str, str, str], condition: str) -> None:
    conditions = {triple(row): row["condition_text"] for row in claims(read(text))}
    assert conditions[claim] == condition
    assert set(conditions.values()) == {condition}  # nothing is asserted without it


def test_a_condition_in_one_cell_of_a_row_holds_in_that_cell_alone() -> None:
    row = "The vendor encrypts all backups unless the bank agrees otherwise\tThe bank audits the vendor every year"
    found = {triple(item): item["condition_text"] for item in claims(read_parts([("table", row)]))}
    assert found["vendor", "encrypt", "backups"] == "unless the bank agrees otherwise"
    assert found["bank", "audit", "vendor"] is None


@pytest.mark.parametrize(
    "text",
    [
        "The auditor said that Acme Ltd owns Beta Ltd.",
        "According to the auditor, Acme Ltd owns Beta Ltd.",
        '"Acme Ltd owns Beta Ltd," the auditor said.',
    ],
)
def test_what_is_reported_has_less_confidence(text: str) -> None:
    assert one(text, "own")["confidence"] == pytest.approx(0.85 * 0.7)


def test_a_clause_before_a_semicolon_is_not_reported_by_the_next() -> None:
    row = one("The board approved the plan; Acme signed the Agreement.", "approve")
    assert row["confidence"] == pytest.approx(0.85)


def test_clauses_without_a_claim_are_counted_by_reason() -> None:
    text = (
        "The bank audits the vendor. "  # a claim
        "It grew. "  # bank or vendor
        "If the vendor fails, the bank may terminate the contract. "  # one in a condition, one claim
        "The vendor grew."  # nothing said of it
    )
    expected = {"anaphora_unresolved": 1, "clause_in_condition": 1, "claim_without_object": 1}
    assert books(read(text), "clauses") == (5, 2, expected)


def test_claims_of_a_question_are_none_and_its_clauses_not_expected() -> None:
    assert books(read("Does Acme own Beta?"), "clauses") == (0, 0, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Founded by Beta in 1990, Acme operates the Gateway.",
            {("Beta", "found", "Acme"), ("Acme", "operate", "Gateway")},
        ),
        (
            "In 2020, the bank developed and maintained the Fraud System.",
            {("bank", "develop", "Fraud System"), ("bank", "maintain", "Fraud System"), ("bank", "develop_in", "2020")},
        ),
        # nouns that the parser takes for verbs
        ("The policy covers access logs, change logs and alarm logs.", {("policy", "cover", "access logs")}),
        ("The Gateway failed once and stopped all alarms.", {("Gateway", "stop", "alarms")}),
        (
            "The Telemetry Gateway that the Company operates at Harnley was replaced.",
            {
                ("Company", "operate", "Telemetry Gateway"),
                ("Company", "operate_at", "Harnley"),
                ("Telemetry Gateway", "be_replace", None),
            },
        ),
        (
            "The supplier protects data by encrypting the disks.",
            {("supplier", "protect", "data"), ("supplier", "protect_by", "encrypting the disks")},
        ),
    ],
)
def test_participles_shared_objects_and_means(text: str, expected: set[tuple[str, str, str | None]]) -> None:
    assert triples(text) == expected
