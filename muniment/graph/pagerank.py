"""Personalised PageRank over weighted, undirected edges: how near each node is to a set of seeds.

After HippoRAG (Gutiérrez et al. 2024, section 2.3, and its successor, 2025), which ranks passages so from
the entities of a question, with damping 0.5: half of the walks restart at each step, so nearness decays fast.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl

#: Probability of following an edge instead of restarting.
DAMPING = 0.5

#: Iteration ends when the scores together move by less than this.
TOLERANCE = 1e-12

#: Decimals of a score; what differs by less is a tie.
DECIMALS = 10


def personalised_pagerank(
    edges: pl.DataFrame, seeds: Mapping[str, float], *, damping: float = DAMPING
) -> dict[str, float]:
    """Score of every node of `edges` and `seeds`, by node in order of its id; the scores sum to 1.

    `edges`: left, right (ids), weight (finite, above 0). Weights of one pair are summed whatever its
    direction; a loop leads back to its node. `seeds`: ids with weights of any sum. A walk starts at a seed,
    follows an edge in proportion to the weights with probability `damping`, and restarts otherwise; from a
    node without edges it always restarts. Neither the order of rows nor of seeds changes a score. Raises
    ValueError for a damping outside [0, 1), for weights out of range and when no seed has a weight above 0.
    """
    if not 0.0 <= damping < 1.0:
        raise ValueError(f"damping is {damping}; it must be at least 0 and below 1, or the walk never restarts")
    pairs = _pairs(edges)
    nodes = pl.concat([pairs["left"], pairs["right"], pl.Series(sorted(seeds), dtype=pl.String)]).unique().sort()
    restart = _restart(nodes, seeds)
    sources, targets, shares, dangling = _transitions(nodes, pairs)
    scores = restart
    # each step shrinks the error by `damping`, so the end is reached
    moved = math.inf
    while moved >= TOLERANCE:
        followed = np.bincount(targets, weights=scores[sources] * shares, minlength=len(nodes))
        restarted = damping * math.fsum(scores[dangling]) + (1.0 - damping)
        following = damping * followed + restarted * restart
        moved = math.fsum(np.abs(following - scores))
        scores = following
    return {node: round(float(score), DECIMALS) for node, score in zip(nodes, scores, strict=True)}


def _pairs(edges: pl.DataFrame) -> pl.DataFrame:
    """Each pair once, its ids in order; sorted before summing, as floating point sums depend on the order."""
    weight = pl.col("weight")
    wrong = edges.filter(~(weight.is_finite() & (weight > 0.0)).fill_null(value=False))
    if wrong.height:
        raise ValueError(f"{wrong.height} edges have a weight that is not finite and above 0")
    return (
        edges.select(
            pl.min_horizontal("left", "right").alias("left"),
            pl.max_horizontal("left", "right").alias("right"),
            weight.cast(pl.Float64),
        )
        .sort("left", "right", "weight")
        .group_by("left", "right", maintain_order=True)
        .agg(pl.col("weight").sum())
    )


def _restart(nodes: pl.Series, seeds: Mapping[str, float]) -> np.ndarray:
    """Probability of each node at a restart."""
    if any(not math.isfinite(weight) or weight < 0.0 for weight in seeds.values()):
        raise ValueError("the weight of a seed is not finite or below 0")
    total = math.fsum(seeds.values())
    if total <= 0.0:
        raise ValueError("no seed has a weight above 0: nothing to start from")
    return np.array([seeds.get(node, 0.0) / total for node in nodes], dtype=np.float64)


def _transitions(nodes: pl.Series, pairs: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Steps as source and target positions with their probability, and the positions without a step."""
    places = pl.DataFrame({"node": nodes}).with_row_index("place")
    placed = pairs.join(places.rename({"node": "left", "place": "from"}), on="left", maintain_order="left").join(
        places.rename({"node": "right", "place": "to"}), on="right", maintain_order="left"
    )
    back = placed.filter(pl.col("from") != pl.col("to")).rename({"from": "to", "to": "from"})
    steps = pl.concat([placed.select("from", "to", "weight"), back.select("from", "to", "weight")]).sort("from", "to")
    sources = steps["from"].to_numpy().astype(np.intp)
    targets = steps["to"].to_numpy().astype(np.intp)
    weights = steps["weight"].to_numpy()
    sums = np.bincount(sources, weights=weights, minlength=len(nodes))
    return sources, targets, weights / sums[sources], np.flatnonzero(sums == 0.0)
