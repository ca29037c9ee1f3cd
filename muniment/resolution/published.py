"""Ids that were once published, and the entity that each leads to now."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

#: Columns of `old_mentions` and `new_mentions`.
MENTION_COLUMNS = ["view_id", "mention_id", "entity_id", "document_id", "name"]


@dataclass(frozen=True)
class Redirect:
    """Where an id that is no entity today leads; `entity_id` null: its mentions are gone."""

    old_id: str
    entity_id: str | None
    changed_generation: str

    def __str__(self) -> str:
        if self.entity_id is None:
            return f"{self.old_id} was an entity; since generation {self.changed_generation} nothing mentions it"
        return f"{self.old_id} is now part of entity {self.entity_id} (since generation {self.changed_generation})"


def redirect(rows: Rows, view_id: str, entity_id: str) -> Redirect | None:
    """Where an id leads that is no entity of the view now; None where it is one, or never was."""
    found = rows.read(
        "SELECT p.present_entity_id, p.changed_generation FROM published_ids p WHERE p.view_id = ? AND p.entity_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM canonical_entities e WHERE e.view_id = p.view_id AND e.entity_id = p.entity_id)",
        [view_id, entity_id],
    )
    return None if found.is_empty() else Redirect(entity_id, *found.row(0))


def successors(old_mentions: pl.DataFrame, new_mentions: pl.DataFrame) -> pl.DataFrame:
    """entity_id, successor, shared, same_names: the new entity with most of an old one's mentions.

    Where documents were read anew no mention is the same: then the one with most mentions of the same names in
    the same documents. Ties: the smaller id.
    """
    same = (
        old_mentions.select("mention_id", "entity_id")
        .join(new_mentions.select("mention_id", pl.col("entity_id").alias("successor")), on="mention_id")
        .group_by("entity_id", "successor")
        .agg(pl.len().cast(pl.Int64).alias("shared"))
    )
    named = ["document_id", "name", "entity_id"]
    old, new = (frame.group_by(named).agg(pl.len().alias("_times")) for frame in (old_mentions, new_mentions))
    alike = (
        old.join(new.rename({"entity_id": "successor"}), on=["document_id", "name"], suffix="_new")
        .group_by("entity_id", "successor")
        .agg(pl.min_horizontal("_times", "_times_new").sum().cast(pl.Int64).alias("same_names"))
    )
    return (
        alike.join(same, on=["entity_id", "successor"], how="full", coalesce=True)
        .with_columns(pl.col("shared", "same_names").fill_null(0))
        .sort("entity_id", "shared", "same_names", "successor", descending=[False, True, True, False])
        .unique("entity_id", keep="first", maintain_order=True)
        .select("entity_id", "successor", "shared", "same_names")
    )


def update_published_ids(
    previous: pl.DataFrame, old_mentions: pl.DataFrame, new_mentions: pl.DataFrame, generation_id: str, view_id: str
) -> pl.DataFrame:
    """Rows of published_ids of the view after `generation_id`.

    `previous`: rows of published_ids; `old_mentions`, `new_mentions`: MENTION_COLUMNS of the generation before and
    of this one; rows of other views are ignored. An id that is an entity today leads to itself. Any other leads to
    the successor of the one it led to, else to that one if it exists, else none (null). No id is ever dropped.
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
    following = successors(old, new).select(pl.col("entity_id").alias("present_entity_id"), "successor")
    moved = (
        known.join(present.with_columns(pl.col("entity_id").alias("_self")), on="entity_id", how="left")
        .join(
            present.select(pl.col("entity_id").alias("present_entity_id"), pl.col("entity_id").alias("_kept")),
            on="present_entity_id",
            how="left",
        )
        .join(following, on="present_entity_id", how="left")
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
