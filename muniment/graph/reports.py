"""Extractive reports of communities: main entities, what is said of them, relationships and conflicts, verbatim."""

from __future__ import annotations

import polars as pl

from muniment.ids import digest
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
    entity_descriptions: pl.DataFrame,
    conflicts: pl.DataFrame,
    conflict_claims: pl.DataFrame,
    view_id: str,
    settings: CommunitySettings,
) -> pl.DataFrame:
    """Rows of community_reports, one a community of the view.

    Entities are ranked by weighted degree inside the community, relationships by weight; each relationship
    brings the quote of its most confident claim and the document that says it; the main entities bring what
    documents say they are, and listed conflicts about members both their sides. Nothing is generated.
    `source_digest` covers all that a report is written from.
    """
    present = communities.filter(pl.col("view_id") == view_id)
    inside = _inside(members, present)
    edges = _edges(relationships.filter(pl.col("view_id") == view_id), inside)
    named = canonical_entities.filter(pl.col("view_id") == view_id).select("entity_id", "name", "entity_type")
    quotes = best_quotes(relationship_claims.filter(pl.col("view_id") == view_id), claims, claim_evidence)
    ranked = _ranked(inside, edges, named)
    said = _statement_lines(ranked, entity_descriptions.filter(pl.col("view_id") == view_id), settings)
    lines = _relationship_lines(edges, named, quotes, settings.report_relationships)
    opposed = _conflict_lines(
        inside,
        named,
        conflicts.filter((pl.col("view_id") == view_id) & pl.col("listed")),
        conflict_claims.filter(pl.col("view_id") == view_id),
        claim_evidence,
        settings.report_conflicts,
    )
    size = pl.col("size").cast(pl.String)
    head = pl.concat_str("title", pl.lit("\nEntities ("), size, pl.lit(" in all): "), "entity_names")
    parts = [
        pl.when(pl.col(column).is_not_null())
        .then(pl.concat_str(pl.lit(f"\n{heading}:\n"), column))
        .otherwise(pl.lit(""))
        for heading, column in (
            ("What is said of them", "statement_lines"),
            ("Relationships", "relationship_lines"),
            ("Conflicts", "conflict_lines"),
        )
    ]
    table = TABLES["community_reports"]
    quoted = [pl.col(name).fill_null([]) for name in ("statement_ids", "claim_ids", "conflict_ids")]
    reports = (
        present.join(_entities(ranked, settings.report_entities), on="community_id", how="left")
        .join(said, on="community_id", how="left")
        .join(lines, on="community_id", how="left")
        .join(opposed, on="community_id", how="left")
        .with_columns(
            pl.concat_str(head, *parts).alias("report"),
            pl.lit("extractive").alias("method"),
            pl.concat_list(quoted).list.unique(maintain_order=True).alias("claim_ids"),
        )
    )
    digests = [digest(report, claims) for report, claims in reports.select("report", "claim_ids").iter_rows()]
    return (
        reports.with_columns(pl.Series("source_digest", digests, dtype=pl.String))
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


def _ranked(inside: pl.DataFrame, edges: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """community_id, entity_id, name, entity_type by weighted degree inside the community, then name."""
    ends = pl.concat(
        [edges.select("community_id", pl.col(end).alias("entity_id"), "weight") for end in ("subject_id", "object_id")]
    )
    degree = (
        ends.sort("community_id", "entity_id", "weight")
        .group_by("community_id", "entity_id", maintain_order=True)
        .agg(pl.col("weight").sum().round(6).alias("degree"))
    )
    return (
        inside.join(degree, on=["community_id", "entity_id"], how="left")
        .join(named, on="entity_id")
        .with_columns(pl.col("degree").fill_null(0.0))
        .sort("community_id", "degree", "name", "entity_id", descending=[False, True, False, False])
    )


def _entities(ranked: pl.DataFrame, limit: int) -> pl.DataFrame:
    """community_id, title, entity_names of the first `limit` entities."""
    label = pl.concat_str("name", pl.lit(" ("), "entity_type", pl.lit(")"))
    return ranked.group_by("community_id", maintain_order=True).agg(
        pl.col("name").head(TITLE_ENTITIES).str.join(", ").alias("title"),
        label.head(limit).str.join(", ").alias("entity_names"),
    )


def _statement_lines(ranked: pl.DataFrame, descriptions: pl.DataFrame, settings: CommunitySettings) -> pl.DataFrame:
    """community_id, statement_lines, statement_ids: the first description of each of the first entities."""
    first = descriptions.sort("entity_id", "position").unique("entity_id", keep="first", maintain_order=True)
    line = pl.concat_str(
        pl.lit("- "), "name", pl.lit(': "'), "quote", pl.lit('" [document '), "document_id", pl.lit("]")
    )
    return (
        ranked.group_by("community_id", maintain_order=True)
        .head(settings.report_entities)
        .join(first.select("entity_id", "claim_id", "quote", "document_id"), on="entity_id", maintain_order="left")
        .unique(["community_id", "quote"], keep="first", maintain_order=True)
        .group_by("community_id", maintain_order=True)
        .agg(line.str.join("\n").alias("statement_lines"), pl.col("claim_id").alias("statement_ids"))
    )


def _conflict_lines(
    inside: pl.DataFrame,
    named: pl.DataFrame,
    conflicts: pl.DataFrame,
    conflict_claims: pl.DataFrame,
    claim_evidence: pl.DataFrame,
    limit: int,
) -> pl.DataFrame:
    """community_id, conflict_lines, conflict_ids (claims quoted): conflicts about members, a quote a side."""
    quotes = claim_evidence.sort("claim_id", "start", "end").unique("claim_id", keep="first", maintain_order=True)
    sides = (
        conflict_claims.sort("conflict_id", "side", "claim_id")
        .unique(["conflict_id", "side"], keep="first", maintain_order=True)
        .join(quotes.select("claim_id", "quote"), on="claim_id", maintain_order="left")
        .group_by("conflict_id", maintain_order=True)
        .agg(
            pl.concat_str(pl.lit('"'), "quote", pl.lit('"')).str.join(" / ").alias("quotes"),
            pl.col("claim_id").alias("conflict_ids"),
        )
    )
    words = pl.col("kind").str.replace_all("_", " ", literal=True)
    predicate = pl.col("predicate").str.replace_all("_", " ", literal=True)
    line = pl.concat_str(pl.lit("- "), words, pl.lit(": "), "name", pl.lit(" | "), predicate, pl.lit(": "), "quotes")
    return (
        conflicts.join(inside.rename({"entity_id": "subject_id"}), on="subject_id")
        .join(named.select(pl.col("entity_id").alias("subject_id"), "name"), on="subject_id")
        .join(sides, on="conflict_id")
        .sort("community_id", "kind", "name", "predicate", "conflict_id")
        .group_by("community_id", maintain_order=True)
        .head(limit)
        .group_by("community_id", maintain_order=True)
        .agg(line.str.join("\n").alias("conflict_lines"), pl.col("conflict_ids").explode())
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
    predicate = pl.col("predicate").str.replace_all("_", " ", literal=True)
    line = pl.concat_str(pl.lit("- "), "subject", pl.lit(" | "), predicate, denied, pl.lit(" | "), "object", quoted)
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
