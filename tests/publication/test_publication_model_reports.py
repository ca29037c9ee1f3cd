"""Reports by a model in a home: a budget for each publication, nothing paid for twice, the extractive one meanwhile."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from home_lab import HomeLab
from model_server import Body, Sent, says, scripted

from muniment.publication.graph import build_communities, build_graph
from muniment.publication.pending import pending_publication
from muniment.publication.rebuild import rebuild
from muniment.publication.report_writing import visible
from muniment.settings import SettingsError, load_settings

# three groups of four, three and two things, without a link to each other; the second is of two documents
NOTES = {
    "one.md": "# Plan\n\nThe Telemetry Gateway uses the Identity Service. "
    "The Telemetry Gateway uses the Ledger Database. The Telemetry Gateway uses the Backup Vault.\n",
    "two.md": "# Plan\n\nThe Billing Engine uses the Tariff Catalogue.\n",
    "two.txt": "The Tariff Catalogue uses the Currency Feed.\n",
    "three.md": "# Plan\n\nThe Archive Portal uses the Search Cluster.\n",
}
METHODS = "SELECT method, count(*) FROM community_reports GROUP BY 1 ORDER BY 1"


def quotes(body: Body) -> list[str]:
    """The numbered quotes that a request shows."""
    return re.findall(r"^\[\d+\] (.*)$", body["messages"][1]["content"], re.MULTILINE)


def good(body: Body, number: int) -> Sent:
    """A report of one sentence for each claim."""
    cited = [(place, quote) for place, quote in enumerate(quotes(body), 1)]
    summary = [{"text": quote, "citations": [{"claim": place, "quote": quote}]} for place, quote in cited]
    return says(json.dumps({"title": "what is said", "summary": summary}))


@pytest.fixture(scope="module")
def processed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home's folder after reading; publications start from copies of it."""
    folder = tmp_path_factory.mktemp("in")
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    root = tmp_path_factory.mktemp("read") / "home"
    home = HomeLab(root, {"workers": {"backend": "inline", "processes": 1}})
    home.scan(folder)
    home.process()
    with home.run() as context:
        build_graph(context)
    home.close()
    return root


@pytest.fixture
def lab(processed: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., HomeLab]:
    """A home with the notes read and reports by the model at the address given; the same home at each call."""
    root = tmp_path / "home"
    shutil.copytree(processed, root)

    def made(base_url: str, budget: int = 50, **more: Any) -> HomeLab:
        options = {
            "endpoint": {"base_url": base_url, "model": "scripted", "attempts": 1, "concurrency": 1},
            "models": {"reports": True, "reports_per_publication": budget},
            "egress": {"allow_loopback": True},
            "workers": {"backend": "inline", "processes": 1},
            **more,
        }
        home = HomeLab(root, options)
        request.addfinalizer(home.close)
        return home

    return made


def rows(home: HomeLab, sql: str) -> list[Any]:
    return home.warehouse.latest().read(sql).rows()


def publish(home: HomeLab) -> dict[str, int]:
    """The publication's step that writes reports, in a run of its own; the counts of the model's."""
    with home.run() as context:
        return {name: count for name, count in build_communities(context).items() if name.startswith("reports_")}


def test_a_budget_of_one_writes_the_largest_first_and_the_rest_later_and_nothing_is_paid_for_twice(
    lab: Callable[..., HomeLab],
) -> None:
    with scripted(good) as endpoint:
        home = lab(endpoint.base_url, budget=1)
        for number in (1, 2, 3):
            publish(home)
            assert rows(home, METHODS) == [
                *([("extractive", 3 - number)] if number < 3 else []),
                ("scripted", number),
            ]
            assert len(endpoint.chats) == number
        assert [len(quotes(body)) for body in endpoint.chats] == [3, 2, 1]
        published = rows(
            home, "SELECT community_id, report, claim_ids, source_digest FROM community_reports ORDER BY 1"
        )
        publish(home)
        assert len(endpoint.chats) == 3
        assert published == rows(
            home, "SELECT community_id, report, claim_ids, source_digest FROM community_reports ORDER BY 1"
        )
        assert rows(home, "SELECT state, purpose, count(*) FROM model_answers GROUP BY ALL") == [
            ("accepted", "reports", 3)
        ]
        assert rows(home, "SELECT purpose, allowed, rule, count(*) FROM egress_decisions GROUP BY ALL") == [
            ("reports", True, "loopback", 4)
        ]
    # with reports off the extractive ones are back, with the same digest of what they are written from
    off = lab(endpoint.base_url, models={"reports": False})
    publish(off)
    assert rows(off, METHODS) == [("extractive", 3)]
    assert [row[3] for row in published] == [
        row[0] for row in rows(off, "SELECT source_digest FROM community_reports ORDER BY community_id")
    ]


def test_a_rebuild_takes_the_recorded_answers_with_the_server_gone_and_the_budget_not_yet_spent(
    lab: Callable[..., HomeLab],
) -> None:
    with scripted(good) as endpoint:
        home = lab(endpoint.base_url, budget=2)
        home.publish()
    assert rows(home, METHODS) == [("extractive", 1), ("scripted", 2)]
    assert rebuild(home.home, home.settings, keep=False).differing == []
    assert pending_publication(home.warehouse.latest(), home.home, home.settings) is None
    off = lab(endpoint.base_url, models={"reports": False})
    assert pending_publication(off.warehouse.latest(), off.home, off.settings) is not None


