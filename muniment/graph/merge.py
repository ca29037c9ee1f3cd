"""Relationships: edges between entities that claims support, and what documents are about."""

from __future__ import annotations

import polars as pl

from muniment.graph.linked import linked_claims
from muniment.ids import make_id
from muniment.tables.registry import TABLES

_EDGE = ["subject_id", "predicate", "object_id", "polarity"]

#: Weight of a statement whose best claim has confidence 0: edges of weight 0 break community detection.
LEAST_WEIGHT = 0.001


def merge(
    claims: pl.DataFrame,
    mentions: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    extractions: pl.DataFrame,
    view_id: str,
) -> dict[str, pl.DataFrame]:
    """Rows of relationships, relationship_claims and document_subjects.

    All input is of the versions in scope: claims, mentions and extractions as in their tables,
    entity_mentions of the view. A relationship is a (subject, predicate, object, polarity); its weight is the
    sum over distinct statements of their best confidence. Claims that link an entity to itself make no
    relationship: `linked.claim_counts` counts them. Raises ValueError for a confidence outside 0..1.
    """
    _check_confidence(claims)
    linked = linked_claims(claims, mentions, entity_mentions).filter(
        pl.col("subject_id").is_not_null()
        & pl.col("object_id").is_not_null()
        & pl.col("subject_id").ne_missing(pl.col("object_id"))
    )
    counts = linked.group_by(_EDGE).agg(
        pl.len().cast(pl.Int64).alias("claims"),
        pl.col("statement_id").n_unique().cast(pl.Int64).alias("statements"),
        pl.col("document_id").n_unique().cast(pl.Int64).alias("documents"),
    )
    edges = counts.join(_weights(linked), on=_EDGE).sort(_EDGE)
    ids = [make_id("relationship", *edge) for edge in edges.select(_EDGE).iter_rows()]
    edges = edges.with_columns(pl.Series("relationship_id", ids, dtype=pl.String), pl.lit(view_id).alias("view_id"))
    supporting = linked.join(edges.select(*_EDGE, "relationship_id"), on=_EDGE).with_columns(
        pl.lit(view_id).alias("view_id")
    )
    return {
        "relationships": _rows("relationships", edges),
        "relationship_claims": _rows("relationship_claims", supporting),
        "document_subjects": document_subjects(mentions, entity_mentions, extractions, view_id),
    }


def _rows(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    table = TABLES[name]
    return frame.select(list(table.schema)).sort(table.key)


def _check_confidence(claims: pl.DataFrame) -> None:
    confidence = pl.col("confidence")
    wrong = claims.filter(~(confidence.is_finite() & confidence.is_between(0.0, 1.0)))["claim_id"].sort()
    if len(wrong):
        raise ValueError(f"{len(wrong)} claims have a confidence outside 0..1, first {wrong[0]}: correct their rule")


def _weights(linked: pl.DataFrame) -> pl.DataFrame:
    """Sorted before summing: floating point sums depend on the order."""
    best = linked.group_by([*_EDGE, "statement_id"]).agg(pl.col("confidence").max().clip(lower_bound=LEAST_WEIGHT))
    return (
        best.sort([*_EDGE, "statement_id"])
        .group_by(_EDGE, maintain_order=True)
        .agg(pl.col("confidence").sum().round(6).alias("weight"))
    )


def document_subjects(
    mentions: pl.DataFrame, entity_mentions: pl.DataFrame, extractions: pl.DataFrame, view_id: str
) -> pl.DataFrame:
    """Rows of document_subjects: entities that mentions marked is_subject name.

    The basis is `title` where the document's title contains the mention as written, else `heading`.
    """
    in_title = (
        pl.col("title")
        .fill_null("")
        .str.to_lowercase()
        .str.contains(pl.col("display_name").str.to_lowercase(), literal=True)
    )
    return _rows(
        "document_subjects",
        mentions.filter("is_subject")
        .select("mention_id", "extraction_id", "display_name")
        .join(entity_mentions.select("mention_id", "entity_id", "version_id", "document_id"), on="mention_id")
        .join(extractions.select("extraction_id", "title"), on="extraction_id", how="left")
        .group_by("version_id", "document_id", "entity_id")
        .agg(pl.when(in_title.any()).then(pl.lit("title")).otherwise(pl.lit("heading")).alias("basis"))
        .with_columns(pl.lit(view_id).alias("view_id")),
    )
