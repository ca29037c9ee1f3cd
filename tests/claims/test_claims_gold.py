"""The labelled set of the project, and the gate on it."""

from __future__ import annotations

from pathlib import Path

from muniment.claims.gold import gold_result, gold_set, measure
from muniment.settings import Settings


def test_the_rules_find_what_the_set_says_and_nothing_that_it_denies() -> None:
    result = gold_result(Settings())
    assert result.forbidden == []
    assert result.passed, result.missed


def test_every_expectation_is_looked_for() -> None:
    sentence = {"text": "The Harbour Portal depends on the Berth Planner."}
    right, wrong = ["Harbour Portal", "depends_on", "Berth Planner"], ["Harbour Portal", "owned_by", "Berth Planner"]
    good = measure([{**sentence, "claims": [{"claim": right}]}], Settings())
    assert (good.expected, good.found, good.passed) == (1, 1, True)
    missed = measure([{**sentence, "claims": [{"claim": right}, {"claim": wrong}]}], Settings())
    assert (missed.expected, missed.found, missed.passed) == (2, 1, False)
    assert missed.missed == [
        "The Harbour Portal depends on the Berth Planner. -> Harbour Portal | owned_by | Berth Planner"
    ]
    denied = measure([{**sentence, "claims": [{"claim": right, "negative": True}]}], Settings())
    assert denied.found == 0
    never = measure([{**sentence, "never": [{"claim": right}]}], Settings())
    assert (never.forbidden, never.passed) == (
        ["The Harbour Portal depends on the Berth Planner. -> Harbour Portal | depends_on | Berth Planner"],
        False,
    )


def test_a_result_is_kept_until_rules_pipeline_or_schema_change(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("name: own\nversion: '1'\nrelations:\n  - {name: depends_on, verbs: [lean_on]}\n", encoding="utf-8")
    first = gold_result(Settings(), tmp_path / "kept")
    (file,) = (tmp_path / "kept").iterdir()
    file.write_text('{"expected": 3, "found": 3, "missed": [], "forbidden": []}', encoding="utf-8")
    assert gold_result(Settings(), tmp_path / "kept").expected == 3 != first.expected
    changed = Settings.model_validate({"domain": {"file": own}})
    assert not gold_result(changed, tmp_path / "kept").passed  # "depends on" means nothing in that schema
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_the_set_covers_what_the_rules_must_not_lose() -> None:
    claims = [claim for sentence in gold_set() for claim in sentence.get("claims", ())]
    assert sum(bool(claim.get("negative")) for claim in claims) >= 4
    assert sum(bool(claim.get("condition")) for claim in claims) >= 2
    assert {"shall", "must", "may"} <= {claim.get("modality") for claim in claims}
