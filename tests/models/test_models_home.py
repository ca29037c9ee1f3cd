"""A home with a language model: answers are recorded, a rebuild calls nothing, failures are tried again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from home_lab import HomeLab
from model_server import Body, Sent, claim, perfect, scripted, shown, small_model

from muniment.loss.reconciliation import reconcile
from muniment.processing.batch import plan_retries, process_batch
from muniment.publication.pending import pending_publication
from muniment.publication.rebuild import rebuild
from muniment.settings import SettingsError, load_settings

NOTE = "# Gateway\n\nThe Telemetry Gateway depends on the Identity Service. Priya Raman owns the Archive.\n"
DEPENDS = "The Telemetry Gateway depends on the Identity Service."
CLAIMS = [
    claim(DEPENDS, "Telemetry Gateway", "depends_on", "Identity Service"),
    claim("Priya Raman owns the Archive.", "Priya Raman", "owns", "Archive"),
]


@pytest.fixture
def lab(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., HomeLab]:
    """Homes with a model at the address given; closed at the end."""

    def made(base_url: str, **more: Any) -> HomeLab:
        endpoint = {
            "base_url": base_url,
            "model": "scripted",
            "attempts": 1,
            "timeout_seconds": 120,
            **more.pop("endpoint", {}),
        }
        options = {
            "endpoint": endpoint,
            "models": {"claims": True, **more.pop("models", {})},
            "egress": {"allow_loopback": True},
            "workers": {"backend": "inline", "processes": 1},
            **more,
        }
        home = HomeLab(tmp_path / "home", options)
        request.addfinalizer(home.close)
        return home

    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents with one text."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "one.md").write_text(NOTE, "utf-8")
    (folder / "two.md").write_text(NOTE, "utf-8")
    return folder


def rows(home: HomeLab, sql: str) -> list[Any]:
    return home.warehouse.latest().read(sql).rows()


def test_equal_texts_are_paid_for_once_and_the_answers_stand_beside_the_rows(
    lab: Callable[..., HomeLab], folder: Path
) -> None:
    with scripted(perfect(CLAIMS)) as endpoint:
        home = lab(endpoint.base_url)
        home.scan(folder)
        home.process()
        assert len(endpoint.asked) == 2  # one part, and one round that asks for what was missed
        assert rows(home, "SELECT count(*), count(DISTINCT version_id) FROM claims WHERE basis = 'model'") == [(4, 2)]
        assert rows(home, "SELECT state, count(*) FROM model_answers GROUP BY 1") == [("accepted", 2)]
        assert rows(home, "SELECT allowed, rule FROM egress_decisions") == [(True, "loopback")] * 2
        assert reconcile(home.warehouse.latest(), "entities").passed
        home.process()
        assert len(endpoint.asked) == 2


def test_a_model_that_fails_leaves_the_rules_rows_is_tried_again_and_a_rebuild_never_calls_it(
    lab: Callable[..., HomeLab], folder: Path
) -> None:
    works = False
    (folder / "two.md").write_text(NOTE.replace("Archive", "Historian"), "utf-8")

    def script(body: Body, number: int) -> Sent:
        return Sent(503) if not works and "Historian" in shown(body) else perfect(CLAIMS)(body, number)

    with scripted(script) as endpoint:
        home = lab(endpoint.base_url)
        home.ingest(folder)
        by_rules = rows(home, "SELECT claim_id FROM claims WHERE basis <> 'model' ORDER BY 1")
        status = "SELECT state, reason_code, transient FROM stage_status WHERE stage = 'entities' ORDER BY state"
        assert rows(home, status) == [("ok", None, "no"), ("partial", "model_server_error", "yes")]
        losses = "SELECT reason_code, amount FROM losses WHERE unit = 'model_requests'"
        assert rows(home, losses) == [("model_server_error", 1)]
        assert rows(home, "SELECT count(*) FROM claims WHERE basis = 'model'") == [(2,)]
        calls = len(endpoint.asked)
        # answers and failures come from the records
        assert rebuild(home.home, home.settings, keep=False).differing == []
        assert len(endpoint.asked) == calls
        assert pending_publication(home.warehouse.latest(), home.home, home.settings) is None
        works = True
        with home.run() as context:
            (batch_id,) = plan_retries(context)
            process_batch(context, batch_id)
        assert rows(home, status) == [("ok", None, "no")] * 2 and rows(home, losses) == []
        assert rows(home, "SELECT claim_id FROM claims WHERE basis <> 'model' ORDER BY 1") == by_rules
        assert rows(home, "SELECT count(*) FROM claims WHERE basis = 'model'") == [(3,)]
        assert pending_publication(home.warehouse.latest(), home.home, home.settings) is not None


def test_settings_of_the_model_make_the_stage_stale_and_limits_of_the_endpoint_do_not(tmp_path: Path) -> None:
    from muniment.processing.local_stages import ENTITIES

    def key(**changes: Any) -> str:
        endpoint = {"base_url": "http://127.0.0.1:1/v1", "model": "m", **changes.pop("endpoint", {})}
        options = {"home": tmp_path, "endpoint": endpoint, "models": {"claims": True}, **changes}
        return ENTITIES.settings_digest(load_settings(options))

    same = {key(), key(endpoint={"api_key": "k", "attempts": 9, "concurrency": 1, "max_calls_per_run": 1})}
    changed = {
        key(models={"claims": False}),
        key(models={"claims": True, "gleaning_rounds": 0}),
        key(endpoint={"model": "n"}),
        key(endpoint={"base_url": "http://127.0.0.1:2/v1"}),
        key(egress={"allow_loopback": True}),
    }
    assert len(same) == 1 and len(changed) == 5 and not same & changed


def test_claims_of_a_model_without_an_endpoint_are_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"models\.claims needs endpoint\.base_url and endpoint\.model"):
        load_settings({"home": tmp_path, "models": {"claims": True}})


@pytest.fixture(scope="session")
def smollm2() -> Any:
    """The address of a real server with a real, very small model."""
    with small_model() as base_url:
        yield base_url


@pytest.mark.integration
def test_a_real_model_on_a_real_server_goes_the_whole_way(
    lab: Callable[..., HomeLab], folder: Path, tmp_path: Path, smollm2: str
) -> None:
    schema = tmp_path / "small.yaml"  # the shipped one is long, and the model slow
    schema.write_text(
        "name: small\nversion: '1'\ntypes: [{name: concept}, {name: system}]\nrelations: [{name: depends_on}]\n",
        "utf-8",
    )
    home = lab(
        smollm2,
        domain={"packs": [], "file": schema},
        endpoint={
            "model": "smollm2",
            "structured_output": "json_schema_bounded",
            "bounded_items": 1,
            "max_output_tokens": 600,
        },
        models={"claims": True, "gleaning_rounds": 0},
    )
    home.scan(folder)
    home.process()
    ((state, answer, prompt_tokens, answer_tokens),) = rows(
        home, "SELECT state, answer, prompt_tokens, answer_tokens FROM model_answers"
    )
    assert state == "accepted" and answer.startswith("{") and prompt_tokens > 100 and answer_tokens > 0
    ((items,),) = rows(home, "SELECT DISTINCT items FROM model_requests")
    counted = rows(
        home,
        "SELECT unit, sum(expected), sum(actual + explained), sum(unexplained) FROM stage_books "
        "WHERE unit IN ('model_entities', 'model_claims') GROUP BY 1 ORDER BY 1",
    )
    assert sum(row[1] for row in counted) == 2 * items  # two documents with the same answer
    assert all(expected == told and not unexplained for _, expected, told, unexplained in counted)
    assert reconcile(home.warehouse.latest(), "entities").passed
