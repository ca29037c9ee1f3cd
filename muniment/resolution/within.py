"""Short forms that a document uses without defining them: "Osei" after "Margit Osei", "ECB" beside the bank's name.

Only inside one document, only where exactly one longer name of the document fits, never between opposed types.
"""

from __future__ import annotations

import polars as pl

from muniment.resolution.blocking import FUNCTION_WORDS, initials_of, words
from muniment.resolution.entity_types import opposed_class

_UNIT = ["cluster", "document_id"]

#: Legal and corporate words that make a longer name out of a company's short one.
CORPORATE_WORDS = ("ag", "bank", "co", "company", "corp", "corporation", "gmbh", "group", "holding", "holdings", "inc",
                   "limited", "llc", "llp", "ltd", "plc", "sa", "se")  # fmt: skip

_FEATURES = [
    "cluster",
    "document_id",
    "name",
    "type",
    "proper",
    "given",
    "surname",
    "generation",
    "_words",
    "_initials",
    "_first",
]


def within_documents(mentions: pl.DataFrame, keyed: pl.DataFrame) -> pl.DataFrame:
    """cluster, document_id, long_cluster, name, long_name, rule: units that belong to a longer name's.

    `mentions`: cluster, document_id, name, entity_type; `keyed`: see `variant_keys`. Rules: same_document_surname,
    same_document_given (an initial for the given name), same_document_initials (an acronym), same_document_short
    (a company without the words that make it one).
    """
    named = _features(mentions, keyed)
    long = named.rename({column: f"long_{column}" for column in _FEATURES if column != "document_id"})
    found = [rule(named, long) for rule in (_surnames, _given, _acronyms, _companies)]
    pairs = pl.concat(found).filter(
        (pl.col("cluster") != pl.col("long_cluster"))
        & ~(opposed_class("type") != opposed_class("long_type")).fill_null(value=False)
    )
    # "M. Osei" is itself short for "Margit Osei": it is no second candidate for "Osei"
    settled = _unambiguous(_to_whole_names(pairs, _unambiguous(pairs)))
    settled = _to_whole_names(settled, settled)
    return settled.select(*_UNIT, "long_cluster", "name", "long_name", "rule").unique().sort(pl.all())


def _unambiguous(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.filter(pl.col("long_cluster").n_unique().over(_UNIT) == 1)


def _to_whole_names(pairs: pl.DataFrame, short: pl.DataFrame) -> pl.DataFrame:
    """Pairs whose longer name is not itself one of the `short` units."""
    units = short.select(pl.col("cluster").alias("long_cluster"), "document_id").unique()
    return pairs.join(units, on=["long_cluster", "document_id"], how="anti")


def _features(mentions: pl.DataFrame, keyed: pl.DataFrame) -> pl.DataFrame:
    tokens = words("name").alias("_words")
    return (
        mentions.select("cluster", "document_id", "name", "entity_type")
        .group_by("cluster", "document_id", "name")
        .agg(pl.col("entity_type").mode().sort().first().alias("type"))
        .join(keyed.select("name", "proper", "given", "surname", "generation"), on="name")
        .with_columns(tokens)
        .with_columns(initials_of().alias("_initials"), pl.col("_words").list.first().alias("_first"))
        .select(_FEATURES)
    )


def _paired(short: pl.DataFrame, long: pl.DataFrame, left: str, right: str, rule: str) -> pl.DataFrame:
    columns = ["cluster", "document_id", "name", "type", "long_cluster", "long_name", "long_type", "long_given",
               "given", "_words", "long__words"]  # fmt: skip
    pairs = short.join(long, left_on=["document_id", left], right_on=["document_id", right], coalesce=False)
    return pairs.select([*columns, pl.lit(rule).alias("rule")])


def _persons(column: str) -> pl.Expr:
    return pl.col(column) == "person"


def _surnames(named: pl.DataFrame, long: pl.DataFrame) -> pl.DataFrame:
    # Frederick III is not the Frederick of Duke Frederick II
    plain = (pl.col("given") == "") & (pl.col("surname") != "") & (pl.col("generation") == "")
    short = named.filter(_persons("type") & plain)
    full = long.filter(_persons("long_type") & (pl.col("long_given") != ""))
    return _paired(
        short, full.filter(pl.col("long_generation") == ""), "surname", "long_surname", "same_document_surname"
    )


def _given(named: pl.DataFrame, long: pl.DataFrame) -> pl.DataFrame:
    short = named.filter(_persons("type") & (pl.col("given").str.len_chars() == 1))
    full = long.filter(_persons("long_type") & (pl.col("long_given").str.len_chars() > 1))
    pairs = _paired(short, full, "surname", "long_surname", "same_document_given")
    return pairs.filter(pl.col("long_given").str.head(1) == pl.col("given"))


def _acronyms(named: pl.DataFrame, long: pl.DataFrame) -> pl.DataFrame:
    short = named.filter(
        pl.col("proper") & (pl.col("_words").list.len() == 1) & pl.col("name").str.contains(r"^\p{L}{3,8}$")
    )
    full = long.filter(pl.col("long_proper") & (pl.col("long__words").list.len() > 2))
    return _paired(short, full, "name", "long__initials", "same_document_initials")


def _companies(named: pl.DataFrame, long: pl.DataFrame) -> pl.DataFrame:
    short = named.filter((pl.col("type") == "organisation") & (pl.col("name").str.len_chars() > 3))
    full = long.filter(pl.col("long_proper") & (pl.col("long_type") == "organisation"))
    pairs = _paired(short, full, "_first", "long__first", "same_document_short")
    count = pl.col("_words").list.len()
    rest = pl.col("long__words").list.slice(count)
    return pairs.filter(
        (pl.col("long__words").list.len() > count)
        & (pl.col("long__words").list.head(count).list.join(" ") == pl.col("_words").list.join(" "))
        & (rest.list.set_intersection(pl.lit(list(CORPORATE_WORDS))).list.len() > 0)
        & (rest.list.set_intersection(pl.lit(list(FUNCTION_WORDS))).list.len() == 0)  # the committee of a company
    )
