"""Personalised PageRank: values by hand on tiny graphs, conservation, and no influence of order."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.graph.pagerank import personalised_pagerank

SCHEMA = {"left": pl.String, "right": pl.String, "weight": pl.Float64}
Edge = tuple[str, str, float]

NODES = st.sampled_from("abcdefg")
EDGES = st.lists(st.tuples(NODES, NODES, st.floats(0.01, 100.0)), max_size=20)
SEEDS = st.dictionaries(NODES, st.floats(0.01, 10.0), min_size=1, max_size=4)


def _edges(*edges: Edge) -> pl.DataFrame:
    return pl.DataFrame(list(edges), schema=SCHEMA, orient="row")


# With damping 1/2 a score is half its restart share plus half of what its neighbours hand on.
CASES = [
    # a = 1/2 + b/2, b = a/2
    ("pair", [("a", "b", 1.0)], {"a": 1.0}, {"a": 2 / 3, "b": 1 / 3}),
    # b hands on half to each side: a = 1/2 + b/4, c = b/4, b = (a + c)/2
    ("path", [("a", "b", 1.0), ("b", "c", 1.0)], {"a": 1.0}, {"a": 7 / 12, "b": 1 / 3, "c": 1 / 12}),
    # a hands on 3/4 to b and 1/4 to c, which hand all back: a = 1/2 + (b + c)/2
    ("weights", [("a", "b", 3.0), ("a", "c", 1.0)], {"a": 1.0}, {"a": 2 / 3, "b": 1 / 4, "c": 1 / 12}),
    # the pair (a, b) three times, in both directions, weighs 3 together
    (
        "parallel edges",
        [("a", "b", 1.0), ("b", "a", 1.5), ("a", "c", 1.0), ("b", "a", 0.5)],
        {"a": 1.0},
        {"a": 2 / 3, "b": 1 / 4, "c": 1 / 12},
    ),
    # x has no edge, so its walks restart: x = 1/4 + x/4; a = 1/4 + x/4 + b/2, b = a/2
    ("seed without edges", [("a", "b", 1.0)], {"a": 1.0, "x": 1.0}, {"a": 4 / 9, "b": 2 / 9, "x": 1 / 3}),
    # a goes to itself or to b alike: a = 1/2 + a/4 + b/2, b = a/4
    ("loop", [("a", "a", 1.0), ("a", "b", 1.0)], {"a": 1.0}, {"a": 4 / 5, "b": 1 / 5}),
    # c and d cannot be reached from a
    (
        "another component",
        [("a", "b", 1.0), ("c", "d", 1.0)],
        {"a": 1.0},
        {"a": 2 / 3, "b": 1 / 3, "c": 0.0, "d": 0.0},
    ),
    # shares 3/4 and 1/4: a = 3/8 + b/2, b = 1/8 + a/2
    ("weighted seeds", [("a", "b", 1.0)], {"a": 6.0, "b": 2.0}, {"a": 7 / 12, "b": 5 / 12}),
    ("no edges", [], {"x": 2.0}, {"x": 1.0}),
]


@pytest.mark.parametrize(("edges", "seeds", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_scores_are_those_worked_out_by_hand(
    edges: list[Edge], seeds: dict[str, float], expected: dict[str, float]
) -> None:
    assert personalised_pagerank(_edges(*edges), seeds) == pytest.approx(expected, abs=1e-9)


def test_damping_is_the_probability_of_following_an_edge() -> None:
    # a = 1/10 + 9b/10, b = 9a/10: a = 10/19, b = 9/19
    found = personalised_pagerank(_edges(("a", "b", 1.0)), {"a": 1.0}, damping=0.9)
    assert found == pytest.approx({"a": 10 / 19, "b": 9 / 19}, abs=1e-9)
    assert personalised_pagerank(_edges(("a", "b", 1.0)), {"a": 1.0}, damping=0.0) == {"a": 1.0, "b": 0.0}


def test_nodes_come_in_order_of_their_ids() -> None:
    assert list(personalised_pagerank(_edges(("d", "b", 1.0), ("c", "a", 1.0)), {"z": 1.0, "b": 1.0})) == list("abcdz")


@settings(deadline=None, max_examples=60)
@given(EDGES, SEEDS, st.randoms(use_true_random=False))
def test_order_and_direction_change_no_bit(edges: list[Edge], seeds: dict[str, float], random: object) -> None:
    shuffled = list(edges)
    random.shuffle(shuffled)  # pyright: ignore[reportAttributeAccessIssue]
    turned = [(right, left, weight) for left, right, weight in shuffled]
    again = dict(sorted(seeds.items(), reverse=True))
    assert personalised_pagerank(_edges(*edges), seeds) == personalised_pagerank(_edges(*turned), again)


@settings(deadline=None, max_examples=60)
@given(EDGES, SEEDS)
def test_scores_sum_to_one_and_satisfy_the_equation(edges: list[Edge], seeds: dict[str, float]) -> None:
    scores = personalised_pagerank(_edges(*edges), seeds)
    assert math.fsum(scores.values()) == pytest.approx(1.0, abs=1e-8)
    assert set(scores) == {node for left, right, _ in edges for node in (left, right)} | set(seeds)
    strength: dict[str, float] = dict.fromkeys(scores, 0.0)
    handed = dict.fromkeys(scores, 0.0)
    for left, right, weight in edges:
        for node in {left, right}:
            strength[node] += weight
    for left, right, weight in edges:
        for source, target in {(left, right), (right, left)}:
            handed[target] += scores[source] * weight / strength[source]
    stranded = math.fsum(score for node, score in scores.items() if not strength[node])
    total = math.fsum(seeds.values())
    for node, score in scores.items():
        restart = seeds.get(node, 0.0) / total
        assert score == pytest.approx(0.5 * restart * (1 + stranded) + 0.5 * handed[node], abs=1e-8)


@pytest.mark.parametrize(
    ("edges", "seeds", "damping", "complaint"),
    [
        ([("a", "b", 0.0)], {"a": 1.0}, 0.5, "1 edges"),
        ([("a", "b", -1.0), ("a", "c", math.inf)], {"a": 1.0}, 0.5, "2 edges"),
        ([("a", "b", 1.0)], {"a": -1.0}, 0.5, "seed"),
        ([("a", "b", 1.0)], {"a": math.nan}, 0.5, "seed"),
        ([("a", "b", 1.0)], {"a": 0.0}, 0.5, "no seed"),
        ([("a", "b", 1.0)], {}, 0.5, "no seed"),
        ([("a", "b", 1.0)], {"a": 1.0}, 1.0, "damping"),
        ([("a", "b", 1.0)], {"a": 1.0}, -0.1, "damping"),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    edges: list[Edge], seeds: dict[str, float], damping: float, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        personalised_pagerank(_edges(*edges), seeds, damping=damping)
