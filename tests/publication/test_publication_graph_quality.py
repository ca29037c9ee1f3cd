"""Figures about a graph, against values worked out by hand."""

from __future__ import annotations

import polars as pl
import pytest

from muniment.publication.graph_quality import modularity
from muniment.tables.registry import TABLES


def _edges(*pairs: tuple[str, str, float]) -> pl.DataFrame:
    return TABLES["relationships"].frame(
        [
            {
                "view_id": "v", "relationship_id": f"r{number}", "subject_id": left, "predicate": "use",
                "object_id": right, "polarity": "positive", "claims": 1, "statements": 1, "documents": 1,
                "weight": weight,
            }
            for number, (left, right, weight) in enumerate(pairs)
        ]
    )  # fmt: skip


def _members(**community: str) -> pl.DataFrame:
    return TABLES["community_members"].frame(
        [
            {"view_id": "v", "entity_id": entity, "level": 0, "community_id": name}
            for name, entities in community.items()
            for entity in entities
        ]
    )


TRIANGLES = _edges(
    ("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0), ("d", "e", 1.0), ("e", "f", 1.0), ("d", "f", 1.0),
    ("c", "d", 1.0),
)  # fmt: skip


def test_two_triangles_joined_by_one_edge() -> None:
    # 6 of 7 edges inside; each side has degree 7 of 14: 6/7 - 2 * (1/2)^2
    assert modularity(TRIANGLES, _members(x="abc", y="def"), 0) == pytest.approx(6 / 7 - 0.5, abs=1e-6)


def test_everything_in_one_community_is_what_chance_gives() -> None:
    assert modularity(TRIANGLES, _members(x="abcdef"), 0) == 0.0


def test_direction_and_predicate_do_not_matter_and_no_edge_is_zero() -> None:
    turned = TRIANGLES.with_columns(pl.col("object_id").alias("subject_id"), pl.col("subject_id").alias("object_id"))
    members = _members(x="abc", y="def")
    assert modularity(turned, members, 0) == modularity(TRIANGLES, members, 0)
    assert modularity(TRIANGLES.clear(), members, 0) == 0.0
