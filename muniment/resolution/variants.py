"""Names that are one name written in trivially different ways, and how that is decided.

Input is the names of a view, not their mentions. Near names (by edit distance or embedding) stay apart.
"""

from __future__ import annotations

import polars as pl

from muniment.resolution.entity_types import NAMED_TYPES, OPPOSED_CLASSES
from muniment.resolution.guards import refusal

#: Legal forms of organisations, each with the form that it is compared by.
LEGAL_FORMS: dict[str, str] = {
    "ltd": "ltd", "limited": "ltd", "pty ltd": "pty ltd", "inc": "inc", "incorporated": "inc", "corp": "corp",
    "corporation": "corp", "co": "co", "company": "co", "llc": "llc", "l.l.c": "llc", "llp": "llp", "l.l.p": "llp",
    "lp": "lp", "plc": "plc", "p.l.c": "plc", "gmbh": "gmbh", "gmbh & co kg": "gmbh & co kg",
    "gmbh & co. kg": "gmbh & co kg", "ag": "ag", "kg": "kg", "se": "se", "sa": "sa", "s.a": "sa", "sas": "sas",
    "s.a.s": "sas", "sarl": "sarl", "s.à r.l": "sarl", "bv": "bv", "b.v": "bv", "nv": "nv", "n.v": "nv",
    "spa": "spa", "s.p.a": "spa", "srl": "srl", "s.r.l": "srl", "oy": "oy", "oyj": "oyj", "ab": "ab", "a/s": "as",
    "aps": "aps", "asa": "asa",
}  # fmt: skip

#: Words in s that are no plural of what is left without it.
NO_PLURALS = (
    "analytics", "arms", "bus", "customs", "economics", "ethics", "gas", "goods", "headquarters", "lens", "logistics",
    "mathematics", "means", "news", "physics", "politics", "premises", "proceedings", "series", "species", "statistics",
    "works",
)  # fmt: skip

_FORMS = "|".join(form.replace(".", r"\.") for form in sorted(LEGAL_FORMS, key=lambda form: (-len(form), form)))
_LEGAL = rf"^(.+?),?\s+({_FORMS})\.?$"
_DOTTED = r"^(?:\p{L}\.){2,}$|^(?:\p{L}\.)+\p{L}$"

#: Rules in the order in which they are tried; the first that makes two names equal is the one recorded.
_SCORES = {
    "leading_article": 1.0, "possessive": 0.98, "hyphen_or_space": 0.97, "abbreviation_dots": 0.97,
    "legal_form": 0.95, "plural": 0.93, "same_words": 0.8,
}  # fmt: skip


def _collapsed(expression: pl.Expr) -> pl.Expr:
    return expression.str.replace_all(r"\s+", " ").str.strip_chars()


def _singular(expression: pl.Expr) -> pl.Expr:
    """The last word without its plural ending, where the ending is safe to take off."""
    last = expression.str.extract(r"(\S+)$")
    fixed = last.is_in(NO_PLURALS) | (last.str.len_chars() < 4) | last.str.contains(r"(?:ss|us|is|as|'s)$|\d")
    return (
        pl.when(fixed)
        .then(expression)
        .when(last.str.contains(r"[^aeiou]ies$"))
        .then(expression.str.replace(r"ies$", "y"))
        .when(last.str.contains(r"(?:x|ch|sh|ss|zz)es$"))
        .then(expression.str.replace(r"es$", ""))
        .otherwise(expression.str.replace(r"s$", ""))
    )


def variant_keys(names: pl.DataFrame) -> pl.DataFrame:
    """`names` (name, entity_type, mentions) with the keys that the rules compare; an empty name has none."""
    quotes = pl.col("name").str.replace_all(r"[’‘ʼ`]", "'").str.replace_all(r"[‐‑‒–—_]", "-")
    keyed = (
        names.with_columns(_collapsed(quotes).str.replace(r"^(?:the |les |l')(\S)", "${1}").alias("_article"))
        .with_columns(pl.col("_article").str.replace(r"'s$", "").str.replace(r"s'$", "s").alias("_possessive"))
        .with_columns(_collapsed(pl.col("_possessive").str.replace_all("-", " ")).alias("_spaced"))
        .with_columns(
            pl.when(pl.col("_spaced").str.contains(_DOTTED))
            .then(pl.col("_spaced").str.replace_all(r"\.", ""))
            .otherwise(pl.col("_spaced"))
            .alias("_plain"),
            pl.col("_spaced").str.replace_all(" ", "").alias("_compact"),
            pl.col("_possessive").str.contains("-").alias("_hyphen"),
        )
    )
    form = pl.col("_plain").str.extract(_LEGAL, 2)
    return keyed.with_columns(
        pl.coalesce(pl.col("_plain").str.extract(_LEGAL, 1), "_plain").alias("_stem"),
        form.replace_strict(LEGAL_FORMS, default=None, return_dtype=pl.String).alias("_form"),
        _singular(pl.col("_plain")).alias("_singular"),
        pl.col("_plain").str.extract_all(r"[\p{L}\p{M}\p{N}]+").list.sort().list.join(" ").alias("_words"),
    )


def _pairs(keyed: pl.DataFrame, key: str) -> pl.DataFrame:
    """All pairs of names with an equal, non-empty key, left < right."""
    shared = keyed.filter((pl.col(key) != "") & (pl.len().over(key) > 1))
    return shared.join(shared, on=key, suffix="_right", coalesce=False).filter(pl.col("name") < pl.col("name_right"))


