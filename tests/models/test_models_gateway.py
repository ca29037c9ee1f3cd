"""Asking through the gateway: every fault of an endpoint is an answer with a reason, and nothing is paid for twice."""

from __future__ import annotations

import json
import random
import socket
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from gateway_lab import NOW, GatewayLab, question
from model_server import Sent, says, scripted

GOOD = says('{"words": ["a"]}')


def test_a_good_answer_comes_back_as_data_and_is_recorded() -> None:
    with scripted(lambda body, number: GOOD) as endpoint:
        lab = GatewayLab(endpoint.base_url)
        answer = lab.one()
    assert (answer.state, answer.data) == ("accepted", {"words": ["a"]})
    (row,) = lab.gateway.answer_rows([answer.request_digest]).to_dicts()
    assert (row["state"], row["prompt_tokens"], row["answer_tokens"]) == ("accepted", 100, 20)
    assert (row["answer"], row["answered_at"]) == ('{"words": ["a"]}', NOW)


@pytest.mark.parametrize(
    ("sent", "state", "reason"),
    [
        (Sent(500), "failed", "model_server_error"),
        (Sent(503, b"<html>busy</html>", {"Content-Type": "text/html"}), "failed", "model_server_error"),
        (Sent(401, b"{}"), "failed", "model_request_refused"),
        (Sent(400, b'{"error": {"message": "too long"}}'), "failed", "model_request_refused"),
        (Sent(302, b"", {"Location": "http://127.0.0.1:9/v1"}), "failed", "model_request_refused"),
        (Sent(200, b"<html>Sign in</html>", {"Content-Type": "text/html"}), "failed", "model_bad_reply"),
        (Sent(200, b'{"id": "1", "choi'), "failed", "model_bad_reply"),
        (Sent(200, b""), "failed", "model_bad_reply"),
        (Sent(200, b"[]"), "failed", "model_bad_reply"),
        (Sent(200, b'{"choices": []}'), "failed", "model_bad_reply"),
        (says(""), "rejected", "model_answer_empty"),
        (says(None), "rejected", "model_answer_empty"),
        (says("<think>What a task! {}"), "rejected", "model_answer_empty"),
        (says("I cannot help with that."), "rejected", "model_answer_not_json"),
        (says('{"words": ["a", "b'), "rejected", "model_answer_not_json"),
        (says('{"words": ["a", "b', "length"), "rejected", "model_answer_truncated"),
        (says('["a"]'), "rejected", "model_answer_invalid"),
        (says('{"terms": ["a"]}'), "rejected", "model_answer_invalid"),
        (says('{"words": ["a"]}', "content_filter"), "rejected", "model_answer_declined"),
        (says(None, refusal="No."), "rejected", "model_answer_declined"),
    ],
)
def test_each_fault_has_its_reason(sent: Sent, state: str, reason: str) -> None:
    with scripted(lambda body, number: sent) as endpoint:
        lab = GatewayLab(endpoint.base_url, attempts=2, structured_output="json_schema")
        answer = lab.one()
    assert (answer.state, answer.reason_code, answer.data) == (state, reason, None)


@pytest.mark.parametrize(
    "text",
    [
        '<think>Perhaps {"words": []}?</think>\n{"words": ["a"]}',
        'of course I think so</think>{"words": ["a"]}',
        'Here you are:\n```json\n{"words": ["a"]}\n```\nAnything else?',
        '{bad} then {"words": ["a"]}',
    ],
)
def test_reasoning_and_chatter_around_the_object_are_passed_over(text: str) -> None:
    with scripted(lambda body, number: says(text)) as endpoint:
        assert GatewayLab(endpoint.base_url).one().data == {"words": ["a"]}


def test_a_think_mark_inside_the_data_is_data() -> None:
    with scripted(lambda body, number: says('{"words": ["<think>", "</think>b"]}')) as endpoint:
        assert GatewayLab(endpoint.base_url).one().data == {"words": ["<think>", "</think>b"]}


def test_a_hanging_endpoint_ends_at_the_time_limit() -> None:
    with scripted(lambda body, number: Sent(hang=True)) as endpoint:
        answer = GatewayLab(endpoint.base_url, timeout_seconds=0.2, attempts=1).one()
    assert (answer.state, answer.reason_code) == ("failed", "model_timeout")


def test_an_endpoint_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    lab = GatewayLab(f"http://127.0.0.1:{port}/v1", attempts=3, backoff_seconds=1)
    assert lab.one().reason_code == "model_unreachable"
    assert lab.waited == [1, 2]


