"""Patterns that would hang or match nothing are refused before they run over a corpus."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.expressions import expression_problems, needs_digit


@pytest.mark.parametrize(
    "regex", [r"(a+)+", r"(?:\w+\s?)*x", r"((?:x?a+))+", r"(?:a{1,50}){1,50}", r"(?:(a+)|b)+c", r"(\d+\.?)+z"]
)
def test_a_repeat_that_can_run_into_its_own_next_round_is_refused(regex: str) -> None:
    assert any("nests a repeat" in problem for problem in expression_problems(regex))


@pytest.mark.parametrize(
    "regex",
    [
        r"(?:\w+\s)+x",
        r"\d+(?:\.\d+)*",
        r"(?:\d{3})+",
        r"(?:[A-Z]+-)+\d+",
        r"(?:a|b)+",
        r"(?>a+b?)+",
        r"x(?:[ab]{2,3})+",
    ],
)
def test_rounds_with_a_fixed_piece_pass(regex: str) -> None:
    assert list(expression_problems(regex)) == []


@pytest.mark.parametrize("regex", [r"a*", r"\b", r"(?=x)", r"(?:ab)?", r"x|"])
def test_what_can_match_nothing_is_refused(regex: str) -> None:
    assert any("empty string" in problem for problem in expression_problems(regex))


@pytest.mark.parametrize(
    ("regex", "needed"),
    [(r"CVE-\d{4}", True), (r"V(?:\d|[0-9]x)", True), (r"[A-Z]+-?\d*", False), (r"\d|x", False), (r"(?=\d)x", False)],
)
def test_expressions_that_need_a_digit_are_known(regex: str, needed: bool) -> None:
    assert needs_digit(regex) is needed


@given(st.from_regex(r"[ab\d\-]{0,12}"), st.sampled_from([r"a+\d+", r"(?:a|b)\d", r"[0-9]{2}-b?", r"a(?:\d|b)"]))
def test_text_without_a_digit_never_matches_an_expression_that_needs_one(text: str, regex: str) -> None:
    if needs_digit(regex) and not re.search(r"\d", text):
        assert re.search(regex, text) is None
