"""Claims with the entities that their mentions name: the input of merging and of conflict finding."""

from __future__ import annotations

import polars as pl


def linked_claims(claims: pl.DataFrame, mentions: pl.DataFrame, entity_mentions: pl.DataFrame) -> pl.DataFrame:
    """`claims` with subject_id and object_id (null: no entity) and `said`, the value or text of a value mention.

    A claim whose object mention is a value (a date, an amount) has no object_id and says that mention's name.
    """
    entity = entity_mentions.select("mention_id", "entity_id")
    names = mentions.select(pl.col("mention_id").alias("object_mention_id"), pl.col("name").alias("_object_name"))
    return (
        claims.join(
            entity.rename({"mention_id": "subject_mention_id", "entity_id": "subject_id"}),
            on="subject_mention_id",
            how="left",
        )
        .join(
            entity.rename({"mention_id": "object_mention_id", "entity_id": "object_id"}),
            on="object_mention_id",
            how="left",
        )
        .join(names, on="object_mention_id", how="left")
        .with_columns(pl.coalesce("value", "_object_name").alias("said"))
        .drop("_object_name")
    )


def claim_counts(claims: pl.DataFrame, mentions: pl.DataFrame, entity_mentions: pl.DataFrame) -> dict[str, int]:
    """What became of the claims: every one is counted in exactly one of the parts, which add up to `claims`.

    relations (in relationship_claims), self_loops (both mentions name one entity: no relationship),
    attributes (a value, literal or mention), without_subject (the subject is a value), without_object.
    """
    linked = linked_claims(claims, mentions, entity_mentions)
    part = (
        pl.when(pl.col("subject_id").is_null())
        .then(pl.lit("without_subject"))
        .when(pl.col("object_id") == pl.col("subject_id"))
        .then(pl.lit("self_loops"))
        .when(pl.col("object_id").is_not_null())
        .then(pl.lit("relations"))
        .when(pl.col("said").is_not_null())
        .then(pl.lit("attributes"))
        .otherwise(pl.lit("without_object"))
    )
    counted = dict(linked.group_by(part.alias("part")).len().iter_rows())
    parts = ("relations", "self_loops", "attributes", "without_subject", "without_object")
    return {"claims": claims.height, **{name: int(counted.get(name, 0)) for name in parts}}