def test_waits_double_and_a_retry_after_holds() -> None:
    date = format_datetime(NOW + timedelta(seconds=7), usegmt=True)
    script = [Sent(500), Sent(429, headers={"Retry-After": "11"}), Sent(503, headers={"Retry-After": date}), GOOD]
    with scripted(lambda body, number: script[number]) as endpoint:
        lab = GatewayLab(endpoint.base_url, attempts=4, backoff_seconds=2)
        assert lab.one().state == "accepted"
    assert lab.waited == [2, 11, 7]


def test_a_retry_after_beyond_the_limit_ends_the_attempts() -> None:
    with scripted(lambda body, number: Sent(429, headers={"Retry-After": "3600"})) as endpoint:
        lab = GatewayLab(endpoint.base_url, max_wait_seconds=60)
        assert lab.one().reason_code == "model_rate_limited"
        assert (len(endpoint.chats), lab.waited) == (1, [])


def test_one_failure_in_three_costs_no_answer_when_tried_again() -> None:
    chance = random.Random(7)
    fails = [chance.random() < 0.3 for _ in range(400)]
    with scripted(lambda body, number: Sent(500) if fails[number] else GOOD) as endpoint:
        answers = GatewayLab(endpoint.base_url, attempts=6).ask(*[f"question {number}" for number in range(60)])
    assert [answer.state for answer in answers] == ["accepted"] * 60
    assert any(fails[:60])


def test_after_four_requests_in_a_row_without_an_answer_the_rest_is_not_asked() -> None:
    with scripted(lambda body, number: Sent(500)) as endpoint:
        lab = GatewayLab(endpoint.base_url, attempts=2)
        answers = lab.ask(*[f"question {number}" for number in range(50)])
        assert len(endpoint.chats) == 8
    assert {answer.reason_code for answer in answers} == {"model_server_error"}


def test_the_budget_stops_the_run_and_says_so() -> None:
    with scripted(lambda body, number: GOOD) as endpoint:
        answers = GatewayLab(endpoint.base_url, max_calls_per_run=2).ask("a", "b", "c", "d")
        assert len(endpoint.chats) == 2
        # a call sets 200 tokens aside for its answer and uses 120: the third would pass 400
        by_tokens = GatewayLab(endpoint.base_url, max_tokens_per_run=400, max_output_tokens=200).ask("a", "b", "c")
    reasons = [answer.reason_code for answer in answers]
    assert reasons == [None, None, "model_budget_exceeded", "model_budget_exceeded"]
    assert [answer.reason_code for answer in by_tokens] == [None, None, "model_budget_exceeded"]


def test_equal_questions_are_asked_once_and_recorded_ones_not_at_all() -> None:
    with scripted(lambda body, number: GOOD) as endpoint:
        first = GatewayLab(endpoint.base_url)
        one, two = first.ask("same", "same")
        rows = first.gateway.answer_rows([one.request_digest])
        again = GatewayLab(endpoint.base_url, known=rows)
        assert (again.one("same").data, one) == (two.data, two)
        assert len(endpoint.chats) == 1
        assert again.gateway.answer_rows([one.request_digest]).is_empty()


def test_a_rejected_answer_is_not_paid_for_again_but_a_failure_is_asked_again() -> None:
    script = [says("no"), Sent(500), GOOD]
    with scripted(lambda body, number: script[number]) as endpoint:
        first = GatewayLab(endpoint.base_url, attempts=1)
        rejected, failed = first.ask("a", "b")
        rows = first.gateway.answer_rows([rejected.request_digest, failed.request_digest])
        assert sorted(rows["state"]) == ["failed", "rejected"]
        again = GatewayLab(endpoint.base_url, attempts=1, known=rows).ask("a", "b")
        assert [answer.state for answer in again] == ["rejected", "accepted"]
        assert len(endpoint.chats) == 3


def test_another_model_seed_or_limit_asks_anew_and_another_address_or_key_does_not() -> None:
    asked = question("text")

    def key(**changes: Any) -> str:
        return asked.digest(GatewayLab("http://127.0.0.1:1/v1", **changes).gateway.settings.answer_digest())

    same = {key(), key(timeout_seconds=9, attempts=1, api_key="k", concurrency=9, name="other")}
    changed = {key(model="other"), key(seed=1), key(temperature=0.5), key(max_output_tokens=9)}
    assert len(same) == 1 and len(changed) == 4 and not same & changed


