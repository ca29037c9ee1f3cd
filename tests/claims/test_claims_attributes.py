"""Attributes in noun phrases, counts that are limits, and numbered documents as one name."""

from __future__ import annotations

from typing import Any

import pytest
from claims_documents import claims, one, read, triples

from muniment.nlp.protect import protected_spans


def attribute(text: str, predicate: str = "availability", language: str = "en") -> list[tuple[Any, ...]]:
    """(subject, number, unit, modality, polarity) of claims with the attribute."""
    return [
        (row["subject"], row["value_number"], row["value_unit"], row["modality"], row["polarity"])
        for row in claims(read(text, language))
        if row["predicate"] == predicate
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Gateway must reach an availability of 99.9 % by 2026.", ("Gateway", 99.9, "%", "must", "positive")),
        ("The Telemetry Gateway has an availability of 99.5 %.", ("Telemetry Gateway", 99.5, "%", "is", "positive")),
        (
            "The Telemetry Gateway does not reach an availability of 99.9 %.",
            ("Telemetry Gateway", 99.9, "%", "is", "negative"),
        ),
        # the noun's own owner has the attribute, not who reports it
        (
            "The monthly report shows an availability of the Gateway of 99.5 %.",
            ("Gateway", 99.5, "%", "is", "positive"),
        ),
        ("The availability of the Telemetry Gateway is 99.5 %.", ("Telemetry Gateway", 99.5, "%", "is", "positive")),
        ("The Telemetry Gateway's availability is 99.5 %.", ("Telemetry Gateway", 99.5, "%", "is", "positive")),
    ],
)
def test_a_noun_of_the_schema_with_a_value_is_an_attribute(text: str, expected: tuple[Any, ...]) -> None:
    assert attribute(text) == [expected]


@pytest.mark.parametrize(
    ("text", "subject", "modality"),
    [
        ("Le Portail a une disponibilité de 99,5 %.", "Portail", "is"),
        ("Le Portail Client doit atteindre une disponibilité de 99,5 %.", "Portail Client", "must"),
        ("La disponibilité du Portail Client est de 99,5 %.", "Portail Client", "is"),
    ],
)
def test_french_attributes(text: str, subject: str, modality: str) -> None:
    assert attribute(text, language="fr") == [(subject, 99.5, "%", modality, "positive")]


def test_other_attributes_have_amounts_and_periods() -> None:
    assert attribute("The Billing System has a retention period of 90 days.", "retention_period") == [
        ("Billing System", 90.0, "day", "is", "positive")
    ]
    assert attribute("The Billing System has an annual cost of EUR 12,000.", "cost") == [
        ("Billing System", 12000.0, "EUR", "is", "positive")
    ]


def test_conditions_and_bounds_stay_with_the_attribute() -> None:
    row = one("The Gateway must offer an availability of at least 99.5 % if the Supplier pays.", "availability")
    assert row["value"] == "at least 99.5 %"
    assert row["value_number"] == 99.5
    assert row["condition_text"] == "if the Supplier pays"


@pytest.mark.parametrize(
    "text",
    [
        # inside a condition nothing is asserted
        "If the Gateway reaches an availability of 99.9 %, the Supplier pays.",
        # a report that does not show it leaves open what it is
        "The report does not show an availability of the Gateway of 99.5 %.",
        # who guarantees need not have it; nor who provides it for another
        "The Supplier guarantees an availability of 99.5 %.",
        "The Supplier provides an availability of 99.5 % for the Gateway.",
        # no value of that kind, or none at all
        "The Gateway has an availability of 5 days.",
        "The Gateway has an availability of concern.",
        "Does the Gateway have an availability of 99.5 %?",
    ],
)
def test_no_attribute_where_none_is_stated(text: str) -> None:
    assert attribute(text) == []


def test_a_noun_that_the_schema_does_not_know_makes_no_attribute() -> None:
    rows = claims(read("The Gateway has a wingspan of 20 %."))
    assert {row["predicate"] for row in rows if row["value"] is not None} <= {"have"}


def test_a_count_after_a_limiting_preposition_is_a_value_with_its_number() -> None:
    row = one("The Identity Service locks an account after five failed attempts.", "lock_after")
    assert (row["value"], row["value_number"], row["value_unit"]) == ("five failed attempts", 5.0, "failed attempt")
    assert row["object"] is None


def test_what_is_not_counted_stays_a_thing() -> None:
    assert one("The Identity Service locks an account after failed attempts.", "lock_after")["object"] is not None
    found = triples("The supplier works in two data centres.")
    assert ("supplier", "work_in", "two data centres") not in found


def test_a_numbered_document_is_one_name() -> None:
    row = one("Amendment No. 1 amends the Remote Access Policy.", "amends")
    assert (row["subject"], row["object"]) == ("Amendment No. 1", "Remote Access Policy")
    assert row["polarity"] == "positive"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See Order No. 17/B.", [("Order No. 17/B", "IDENTIFIER")]),
        ("L'Arrêté n° 3 entre en vigueur.", [("Arrêté n° 3", "IDENTIFIER")]),
        ("Regulation (EU) No. 600/2014 applies.", [("Regulation (EU) No. 600/2014", "LAW")]),
        ("The No. 1 supplier left.", []),
        ("We said No. 5 people left.", []),
    ],
)
def test_only_a_capitalised_noun_with_a_number_is_protected(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(text[span.start : span.end], span.label) for span in protected_spans(text)] == expected
