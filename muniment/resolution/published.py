"""Ids that were once published, and the entity that each leads to now."""

from __future__ import annotations

import polars as pl

from muniment.tables.registry import TABLES


def _successors(old_mentions: pl.DataFrame, new_mentions: pl.DataFrame) -> pl.DataFrame:
    """entity_id, successor: the new entity with most of an old one's mentions; ties: the smaller id."""
    return (
        old_mentions.select("mention_id", "entity_id")
        .join(new_mentions.select("mention_id", pl.col("entity_id").alias("successor")), on="mention_id")
        .group_by("entity_id", "successor")
        .agg(pl.len().alias("_shared"))
        .sort("entity_id", "_shared", "successor", descending=[False, True, False])
        .unique("entity_id", keep="first", maintain_order=True)
        .select("entity_id", "successor")
    )


def update_published_ids(
    previous: pl.DataFrame, old_mentions: pl.DataFrame, new_mentions: pl.DataFrame, generation_id: str, view_id: str
) -> pl.DataFrame:
    """Rows of published_ids of the view after `generation_id`.

    `previous`: rows of published_ids; `old_mentions`, `new_mentions`: entity_mentions of the generation
    before and of this one; rows of other views are ignored. An id that is an entity today leads to itself.
    Any other leads to the entity with most mentions of the one it led to, else to that one if it exists,
    else none (null). No id is ever dropped.
    """
    known, old, new = (frame.filter(pl.col("view_id") == view_id) for frame in (previous, old_mentions, new_mentions))
    present = new.select("entity_id").unique()
    fresh = present.join(known, on="entity_id", how="anti")
    added = fresh.select(
        pl.lit(view_id).alias("view_id"),
        "entity_id",
        pl.col("entity_id").alias("present_entity_id"),
        pl.lit(generation_id).alias("first_generation"),
        pl.lit(generation_id).alias("changed_generation"),
    )
    moved = (
        known.join(present.with_columns(pl.col("entity_id").alias("_self")), on="entity_id", how="left")
        .join(
            present.select(pl.col("entity_id").alias("present_entity_id"), pl.col("entity_id").alias("_kept")),
            on="present_entity_id",
            how="left",
        )
        .join(_successors(old, new).rename({"entity_id": "present_entity_id"}), on="present_entity_id", how="left")
        .with_columns(pl.coalesce("_self", "successor", "_kept").alias("_now"))
        .with_columns(pl.col("_now").eq_missing(pl.col("present_entity_id")).alias("_same"))
    )
    updated = moved.select(
        "view_id",
        "entity_id",
        pl.col("_now").alias("present_entity_id"),
        "first_generation",
        pl.when(pl.col("_same"))
        .then(pl.col("changed_generation"))
        .otherwise(pl.lit(generation_id))
        .alias("changed_generation"),
    )
    table = TABLES["published_ids"]
    return pl.concat([updated, added]).select(list(table.schema)).sort(table.key)
