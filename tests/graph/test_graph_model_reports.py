"""A model's report of a community: what is shown, and that nothing stays without words of a document behind it."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.graph.model_reports import (
    Material,
    QuotedClaim,
    check_answer,
    materials,
    read_report,
    report_request,
)
from muniment.tables.registry import TABLES

GATEWAY = "The Telemetry Gateway depends on the Identity Service."
LIMIT = "The Gateway accepts “at most” 5,000 messages\nper second."
MATERIAL = Material(
    "c",
    3,
    "Gateway, Identity",
    "Gateway, Identity\nEntities (2 in all): Gateway (system), Identity (system)\nRelationships:\n- …",
    (QuotedClaim("claim-1", "a.1", "a", GATEWAY), QuotedClaim("claim-2", "b.1", "b", LIMIT)),
)


def cite(number: Any, quote: Any) -> dict[str, Any]:
    return {"claim": number, "quote": quote}


def answer(*sentences: tuple[str, list[dict[str, Any]]], title: str = "Telemetry Gateway") -> dict[str, Any]:
    return {"title": title, "summary": [{"text": text, "citations": cited} for text, cited in sentences]}


GOOD = ("It needs the Identity Service.", [cite(1, "depends on the Identity Service")])


def test_sentences_stay_with_the_documents_own_words_behind_them() -> None:
    limit = ("It takes 5,000 messages a second [2].", [cite(2, 'accepts "at most" 5,000 messages per second')])
    written = read_report(MATERIAL, answer(GOOD, limit))
    assert written.reason_code is None and not written.refused
    assert written.title == "Telemetry Gateway"
    assert written.claim_ids == ["claim-1", "claim-2"]
    assert written.report.splitlines() == [
        "Telemetry Gateway",
        "Entities (2 in all): Gateway (system), Identity (system)",
        "Summary:",
        '- It needs the Identity Service. ("depends on the Identity Service" [document a])',
        '- It takes 5,000 messages a second. ("accepts “at most” 5,000 messages per second" [document b])',
    ]


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        (("It needs nothing.", []), "model_sentence_uncited"),
        (("It needs the Archive.", [cite(1, "depends on the Archive")]), "model_quote_not_found"),
        # verbatim, but of the other claim
        (("It needs the Identity Service.", [cite(2, "depends on the Identity Service")]), "model_quote_not_found"),
        (("It needs the Identity Service.", [cite(3, GATEWAY)]), "model_quote_not_found"),
        (("It needs the Identity Service.", [cite(0, GATEWAY)]), "model_quote_not_found"),
        # one right quote does not carry a wrong one
        (("It needs both.", [cite(1, GATEWAY), cite(1, "and on the Archive")]), "model_quote_not_found"),
        (("It needs the Identity Service.", [cite(1, "the")]), "model_quote_too_short"),
        (("It takes 6,000 messages.", [cite(2, "accepts “at most” 5,000 messages")]), "model_number_mismatch"),
        # the number is in the claim, not in the words that are cited
        (("It takes 5,000 messages.", [cite(2, "messages per second")]), "model_number_mismatch"),
        (("", [cite(1, GATEWAY)]), "model_item_malformed"),
        (("It is.", [cite("1", GATEWAY)]), "model_item_malformed"),
        (("It is.", [cite(True, GATEWAY)]), "model_item_malformed"),
        (("It is.", [cite(1, None)]), "model_item_malformed"),
    ],
)
def test_a_sentence_that_its_quotes_do_not_bear_out_is_dropped_with_a_reason(sentence: Any, code: str) -> None:
    written = read_report(MATERIAL, answer(sentence, GOOD))
    assert dict(written.refused) == {code: 1}
    assert written.claim_ids == ["claim-1"] and written.report.count("\n- ") == 1
    alone = read_report(MATERIAL, answer(sentence))
    assert (alone.reason_code, alone.report, alone.claim_ids) == ("model_report_unsupported", "", [])


@pytest.mark.parametrize("summary", [[], [None], ["text"], [{"text": "It is."}], [{"citations": []}]])
def test_an_answer_without_a_sentence_is_no_report(summary: list[Any]) -> None:
    assert read_report(MATERIAL, {"title": "Gateway", "summary": summary}).reason_code == "model_report_unsupported"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("what the telemetry gateway needs", "what the telemetry gateway needs"),
        ("Identity Service [1]", "Identity Service"),
        ("Acme Holding", "Gateway, Identity"),
        ("Gateway 7", "Gateway, Identity"),
        ("", "Gateway, Identity"),
        ("gateway " * 40, "Gateway, Identity"),
    ],
)
def test_a_title_with_names_that_no_claim_has_is_not_taken(title: str, shown: str) -> None:
    assert read_report(MATERIAL, answer(GOOD, title=title)).title == shown


def test_the_shape_of_an_answer_is_checked() -> None:
    assert check_answer(answer(GOOD)) is None
    for data in ({}, {"title": 1, "summary": []}, {"title": "a", "summary": {}}):
        assert check_answer(data) == "model_answer_invalid"


def test_only_numbered_quotes_are_shown_as_data_and_nothing_else_changes_the_request() -> None:
    asked = report_request(MATERIAL, allowed=True)
    (_, instructions), (_, user) = asked.messages
    marks, *lines, end = user.splitlines()
    assert marks.startswith("<claims key=") and end == f"</{marks[1:]}"
    assert lines == [f"[1] {GATEWAY}", "[2] The Gateway accepts “at most” 5,000 messages per second."]
    assert GATEWAY not in instructions
    other = Material("d", 9, "Other", "Other\nEntities", MATERIAL.claims)
    assert report_request(other, allowed=True).digest("m") == asked.digest("m")
    fewer = Material("c", 3, "Gateway, Identity", MATERIAL.report, MATERIAL.claims[:1])
    assert report_request(fewer, allowed=True).digest("m") != asked.digest("m")


def test_material_is_listed_by_size_and_claims_without_evidence_to_show_are_left_out() -> None:
    base = {"view_id": "operator", "title": "t", "report": "r", "method": "extractive", "source_digest": "s"}
    reports = TABLES["community_reports"].frame(
        [{**base, "community_id": name, "claim_ids": claims} for name, claims in (("a", ["2", "1"]), ("b", ["3"]))]
        + [{**base, "community_id": "c", "claim_ids": []}]
    )
    communities = pl.DataFrame({"view_id": ["operator"] * 3, "community_id": ["a", "b", "c"], "size": [3, 8, 3]})
    claims = pl.DataFrame({"claim_id": ["1", "2", "3"], "version_id": ["v1", "v2", "v3"], "document_id": list("xyz")})
    evidence = pl.DataFrame(
        {"claim_id": ["1", "2", "2"], "start": [5, 30, 10], "end": [9, 40, 20], "quote": ["one", "late", "first"]}
    )
    for frame in (evidence, evidence.reverse()):
        found = materials(reports, communities, claims, frame)
        assert [item.community_id for item in found] == ["b", "a", "c"]
        assert [item.claims for item in found] == [
            (),
            (QuotedClaim("2", "v2", "y", "first"), QuotedClaim("1", "v1", "x", "one")),
            (),
        ]


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.text(max_size=6) | st.sampled_from([GATEWAY, LIMIT]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "citations", "claim", "quote"]), inner)
    ),
    max_leaves=12,
)


@given(st.lists(_ANYTHING, max_size=4))
def test_whatever_a_model_says_each_kept_line_has_words_of_a_claim(summary: list[Any]) -> None:
    written = read_report(MATERIAL, {"title": "x", "summary": summary})
    kept = len(summary) - written.refused.total()
    assert (written.reason_code is None) == (kept > 0) == bool(written.claim_ids)
    assert set(written.claim_ids) <= {"claim-1", "claim-2"}
