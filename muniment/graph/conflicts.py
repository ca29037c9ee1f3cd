"""Conflicts: claims that cannot all hold for the same time and scope. They are shown, never resolved here.

Two claims oppose one another when they speak of the same subject and predicate under the same condition,
their validity overlaps (an unknown end is open), and either one denies what the other asserts, or a
predicate with one value (`predicates.FUNCTIONAL`) has two. Recency decides nothing (methods.md, section 7).
"""

from __future__ import annotations

import polars as pl

from muniment.graph.linked import linked_claims
from muniment.graph.predicates import COPULAS, FUNCTIONAL, INVERSE_FUNCTIONAL, SINGLE_VALUE_TYPES, plain
from muniment.ids import make_id
from muniment.resolution.entity_types import GENERIC_TYPE
from muniment.tables.registry import TABLES

#: A subject with more values than this for a predicate with one value is a class of things ("the
#: company"), not one thing: `many_valued` lists it, no conflict is made of it.
MAX_VALUES = 20

_KEY = ["basis", "topic", "predicate", "target", "condition"]
_PLACE = ["document_id", "version_id"]
_WHEN = ["valid_from", "valid_to"]


def find_conflicts(
    claims: pl.DataFrame,
    mentions: pl.DataFrame,
    entity_mentions: pl.DataFrame,
    canonical_entities: pl.DataFrame,
    view_id: str,
) -> dict[str, pl.DataFrame]:
    """Rows of conflicts and conflict_claims, from claims of held versions.

    kind `contradiction`: between different documents, or within one version for a claim and its denial;
    `version_difference`: between versions of one document. Differing values within one version are a
    list, and two documents that share a value are no conflict. Conflict ids come from the claims.
    """
    linked = linked_claims(claims, mentions, entity_mentions).filter(pl.col("subject_id").is_not_null())
    sided = pl.concat([_polarities(linked), _values(linked, canonical_entities)])
    return _tables(_opposed(sided), view_id)


def many_valued(
    claims: pl.DataFrame, mentions: pl.DataFrame, entity_mentions: pl.DataFrame, canonical_entities: pl.DataFrame
) -> pl.DataFrame:
    """topic (entity), predicate, values: more than MAX_VALUES of them, and so not looked at for conflicts."""
    linked = linked_claims(claims, mentions, entity_mentions).filter(pl.col("subject_id").is_not_null())
    return (
        _values(linked, canonical_entities)
        .group_by(_KEY)
        .agg(pl.col("side").n_unique().cast(pl.Int64).alias("values"))
        .filter(pl.col("values") > MAX_VALUES)
        .select("topic", "predicate", "values")
        .sort("topic", "predicate", "values")
    )


def _said() -> pl.Expr:
    text = pl.col("said").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    return pl.coalesce("object_id", text)


def _condition() -> pl.Expr:
    return pl.col("condition_text").fill_null("").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def _sided(claims: pl.DataFrame, basis: str, topic: pl.Expr, target: pl.Expr, side: pl.Expr) -> pl.DataFrame:
    return claims.select(
        pl.lit(basis).alias("basis"),
        topic.alias("topic"),
        "predicate",
        target.alias("target"),
        _condition().alias("condition"),
        side.alias("side"),
        "claim_id",
        *_PLACE,
        *_WHEN,
    )


def _polarities(linked: pl.DataFrame) -> pl.DataFrame:
    """Claims about one thing said; the sides are positive and negative."""
    return _sided(linked, "polarity", pl.col("subject_id"), _said().fill_null(""), pl.col("polarity"))


def _values(linked: pl.DataFrame, canonical_entities: pl.DataFrame) -> pl.DataFrame:
    """Positive claims of predicates with one value; the sides are the values.

    A single generic word ("station") is another thing in each document and no topic here; a copula's value
    counts for named things only.
    """
    named = pl.col("entity_type") != GENERIC_TYPE
    topics = canonical_entities.select(
        pl.col("entity_id").alias("topic"),
        named.alias("_named"),
        (named | pl.col("name").str.contains(" ", literal=True)).alias("_specific"),
    )
    positive = linked.filter((pl.col("polarity") == "positive") & _said().is_not_null())
    copula = plain().is_in(COPULAS) & pl.col("value_type").is_in(SINGLE_VALUE_TYPES)
    inverse = positive.filter(plain().is_in(INVERSE_FUNCTIONAL) & pl.col("object_id").is_not_null())
    none = pl.lit("")
    sided = {
        "_specific": pl.concat(
            [
                _sided(positive.filter(plain().is_in(FUNCTIONAL)), "value", pl.col("subject_id"), none, _said()),
                _sided(inverse, "value", pl.col("object_id"), none, pl.col("subject_id")),
            ]
        ),
        "_named": _sided(positive.filter(copula), "value", pl.col("subject_id"), none, _said()),
    }
    return pl.concat(
        [frame.join(topics.filter(pl.col(needed)), on="topic", how="semi") for needed, frame in sided.items()]
    )