def test_a_rebuild_calls_nothing_and_gets_answers_and_failures_from_the_records() -> None:
    with scripted(lambda body, number: Sent(500) if "b" in str(body["messages"]) else GOOD) as endpoint:
        first = GatewayLab(endpoint.base_url, attempts=1)
        before = first.ask("a", "b")
        rows = first.gateway.answer_rows([answer.request_digest for answer in before])
        calls = len(endpoint.asked)
        after = GatewayLab(endpoint.base_url, replay=True, known=rows).ask("a", "b", "never asked")
        assert len(endpoint.asked) == calls
    assert [(item.state, item.reason_code) for item in after[:2]] == [(item.state, item.reason_code) for item in before]
    assert (after[2].state, after[2].reason_code) == ("failed", "model_answer_missing")


def test_a_server_without_schemas_is_asked_in_a_plainer_form_and_remembered() -> None:
    def script(body: dict, number: int) -> Sent:
        refuses = body.get("response_format", {}).get("type") == "json_schema"
        return Sent(400, b'{"error": {"message": "response_format is not supported"}}') if refuses else GOOD

    with scripted(script) as endpoint:
        answers = GatewayLab(endpoint.base_url).ask("a", "b")
        forms = [body.get("response_format", {}).get("type") for body in endpoint.chats]
    assert [answer.state for answer in answers] == ["accepted", "accepted"]
    assert forms == ["json_schema", "json_object", "json_object"]


def test_a_request_that_every_form_is_refused_for_leaves_the_strict_form_in_use() -> None:
    def script(body: dict, number: int) -> Sent:
        return Sent(400) if "long" in str(body["messages"]) else GOOD

    with scripted(script) as endpoint:
        answers = GatewayLab(endpoint.base_url).ask("long", "short")
        last = endpoint.chats[-1]["response_format"]["type"]
    assert [answer.reason_code for answer in answers] == ["model_request_refused", None]
    assert last == "json_schema"


def test_the_schema_is_strict_and_bounds_are_sent_where_the_setting_says_so() -> None:
    with scripted(lambda body, number: GOOD) as endpoint:
        GatewayLab(endpoint.base_url).one("a")
        GatewayLab(endpoint.base_url, structured_output="json_schema_bounded", bounded_items=3).one("b")
        plain, bounded = (body["response_format"]["json_schema"] for body in endpoint.chats)
    assert plain["strict"] is True and "maxItems" not in json.dumps(plain)
    assert bounded["schema"]["properties"]["words"]["maxItems"] == 3


def test_what_egress_denies_is_not_sent_even_where_an_equal_text_was() -> None:
    with scripted(lambda body, number: GOOD) as endpoint:
        lab = GatewayLab(endpoint.base_url)
        allowed, denied = lab.gateway.ask([question("t"), question("t", allowed=False)], lambda data: None)
        lab.gateway.close()
    assert (allowed.state, denied.state, denied.reason_code) == ("accepted", "denied", "model_egress_denied")
    assert denied.data is None


def test_nothing_of_the_environment_enters_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "stolen", "OPENAI_ADMIN_KEY": "stolen", "OPENAI_BASE_URL": "http://127.0.0.1:9/stolen",
        "OPENAI_ORG_ID": "stolen", "OPENAI_PROJECT_ID": "stolen", "OPENAI_CUSTOM_HEADERS": "X-Own: stolen",
        "HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    with scripted(lambda body, number: GOOD) as endpoint:
        assert GatewayLab(endpoint.base_url, api_key="ours").one("a").state == "accepted"
        assert GatewayLab(endpoint.base_url).one("b").state == "accepted"
        with_key, without = endpoint.asked
    assert with_key.headers["Authorization"] == "Bearer ours" and "Authorization" not in without.headers
    assert "stolen" not in json.dumps([with_key.headers, without.headers])
    assert not [name for name in without.headers if name.lower().startswith(("x-", "openai-"))]


def test_an_answer_that_drips_in_for_too_long_is_cut_off() -> None:
    from muniment.models.endpoint import Endpoint, EndpointFailure

    ticks = iter(range(0, 1000, 3))
    with scripted(lambda body, number: GOOD) as endpoint:
        settings = GatewayLab(endpoint.base_url).gateway.settings  # 5 seconds
        slow = Endpoint(settings.model_copy(update={"timeout_seconds": 2.0}), monotonic=lambda: next(ticks))
        with pytest.raises(EndpointFailure) as caught:
            slow.complete(question("a"), "text")
        slow.close()
    assert caught.value.reason_code == "model_timeout"