def test_an_endpoint_that_is_down_leaves_the_extractive_reports_and_is_tried_again(
    lab: Callable[..., HomeLab],
) -> None:
    works = False

    def script(body: Body, number: int) -> Sent:
        return good(body, number) if works else Sent(503)

    with scripted(script) as endpoint:
        home = lab(endpoint.base_url)
        assert publish(home) == {
            "reports_by_model": 0,
            "reports_waiting": 0,
            "reports_rejected": 0,
            "reports_failed": 3,
            "reports_denied": 0,
        }
        assert rows(home, METHODS) == [("extractive", 3)]
        failed = "SELECT state, reason_code, count(*) FROM model_answers GROUP BY ALL"
        assert rows(home, failed) == [("failed", "model_server_error", 3)]
        assert len(endpoint.chats) == 3
        works = True
        assert publish(home)["reports_by_model"] == 3
        assert rows(home, failed) == [("accepted", None, 3)]


def test_a_community_whose_request_always_fails_keeps_none_waiting(lab: Callable[..., HomeLab]) -> None:
    def script(body: Body, number: int) -> Sent:
        return Sent(413) if "Telemetry" in quotes(body)[0] else good(body, number)

    with scripted(script) as endpoint:
        home = lab(endpoint.base_url, budget=1)
        for by_model in (0, 1, 2):
            publish(home)
            assert dict(rows(home, METHODS)).get("scripted", 0) == by_model
        assert len(endpoint.chats) == 3


def test_where_egress_refuses_the_endpoint_sees_nothing_of_the_document(lab: Callable[..., HomeLab]) -> None:
    with scripted(good) as endpoint:
        home = lab(endpoint.base_url, egress={})
        assert publish(home)["reports_denied"] == 3
        assert endpoint.asked == []
        assert rows(home, METHODS) == [("extractive", 3)]
        assert rows(home, "SELECT allowed, rule, purpose, count(*) FROM egress_decisions GROUP BY ALL") == [
            (False, "no rule", "reports", 4)
        ]
        assert rows(home, "SELECT count(*) FROM model_answers") == [(0,)]
        # a rule for another purpose lets nothing leave either
        rule = {"name": "claims only", "purposes": ["claims"]}
        other = lab(endpoint.base_url, egress={"rules": [rule]})
        publish(other)
        assert endpoint.asked == [] and rows(other, METHODS) == [("extractive", 3)]


def test_an_answer_that_its_quotes_do_not_bear_out_is_rejected_recorded_and_not_paid_for_again(
    lab: Callable[..., HomeLab],
) -> None:
    def invents(body: Body, number: int) -> Sent:
        sentence = {"text": "All is well.", "citations": [{"claim": 1, "quote": "all of it is entirely well"}]}
        return says(json.dumps({"title": "Well", "summary": [sentence]}))

    with scripted(invents) as endpoint:
        home = lab(endpoint.base_url)
        assert publish(home)["reports_rejected"] == 3
        assert rows(home, METHODS) == [("extractive", 3)]
        assert rows(home, "SELECT state, reason_code, count(*) FROM model_answers GROUP BY ALL") == [
            ("rejected", "model_report_unsupported", 3)
        ]
        publish(home)
        assert len(endpoint.chats) == 3


def test_one_document_that_may_not_leave_keeps_back_the_whole_community(lab: Callable[..., HomeLab]) -> None:
    keep_text = {"name": "no plain text", "allow": False, "doc_types": ["text"]}
    with scripted(good) as endpoint:
        home = lab(endpoint.base_url, egress={"rules": [keep_text], "allow_loopback": True})
        assert publish(home)["reports_denied"] == 1
        assert rows(home, METHODS) == [("extractive", 1), ("scripted", 2)]
        sent = json.dumps([item.body for item in endpoint.asked])
        assert "Telemetry Gateway" in sent and "Tariff Catalogue" not in sent and "Currency Feed" not in sent


def test_evidence_that_touches_hidden_text_is_not_shown_and_properties_outside_the_text_are() -> None:
    evidence = pl.DataFrame(
        [("before", "x", 0, 10), ("into", "x", 5, 11), ("other text", "y", 12, 15), ("property", "x", -1, -1)],
        ["claim_id", "extraction_id", "start", "end"],
        orient="row",
    )
    hidden = pl.DataFrame({"extraction_id": ["x"], "start": [10], "end": [20]})
    assert visible(evidence, hidden)["claim_id"].to_list() == ["before", "other text", "property"]


def test_settings_of_reports_need_an_endpoint_and_make_no_claims_stale(tmp_path: Path) -> None:
    from muniment.processing.local_stages import ENTITIES

    with pytest.raises(SettingsError, match=r"models\.reports needs endpoint\.base_url"):
        load_settings({"home": tmp_path, "models": {"reports": True}})
    keys = {
        ENTITIES.settings_digest(
            load_settings(
                {
                    "home": tmp_path,
                    "endpoint": {"base_url": "http://127.0.0.1:1/v1", "model": "m"},
                    "models": {"claims": True, **models},
                }
            )
        )
        for models in ({}, {"reports": True}, {"reports_per_publication": 3})
    }
    assert len(keys) == 1
