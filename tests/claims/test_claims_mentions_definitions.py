"""Terms that documents define, short forms with one meaning, and what prose alone says of a name."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from claims_documents import Parts, corpus, entities, read
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.definitions import find_definitions
from muniment.stages import StageOutput


def _defined(text: str) -> list[tuple[str, str, str]]:
    found = find_definitions(text)
    for item in found:
        assert text[item.short_start : item.short_end] == item.short
        assert not item.names or text[item.long_start : item.long_end] == item.long
    return [(item.kind, item.short, item.long) for item in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Acme Holdings Limited (the "Supplier") pays.', [("defined_term", "Supplier", "Acme Holdings Limited")]),
        ("Delta Bank plc (the “Bank”) pays.", [("defined_term", "Bank", "Delta Bank plc")]),
        (
            "the European Union Agency for Cybersecurity (hereinafter the Agency)",
            [("defined_term", "Agency", "European Union Agency for Cybersecurity")],
        ),
        (
            'Acme Ltd, hereinafter referred to as the "Supplier", shall pay.',
            [("defined_term", "Supplier", "Acme Ltd")],
        ),
        (
            '"Agency" means the European Union Agency for Cybersecurity established by Regulation (EU) 2019/881;',
            [("defined_term", "Agency", "European Union Agency for Cybersecurity")],
        ),
        (
            "“Confidential Information” means any information that a party marks as such.",
            [("defined_term", "Confidential Information", "")],
        ),
        ("‘European Cyber Agency’ (‘the Agency’) acts.", [("defined_term", "Agency", "European Cyber Agency")]),
        (
            'The European Banking Authority ("EBA" or the "Authority") acts.',
            [
                ("acronym", "EBA", "European Banking Authority"),
                ("defined_term", "Authority", "European Banking Authority"),
            ],
        ),
        ("Dupont Conseil SAS (ci-après «le Prestataire»)", [("defined_term", "Prestataire", "Dupont Conseil SAS")]),
        (
            "Dupont Conseil SAS, ci-après dénommée « la Société », fournit",
            [("defined_term", "Société", "Dupont Conseil SAS")],
        ),
        ("北京云海科技有限公司(以下简称“甲方”)", [("defined_term", "甲方", "北京云海科技有限公司")]),
        ('Acme Ltd and Beta Ltd (together, the "Parties")', [("defined_term", "Parties", "")]),
        ("IDS: the Identity Service", [("acronym", "IDS", "Identity Service")]),
        ("in Coordinated Universal Time (UTC)", [("acronym", "UTC", "Coordinated Universal Time")]),
        # what stands between a party's name and its bracket is no part of it
        (
            "between ACME LIMITED, a company incorporated in England and Wales, whose office is in London "
            '(the "Supplier"), and Delta Ltd (the "Customer")',
            [("defined_term", "Supplier", "ACME LIMITED"), ("defined_term", "Customer", "Delta Ltd")],
        ),
        # prose alone
        ('The Plant Archive is also known as "the Historian".', [("aka", "Historian", "Plant Archive")]),
        ("Acme Ltd is also known as Beta Works here.", [("aka", "Beta Works", "Acme Ltd")]),
        ("Acme Systems Ltd, trading as Zeta, pays.", [("aka", "Zeta", "Acme Systems Ltd")]),
        ("Meta Platforms (formerly Facebook) grew.", [("aka", "Facebook", "Meta Platforms")]),
        ('Acme Ltd (also known as "Zeta") pays.', [("aka", "Zeta", "Acme Ltd")]),
        # no definitions
        ("Acme Ltd is not known as Beta Works.", []),
        ("Alice called Bob. Alice was formerly Director.", []),
        ("It was repealed by Regulation (EU) 2019/881.", []),
        ('He said "yes" (a "joke").', []),
    ],
)
def test_definitions_of_a_text(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert _defined(text) == expected


@pytest.mark.parametrize("piece", ["hereinafter ", "( ", '"', "A ", "(the ", " ", "‘a’ means ", "Acme is also called "])
def test_a_hostile_line_is_read_in_linear_time(piece: str) -> None:
    assert all(item.kind in ("acronym", "defined_term", "aka") for item in find_definitions(piece * 5_000))


def test_the_first_definition_holds_and_one_that_is_stated_outright_beats_prose() -> None:
    text = 'Alpha Ltd is also known as "Vendor".\nBeta Ltd (the "Vendor") and Gamma Ltd (the "Vendor") pay.'
    assert _defined(text) == [("defined_term", "Vendor", "Beta Ltd")]


@given(st.text(alphabet="AaBb (\"“”«»'’),.:thekmcliasn-\n", max_size=80))
def test_any_text_gives_verbatim_definitions_without_overlap(text: str) -> None:
    _defined(text)
    places = [(item.short_start, item.short_end) for item in find_definitions(text)]
    assert all(before[1] <= after[0] for before, after in pairwise(places))


def _forms(output: StageOutput, name: str) -> list[tuple[str | None, str | None]]:
    rows = output.tables["mentions"].filter(name=name).sort("start").to_dicts()
    return [(row["definition"], row["acronym_of"]) for row in rows]


def _document(*parts: tuple[str, str], language: str = "en") -> StageOutput:
    return entities(corpus({"v1": (list(parts), language)}))


def test_mentions_of_a_defined_term_carry_its_long_form_where_they_are_written_like_it() -> None:
    output = read('Acme Ltd (the "Supplier") pays. The Supplier delivers. They asked another supplier.')
    assert _forms(output, "supplier") == [("defined_term", "acme ltd")] * 2 + [(None, None)]
    last = output.tables["mentions"].sort("start").to_dicts()[-1]
    assert (last["text"], last["definition"]) == ("supplier", None)


def test_a_term_that_a_description_defines_is_marked_without_long_form() -> None:
    output = read('"Working Day" means a day on which banks are open. The Supplier answers within one Working Day.')
    assert _forms(output, "working day")[0] == ("defined_term", None)


def test_what_prose_says_of_a_name_is_kept_as_unconfirmed_evidence() -> None:
    output = read('The Plant Data Archive is also known as "the Historian". The Historian keeps readings.')
    assert _forms(output, "historian") == [("aka", "plant data archive")] * 2


def test_a_head_with_one_longer_name_is_its_short_form_and_has_its_type() -> None:
    output = read("The Telemetry Gateway collects readings. The Gateway sends alarms to the new Gateway.")
    assert _forms(output, "gateway")[0] == ("short_form", "telemetry gateway")
    assert {row["entity_type"] for row in output.tables["mentions"].filter(name="gateway").to_dicts()} == {"system"}
    book = output.tables["stage_books"].filter(unit="short_forms").to_dicts()[0]
    assert (book["expected"], book["actual"]) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        # two longer names
        "The Telemetry Gateway and the Payment Gateway are old. The Gateway sends alarms.",
        "The Telemetry Gateway 1 and the Telemetry Gateway 2 are old. The Gateway sends alarms.",
        # one of them in lower case
        "The Telemetry Gateway replaces the payment gateway. The Gateway sends alarms.",
        # a common noun as well
        "The Telemetry Gateway is a gateway. The Gateway sends alarms.",
        # used before it is named
        "The Gateway sends alarms. The Telemetry Gateway is new.",
    ],
)
def test_a_head_that_may_mean_something_else_stays_unresolved_and_is_counted(text: str) -> None:
    output = read(text)
    assert set(_forms(output, "gateway")) == {(None, None)}
    losses = output.tables["losses"].filter(reason_code="short_form_unresolved").to_dicts()
    assert [(row["unit"], row["amount"]) for row in losses] == [("short_forms", 1)]


def test_a_defined_head_is_not_guessed_again() -> None:
    output = read('The Telemetry Gateway is old. Beta Edge (the "Gateway") is new. The Gateway sends alarms.')
    assert set(_forms(output, "gateway")) == {("defined_term", "beta edge")}


def test_a_number_behind_the_head_belongs_to_the_long_name() -> None:
    output = read("The Water Resilience Order 2024 applies. The Order requires an exercise.")
    assert _forms(output, "order") == [("short_form", "water resilience order 2024")]


def test_this_policy_is_the_document_by_its_title() -> None:
    parts: Parts = [("title", "Remote Access Policy"), ("paragraph", "The owners of each system follow this policy.")]
    assert _forms(_document(*parts), "policy") == [("short_form", "remote access policy")]
    other: Parts = [*parts, ("paragraph", "Each department writes a policy.")]
    assert set(_forms(_document(*other), "policy")) == {(None, None)}


def test_persons_give_no_short_forms() -> None:
    output = read("Alice Brown signed the plan. Brown approved it. The Brown of the logo is dark.")
    assert all(form == (None, None) for form in _forms(output, "brown"))


def test_definitions_hold_in_languages_without_a_pipeline() -> None:
    text = "Delta Bank AG (nachfolgend „Bank“) zahlt. Die Bank haftet."
    rows: list[dict[str, Any]] = read(text, "de").tables["mentions"].sort("start").to_dicts()
    assert [(row["text"], row["definition"], row["acronym_of"]) for row in rows if row["name"] == "bank"] == [
        ("Bank", "defined_term", "delta bank ag"),
        ("Bank", "defined_term", "delta bank ag"),
    ]
