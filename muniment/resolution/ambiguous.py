"""Pairs of entities that may be one: what resolution left to people, less what they have decided."""

from __future__ import annotations

import polars as pl

from muniment.ids import make_id
from muniment.resolution.replay import replay
from muniment.store.rows import Rows

_PAIRS = """
SELECT a.entity_id AS left_id, b.entity_id AS right_id, min(p.rule) AS rule, max(p.score) AS score
FROM pair_decisions p
JOIN aliases a ON a.view_id = $1 AND a.alias = p.left_name AND a.mentions > 0
JOIN aliases b ON b.view_id = $1 AND b.alias = p.right_name AND b.mentions > 0
WHERE p.decision = 'maybe_same' AND a.entity_id <> b.entity_id
GROUP BY ALL
"""

#: Of the held versions, as `replay` reads them.
_MENTIONS = """
SELECT m.mention_id, m.extraction_id, m.document_id, m.start, m."end", m.name, m.entity_type
FROM mentions m JOIN generation_versions g USING (version_id) WHERE g.held
"""

_SCHEMA = {
    "pair_id": pl.String, "left_id": pl.String, "left_name": pl.String, "left_type": pl.String, "right_id": pl.String,
    "right_name": pl.String, "right_type": pl.String, "rule": pl.String, "score": pl.Float64,
}  # fmt: skip


def ambiguous_pairs(rows: Rows, view_id: str) -> pl.DataFrame:
    """pair_id, left_id, left_name, left_type, right_id, right_name, right_type, rule, score; the likeliest first.

    A pair that a judgement tells apart is not asked for again. Left and right stand in the order of ids; `pair_id`
    is the id of the pair's item in the review queue.
    """
    found = rows.read(_PAIRS, [view_id])
    if found.is_empty():
        return pl.DataFrame(schema=_SCHEMA)
    ordered = (
        found.select(
            pl.min_horizontal("left_id", "right_id").alias("left_id"),
            pl.max_horizontal("left_id", "right_id").alias("right_id"),
            "rule",
            "score",
        )
        .sort("score", "rule", descending=[True, False])
        .unique(["left_id", "right_id"], keep="first", maintain_order=True)
        .join(told_apart(rows, view_id), on=["left_id", "right_id"], how="anti")
    )
    entities = rows.read("SELECT entity_id, name, entity_type FROM canonical_entities WHERE view_id = ?", [view_id])
    named = ordered
    for side in ("left", "right"):
        named = named.join(
            entities.rename({"entity_id": f"{side}_id", "name": f"{side}_name", "entity_type": f"{side}_type"}),
            on=f"{side}_id",
        )
    ids = [pair_id(left, right) for left, right in named.select("left_id", "right_id").iter_rows()]
    return (
        named.with_columns(pl.Series("pair_id", ids, dtype=pl.String))
        .select(list(_SCHEMA))
        .sort("score", "pair_id", descending=[True, False])
    )


def pair_id(left: str, right: str) -> str:
    """Id of the question whether two entities are one; the order of the two does not matter."""
    return make_id("review", "ambiguous_entity", *sorted((left, right)))


def told_apart(rows: Rows, view_id: str) -> pl.DataFrame:
    """left_id, right_id (in the order of ids): entities that a judgement in force tells apart."""
    entities = rows.read("SELECT mention_id, entity_id FROM entity_mentions WHERE view_id = ?", [view_id])
    apart = replay(rows, rows.read(_MENTIONS), view_id).pairs.filter(pl.col("decision") == "different")
    return (
        apart.join(entities, left_on="left_mention_id", right_on="mention_id")
        .join(entities, left_on="right_mention_id", right_on="mention_id", suffix="_right")
        .select(
            pl.min_horizontal("entity_id", "entity_id_right").alias("left_id"),
            pl.max_horizontal("entity_id", "entity_id_right").alias("right_id"),
        )
        .unique()
        .sort("left_id", "right_id")
    )
