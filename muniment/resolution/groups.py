"""From mentions to name groups: clusters of spellings, divided by opposed senses.

Within one document a name has one sense (Gale, Church and Yarowsky 1992): a document's mentions of a cluster
stay together. Documents that tag a name neutrally join the sense that came first, so later documents never
move them.
"""

from __future__ import annotations

import polars as pl

from muniment.resolution.entity_types import majority_type, opposed_class
from muniment.resolution.names import generic


def units(mentions: pl.DataFrame) -> pl.DataFrame:
    """A row a (cluster, document_id): family_id, own_class (null: goes with any), sense ('': the cluster has none).

    `mentions` has cluster, document_id, entity_type, family_id and the first capture's ordinal first_scan.
    """
    sensed = (
        majority_type(mentions, ["cluster", "document_id"])
        .with_columns(opposed_class("entity_type").alias("own_class"))
        .join(
            mentions.select("document_id", "first_scan", "family_id").unique("document_id"),
            on="document_id",
            how="left",
        )
        .sort("cluster", "first_scan", "document_id")
    )
    return sensed.with_columns(
        pl.coalesce("own_class", pl.col("own_class").drop_nulls().first().over("cluster"), pl.lit("")).alias("sense")
    ).select("cluster", "document_id", "first_scan", "family_id", "entity_type", "own_class", "sense")


def document_scopes(mentions: pl.DataFrame) -> pl.DataFrame:
    """cluster, document_id of units whose name means another thing in each document, as "the Supplier" does.

    `mentions` has cluster, document_id, name, display_name, definition. Such a name is one of `GENERIC_TERMS`, or a
    single word that some document defines as a term of its own; in the document it is written with a capital.
    """
    terms = (
        mentions.filter((pl.col("definition") == "defined_term") & ~pl.col("name").str.contains(" "))
        .select("name")
        .unique()
    )
    capital = pl.col("display_name").str.contains(r"^\p{Lu}\p{Ll}").all()
    return (
        mentions.with_columns((generic() | pl.col("name").is_in(terms["name"].implode())).alias("_generic"))
        .group_by("cluster", "document_id")
        .agg((pl.col("_generic").all() & capital).alias("_scoped"))
        .filter("_scoped")
        .select("cluster", "document_id")
        .sort("cluster", "document_id")
    )


def type_decisions(mentions: pl.DataFrame, sensed: pl.DataFrame) -> pl.DataFrame:
    """What became of equal names under different types.

    `mentions` has name, entity_type, cluster, document_id. same_name merges two types; opposed_types keeps
    two apart everywhere, one_sense_per_document merges them in the document named by the scope;
    other_sense_first keeps a neutral type from a sense that another document had taken before.
    """
    seen = (
        mentions.group_by("name", "entity_type", "cluster", "document_id")
        .agg(pl.len())
        .join(sensed.select("cluster", "document_id", "sense"), on=["cluster", "document_id"])
        .with_columns(opposed_class("entity_type").alias("own_class"))
    )
    several = seen.filter(pl.col("entity_type").n_unique().over("name") > 1)
    first_sense = sensed.group_by("cluster", maintain_order=True).agg(
        pl.col("own_class").drop_nulls().first().alias("first_sense")
    )
    types = several.select("name", "cluster", "entity_type", "own_class").unique().join(first_sense, on="cluster")
    pairs = types.join(types, on="name", suffix="_right").filter(pl.col("entity_type") < pl.col("entity_type_right"))
    opposed = (pl.col("own_class") != pl.col("own_class_right")).fill_null(value=False)
    only_class = pl.coalesce("own_class", "own_class_right")
    other_first = (only_class != pl.col("first_sense")).fill_null(value=False)
    rule = (
        pl.when(opposed)
        .then(pl.lit("opposed_types"))
        .when(other_first)
        .then(pl.lit("other_sense_first"))
        .otherwise(pl.lit("same_name"))
    )
    everywhere = pairs.select("name", "entity_type", "entity_type_right", pl.lit("").alias("scope"), rule.alias("rule"))
    tagged = several.filter(pl.col("own_class").is_not_null())
    mixed = tagged.join(tagged, on=["name", "document_id"], suffix="_right").filter(
        pl.col("entity_type") < pl.col("entity_type_right")
    )
    scoped = mixed.select(
        "name",
        "entity_type",
        "entity_type_right",
        pl.col("document_id").alias("scope"),
        pl.lit("one_sense_per_document").alias("rule"),
    )
    merged = pl.col("rule").is_in(["same_name", "one_sense_per_document"])
    return pl.concat([everywhere, scoped]).select(
        pl.col("name").alias("left_name"),
        pl.col("entity_type").alias("left_type"),
        pl.col("name").alias("right_name"),
        pl.col("entity_type_right").alias("right_type"),
        "scope",
        pl.when(merged).then(pl.lit("merge")).otherwise(pl.lit("keep_apart")).alias("decision"),
        "rule",
        pl.when(merged).then(1.0).otherwise(0.0).alias("score"),
        pl.lit(None, pl.String).alias("detail"),
    )
