"""From mentions to name groups: clusters of spellings, divided by opposed senses.

Within one document a name has one sense (Gale, Church and Yarowsky 1992): a document's mentions of a cluster
stay together. Documents that tag a name neutrally join the sense that came first, so later documents never
move them.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from muniment.resolution.components import connected_components
from muniment.resolution.entity_types import GENERIC_TYPE, majority_type, opposed_class

DECISION_COLUMNS = (
    "left_name", "left_type", "right_name", "right_type", "scope", "decision", "rule", "score",
)  # fmt: skip


def name_table(mentions: pl.DataFrame) -> pl.DataFrame:
    """name, entity_type, mentions of all names, also the long forms that only a definition gives; by name."""
    tagged = majority_type(mentions, ["name"])
    defined = (
        mentions.filter(pl.col("acronym_of").is_not_null())
        .select(pl.col("acronym_of").alias("name"))
        .unique()
        .join(tagged, on="name", how="anti")
        .select("name", pl.lit(GENERIC_TYPE).alias("entity_type"), pl.lit(0, pl.Int64).alias("mentions"))
    )
    return pl.concat([tagged, defined]).sort("name")


def clusters(names: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """name, cluster: the alphabetically first name that merge decisions lead to."""
    numbered = names.select("name").sort("name").with_row_index("_node").with_columns(pl.col("_node").cast(pl.Int64))
    edges = (
        decisions.filter(pl.col("decision") == "merge")
        .join(numbered.rename({"name": "left_name", "_node": "_left"}), on="left_name")
        .join(numbered.rename({"name": "right_name", "_node": "_right"}), on="right_name")
    )
    root = connected_components(
        numbered.height,
        edges["_left"].to_numpy().astype(np.int64),
        edges["_right"].to_numpy().astype(np.int64),
    )
    return pl.DataFrame({"name": numbered["name"], "cluster": numbered["name"].gather(pl.Series(root))})


def units(mentions: pl.DataFrame) -> pl.DataFrame:
    """One row a (cluster, document_id): own_class (null: goes with any), sense ('' where the cluster has none).

    `mentions` has cluster, document_id, entity_type and the first capture's ordinal first_scan.
    """
    sensed = (
        majority_type(mentions, ["cluster", "document_id"])
        .with_columns(opposed_class("entity_type").alias("own_class"))
        .join(mentions.select("document_id", "first_scan").unique("document_id"), on="document_id", how="left")
        .sort("cluster", "first_scan", "document_id")
    )
    return sensed.with_columns(
        pl.coalesce("own_class", pl.col("own_class").drop_nulls().first().over("cluster"), pl.lit("")).alias("sense")
    ).select("cluster", "document_id", "first_scan", "entity_type", "own_class", "sense")


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
    )
