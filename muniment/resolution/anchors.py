"""Ids, preferred names and types of entities, from the mentions that were found to name one thing.

An entity's id is that of its earliest mention: document, normalised name, type as tagged there, ordinal
among homonyms. Later documents come later in that order, so they never change it.
"""

from __future__ import annotations

import polars as pl

from muniment.ids import make_id
from muniment.resolution.entity_types import majority_type


def anchored(mentions: pl.DataFrame) -> pl.DataFrame:
    """entity_key, entity_id, anchor_mention_id, anchor_document_id; a row an entity.

    `mentions` has entity_key (any name of the group), first_scan, document_id, start, mention_id, name,
    entity_type. The order is (first_scan, document_id, start), then the end and the mention id.
    """
    first = (
        mentions.sort("first_scan", "document_id", "start", "end", "mention_id")
        .unique("entity_key", keep="first", maintain_order=True)
        .with_columns(
            pl.int_range(pl.len())
            .over("document_id", "name", "entity_type", order_by=["start", "mention_id"])
            .alias("_ordinal")
        )
    )
    ids = [
        make_id("entity", document_id, name, entity_type, ordinal)
        for document_id, name, entity_type, ordinal in first.select(
            "document_id", "name", "entity_type", "_ordinal"
        ).iter_rows()
    ]
    return first.select(
        "entity_key",
        pl.Series("entity_id", ids, dtype=pl.String),
        pl.col("mention_id").alias("anchor_mention_id"),
        pl.col("document_id").alias("anchor_document_id"),
    )


def _naming(mentions: pl.DataFrame) -> pl.DataFrame:
    """The mentions that name and type an entity: its long forms where it has any."""
    spelled = ~pl.col("is_acronym")
    return mentions.filter(spelled | ~spelled.any().over("entity_id"))


def canonical_entities(mentions: pl.DataFrame, anchors: pl.DataFrame, view_id: str) -> pl.DataFrame:
    """Rows of canonical_entities.

    `mentions` has entity_id and is_acronym. The name is the most frequent written form of the long
    forms (ties: the longer, then alphabetical), the type their majority.
    """
    naming = _naming(mentions)
    names = (
        naming.group_by("entity_id", "display_name")
        .agg(pl.len().alias("_times"))
        .sort(
            "entity_id",
            "_times",
            pl.col("display_name").str.len_chars(),
            "display_name",
            descending=[False, True, True, False],
        )
        .unique("entity_id", keep="first", maintain_order=True)
        .select("entity_id", pl.col("display_name").alias("name"))
    )
    counts = mentions.group_by("entity_id").agg(
        pl.len().cast(pl.Int64).alias("mentions"), pl.col("document_id").n_unique().cast(pl.Int64).alias("documents")
    )
    types = majority_type(naming, ["entity_id"]).drop("mentions")
    return (
        anchors.drop("entity_key")
        .join(names, on="entity_id")
        .join(types, on="entity_id")
        .join(counts, on="entity_id")
        .select(
            pl.lit(view_id).alias("view_id"),
            "entity_id",
            "name",
            "entity_type",
            "mentions",
            "documents",
            "anchor_mention_id",
            "anchor_document_id",
        )
        .sort("entity_id")
    )
