"""What becomes of each pair of names that any rule proposes: merge, look at it, or keep apart, and why.

In falling order: identifiers, spelling variants, legal forms, persons, common nouns, likeness. The first rule that
proposes a pair decides it; guards come before its score (methods.md, section 6.2).
"""

from __future__ import annotations

import polars as pl

from muniment.resolution.entity_types import GENERIC_TYPE, opposed_class
from muniment.resolution.guards import refusal
from muniment.resolution.names import GENERIC_TERMS
from muniment.resolution.persons import PARTS, contradiction, person_proposals
from muniment.resolution.similar import similar_proposals
from muniment.resolution.variants import paired, variant_proposals
from muniment.settings import ResolutionSettings

#: Columns of pair_decisions.
DECISION_COLUMNS = (
    "left_name", "left_type", "right_name", "right_type", "scope", "decision", "rule", "score", "detail",
)  # fmt: skip

#: Rules that stand above the guards: the identifier says what the digits of a name would.
_UNGUARDED = ("identifier", "identifier_missing")

#: Rules whose parts are compared as persons: a last letter is an initial, "senior" a generation.
_PERSONS = ("person_name", "person_initials", "generation_missing", "middle_name_missing")

#: Rules that only types which may be one thing may follow; the others are one name, divided by senses later.
_TYPED = ("person_name", "person_initials", "generation_missing", "middle_name_missing", "same_words",
          "similar_spelling", "initials", "near_meaning", "plural_of_name", "regional_name")  # fmt: skip

#: Of the pairs that are written alike and a guard keeps apart, each name keeps this many rows: the most alike.
NEAREST_REFUSED = 3

#: What is missing in one of two names, and the rule by which a document that has both supplies it.
_TOGETHER = {
    "middle_name_missing": "person_name_in_document",
    "identifier_missing": "identifier_in_document",
}

_ALIKE_RULES = ("similar_spelling", "initials", "near_meaning")
_COMPARED = ["name", "entity_type", "identifier", "digits", "numerals", "lines", "stands"]


def _identifiers(keyed: pl.DataFrame) -> pl.DataFrame:
    """Names of one identifier; and a name that is another's without the identifier, where only one has that."""
    same = paired(keyed.filter(pl.col("identifier").is_not_null()), "identifier")
    stems = keyed.filter(pl.col("bare") != "").select("name", "identifier", pl.col("bare").alias("stem"))
    plain = keyed.filter(pl.col("identifier").is_null()).select(pl.col("name").alias("stem"))
    missing = (
        stems.filter((pl.col("identifier").n_unique().over("stem") == 1) & ~pl.col("stem").is_in(list(GENERIC_TERMS)))
        .join(plain, on="stem")
        .select(
            pl.min_horizontal("name", "stem").alias("name"),
            pl.max_horizontal("name", "stem").alias("name_right"),
            pl.lit("identifier_missing").alias("rule"),
            pl.lit(0.85).alias("score"),
        )
    )
    return pl.concat(
        [same.select("name", "name_right", pl.lit("identifier").alias("rule"), pl.lit(1.0).alias("score")), missing]
    )


def proposals(
    keyed: pl.DataFrame, settings: ResolutionSettings, neighbours: pl.DataFrame | None = None
) -> pl.DataFrame:
    """name, name_right, rule, score, alike (null but for likeness): one row a pair, its first rule."""
    likely = keyed.filter(pl.col("proper") | (pl.col("entity_type") != GENERIC_TYPE))
    exact = pl.concat(
        [
            _identifiers(keyed),
            person_proposals(keyed.filter(pl.col("surname").is_not_null()).select("name", *PARTS)),
            variant_proposals(keyed),
        ]
    ).with_columns(pl.lit(None, pl.Float64).alias("alike"))
    alike = similar_proposals(likely, settings.max_block, settings.review_from, neighbours)
    return pl.concat([exact, alike]).unique(["name", "name_right"], keep="first", maintain_order=True)


def decide(keyed: pl.DataFrame, settings: ResolutionSettings, neighbours: pl.DataFrame | None = None) -> pl.DataFrame:
    """Rows of pair_decisions (scope '') for the names of `variant_keys`.

    `neighbours`: name, name_right of names whose vectors are near. A pair that scores below `review_from` has no
    row; one that a guard keeps apart has.
    """
    pairs = proposals(keyed, settings, neighbours)
    compared = keyed.select(_COMPARED)
    pairs = pairs.join(compared, on="name", maintain_order="left").join(
        compared.rename({column: f"{column}_right" for column in _COMPARED}), on="name_right", maintain_order="left"
    )
    zone = (
        pl.when(pl.col("score") >= settings.merge_from)
        .then(pl.lit("merge"))
        .when(pl.col("score") >= settings.review_from)
        .then(pl.lit("maybe_same"))
        .when(pl.col("score") == 0)
        .then(pl.lit("keep_apart"))
    )
    judged = pairs.with_columns(_guard().alias("_guard"), zone.alias("_zone")).filter(pl.col("_zone").is_not_null())
    judged = _nearest_refused(judged)
    return judged.select(
        pl.col("name").alias("left_name"),
        pl.col("entity_type").alias("left_type"),
        pl.col("name_right").alias("right_name"),
        pl.col("entity_type_right").alias("right_type"),
        pl.lit("").alias("scope"),
        pl.when(pl.col("_guard").is_not_null()).then(pl.lit("keep_apart")).otherwise(pl.col("_zone")).alias("decision"),
        pl.coalesce("_guard", "rule").alias("rule"),
        pl.when(pl.col("_guard").is_not_null()).then(0.0).otherwise(pl.col("score")).alias("score"),
        _detail().alias("detail"),
    ).sort("left_name", "right_name")


