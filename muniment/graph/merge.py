"""Relationships: edges between entities that claims support, and what documents are about."""

from __future__ import annotations

import polars as pl

from muniment.domain.model import DomainSchema
from muniment.graph.linked import linked_claims
from muniment.graph.sides import CO_OCCURRENCE
from muniment.ids import make_id
from muniment.tables.registry import TABLES

_EDGE = ["subject_id", "predicate", "object_id", "polarity"]

#: Weight of a statement whose best claim has confidence 0: edges of weight 0 break community detection.
LEAST_WEIGHT = 0.001

#: Share of its confidence that a statement of mere co-occurrence weighs: it asserts no relation.
CO_OCCURRENCE_SHARE = 0.25

#: Share of the best conditional statement that an edge weighs which has no other.
CONDITIONAL_SHARE = 0.5


def merge(
    claims: pl.DataFrame,
    mentions: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    extractions: pl.DataFrame,
    view_id: str,
    *,
    domain: DomainSchema,
    aliases: pl.DataFrame | None = None,
    canonical_entities: pl.DataFrame | None = None,
) -> dict[str, pl.DataFrame]:
    """Rows of relationships, relationship_claims and document_subjects.

    All input is of the versions in scope: claims, mentions and extractions as in their tables, entity_mentions
    (aliases, canonical_entities: `linked.linked_claims`) of the view. A relationship is a (subject, predicate,
    object, polarity); ends of a symmetric relation are in order of their ids. Denials are relationships of their
    own and lend no weight. The weight is the sum over distinct unconditional statements of their best confidence;
    conditional ones add nothing to it, and an edge that has no others weighs a share of its best. Claims that link
    an entity to itself make no relationship: `linked.claim_counts` counts them. Raises ValueError for a confidence
    outside 0..1.
    """
    _check_confidence(claims)
    linked = linked_claims(claims, mentions, entity_mentions, aliases, canonical_entities).filter(
        pl.col("subject_id").is_not_null()
        & pl.col("object_id").is_not_null()
        & pl.col("subject_id").ne_missing(pl.col("object_id"))
    )
    linked = _symmetric_in_order(linked, domain)
    counts = linked.group_by(_EDGE).agg(
        pl.len().cast(pl.Int64).alias("claims"),
        pl.col("statement_id").n_unique().cast(pl.Int64).alias("statements"),
        pl.col("document_id").n_unique().cast(pl.Int64).alias("documents"),
        pl.col("condition_text").is_not_null().all().alias("conditional"),
        pl.col("modality").unique().sort().alias("modalities"),
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


def _symmetric_in_order(linked: pl.DataFrame, domain: DomainSchema) -> pl.DataFrame:
    """Subject and object of symmetric relations in order of their ids: A borders B is B borders A."""
    symmetric = sorted(item.name for item in domain.relations.values() if item.symmetric)
    turned = pl.col("predicate").is_in(symmetric) & (pl.col("object_id") < pl.col("subject_id"))
    return linked.with_columns(
        pl.when(turned).then("object_id").otherwise("subject_id").alias("subject_id"),
        pl.when(turned).then("subject_id").otherwise("object_id").alias("object_id"),
    )


def _weights(linked: pl.DataFrame) -> pl.DataFrame:
    """Sorted before summing: floating point sums depend on the order."""
    share = pl.when(pl.col("rule").is_in(CO_OCCURRENCE)).then(CO_OCCURRENCE_SHARE).otherwise(1.0)
    best = linked.group_by([*_EDGE, "statement_id"]).agg(
        (pl.col("confidence") * share).max().alias("_best"),
        pl.col("condition_text").is_not_null().all().alias("_conditional"),
    )
    firm = pl.col("_best").filter(~pl.col("_conditional"))
    weight = pl.when(firm.len() > 0).then(firm.sum()).otherwise(CONDITIONAL_SHARE * pl.col("_best").max())
    return (
        best.with_columns(pl.col("_best").clip(lower_bound=LEAST_WEIGHT))
        .sort([*_EDGE, "statement_id"])
        .group_by(_EDGE, maintain_order=True)
        .agg(weight.clip(lower_bound=LEAST_WEIGHT).round(6).alias("weight"))
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
