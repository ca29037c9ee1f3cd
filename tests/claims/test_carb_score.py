"""CaRB's scoring method on tuples scored by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from carb_score import Extraction, match, score  # pyright: ignore[reportMissingImports]

GOLD = Extraction("is hosted on", ("The server", "Azure", "in Europe"))


def test_words_are_counted_slot_by_slot() -> None:
    # 3 of 3 relation words, 2 of 2 of the subject, 1 of 2 of the rest (Azure); gold has 3 + 2 + 3 words
    assert match(GOLD, Extraction("is hosted on", ("The server", "Azure cloud"))) == (6 / 7, 6 / 8)
    # a right word in the wrong slot counts for nothing
    assert match(GOLD, Extraction("is hosted on", ("Azure", "The server"))) == (3 / 6, 3 / 8)


def test_a_relation_without_a_common_word_and_a_missing_argument_score_nothing() -> None:
    assert match(GOLD, Extraction("runs", ("The server", "Azure"))) == (0.0, 0.0)
    assert match(GOLD, Extraction("is hosted on", ("The server",))) == (0.0, 0.0)


def test_be_stands_for_its_forms_and_sayings_may_be_turned_round() -> None:
    assert match(Extraction("was", ("Bush", "President")), Extraction("be", ("Bush", "President"))) == (1.0, 1.0)
    said = Extraction("said", ("Acme", "it grew"))
    assert match(said, Extraction("said", ("it grew", "Acme"))) == (1.0, 1.0)


def test_precision_pairs_one_to_one_and_recall_takes_the_best() -> None:
    right = Extraction("owns", ("Acme", "Beta"), 0.9)
    wrong = Extraction("owns", ("Gamma", "Delta"), 0.5)
    found = score([[Extraction("owns", ("Acme", "Beta"))]], [[right, wrong]])
    # at 0.9: one tuple, all right; at 0.5: 1 of 2 tuples is paired
    assert (found.precision, found.recall, found.f1, found.threshold) == (1.0, 1.0, 1.0, 0.9)
    # the curve goes (recall 1, precision .5) – (1, 1) – (0, 1)
    assert found.auc == pytest.approx(1.0)


def test_sentences_without_predictions_cost_recall() -> None:
    gold = [[Extraction("owns", ("Acme", "Beta"))], [Extraction("owns", ("Gamma", "Delta"))]]
    found = score(gold, [[Extraction("owns", ("Acme", "Beta"), 0.9)], []])
    assert (found.precision, found.recall) == (1.0, 0.5)
    assert score(gold, [[], []]).f1 == 0.0
