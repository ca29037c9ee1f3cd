"""Words of texts and questions: what a reader writes is found as written, and in its parts."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.index.lexical import STOP_WORDS, document_terms, query_terms, token_id, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shall not apply", ["shall", "not", "apply"]),
        ("4.2(a)", ["4.2(a)", "4.2"]),
        ("4.2(a)(ii)", ["4.2(a)(ii)", "4.2(a)", "4.2", "ii"]),
        ("1,250.50", ["1,250.50", "1250.50"]),
        ("1.250,50", ["1.250,50"]),
        ("7.5%", ["7.5%", "7.5"]),
        ("7.5 %", ["7.5%", "7.5"]),
        ("€1,000", ["€1,000", "1,000", "1000"]),
        ("2014/65/EU", ["2014/65/eu", "2014", "65", "eu"]),
        ("half-brother", ["half-brother", "half", "brother"]),
        ("naïve", ["naive"]),
        ("Łódź", ["lodz"]),
        ("Straße", ["strasse"]),
        ("don't", ["don't", "not"]),
        ("cannot", ["cannot", "not"]),
        ("the tenant's obligations", ["tenant", "obligations"]),
        ("U.S.A.", ["u.s.a", "usa"]),
        ("10²", ["10²"]),
        ("below -5", ["below", "-5", "5"]),
        ("10-5", ["10-5", "10", "5"]),
        ("access_policy_id", ["access_policy_id", "access", "policy", "id"]),
        ("日本語", ["日本", "本語"]),
        ("companies, glass, virus", ["companies", "glass", "virus"]),
        ("to be or", []),
        ("???", []),
        ("", []),
    ],
)
def test_tokens_of(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_words_that_turn_a_rule_around_are_never_stop_words() -> None:
    turning = (
        "no not nor none never neither without except unless only may must shall should can could will would ought"
    )
    assert not STOP_WORDS & set(turning.split())


@pytest.mark.parametrize(
    ("asked", "written"),
    [("naive", "naïve"), ("1250.50", "1,250.50"), ("section 4.2", "4.2(a)"), ("65", "2014/65/EU"), ("not", "don't")],
)
def test_a_question_finds_the_other_way_of_writing(asked: str, written: str) -> None:
    assert set(query_terms(asked)) & set(document_terms(written, 100.0)[0])


@pytest.mark.parametrize(("one", "other"), [("4.2", "4 2"), ("7.5%", "75%"), ("10²", "102"), ("1,250.50", "1250 50")])
def test_different_values_share_no_token(one: str, other: str) -> None:
    assert not set(tokens(one)) & set(tokens(other))


def test_weights_are_those_of_the_formula() -> None:
    # three tokens, average three: the length norm is k1 = 1.2; tf 2 gives 2·2.2/3.2, tf 1 gives 1·2.2/2.2
    ids, weights = document_terms("cat dog cat", 3.0)
    assert dict(zip(ids, weights, strict=True)) == pytest.approx({token_id("cat"): 1.375, token_id("dog"): 1.0})
    # twice the average: 1.2·(0.25 + 0.75·2) = 2.1
    assert document_terms("cat dog", 1.0)[1] == pytest.approx([2.2 / 3.1, 2.2 / 3.1])


def test_token_ids_are_stable_and_fit_the_engine() -> None:
    assert token_id("not") == 0xB8049A52  # blake2b of "not", 4 bytes; an index outlives the process
    assert 0 <= token_id("\ud800") < 2**32


@given(st.text(max_size=200))
def test_any_text_has_clean_tokens(text: str) -> None:
    found = tokens(text)
    assert all(token and not any(character.isspace() for character in token) for token in found)
    assert not STOP_WORDS & set(found)


@given(st.lists(st.sampled_from(["rent", "4.2(a)", "not", "1,250.50", "tenant"]), min_size=1, max_size=30))
def test_order_of_words_changes_no_weight(words: list[str]) -> None:
    assert document_terms(" ".join(words), 50.0) == document_terms(" ".join(sorted(words)), 50.0)
    assert Counter(tokens(" ".join(words))).total() == sum(len(tokens(word)) for word in words)


def test_weights_grow_with_frequency_and_stay_below_the_bound() -> None:
    weights = [document_terms("rent " * count + "x " * (50 - count), 50.0) for count in (1, 5, 25)]
    rent = [dict(zip(ids, values, strict=True))[token_id("rent")] for ids, values in weights]
    assert rent == sorted(rent)
    assert all(math.isfinite(value) and value < 2.2 for value in rent)
