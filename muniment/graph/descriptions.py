"""What documents say an entity is: their own sentences in order, a row a sentence, never a summary of them.

A row comes from one claim of one version, so a view that lacks the document lacks the row, and nothing of it
remains in another row.
"""

from __future__ import annotations

import polars as pl

from muniment.domain.model import DomainSchema
from muniment.graph.sides import CO_OCCURRENCE
from muniment.tables.registry import TABLES

#: Raw predicates that say what a word means.
_DEFINING = ("mean", "be_define_as", "be_defined_as", "refer_to", "désigner", "signifier")
_ROLES = ("has_role",)
_ORDER = ("definition", "copula", "apposition", "role", "attribute")


def entity_descriptions(
    linked: pl.DataFrame, claim_evidence: pl.DataFrame, domain: DomainSchema, view_id: str
) -> pl.DataFrame:
    """Rows of entity_descriptions from linked claims (`linked.linked_claims`) and their evidence.

    Definitions ("X means …"), copula sentences ("X is a …"), appositions, roles, then the schema's attributes with
    one value. A sentence (or row of a register) of a version stands once a kind, for the first of its claims.
    Within a kind unconditional claims come first, then the surer ones, then by claim. Denials describe nothing.
    """
    table = TABLES["entity_descriptions"]
    quotes = claim_evidence.sort("claim_id", "start", "end", "field").unique(
        "claim_id", keep="first", maintain_order=True
    )
    told = (
        linked.filter(
            pl.col("subject_id").is_not_null()
            & (pl.col("polarity") == "positive")
            & ~pl.col("rule").is_in(CO_OCCURRENCE)
            & pl.coalesce("object_id", "said").is_not_null()
        )
        .with_columns(_kind(domain).alias("kind"))
        .filter(pl.col("kind").is_not_null())
        .join(quotes.select("claim_id", "quote"), on="claim_id")
        .with_columns(
            pl.col("kind").replace_strict({kind: rank for rank, kind in enumerate(_ORDER)}).alias("_rank"),
            pl.col("condition_text").is_not_null().alias("_conditional"),
        )
        .sort(
            ["subject_id", "_rank", "_conditional", "confidence", "claim_id"],
            descending=[False, False, False, True, False],
        )
    )
    once = told.unique(["subject_id", "kind", "version_id", "quote"], keep="first", maintain_order=True)
    return (
        once.with_columns(
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("subject_id").alias("position"),
            pl.col("subject_id").alias("entity_id"),
            pl.lit(view_id).alias("view_id"),
        )
        .select(list(table.schema))
        .sort(table.key)
    )


def _kind(domain: DomainSchema) -> pl.Expr:
    """Kind of description by predicate and rule; null: it does not say what the subject is."""
    raw = pl.col("predicate_raw").str.replace_all(" ", "_")
    copula = (raw == "be") & pl.col("object_id").is_null()
    return (
        pl.when(raw.is_in(_DEFINING))
        .then(pl.lit("definition"))
        .when((pl.col("predicate") == "is_a") & (pl.col("rule") == "R8"))
        .then(pl.lit("apposition"))
        .when((pl.col("predicate") == "is_a") | copula)
        .then(pl.lit("copula"))
        .when(pl.col("predicate").is_in(_ROLES))
        .then(pl.lit("role"))
        .when(pl.col("predicate").is_in(sorted(item.name for item in domain.attributes.values() if item.functional)))
        .then(pl.lit("attribute"))
    )
