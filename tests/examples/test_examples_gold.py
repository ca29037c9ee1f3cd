"""The statements of gold.json stand in the example files, and the benchmark that compares a home with them can tell."""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.example_gold import Found, matches, place, score_claims, score_conflicts  # noqa: E402
from benchmarks.example_gold import Names as GoldNames  # noqa: E402

GOLD: dict[str, Any] = json.loads((ROOT / "examples" / "gold.json").read_text(encoding="utf-8"))
MODALITIES = {"is", "shall", "must", "may", "will", "should", "can", "need_not"}


def test_there_are_enough_claims_and_each_says_what_a_claim_can_say() -> None:
    claims = [claim for statement in GOLD["statements"] for claim in statement["claims"]]
    assert len(claims) >= 200
    assert len({statement["file"] for statement in GOLD["statements"]}) >= 20
    for claim in claims:
        assert ("object" in claim) != ("value" in claim)
        assert claim.get("modality", "is") in MODALITIES
        assert claim.get("polarity", "negative") == "negative"
    for kind in ("contradiction", "version_difference", "different_scope", "duplicate", "none"):
        assert any(conflict["kind"] == kind for conflict in GOLD["conflicts"]), kind


def test_every_statement_is_of_a_file_that_is_read() -> None:
    for statement in GOLD["statements"]:
        assert GOLD["files"][statement["file"]]["state"] in ("indexed", "partial")
        assert ("sentence" in statement) != ("row" in statement)


SENTENCE = "The Gateway retains access logs for 30 days."


def _claim(number: int, **more: Any) -> dict[str, Any]:
    row = {
        "claim_id": f"c{number}",
        "path": "a.md",
        "rule": "R6",
        "predicate": "retention_period",
        "predicate_raw": "retain_for",
        "subject_text": "Gateway",
        "subject_long": None,
        "subject_id": "g",
        "object_text": None,
        "object_long": None,
        "object_id": None,
        "value": "30 days",
        "value_number": 30.0,
        "value_unit": "day",
        "value_date": None,
        "value_precision": None,
        "polarity": "positive",
        "modality": "is",
        "condition_text": None,
        "valid_from": None,
        "valid_to": None,
        "confidence": 0.8,
    }
    return row | more


def _gold(*claims: dict[str, Any], complete: bool = True) -> dict[str, Any]:
    return {
        "entities": [{"name": "Telemetry Gateway", "type": "system", "aliases": ["the Gateway"]}],
        "files": {"a.md": {}, "b.md": {}},
        "statements": [{"file": "a.md", "sentence": SENTENCE, "complete": complete, "claims": list(claims)}],
        "conflicts": [],
    }


WANTED = {
    "subject": "Telemetry Gateway",
    "predicate": "retention_period",
    "raw": ["retain_for"],
    "value": "30 days",
}


def _found(*claims: dict[str, Any]) -> Found:
    text = f"# Logs\n\n{SENTENCE} It is old."
    spans = {claim["claim_id"]: [(8, 8 + len(SENTENCE))] for claim in claims}
    return Found({"a.md": list(claims)}, {"a.md": text, "b.md": text}, spans, {"g": {"gateway"}}, {}, {}, {"g": "TGW"})


def test_a_sentence_is_found_over_line_breaks() -> None:
    found = _found()
    found.texts["a.md"] = "x The Gateway\nretains access logs\nfor 30 days. y"
    assert place(found, {"file": "a.md", "sentence": SENTENCE}) == (2, 46)


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ({}, True),
        ({"predicate": "retain_for"}, True),  # by the raw words, where the schema has no word
        ({"predicate": "use", "predicate_raw": "use"}, False),
        ({"subject_text": "Archive", "subject_id": "a"}, False),
        ({"value": "90 days", "value_number": 90.0}, False),
        ({"value": "30 months", "value_unit": "month"}, False),
        ({"value": "720 hours", "value_number": 720.0, "value_unit": "hour"}, False),
    ],
)
def test_a_claim_is_matched_by_subject_predicate_and_value(change: dict[str, Any], fits: bool) -> None:
    assert matches(WANTED, _claim(1, **change), GoldNames(_gold(WANTED), _found())) is fits


def test_precision_counts_complete_sentences_only_and_no_bare_prepositions() -> None:
    other = _claim(2, predicate="use", predicate_raw="use", object_text="logs", value=None, value_number=None)
    bare = _claim(3, predicate="of", predicate_raw="of", object_text="logs", value=None, value_number=None)
    score = score_claims(_gold(WANTED), _found(_claim(1), other, bare))
    assert (score.wanted, score.matched, score.right, score.false, score.unjudged) == (1, 1, 1, 1, 1)
    assert (score.precision, score.recall) == (0.5, 1.0)
    open_sentence = score_claims(_gold(WANTED, complete=False), _found(_claim(1), other))
    assert (open_sentence.right, open_sentence.false) == (0, 0)


def test_qualifiers_are_compared_on_what_was_matched() -> None:
    wanted = WANTED | {"modality": "must", "condition": "if open", "valid_to": "2026-01-01"}
    score = score_claims(_gold(wanted), _found(_claim(1)))
    assert score.matched == 1
    assert {name for name, count in score.qualifiers.items() if count} == {"predicate", "polarity"}


def test_conflicts_are_found_by_both_sides_and_judged_by_kind() -> None:
    def side(value: str, path: str) -> dict[str, Any]:
        return {"value": value, "evidence": [{"file": path, "sentence": SENTENCE}]}

    one, two = _claim(1), _claim(2, path="b.md")
    found = _found(one, two)
    found.claims.update({"a.md": [one], "b.md": [two]})
    row = {
        "conflict_id": "x",
        "kind": "contradiction",
        "listed": True,
        "subject_id": "g",
        "predicate": "p",
        "target": None,
    }
    found.conflicts["x"] = row
    found.sides["x"] = {"c1": "30 days", "c2": "90 days"}
    gold = _gold()
    wanted = {"subject": "Telemetry Gateway", "predicate": "p", "kind": "contradiction"}
    gold["conflicts"] = [{**wanted, "sides": [side("30", "a.md"), side("90", "b.md")]}]
    table, false, missed = score_conflicts(gold, found)
    assert dict(table["contradiction"]) == {"wanted": 1, "found": 1, "right class": 1}
    assert (false, missed) == ([], [])
    other = deepcopy(gold)
    other["conflicts"][0]["kind"] = "none"
    table, false, missed = score_conflicts(other, found)
    assert table["none"]["kept apart"] == 0
    assert len(false) == len(missed) == 1
    one_side = deepcopy(found)
    one_side.sides["x"] = {"c1": "30 days"}
    assert score_conflicts(gold, one_side)[0]["contradiction"]["found"] == 0