def _overlap() -> pl.Expr:
    starts_before = (pl.col("valid_from") < pl.col("valid_to_right")).fill_null(value=True)
    ends_after = (pl.col("valid_from_right") < pl.col("valid_to")).fill_null(value=True)
    return starts_before & ends_after


def _stands(sided: pl.DataFrame) -> pl.DataFrame:
    """Claims with `stand`: what their version says on the key, as one string.

    Claims of equal side, validity and stand are of one class; pairs are sought among the few classes, not
    among documents.
    """
    few = sided.filter(pl.col("side").n_unique().over(_KEY).is_between(2, MAX_VALUES))
    said = few.group_by(*_KEY, "version_id").agg(pl.col("side").unique().sort().alias("stand"))
    return few.join(said, on=[*_KEY, "version_id"])


def _opposed_classes(stands: pl.DataFrame, within: list[str], apart: str | None) -> pl.DataFrame:
    """The classes (key, within, side, stand, validity) that some other class opposes.

    `within` are columns that both must share, `apart` one in which they must differ for some pair of claims.
    Values oppose only where the two versions share none of them.
    """
    of_class = [*_KEY, *within, "side", "stand", *_WHEN]
    spread = pl.col(apart) if apart else pl.col("version_id")
    classes = stands.group_by(of_class).agg(spread.min().alias("_first"), spread.n_unique().alias("_several"))
    pairs = classes.join(classes, on=[*_KEY, *within], suffix="_right").filter(pl.col("side") != pl.col("side_right"))
    differs = (pl.col("_first") != pl.col("_first_right")) | (pl.col("_several") > 1) | (pl.col("_several_right") > 1)
    disjoint = pl.col("stand").list.set_intersection("stand_right").list.len() == 0
    agreed = disjoint | (pl.col("basis") == "polarity")
    return pairs.filter(_overlap() & agreed & (differs if apart else pl.lit(value=True))).select(of_class).unique()


def _opposed(sided: pl.DataFrame) -> pl.DataFrame:
    """kind, key, scope, side and claim_id of all claims of a class that some other opposes."""
    stands = _stands(sided)
    denials = stands.filter(pl.col("basis") == "polarity")
    found = []
    for kind, rows, within, apart in (
        ("contradiction", stands, [], "document_id"),
        ("contradiction", denials, ["version_id"], None),
        ("version_difference", stands, ["document_id"], "version_id"),
    ):
        classes = _opposed_classes(rows, within, apart)
        scope = pl.col("document_id") if kind == "version_difference" else pl.lit("")
        on = [*_KEY, *within, "side", "stand", *_WHEN]
        found.append(
            rows.join(classes, on=on, how="semi", nulls_equal=True).select(
                pl.lit(kind).alias("kind"), *_KEY, scope.alias("scope"), "side", "claim_id"
            )
        )
    return pl.concat(found).unique()


def _tables(opposed: pl.DataFrame, view_id: str) -> dict[str, pl.DataFrame]:
    grouped = (
        opposed.sort("claim_id")
        .group_by("kind", *_KEY, "scope", maintain_order=True)
        .agg(pl.col("claim_id"), pl.col("side"))
        .sort("kind", *_KEY, "scope")
    )
    ids = [
        make_id("conflict", kind, basis, *claims)
        for kind, basis, claims in grouped.select("kind", "basis", "claim_id").iter_rows()
    ]
    named = grouped.with_columns(
        pl.Series("conflict_id", ids, dtype=pl.String),
        pl.lit(view_id).alias("view_id"),
        pl.col("topic").alias("subject_id"),
        pl.col("claim_id").list.len().cast(pl.Int64).alias("claims"),
    )
    conflicts, members = TABLES["conflicts"], TABLES["conflict_claims"]
    return {
        "conflicts": named.select(list(conflicts.schema)).sort(conflicts.key),
        "conflict_claims": named.explode("claim_id", "side").select(list(members.schema)).sort(members.key),
    }