def _decided(pairs: pl.DataFrame, decision: pl.Expr | str, rule: pl.Expr | str) -> pl.DataFrame:
    value = pl.lit(decision) if isinstance(decision, str) else decision
    name = pl.lit(rule) if isinstance(rule, str) else rule
    return pairs.select(
        pl.col("name").alias("left_name"),
        pl.col("entity_type").alias("left_type"),
        pl.col("name_right").alias("right_name"),
        pl.col("entity_type_right").alias("right_type"),
        value.cast(pl.String).alias("decision"),
        name.cast(pl.String).alias("rule"),
    )


def _spelling(keyed: pl.DataFrame) -> pl.DataFrame:
    rule = (
        pl.when(pl.col("_article") == pl.col("_article_right"))
        .then(pl.lit("leading_article"))
        .when(pl.col("_possessive") == pl.col("_possessive_right"))
        .then(pl.lit("possessive"))
        .when(pl.col("_spaced") == pl.col("_spaced_right"))
        .then(pl.lit("hyphen_or_space"))
        .otherwise(pl.lit("abbreviation_dots"))
    )
    compact = _pairs(keyed, "_compact").filter(
        (pl.col("_plain") != pl.col("_plain_right"))
        & (pl.col("_hyphen") | pl.col("_hyphen_right"))
        & (pl.col("_compact").str.len_chars() >= 5)
    )
    return pl.concat([_decided(_pairs(keyed, "_plain"), "merge", rule), _decided(compact, "merge", "hyphen_or_space")])


def _legal_forms(keyed: pl.DataFrame) -> pl.DataFrame:
    """One form per stem joins the bare name; two different forms are two organisations."""
    pairs = (
        keyed.with_columns(pl.col("_form").drop_nulls().n_unique().over("_stem").alias("_forms"))
        .pipe(_pairs, "_stem")
        .filter(
            (pl.col("_plain") != pl.col("_plain_right"))
            & (pl.col("_form").is_not_null() | pl.col("_form_right").is_not_null())
        )
    )
    bare_type = pl.when(pl.col("_form").is_null()).then(pl.col("entity_type")).otherwise(pl.col("entity_type_right"))
    both = pl.col("_form").is_not_null() & pl.col("_form_right").is_not_null()
    same_form = pl.col("_form") == pl.col("_form_right")
    rule = (
        pl.when(both)
        .then(pl.when(same_form).then(pl.lit("legal_form")).otherwise(pl.lit("legal_forms_differ")))
        .when(pl.col("_forms") > 1)
        .then(pl.lit("legal_form_ambiguous"))
        .when(bare_type.is_in(OPPOSED_CLASSES))
        .then(pl.lit("opposed_types"))
        .otherwise(pl.lit("legal_form"))
    )
    decision = (
        pl.when(rule != "legal_form")
        .then(pl.lit("keep_apart"))
        .when(both | (bare_type == "organisation"))
        .then(pl.lit("merge"))
        .otherwise(pl.lit("maybe_same"))
    )
    return _decided(pairs, decision, rule)


def _plurals(keyed: pl.DataFrame) -> pl.DataFrame:
    generic = keyed.filter(~pl.col("entity_type").is_in(NAMED_TYPES))
    pairs = _pairs(generic, "_singular").filter(pl.col("_plain") != pl.col("_plain_right"))
    return _decided(pairs, "merge", "plural")


def _same_words(keyed: pl.DataFrame) -> pl.DataFrame:
    pairs = _pairs(keyed.filter(pl.col("_words").str.contains(" ")), "_words").filter(
        (pl.col("_plain") != pl.col("_plain_right")) & (pl.col("_compact") != pl.col("_compact_right"))
    )
    return _decided(pairs, "maybe_same", "same_words")


def decide_variants(names: pl.DataFrame) -> pl.DataFrame:
    """Decisions between names that share a key of some rule; columns as in pair_decisions, scope ''.

    `names`: name (unique), entity_type (majority), mentions. A guard turns any decision into keep_apart.
    The order of the rows is fixed by the names. A name of nothing but dropped characters is compared with none.
    """
    keyed = variant_keys(names)
    found = pl.concat([_spelling(keyed), _legal_forms(keyed), _plurals(keyed), _same_words(keyed)])
    plain = keyed.select("name", "_plain")
    guarded = (
        found.unique(["left_name", "right_name"], keep="first", maintain_order=True)
        .join(plain.rename({"name": "left_name", "_plain": "_left"}), on="left_name", how="left")
        .join(plain.rename({"name": "right_name", "_plain": "_right"}), on="right_name", how="left")
        .with_columns(refusal("_left", "_right").alias("_refusal"))
    )
    refused = pl.col("_refusal").is_not_null()
    return guarded.select(
        "left_name",
        "left_type",
        "right_name",
        "right_type",
        pl.lit("").alias("scope"),
        pl.when(refused).then(pl.lit("keep_apart")).otherwise(pl.col("decision")).alias("decision"),
        pl.when(refused).then(pl.col("_refusal")).otherwise(pl.col("rule")).alias("rule"),
        pl.when(refused | (pl.col("decision") == "keep_apart"))
        .then(0.0)
        .otherwise(pl.col("rule").replace_strict(_SCORES, default=0.0, return_dtype=pl.Float64))
        .alias("score"),
    ).sort("left_name", "right_name")
