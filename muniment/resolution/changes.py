"""What became of the entities of one generation in the next: the change log, by ids, names and types."""

from __future__ import annotations

import polars as pl

from muniment.resolution.published import successors
from muniment.tables.registry import TABLES

_SCHEMA = {"change": pl.String, "entity_id": pl.String, "other": pl.String, "before": pl.String, "after": pl.String}


def entity_changes(
    previous: pl.DataFrame,
    old_entities: pl.DataFrame,
    new_entities: pl.DataFrame,
    old_mentions: pl.DataFrame,
    new_mentions: pl.DataFrame,
    generation_id: str,
    view_id: str,
) -> pl.DataFrame:
    """Rows of entity_changes that `generation_id` makes.

    `previous`: published_ids before it; `old_entities`, `new_entities`: canonical_entities and `old_mentions`,
    `new_mentions`: `published.MENTION_COLUMNS` of the generation before and of this one; rows of other views are
    ignored. Where the generation before cannot be read (`old_entities` empty), ids that were published before
    count as returned.

    merged_into: the mentions are in an entity that was there before; moved_to: they are in a new one, since the
    mention that gave the id is gone; gone: nothing mentions it. A new id is split_from the entity that held most of
    its mentions, returned where it was published earlier, else minted.
    """
    known, was, now, old, new = (
        frame.filter(pl.col("view_id") == view_id)
        for frame in (previous, old_entities, new_entities, old_mentions, new_mentions)
    )
    both = was.select("entity_id", "name", "entity_type").join(
        now.select("entity_id", "name", "entity_type"), on="entity_id", suffix="_after"
    )
    lost = _lost(was.join(now, on="entity_id", how="anti"), was, successors(old, new))
    fresh = _fresh(now.join(was, on="entity_id", how="anti"), known, lost, successors(new, old))
    changes = pl.concat([lost, fresh, _altered(both, "name", "renamed"), _altered(both, "entity_type", "retyped")])
    counted = changes.with_columns(pl.lit(1, pl.Int64).alias("entities"))
    kept = pl.DataFrame(
        [("kept", "", None, None, None, both.height)], schema={**_SCHEMA, "entities": pl.Int64}, orient="row"
    )
    table = TABLES["entity_changes"]
    return (
        pl.concat([counted, kept])
        .with_columns(
            pl.lit(view_id).alias("view_id"),
            pl.lit(generation_id).alias("generation_id"),
            pl.col("other").fill_null("").alias("other_entity_id"),
        )
        .select(list(table.schema))
        .sort(table.key)
    )


def _lost(gone: pl.DataFrame, was: pl.DataFrame, following: pl.DataFrame) -> pl.DataFrame:
    old_ids = was.select(pl.col("entity_id").alias("successor"), pl.lit(value=True).alias("_old"))
    return (
        gone.join(following, on="entity_id", how="left")
        .join(old_ids, on="successor", how="left")
        .select(
            pl.when(pl.col("successor").is_null())
            .then(pl.lit("gone"))
            .when(pl.col("_old"))
            .then(pl.lit("merged_into"))
            .otherwise(pl.lit("moved_to"))
            .alias("change"),
            "entity_id",
            pl.col("successor").alias("other"),
            pl.col("name").alias("before"),
            pl.lit(None, pl.String).alias("after"),
        )
    )


def _fresh(added: pl.DataFrame, known: pl.DataFrame, lost: pl.DataFrame, origin: pl.DataFrame) -> pl.DataFrame:
    """New ids; one that an old id moved to is told by that row."""
    taken = lost.filter(pl.col("change") == "moved_to").select(pl.col("other").alias("entity_id"))
    earlier = known.select("entity_id", pl.lit(value=True).alias("_known"))
    return (
        added.join(taken, on="entity_id", how="anti")
        .join(origin.rename({"successor": "other"}), on="entity_id", how="left")
        .join(earlier, on="entity_id", how="left")
        .select(
            pl.when(pl.col("other").is_not_null())
            .then(pl.lit("split_from"))
            .when(pl.col("_known"))
            .then(pl.lit("returned"))
            .otherwise(pl.lit("minted"))
            .alias("change"),
            "entity_id",
            "other",
            pl.lit(None, pl.String).alias("before"),
            pl.col("name").alias("after"),
        )
    )


def _altered(both: pl.DataFrame, column: str, change: str) -> pl.DataFrame:
    return both.filter(pl.col(column) != pl.col(f"{column}_after")).select(
        pl.lit(change).alias("change"),
        "entity_id",
        pl.lit(None, pl.String).alias("other"),
        pl.col(column).alias("before"),
        pl.col(f"{column}_after").alias("after"),
    )
