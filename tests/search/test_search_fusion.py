"""Joining two ranked lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.search.fusion import normalised_fusion, reciprocal_rank_fusion

EVEN = {"dense": 0.5, "lexical": 0.5}


def test_normalised_scores_by_hand() -> None:
    # scores 1 and 3: mean 2, deviation 1, so they stand at 2/6 and 4/6 between mean - 3 and mean + 3
    fused = normalised_fusion({"dense": [("a", 3.0), ("b", 1.0)], "lexical": [("b", 7.0)]}, EVEN)
    assert [(item.point_id, item.score) for item in fused] == [
        ("b", pytest.approx(5 / 12)),
        ("a", pytest.approx(2 / 6)),
    ]
    assert fused[0].parts["lexical"].contribution == pytest.approx(0.25)  # a list of one gives a half
    assert (fused[0].parts["dense"].rank, fused[0].parts["dense"].score) == (2, 1.0)


def test_reciprocal_ranks_by_hand() -> None:
    fused = reciprocal_rank_fusion({"dense": [("a", 9.0), ("b", 1.0)], "lexical": [("b", 7.0)]}, EVEN, 60)
    assert [(item.point_id, item.score) for item in fused] == [
        ("b", pytest.approx(0.5 / 62 + 0.5 / 61, abs=1e-6)),
        ("a", pytest.approx(0.5 / 61, abs=1e-6)),
    ]


def test_equal_scores_are_ordered_by_id() -> None:
    fused = normalised_fusion({"dense": [("b", 1.0), ("a", 1.0)], "lexical": []}, EVEN)
    assert [item.point_id for item in fused] == ["a", "b"]
    assert {item.score for item in fused} == {0.25}


def test_weights_decide() -> None:
    branches = {"dense": [("a", 3.0), ("b", 1.0)], "lexical": [("b", 3.0), ("a", 1.0)]}
    assert normalised_fusion(branches, {"dense": 0.9, "lexical": 0.1})[0].point_id == "a"
    assert normalised_fusion(branches, {"dense": 0.1, "lexical": 0.9})[0].point_id == "b"


def test_nothing_found_is_nothing() -> None:
    assert normalised_fusion({"dense": [], "lexical": []}, EVEN) == []


RANKED = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.floats(-5, 50), max_size=30).map(
    lambda scores: sorted(scores.items(), key=lambda item: (-item[1], item[0]))
)


@given(dense=RANKED, lexical=RANKED)
def test_everything_found_comes_once_in_order(dense: list[tuple[str, float]], lexical: list[tuple[str, float]]) -> None:
    branches = {"dense": dense, "lexical": lexical}
    for fused in (normalised_fusion(branches, EVEN), reciprocal_rank_fusion(branches, EVEN, 60)):
        assert sorted(item.point_id for item in fused) == sorted({name for name, _ in [*dense, *lexical]})
        assert fused == sorted(fused, key=lambda item: (-item.score, item.point_id))
