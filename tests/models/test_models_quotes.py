"""Quotes are found verbatim after the declared normalisation, and give back the exact span of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.models.quotes import normal, searchable


def found(text: str, words: str, *, fold: bool = False) -> list[str]:
    spans = searchable(text, 0, len(text), fold=fold).spans(normal(words, fold=fold))
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("the “Agency” acts", 'the "Agency"', ["the “Agency”"]),
        ("l’article\u00a05", "l'article 5", ["l’article\u00a05"]),
        ("A –\n\t B", "A - B", ["A –\n\t B"]),
        ("co\u00adoperate", "cooperate", ["co\u00adoperate"]),
        ("the ﬁrst ﬁle", "first file", ["ﬁrst ﬁle"]),
        ("cafe\u0301 bar", "café", ["cafe\u0301"]),
        ("５０ units", "50 units", ["５０ units"]),
        ("He said so.", '"He said so."', ["He said so."]),
        ("网关依赖于身份服务", "依赖", ["依赖"]),
        ("port and port", "port", ["port", "port"]),
    ],
)
def test_what_differs_only_by_the_declared_normalisation_is_found_as_written(
    text: str, words: str, expected: list[str]
) -> None:
    assert found(text, words) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("we support it", "port"),  # inside a word
        ("Article 52 applies", "Article 5"),
        ("the ﬁrst", "irst"),  # inside a ligature
        ("cafe\u0301", "cafe"),  # without its accent
        ("The board", "the board"),  # another case
        ("not more than 30", "more  30"),
        ("A B", "A ... B"),
        ("text", ""),
        ("text", '""'),
    ],
)
def test_other_words_are_not_found(text: str, words: str) -> None:
    assert found(text, words) == []


def test_names_may_be_compared_whatever_the_case() -> None:
    assert found("THE BOARD met", "the Board", fold=True) == ["THE BOARD"]


@given(st.text(max_size=40), st.text(max_size=10), st.text(max_size=10))
def test_every_span_reads_as_the_words_sought(middle: str, before: str, after: str) -> None:
    text = f"{before} {middle} {after}"
    for written in found(text, middle):
        assert normal(written) in normal(middle)  # without outer quotation marks where only those are missing


@given(st.lists(st.sampled_from(["Gateway", "“x”", "naïve", "30", "–", "is", "ﬁ"]), min_size=1, max_size=8), st.data())
def test_any_run_of_words_is_found_where_it_stands(words: list[str], data: st.DataObject) -> None:
    text = "  ".join(words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    run = " ".join(words[first:last])
    assert any(normal(span) == normal(run) for span in found(text, run))
