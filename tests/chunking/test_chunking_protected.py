"""Which spans are protected beside named entities: values with their units, references with their numbers."""

from __future__ import annotations

import pytest

from muniment.chunking.protected import protected_spans


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("a rise of 4.2 % a year", "4.2 %"),
        ("at -6.5 °C in", "-6.5 °C"),
        ("pays £ 186,400 each", "£ 186,400"),
        ("within 90 days of", "90 days"),
        ("under Article 5(2) of", "Article 5(2)"),
        ("at 1,000 m³ per", "1,000 m³"),
    ],
)
def test_a_value_stays_with_its_unit(text: str, whole: str) -> None:
    start = text.index(whole)
    assert any(first <= start and start + len(whole) <= last for first, last in protected_spans(text, []))


def test_a_number_at_the_end_of_a_sentence_or_cell_binds_nothing_after_it() -> None:
    for text in ("It ended in 2024. The next began.", "It has 30\tdays", "Section 4.\nThen more", "It costs £30. Then"):
        spans = protected_spans(text, [])
        for mark in (". The", "\t", "\n", ". Then"):
            at = text.find(mark)
            assert at < 0 or all(not (first < at + len(mark) - 1 < last) for first, last in spans), text
