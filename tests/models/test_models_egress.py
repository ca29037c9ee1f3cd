"""Whether a document's text may leave: the first rule that fits, and nothing without one."""

from __future__ import annotations

import pytest

from muniment.models.egress import Decision, DocumentClass, decide, is_loopback
from muniment.settings import EgressRule, EgressSettings, EndpointSettings

PUBLIC = DocumentClass("v1", "public", "pdf")
EUROPE = EndpointSettings(name="europe", base_url="https://models.example/v1", model="m", region="eu", retention_days=0)
ELSEWHERE = EndpointSettings(name="far", base_url="https://other.example/v1", model="m", region="us", retention_days=30)


def asked(
    document: DocumentClass,
    endpoint: EndpointSettings,
    *rules: EgressRule,
    purpose: str = "claims",
    loopback: bool = False,
) -> tuple[bool, str]:
    decision = decide(document, purpose, endpoint, EgressSettings(rules=rules, allow_loopback=loopback))
    assert isinstance(decision, Decision)
    return decision.allowed, decision.rule


def test_nothing_leaves_without_a_rule() -> None:
    assert asked(PUBLIC, EUROPE) == (False, "no rule")


def test_a_rule_names_policies_types_purposes_and_endpoints() -> None:
    rule = EgressRule(name="r", policies=("public",), doc_types=("pdf",), purposes=("claims",), endpoints=("europe",))
    assert asked(PUBLIC, EUROPE, rule) == (True, "r")
    assert asked(DocumentClass("v1", "board", "pdf"), EUROPE, rule) == (False, "no rule")
    assert asked(DocumentClass("v1", "public", "docx"), EUROPE, rule) == (False, "no rule")
    assert asked(PUBLIC, EUROPE, rule, purpose="contexts") == (False, "no rule")
    assert asked(PUBLIC, ELSEWHERE, rule) == (False, "no rule")


def test_a_document_without_a_policy_leaves_only_where_that_is_said() -> None:
    unowned = DocumentClass("v1", None, "pdf")
    assert asked(unowned, EUROPE, EgressRule(name="r", policies=("public",))) == (False, "no rule")
    assert asked(unowned, EUROPE, EgressRule(name="r", policies=("none",))) == (True, "r")


def test_region_and_retention_are_what_the_endpoint_declares_and_unknown_is_not_enough() -> None:
    rule = EgressRule(name="r", regions=("eu",), max_retention_days=7)
    assert asked(PUBLIC, EUROPE, rule) == (True, "r")
    assert asked(PUBLIC, ELSEWHERE, rule) == (False, "no rule")
    silent = EUROPE.model_copy(update={"retention_days": None})
    assert asked(PUBLIC, silent, rule) == (False, "no rule")


def test_the_first_rule_that_fits_decides() -> None:
    refuse = EgressRule(name="board stays", allow=False, policies=("board",))
    everything = EgressRule(name="all")
    board = DocumentClass("v1", "board", "pdf")
    assert asked(board, EUROPE, refuse, everything) == (False, "board stays")
    assert asked(board, EUROPE, everything, refuse) == (True, "all")
    assert asked(PUBLIC, EUROPE, refuse, everything) == (True, "all")


@pytest.mark.parametrize("stated", ["secret", "SECRET", " Strictly   confidential "])
def test_a_stated_classification_keeps_a_document_back_whatever_the_rules_say(stated: str) -> None:
    document = DocumentClass("v1", "public", "pdf", stated)
    assert asked(document, EUROPE, EgressRule(name="all"), loopback=True) == (False, "withheld")


def test_a_stated_classification_opens_nothing() -> None:
    assert asked(DocumentClass("v1", "public", "pdf", "public"), EUROPE) == (False, "no rule")


def test_this_machine_may_be_allowed_by_one_setting_but_a_refusal_still_holds() -> None:
    local = EndpointSettings(base_url="http://127.0.0.1:8080/v1", model="m")
    assert asked(PUBLIC, local) == (False, "no rule")
    assert asked(PUBLIC, local, loopback=True) == (True, "loopback")
    assert asked(PUBLIC, EUROPE, loopback=True) == (False, "no rule")
    refuse = EgressRule(name="never", allow=False)
    assert asked(PUBLIC, local, refuse, loopback=True) == (False, "never")


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:8/v1", True),
        ("http://127.0.0.1.example/v1", False),
        ("http://localhost.example/v1", False),
        ("http://user@127.0.0.1:80@models.example/v1", False),
        ("http://10.0.0.1/v1", False),
        (None, False),
    ],
)
def test_only_addresses_of_this_machine_are_loopback(address: str | None, here: bool) -> None:
    assert is_loopback(address) is here
