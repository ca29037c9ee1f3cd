"""Extractive reports of communities: their main entities and relationships, each with a verbatim quote."""

from __future__ import annotations

import polars as pl

from muniment.settings import CommunitySettings
from muniment.tables.registry import TABLES

#: Entities that make a title.
TITLE_ENTITIES = 3

_COMMUNITY = ["view_id", "community_id"]


def extractive_reports(
    communities: pl.DataFrame,
    members: pl.DataFrame,
    relationships: pl.DataFrame,
    relationship_claims: pl.DataFrame,
    claims: pl.DataFrame,
    claim_evidence: pl.DataFrame,
    canonical_entities: pl.DataFrame,
    view_id: str,
    settings: CommunitySettings,
) -> pl.DataFrame:
    """Rows of community_reports, one a community of the view.

    Entities are ranked by weighted degree inside the community, relationships by weight; each relationship
    brings the quote of its most confident claim and the document that says it. Nothing is generated.
    """
    present = communities.filter(pl.col("view_id") == view_id)
    inside = _inside(members, present)
    edges = _edges(relationships.filter(pl.col("view_id") == view_id), inside)
    named = canonical_entities.filter(pl.col("view_id") == view_id).select("entity_id", "name", "entity_type")
    quotes = best_quotes(relationship_claims.filter(pl.col("view_id") == view_id), claims, claim_evidence)
    entities = _entities(inside, edges, named, settings.report_entities)
    lines = _relationship_lines(edges, named, quotes, settings.report_relationships)
    section = (
        pl.when(pl.col("relationship_lines").is_not_null())
        .then(pl.concat_str(pl.lit("\nRelationships:\n"), "relationship_lines"))
        .otherwise(pl.lit(""))
    )
    size = pl.col("size").cast(pl.String)
    table = TABLES["community_reports"]
    return (
        present.join(entities, on="community_id", how="left")
        .join(lines, on="community_id", how="left")
        .with_columns(
            pl.concat_str("title", pl.lit("\nEntities ("), size, pl.lit(" in all): "), "entity_names", section).alias(
                "report"
            ),
            pl.lit("extractive").alias("method"),
            pl.col("claim_ids").fill_null([]),
        )
        .select(list(table.schema))
        .sort(table.key)
    )


def _inside(members: pl.DataFrame, communities: pl.DataFrame) -> pl.DataFrame:
    """community_id, entity_id; a community once, at its own level."""
    return (
        communities.select(*_COMMUNITY, "level")
        .join(members, on=[*_COMMUNITY, "level"])
        .select("community_id", "entity_id")
    )


def _edges(relationships: pl.DataFrame, inside: pl.DataFrame) -> pl.DataFrame:
    """Relationships with both ends in a community: community_id beside their columns."""
    return relationships.join(inside.rename({"entity_id": "subject_id"}), on="subject_id").join(
        inside.rename({"entity_id": "object_id"}), on=["object_id", "community_id"]
    )


def best_quotes(relationship_claims: pl.DataFrame, claims: pl.DataFrame, claim_evidence: pl.DataFrame) -> pl.DataFrame:
    """relationship_id, claim_id, predicate_text, document_id, quote of the most confident claim that has a quote."""
    return (
        relationship_claims.select("relationship_id", "claim_id")
        .join(claims.select("claim_id", "confidence", "predicate_text", "document_id"), on="claim_id")
        .join(claim_evidence.select("claim_id", "start", "end", "quote"), on="claim_id")
        .sort(
            "relationship_id", "confidence", "claim_id", "start", "end", descending=[False, True, False, False, False]
        )
        .unique("relationship_id", keep="first", maintain_order=True)
        .select("relationship_id", "claim_id", "predicate_text", "document_id", "quote")
    )


def _entities(inside: pl.DataFrame, edges: pl.DataFrame, named: pl.DataFrame, limit: int) -> pl.DataFrame:
    """community_id, title, entity_names by weighted degree, then name."""
    ends = pl.concat(
        [edges.select("community_id", pl.col(end).alias("entity_id"), "weight") for end in ("subject_id", "object_id")]
    )
    degree = (
        ends.sort("community_id", "entity_id", "weight")
        .group_by("community_id", "entity_id", maintain_order=True)
        .agg(pl.col("weight").sum().round(6).alias("degree"))
    )
    label = pl.concat_str("name", pl.lit(" ("), "entity_type", pl.lit(")"))
    return (
        inside.join(degree, on=["community_id", "entity_id"], how="left")
        .join(named, on="entity_id")
        .with_columns(pl.col("degree").fill_null(0.0))
        .sort("community_id", "degree", "name", "entity_id", descending=[False, True, False, False])
        .group_by("community_id", maintain_order=True)
        .agg(
            pl.col("name").head(TITLE_ENTITIES).str.join(", ").alias("title"),
            label.head(limit).str.join(", ").alias("entity_names"),
        )
    )


def _relationship_lines(edges: pl.DataFrame, named: pl.DataFrame, quotes: pl.DataFrame, limit: int) -> pl.DataFrame:
    """community_id, relationship_lines, claim_ids of the heaviest relationships."""
    name = named.select("entity_id", "name")
    denied = pl.when(pl.col("polarity") == "negative").then(pl.lit(" (denied)")).otherwise(pl.lit(""))
    quoted = (
        pl.when(pl.col("quote").is_not_null())
        .then(pl.concat_str(pl.lit(': "'), "quote", pl.lit('" [document '), "document_id", pl.lit("]")))
        .otherwise(pl.lit(""))
    )
    line = pl.concat_str(pl.lit("- "), "subject", pl.lit(" | "), "predicate", denied, pl.lit(" | "), "object", quoted)
    return (
        edges.sort("community_id", "weight", "statements", "relationship_id", descending=[False, True, True, False])
        .group_by("community_id", maintain_order=True)
        .head(limit)
        .join(name.rename({"entity_id": "subject_id", "name": "subject"}), on="subject_id", maintain_order="left")
        .join(name.rename({"entity_id": "object_id", "name": "object"}), on="object_id", maintain_order="left")
        .join(quotes, on="relationship_id", how="left", maintain_order="left")
        .group_by("community_id", maintain_order=True)
        .agg(line.str.join("\n").alias("relationship_lines"), pl.col("claim_id").drop_nulls().alias("claim_ids"))
    )
