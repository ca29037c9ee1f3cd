"""Communities: hierarchical Leiden (Traag, Waltman and van Eck 2019) on each connected component.

A component's result depends on that component only. The engine's result depends on the order of its edges
and the names of its nodes, so both are made canonical; its cluster numbers are no names, so ids come from
level and members.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from muniment.ids import make_id
from muniment.resolution.components import connected_components
from muniment.settings import CommunitySettings
from muniment.tables.registry import TABLES

#: Level of entities without relationships.
ISOLATED = -1


@dataclass(frozen=True, slots=True)
class _Cluster:
    """A cluster of one component: members in order, parent's id, whether it is divided further."""

    community_id: str
    level: int
    members: tuple[str, ...]
    parent_id: str | None
    is_final: bool


def detect(
    relationships: pl.DataFrame, canonical_entities: pl.DataFrame, view_id: str, settings: CommunitySettings
) -> dict[str, pl.DataFrame]:
    """Rows of communities and community_members.

    Weights are summed over predicates, directions and polarities. Level 0 is the coarsest. Every entity has a
    row at each level from 0 to the deepest (a community that is not divided further is carried down), or one
    row at level -1 without community when it has no relationship. Raises ValueError for weights that are not
    finite and positive, and for relationships of unknown entities.
    """
    edges = undirected(relationships)
    entities = canonical_entities["entity_id"].unique().sort()
    linked = pl.concat([edges["left"], edges["right"]]).unique().sort()
    unknown = linked.filter(~linked.is_in(entities.implode()))
    if len(unknown):
        raise ValueError(f"{len(unknown)} entities of relationships are unknown, first {unknown[0]}: merge again")
    found = [cluster for part in _parts(linked, edges) for cluster in _hierarchy(*part, view_id, settings)]
    isolated = entities.filter(~entities.is_in(linked.implode()))
    communities, members = TABLES["communities"], TABLES["community_members"]
    return {
        "communities": pl.DataFrame(
            [(view_id, c.community_id, c.level, c.parent_id, len(c.members), c.is_final) for c in found],
            schema=communities.schema,
            orient="row",
        ).sort(communities.key),
        "community_members": _members(found, isolated, view_id).select(list(members.schema)).sort(members.key),
    }


def undirected(relationships: pl.DataFrame) -> pl.DataFrame:
    """left < right, weight; sorted, a row a pair of entities."""
    weight = pl.col("weight")
    wrong = relationships.filter(~(weight.is_finite() & (weight > 0)).fill_null(value=False))
    if wrong.height:
        first = wrong["relationship_id"].sort()[0]
        raise ValueError(f"{wrong.height} relationships have a weight that is not finite and > 0, first {first}")
    ends = ("subject_id", "object_id")
    return (
        relationships.filter(pl.col("subject_id") != pl.col("object_id"))
        .sort("relationship_id")
        .group_by(pl.min_horizontal(ends).alias("left"), pl.max_horizontal(ends).alias("right"), maintain_order=True)
        .agg(weight.sum().round(6))
        .sort("left", "right")
    )


def _parts(linked: pl.Series, edges: pl.DataFrame) -> Iterator[tuple[list[str], list[tuple[str, str, float]]]]:
    """Each component: sorted entity ids, and edges between their positions, sorted by position."""
    numbered = pl.DataFrame({"entity": linked, "node": np.arange(len(linked), dtype=np.int64)})
    joined = (
        edges.join(numbered.rename({"entity": "left", "node": "a"}), on="left")
        .join(numbered.rename({"entity": "right", "node": "b"}), on="right")
        .sort("a", "b")
    )
    root = connected_components(len(linked), joined["a"].to_numpy(), joined["b"].to_numpy())
    nodes = numbered.with_columns(pl.Series("root", root)).with_columns(
        pl.int_range(pl.len()).over("root", order_by="node").alias("place")
    )
    places = nodes.select("node", "place", "root")
    placed = (
        joined.join(places.rename({"node": "a", "place": "x"}), on="a")
        .join(places.select(pl.col("node").alias("b"), pl.col("place").alias("y")), on="b")
        .sort("root", "x", "y")
        .select("root", pl.struct(pl.col("x").cast(pl.String), pl.col("y").cast(pl.String), "weight").alias("edge"))
        .group_by("root", maintain_order=True)
        .agg("edge")
    )
    names = nodes.sort("root", "place").group_by("root", maintain_order=True).agg("entity")
    for _, names_of, edges_of in names.join(placed, on="root").sort("root").iter_rows():
        yield names_of, [(edge["x"], edge["y"], edge["weight"]) for edge in edges_of]


