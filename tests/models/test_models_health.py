"""`muniment doctor` on the endpoint: configured, reachable, model listed, text allowed to leave; with advice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from model_server import Sent, scripted

from muniment.models.health import endpoint_findings
from muniment.settings import Settings, load_settings


@pytest.fixture
def settings(tmp_path: Path) -> Any:
    def made(base_url: str | None = None, model: str | None = None, **more: Any) -> Settings:
        return load_settings({"home": tmp_path, "endpoint": {"base_url": base_url, "model": model}, **more})

    return made


def test_no_endpoint_is_fine_and_says_how_to_get_one(settings: Any) -> None:
    (finding,) = endpoint_findings(settings())
    assert finding.good and "endpoint.base_url" in finding.detail


def test_an_endpoint_without_a_model_name_says_what_to_set(settings: Any) -> None:
    (finding,) = endpoint_findings(settings("http://127.0.0.1:1/v1"))
    assert not finding.good and "endpoint.model" in finding.detail


def test_an_endpoint_that_is_not_there_says_so(settings: Any) -> None:
    finding = endpoint_findings(settings("http://127.0.0.1:1/v1", "m"))[0]
    assert not finding.good and "cannot be reached" in finding.detail and "endpoint.base_url" in finding.detail


def test_an_endpoint_names_the_models_that_it_has(settings: Any) -> None:
    with scripted(lambda body, number: Sent(500), models=("large", "small")) as endpoint:
        good = endpoint_findings(settings(endpoint.base_url, "small"))[0]
        bad = endpoint_findings(settings(endpoint.base_url, "huge"))[0]
        assert endpoint.chats == []  # no text is sent
    assert good.good and "small" in good.detail
    assert not bad.good and "large, small" in bad.detail


def test_an_endpoint_that_no_rule_lets_text_leave_for_is_pointed_out(settings: Any) -> None:
    with scripted(lambda body, number: Sent(500), models=("m",)) as endpoint:
        on = {"models": {"claims": True}}
        kept = endpoint_findings(settings(endpoint.base_url, "m", **on))[1]
        free = endpoint_findings(settings(endpoint.base_url, "m", egress={"allow_loopback": True}, **on))
        off = endpoint_findings(settings(endpoint.base_url, "m"))[1]
    assert not kept.good and "egress" in kept.detail
    assert [finding.good for finding in free] == [True]
    assert off.good and "models.claims is off" in off.detail
