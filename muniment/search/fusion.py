"""Joining the ranked lists of the two branches into one score. Pure functions; equal scores are ordered by id."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Ranked = Sequence[tuple[str, float]]

#: Decimals of a fused score; what differs by less is a tie.
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Part:
    """What one branch contributes to a point: its score and rank (from 1) there, and the share it adds."""

    score: float
    rank: int
    contribution: float


@dataclass(frozen=True, slots=True)
class Fused:
    """A point with its fused score and the parts by branch name."""

    point_id: str
    score: float
    parts: Mapping[str, Part]


def normalised_fusion(branches: Mapping[str, Ranked], weights: Mapping[str, float]) -> list[Fused]:
    """Weighted sum of scores normalised per list to mean ± 3 standard deviations (distribution-based score fusion).

    A list of one, or of equal scores, gives 0.5; a point absent from a list gets nothing from it.
    """
    shares = {name: _normalised([score for _, score in found]) for name, found in branches.items()}
    return _fused(branches, {name: [weights[name] * share for share in shares[name]] for name in branches})


def reciprocal_rank_fusion(branches: Mapping[str, Ranked], weights: Mapping[str, float], k: int) -> list[Fused]:
    """Weighted sum of 1 / (k + rank), ranks from 1 (Cormack, Clarke and Büttcher 2009; the paper has k = 60)."""
    return _fused(
        branches,
        {name: [weights[name] / (k + rank) for rank in range(1, len(found) + 1)] for name, found in branches.items()},
    )


def _normalised(scores: Sequence[float]) -> list[float]:
    if not scores:
        return []
    mean = math.fsum(scores) / len(scores)
    deviation = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / len(scores))
    if deviation < 1e-9:
        return [0.5] * len(scores)
    return [(score - (mean - 3 * deviation)) / (6 * deviation) for score in scores]


def _fused(branches: Mapping[str, Ranked], contributions: Mapping[str, Sequence[float]]) -> list[Fused]:
    parts: dict[str, dict[str, Part]] = {}
    for name in sorted(branches):
        for index, (point_id, score) in enumerate(branches[name]):
            parts.setdefault(point_id, {})[name] = Part(score, index + 1, contributions[name][index])
    fused = [
        Fused(point_id, round(math.fsum(part.contribution for part in own.values()), DECIMALS), own)
        for point_id, own in parts.items()
    ]
    return sorted(fused, key=lambda item: (-item.score, item.point_id))
