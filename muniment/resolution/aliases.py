"""Names by which an entity goes: how each is known, from where, since when, and whether it holds."""

from __future__ import annotations

import polars as pl

#: Mentions of these sources are labels that a table or a field gives.
_LABELS = ("table_cell", "metadata")

#: What a short form or other name may be, by its definition; strongest first.
KINDS = ("acronym", "defined_term", "short_form", "aka")

_COLUMNS = [
    "view_id", "entity_id", "alias", "display_name", "kind", "source", "status", "evidence_mention_id", "first_seen",
    "last_seen", "mentions",
]  # fmt: skip


def _kind() -> pl.Expr:
    """Kind of a name, from its mentions; of definitions that differ the first of `KINDS`."""
    defined = pl.coalesce(*(pl.when((pl.col("short_kind") == kind).any()).then(pl.lit(kind)) for kind in KINDS))
    return pl.coalesce(
        pl.when((pl.col("identifier").str.to_lowercase() == pl.col("name")).any()).then(pl.lit("identifier")),
        defined,
        pl.when(pl.col("source").is_in(_LABELS).all()).then(pl.lit("source_label")),
        pl.lit("name"),
    )


def _mentioned(mentions: pl.DataFrame) -> pl.DataFrame:
    """One row a name that an entity's mentions have."""
    order = ["first_scan", "document_id", "start", "end", "mention_id"]
    forms = (
        mentions.group_by("entity_id", "name", "display_name")
        .agg(pl.len().alias("_times"))
        .sort("entity_id", "name", "_times", "display_name", descending=[False, False, True, False])
        .unique(["entity_id", "name"], keep="first", maintain_order=True)
        .drop("_times")
    )
    return (
        mentions.sort(order)
        .group_by("entity_id", "name", maintain_order=True)
        .agg(
            _kind().alias("kind"),
            pl.col("source").first(),
            pl.lit("accepted").alias("status"),
            pl.col("mention_id").first().alias("evidence_mention_id"),
            pl.col("first_scan").min().alias("first_seen"),
            pl.col("first_scan").max().alias("last_seen"),
            pl.len().cast(pl.Int64).alias("mentions"),
        )
        .join(forms, on=["entity_id", "name"])
        .rename({"name": "alias"})
    )


def _stated(stated: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Names that only a definition gives: long forms of what is mentioned, and aliases that wait for confirmation.

    The former belong to the short form's entity. The latter belong to the entity of the long form in the document
    that states them, else to that of its cluster's earliest mention.
    """
    seen = mentions.select("document_id", "first_scan").unique()
    rows = stated.join(seen, on="document_id")
    here = mentions.select(pl.col("cluster").alias("long_cluster"), "document_id", "entity_id", "first_scan", "start")
    in_document = here.sort("start", "entity_id").unique(
        ["long_cluster", "document_id"], keep="first", maintain_order=True
    )
    anywhere = here.sort("first_scan", "document_id", "start", "entity_id").unique(
        "long_cluster", keep="first", maintain_order=True
    )
    place = ["long_cluster", "document_id"]
    waiting = (
        rows.filter(pl.col("refused") == "alias_unconfirmed")
        .join(in_document.select(*place, "entity_id"), on=place, how="left")
        .join(anywhere.select("long_cluster", pl.col("entity_id").alias("_other")), on="long_cluster", how="left")
        .with_columns(pl.coalesce("entity_id", "_other").alias("entity_id"))
        .filter(pl.col("entity_id").is_not_null())
        .select(
            "entity_id", pl.col("name").alias("alias"), pl.col("written").list.first().alias("display_name"),
            pl.coalesce("definition", pl.lit("aka")).alias("kind"), pl.lit("unconfirmed").alias("status"),
            "mention_id", "first_scan",
        )
    )  # fmt: skip
    long_forms = (
        rows.filter(pl.col("refused").is_null())
        .join(mentions.select("mention_id", "entity_id"), on="mention_id")
        .select(
            "entity_id", pl.col("long_name").alias("alias"), pl.col("long_name").alias("display_name"),
            pl.lit("name").alias("kind"), pl.lit("accepted").alias("status"), "mention_id", "first_scan",
        )
    )  # fmt: skip
    return (
        pl.concat([long_forms, waiting])
        .sort("entity_id", "alias", "status", "first_scan", "mention_id")
        .group_by("entity_id", "alias", maintain_order=True)
        .agg(
            pl.col("kind").first(),
            pl.lit("definition").alias("source"),
            pl.col("status").first(),
            pl.col("mention_id").first().alias("evidence_mention_id"),
            pl.col("first_scan").min().alias("first_seen"),
            pl.col("first_scan").max().alias("last_seen"),
            pl.lit(0, pl.Int64).alias("mentions"),
            pl.col("display_name").first(),
        )
    )


def aliases(mentions: pl.DataFrame, stated: pl.DataFrame, view_id: str) -> pl.DataFrame:
    """Rows of aliases.

    `mentions`: with entity_id, cluster, first_scan and short_kind (of `KINDS`, where a longer name's entity took
    it); `stated`: see `acronyms.definitions`.
    """
    mentioned = _mentioned(mentions)
    unseen = _stated(stated, mentions).join(mentioned, on=["entity_id", "alias"], how="anti")
    return (
        pl.concat([mentioned, unseen.select(mentioned.columns)])
        .with_columns(pl.lit(view_id).alias("view_id"))
        .select(_COLUMNS)
        .sort("entity_id", "alias")
    )