def seen_together(decisions: pl.DataFrame, mentions: pl.DataFrame, merge_from: float) -> pl.DataFrame:
    """`decisions` with the pairs merged that wait for evidence and that one document names both.

    `mentions`: name, document_id. See `_TOGETHER` for their rules, which depend on what the view holds.
    """
    waiting = pl.col("rule").is_in(list(_TOGETHER)) & (pl.col("decision") == "maybe_same")
    seen = mentions.select("name", "document_id").unique()
    both = (
        decisions.filter(waiting)
        .select("left_name", "right_name")
        .join(seen, left_on="left_name", right_on="name")
        .join(seen, left_on=["right_name", "document_id"], right_on=["name", "document_id"], how="semi")
        .select("left_name", "right_name", pl.lit(value=True).alias("_both"))
        .unique()
    )
    together = waiting & pl.col("_both").fill_null(value=False)
    return (
        decisions.join(both, on=["left_name", "right_name"], how="left", maintain_order="left")
        .with_columns(
            pl.when(together).then(pl.lit("merge")).otherwise("decision").alias("decision"),
            pl.when(together)
            .then(pl.col("rule").replace_strict(_TOGETHER, default=None, return_dtype=pl.String))
            .otherwise("rule")
            .alias("rule"),
            pl.when(together)
            .then(pl.max_horizontal(pl.lit(0.92), pl.lit(merge_from)))
            .otherwise("score")
            .alias("score"),
        )
        .select(DECISION_COLUMNS)
    )


def _guard() -> pl.Expr:
    """The guard that keeps the names of a row apart, whatever its rule says; null where none does."""
    left, right = opposed_class("entity_type"), opposed_class("entity_type_right")
    written = (
        pl.when(pl.col("rule").is_in(_PERSONS))
        .then(pl.when(pl.col("digits") != pl.col("digits_right")).then(pl.lit("digits_differ")))
        .otherwise(refusal())
    )
    return (
        pl.when(pl.col("score") == 0)
        .then(None)
        .when((pl.col("identifier") != pl.col("identifier_right")).fill_null(value=False))
        .then(pl.lit("identifiers_differ"))
        .when(pl.col("rule").is_in(_UNGUARDED))
        .then(None)
        .when(written.is_not_null())
        .then(written)
        .when(pl.col("rule").is_in(_TYPED) & (left != right).fill_null(value=False))
        .then(pl.lit("opposed_types"))
    )


def _nearest_refused(judged: pl.DataFrame) -> pl.DataFrame:
    """Of likenesses that a guard forbids only the nearest stay: ten thousand numbered articles are no news."""
    news = pl.col("rule").is_in(_ALIKE_RULES) & pl.col("_guard").is_not_null()
    rank = [
        pl.struct(-pl.col("alike"), other).rank("ordinal").over(name)
        for name, other in (("name", pl.col("name_right")), ("name_right", pl.col("name")))
    ]
    likeness = judged.filter(news).filter((rank[0] <= NEAREST_REFUSED) & (rank[1] <= NEAREST_REFUSED))
    return pl.concat([judged.filter(~news), likeness])


def _detail() -> pl.Expr:
    found = pl.concat_str(
        pl.when(pl.col("_guard").is_not_null()).then(pl.format("proposed by {}", "rule")),
        pl.when(pl.col("alike").is_not_null()).then(pl.format("similarity {}", "alike")),
        separator=", ",
        ignore_nulls=True,
    )
    return pl.when(found != "").then(found)


def exclusions(pairs: pl.DataFrame, keyed: pl.DataFrame, support: float) -> pl.DataFrame:
    """name, name_right, reason of the pairs (name, name_right) that may not share a cluster.

    Besides the guards: legal forms that differ, persons that contradict, and no support: names that have less than
    `support` in common (similarity of words, or of letters without spaces).
    """
    from rapidfuzz import fuzz, process

    columns = [*_COMPARED, *PARTS, "form", "compared", "compact"]
    compared = keyed.select(columns)
    rows = pairs.join(compared, on="name").join(
        compared.rename({column: f"{column}_right" for column in columns}), on="name_right"
    )
    scores = [
        process.cpdist(rows[key].to_list(), rows[f"{key}_right"].to_list(), scorer=scorer) / 100
        for key, scorer in (("compared", fuzz.token_sort_ratio), ("compact", fuzz.ratio))
    ]
    # a name without digits may have the identifier that the other one is
    unnumbered = pl.any_horizontal(
        pl.col(f"identifier{one}").is_null()
        & (pl.col(f"digits{one}") == "")
        & pl.col(f"identifier{other}").is_not_null()
        for one, other in (("", "_right"), ("_right", ""))
    )
    persons = pl.col("surname").is_not_null() & pl.col("surname_right").is_not_null()
    reason = (
        pl.when((pl.col("identifier") == pl.col("identifier_right")).fill_null(value=False))
        .then(None)
        .when((pl.col("identifier") != pl.col("identifier_right")).fill_null(value=False))
        .then(pl.lit("identifiers_differ"))
        .when(unnumbered)
        .then(None)
        .when(persons)
        .then(contradiction())
        .when(refusal().is_not_null())
        .then(refusal())
        .when((pl.col("form") != pl.col("form_right")).fill_null(value=False))
        .then(pl.lit("legal_forms_differ"))
        .when(pl.col("_alike") < support)
        .then(pl.lit("no_support"))
    )
    return (
        rows.with_columns(pl.max_horizontal(*(pl.Series(score) for score in scores)).alias("_alike"))
        .select("name", "name_right", reason.alias("reason"))
        .filter(pl.col("reason").is_not_null())
        .sort("name", "name_right")
    )
