"""Step 2 of `dependencies`: relationships up and down from focal entities, level by level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from muniment.domain.model import DomainSchema
from muniment.graph.predicates import Dependency, dependency, plain
from muniment.store.rows import Rows

Direction = Literal["upstream", "downstream", "related"]

_ORDER: dict[str, int] = {"upstream": 0, "downstream": 1, "related": 2}


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship as reached. Upstream: what the focal entity depends on."""

    relationship_id: str
    subject_id: str
    subject: str
    predicate: str
    object_id: str
    object: str
    polarity: str
    weight: float
    statements: int
    documents: int
    direction: Direction
    depth: int


_TOUCHING = """
SELECT r.relationship_id, r.subject_id, s.name AS subject, r.predicate, r.object_id, o.name AS object,
       r.polarity, r.weight, r.statements, r.documents
FROM relationships r
JOIN canonical_entities s ON s.view_id = r.view_id AND s.entity_id = r.subject_id
JOIN canonical_entities o ON o.view_id = r.view_id AND o.entity_id = r.object_id
WHERE r.view_id = ? AND (r.subject_id IN (SELECT entity_id FROM frontier)
                         OR r.object_id IN (SELECT entity_id FROM frontier))
"""


def _touching(rows: Rows, view_id: str, frontier: set[str], dependence: Dependency) -> pl.DataFrame:
    """Relationships at the frontier with the ends by dependence: `dependent` and `supplier`, null for others."""
    frame = pl.DataFrame({"entity_id": sorted(frontier)}, schema={"entity_id": pl.String})
    forward = plain().is_in(sorted(dependence.on_object))
    backward = plain().is_in(sorted(dependence.on_subject))
    return rows.read(_TOUCHING, [view_id], {"frontier": frame}).with_columns(
        pl.when(forward).then("subject_id").when(backward).then("object_id").alias("dependent"),
        pl.when(forward).then("object_id").when(backward).then("subject_id").alias("supplier"),
    )


def _edges(frame: pl.DataFrame, direction: Direction, depth: int) -> list[Edge]:
    rows = frame.drop("dependent", "supplier").sort("relationship_id").iter_rows(named=True)
    return [Edge(**row, direction=direction, depth=depth) for row in rows]


def _walk(
    rows: Rows, view_id: str, focal: set[str], depth: int, direction: Direction, dependence: Dependency
) -> list[Edge]:
    """Dependencies in one direction. A denied one is shown and not followed."""
    near, far = ("dependent", "supplier") if direction == "upstream" else ("supplier", "dependent")
    frontier, visited, found = set(focal), set(focal), []
    for level in range(1, depth + 1):
        if not frontier:
            break
        reached = _touching(rows, view_id, frontier, dependence).filter(pl.col(near).is_in(sorted(frontier)))
        found += _edges(reached, direction, level)
        frontier = set(reached.filter(pl.col("polarity") == "positive")[far]) - visited
        visited |= frontier
    return found


def traverse(rows: Rows, view_id: str, focal: list[str], depth: int, domain: DomainSchema) -> list[Edge]:
    """Edges by rank: dependencies before others, near before far, upstream before downstream, heavy before light.

    Dependencies are followed to `depth`; other relationships are taken where they touch a focal entity. An edge
    that is reached in several ways is listed once, by its best rank. The schema says which predicates are
    dependencies, and which way.
    """
    dependence = dependency(domain)
    others = _touching(rows, view_id, set(focal), dependence).filter(pl.col("dependent").is_null())
    found = [
        *_walk(rows, view_id, set(focal), depth, "upstream", dependence),
        *_walk(rows, view_id, set(focal), depth, "downstream", dependence),
        *_edges(others, "related", 1),
    ]

    def rank(edge: Edge) -> tuple[bool, int, int, float, str]:
        return (
            edge.direction == "related",
            edge.depth,
            _ORDER[edge.direction],
            -edge.weight,
            edge.relationship_id,
        )

    unique: dict[str, Edge] = {}
    for edge in sorted(found, key=rank):
        unique.setdefault(edge.relationship_id, edge)
    return list(unique.values())