def _hierarchy(
    names: list[str], edges: list[tuple[str, str, float]], view_id: str, settings: CommunitySettings
) -> list[_Cluster]:
    """Clusters of one component, from the coarsest level down."""
    from graspologic_native import hierarchical_leiden  # pyright: ignore[reportAttributeAccessIssue]  # no stubs

    rows = hierarchical_leiden(
        edges=edges,
        resolution=settings.resolution,
        randomness=0.001,
        iterations=1,
        use_modularity=True,
        max_cluster_size=settings.max_cluster_size,
        seed=settings.seed,
    )
    members: dict[tuple[int, int], list[str]] = defaultdict(list)
    parents: dict[tuple[int, int], int | None] = {}
    final: dict[tuple[int, int], bool] = {}
    for row in rows:
        key = (row.level, row.cluster)
        members[key].append(names[int(row.node)])
        parents[key] = row.parent_cluster
        final[key] = row.is_final_cluster
    ids: dict[tuple[int, int], str] = {}
    found = []
    for key in sorted(members):
        level, parent = key[0], parents[key]
        inside = tuple(sorted(members[key]))
        ids[key] = make_id("community", view_id, level, *inside)
        above = ids[(level - 1, parent)] if parent is not None else None
        found.append(_Cluster(ids[key], level, inside, above, final[key]))
    return found


def _members(found: list[_Cluster], isolated: pl.Series, view_id: str) -> pl.DataFrame:
    deepest = max((cluster.level for cluster in found), default=0)
    own = pl.DataFrame(
        [(cluster.community_id, cluster.level, cluster.is_final, list(cluster.members)) for cluster in found],
        schema={"community_id": pl.String, "first": pl.Int64, "is_final": pl.Boolean, "entity_id": pl.List(pl.String)},
        orient="row",
    )
    last = pl.when("is_final").then(pl.lit(deepest)).otherwise(pl.col("first"))
    rows = (
        own.with_columns(pl.int_ranges("first", last + 1, dtype=pl.Int64).alias("level"))
        .explode("level")
        .explode("entity_id")
        .select("entity_id", "level", "community_id")
    )
    alone = pl.DataFrame({"entity_id": isolated}).select(
        "entity_id", pl.lit(ISOLATED, pl.Int64).alias("level"), pl.lit(None, pl.String).alias("community_id")
    )
    return pl.concat([rows, alone]).with_columns(pl.lit(view_id).alias("view_id"))


def lineage(previous_members: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """Rows of community_lineage: pairs of a present and a previous community that share entities.

    Both inputs are rows of community_members; entity ids that were merged since count as gone.
    """
    pair = ["view_id", "community_id", "entity_id"]
    now = members.filter(pl.col("community_id").is_not_null()).select(pair).unique()
    before = previous_members.filter(pl.col("community_id").is_not_null()).select(pair).unique()
    size = pl.len().over("view_id", "community_id").cast(pl.Int64)
    shared = (
        now.with_columns(size.alias("_now"))
        .join(
            before.with_columns(size.alias("_before")).rename({"community_id": "previous_community_id"}),
            on=["view_id", "entity_id"],
        )
        .group_by("view_id", "community_id", "previous_community_id")
        .agg(pl.len().cast(pl.Int64).alias("shared_entities"), pl.col("_now").first(), pl.col("_before").first())
    )
    table = TABLES["community_lineage"]
    union = pl.col("_now") + pl.col("_before") - pl.col("shared_entities")
    return (
        shared.with_columns((pl.col("shared_entities") / union).alias("jaccard"))
        .select(list(table.schema))
        .sort(table.key)
    )
