"""Which short forms stand for which long forms, and where.

A definition holds in its document. It holds everywhere only for a written acronym (two capitals, no space)
that all defining documents of the view define alike: "the Supplier" is another company in each contract.
"""

from __future__ import annotations

import polars as pl

from muniment.resolution.guards import refusal

_UNIT = ["cluster", "document_id"]


def definitions(mentions: pl.DataFrame, name_clusters: pl.DataFrame) -> pl.DataFrame:
    """One row a defined short form of a document, with the rule that refuses it, if any.

    Columns: cluster (of the short form), document_id, name, entity_type, long_name, long_cluster, written
    (forms in which it stands there), refused. Rules: acronym_ambiguous (two long forms in one document),
    acronym_chain (the long form is itself a short form), and the guards.
    """
    stated = (
        mentions.filter(pl.col("acronym_of").is_not_null())
        .group_by("cluster", "document_id", "name", "entity_type", pl.col("acronym_of").alias("long_name"))
        .agg(pl.col("display_name").unique().sort().alias("written"))
        .join(name_clusters.rename({"name": "long_name", "cluster": "long_cluster"}), on="long_name")
        .filter(pl.col("cluster") != pl.col("long_cluster"))
        .sort("cluster", "document_id", "name", "long_name", "entity_type")
        .with_columns(
            (pl.col("long_cluster").n_unique().over(_UNIT) > 1).alias("_several"),
            pl.col("long_cluster").is_in(pl.col("cluster").unique().implode()).alias("_chain"),
            refusal("name", "long_name").alias("_guard"),
        )
    )
    return stated.with_columns(
        pl.when(pl.col("_several"))
        .then(pl.lit("acronym_ambiguous"))
        .when(pl.col("_chain"))
        .then(pl.lit("acronym_chain"))
        .otherwise(pl.col("_guard"))
        .alias("refused")
    ).drop("_several", "_chain", "_guard")


def defined_units(stated: pl.DataFrame, sensed: pl.DataFrame) -> pl.DataFrame:
    """cluster, document_id, long_cluster, long_sense of the units that a definition of their document moves.

    The sense is that of the long form in the same document, else its first sense anywhere, else ''.
    """
    accepted = stated.filter(pl.col("refused").is_null()).select("cluster", "document_id", "long_cluster").unique()
    here = sensed.select(pl.col("cluster").alias("long_cluster"), "document_id", pl.col("sense").alias("_here"))
    first = sensed.group_by("cluster", maintain_order=True).agg(pl.col("sense").first().alias("_first"))
    return (
        accepted.join(here, on=["long_cluster", "document_id"], how="left")
        .join(first.rename({"cluster": "long_cluster"}), on="long_cluster", how="left")
        .select(
            "cluster", "document_id", "long_cluster", pl.coalesce("_here", "_first", pl.lit("")).alias("long_sense")
        )
        .sort("cluster", "document_id")
    )


def _unambiguous(stated: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Short clusters with one long group, none refused: cluster, long_cluster, long_sense, written."""
    refused = stated.filter(pl.col("refused").is_not_null()).select("cluster")
    one = (
        moved.join(refused, on="cluster", how="anti")
        .group_by("cluster")
        .agg(
            pl.col("long_cluster").first(),
            pl.col("long_sense").first(),
            pl.struct("long_cluster", "long_sense").n_unique().alias("_groups"),
        )
        .filter(pl.col("_groups") == 1)
        .drop("_groups")
    )
    written = (
        stated.explode("written")
        .filter(pl.col("written").str.contains(r"\p{Lu}.*\p{Lu}") & ~pl.col("written").str.contains(r"\s"))
        .select("cluster", "written")
        .unique()
    )
    return one.join(written, on="cluster")


def global_units(
    mentions: pl.DataFrame, sensed: pl.DataFrame, stated: pl.DataFrame, moved: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Units of documents without a definition: those that an unambiguous acronym moves, and those it does not.

    The first frame is as `defined_units`; the second has cluster, document_id, long_cluster, rule
    (acronym_written_otherwise, opposed_types).
    """
    meant = _unambiguous(stated, moved)
    target = meant.drop("written").unique("cluster")
    others = sensed.join(stated.select(_UNIT), on=_UNIT, how="anti").join(target, on="cluster")
    written = (
        mentions.select("cluster", "document_id", "display_name")
        .join(meant.select("cluster", pl.col("written").alias("display_name")), on=["cluster", "display_name"])
        .select(_UNIT)
        .unique()
        .with_columns(pl.lit(value=True).alias("_written"))
    )
    judged = others.join(written, on=_UNIT, how="left").with_columns(
        pl.when(pl.col("_written").is_null())
        .then(pl.lit("acronym_written_otherwise"))
        .when((pl.col("own_class") != pl.col("long_sense")) & (pl.col("long_sense") != ""))
        .then(pl.lit("opposed_types"))
        .alias("rule")
    )
    taken = judged.filter(pl.col("rule").is_null()).select(*_UNIT, "long_cluster", "long_sense")
    left = judged.filter(pl.col("rule").is_not_null()).select(*_UNIT, "long_cluster", "rule")
    return taken.sort(_UNIT), left.sort(_UNIT)


def acronym_decisions(
    stated: pl.DataFrame, names: pl.DataFrame, taken: pl.DataFrame, left: pl.DataFrame
) -> pl.DataFrame:
    """Rows of pair_decisions for definitions (scope: their document) and for what follows everywhere."""
    typed = stated.join(
        names.select(pl.col("name").alias("long_name"), pl.col("entity_type").alias("long_type")), on="long_name"
    )
    pair = ["name", "entity_type", "long_name", "long_type"]
    here = typed.select(
        *pair,
        pl.col("document_id").alias("scope"),
        pl.col("refused").fill_null("acronym_defined").alias("rule"),
        pl.when(pl.col("refused").is_null()).then(1.0).otherwise(0.0).alias("score"),
    )
    pairs = typed.select("cluster", "long_cluster", *pair).unique()
    applied = taken.select("cluster", "long_cluster").unique()
    everywhere = pairs.join(applied, on=["cluster", "long_cluster"]).select(
        *pair, pl.lit("").alias("scope"), pl.lit("acronym_everywhere").alias("rule"), pl.lit(0.9).alias("score")
    )
    elsewhere = pairs.join(left, on=["cluster", "long_cluster"]).select(
        *pair, pl.col("document_id").alias("scope"), "rule", pl.lit(0.0).alias("score")
    )
    differing = pairs.filter(pl.col("long_cluster").n_unique().over("cluster") > 1).select(
        *pair, pl.lit("").alias("scope"), pl.lit("acronym_ambiguous").alias("rule"), pl.lit(0.0).alias("score")
    )
    rows = pl.concat([here, everywhere, elsewhere, differing]).unique()
    swapped = pl.col("name") > pl.col("long_name")
    return rows.select(
        pl.when(swapped).then(pl.col("long_name")).otherwise(pl.col("name")).alias("left_name"),
        pl.when(swapped).then(pl.col("long_type")).otherwise(pl.col("entity_type")).alias("left_type"),
        pl.when(swapped).then(pl.col("name")).otherwise(pl.col("long_name")).alias("right_name"),
        pl.when(swapped).then(pl.col("entity_type")).otherwise(pl.col("long_type")).alias("right_type"),
        "scope",
        pl.when(pl.col("score") > 0).then(pl.lit("merge")).otherwise(pl.lit("keep_apart")).alias("decision"),
        "rule",
        "score",
    )
