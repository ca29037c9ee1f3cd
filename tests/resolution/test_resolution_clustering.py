"""Candidates, thresholds, chains and sizes."""

from __future__ import annotations

import itertools
import random

import numpy as np
import polars as pl
from resolution_rows import Named, decisions, groups, resolved

from muniment.resolution.blocking import candidate_pairs, nearest
from muniment.resolution.clustering import cluster_names
from muniment.resolution.decisions import DECISION_COLUMNS


def _merges(*edges: tuple[str, str, float]) -> pl.DataFrame:
    rows = [(left, "x", right, "x", "", "merge", "some_rule", score, None) for left, right, score in edges]
    schema = {name: pl.Float64 if name == "score" else pl.String for name in DECISION_COLUMNS}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _clustered(
    edges: list[tuple[str, str, float]], apart: set[frozenset[str]], limit: int = 200
) -> tuple[set[frozenset[str]], list[tuple[str, str, str, str]]]:
    names = pl.DataFrame({"name": sorted({name for left, right, _ in edges for name in (left, right)})})

    def exclude(pairs: pl.DataFrame) -> pl.DataFrame:
        found = [frozenset(pair) in apart for pair in pairs.select("name", "name_right").iter_rows()]
        return pairs.filter(pl.Series(found, dtype=pl.Boolean)).with_columns(pl.lit("told apart").alias("reason"))

    clusters, decided = cluster_names(names, _merges(*edges), exclude, limit)
    cut = decided.filter(pl.col("decision") == "maybe_same").select("left_name", "right_name", "rule", "detail")
    return {frozenset(part) for part in clusters.group_by("cluster").agg("name")["name"]}, cut.rows()


def test_a_chain_is_one_cluster_when_nothing_stands_against_it() -> None:
    found, cut = _clustered([("a", "b", 0.95), ("b", "c", 0.95), ("c", "d", 0.95)], set())
    assert (found, cut) == ({frozenset("abcd")}, [])


def test_the_weaker_link_of_a_chain_between_two_that_exclude_one_another_is_cut() -> None:
    found, cut = _clustered([("a", "b", 0.98), ("b", "c", 0.95)], {frozenset("ac")})
    assert found == {frozenset("ab"), frozenset("c")}
    assert cut == [("b", "c", "bridge_refused", "some_rule 0.95: a | c: told apart")]


def test_equal_links_to_two_that_exclude_one_another_are_both_cut() -> None:
    found, cut = _clustered([("a", "b", 0.95), ("b", "c", 0.95)], {frozenset("ac")})
    assert found == {frozenset("a"), frozenset("b"), frozenset("c")}
    assert [rule for _, _, rule, _ in cut] == ["ambiguous_bridge", "ambiguous_bridge"]


def test_far_ends_of_a_chain_never_meet() -> None:
    names = "abcdefgh"
    edges = [(left, right, 0.95) for left, right in itertools.pairwise(names)]
    found, _ = _clustered(edges, {frozenset("ah")})
    assert not any({"a", "h"} <= part for part in found)


def test_no_cluster_grows_beyond_the_limit_and_it_is_said() -> None:
    edges = [(f"n{number:02}", f"n{number + 1:02}", 0.95) for number in range(30)]
    found, cut = _clustered(edges, set(), limit=10)
    assert max(len(part) for part in found) <= 10
    assert {rule for _, _, rule, _ in cut} == {"cluster_too_large"}


def test_the_order_of_pairs_changes_no_cluster() -> None:
    chance = random.Random(7)
    names = [f"n{number}" for number in range(12)]
    for _ in range(20):
        edges = sorted({tuple(sorted(chance.sample(names, 2))) for _ in range(14)})
        scored = [(left, right, chance.choice([0.93, 0.95, 0.98])) for left, right in edges]
        apart = {frozenset(chance.sample(names, 2)) for _ in range(5)} - {frozenset(edge) for edge in edges}
        shuffled = chance.sample(scored, len(scored))
        expected, _ = _clustered(scored, apart)
        assert _clustered(shuffled, apart)[0] == expected
        assert not any(pair <= part for part in expected for pair in apart)


def test_candidates_share_a_rare_word_a_sound_or_initials() -> None:
    names = pl.DataFrame(
        {"name": ["aldermoor water", "aldermor", "aldermoor", "ecb", "european central bank", "water", "water works"]}
    )
    found = {(left, right): keys for left, right, keys in candidate_pairs(names, 3).iter_rows()}
    assert found[("aldermoor", "aldermor")] == "sound"
    assert found[("ecb", "european central bank")] == "initials"
    assert found[("aldermoor", "aldermoor water")] == "word"
    assert ("aldermor", "ecb") not in found
    # "water" has three names: with at most two it proposes nothing
    assert ("water", "water works") in found
    assert ("water", "water works") not in {pair[:2] for pair in candidate_pairs(names, 2).iter_rows()}


def test_nearest_names_by_cosine_with_ties_in_order() -> None:
    vectors = {"a": [1.0, 0.0], "b": [1.0, 0.0], "c": [0.8, 0.6], "d": [0.0, 1.0]}
    found = nearest(list(vectors), lambda texts: np.array([vectors[text] for text in texts], dtype=np.float32), 1, 0.7)
    assert found.rows() == [("a", "b", 1.0), ("a", "c", 0.8)]


def test_thresholds_are_settings() -> None:
    documents: dict[str, list[Named]] = {"a": [("Aldermoor", "place")], "b": [("Aldermor", "place")]}
    pair = ("aldermoor", "aldermor", "")
    assert (*pair, "maybe_same", "similar_spelling") in decisions(resolved(documents))
    assert resolved(documents, review_from=0.97, merge_from=0.98)["pair_decisions"].is_empty()
    assert len(groups(resolved(documents))) == 2
    # likenesses are capped at 0.9, so merging them is a choice that somebody makes
    assert len(groups(resolved(documents, merge_from=0.9))) == 1
