"""What forbids a merge before any score is looked at (methods.md, section 6.2.5).

"Directive 2014/65/EU" and "2014/56/EU" differ by two characters and are two laws: numbers, numerals and
opposing words decide alone. Signatures are made once a name, so that pairs are compared without reading them.
"""

from __future__ import annotations

import polars as pl

#: Words of one line exclude one another when both names have one and they differ.
OPPOSITIONS: tuple[tuple[str, ...], ...] = (
    ("north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest", "central"),
    ("northern", "southern", "eastern", "western"),
    ("nord", "sud", "est", "ouest"),
    ("interim", "final", "draft", "preliminary", "provisional", "definitive"),
    ("provisoire", "définitif", "définitive", "projet"),
    ("internal", "external"),
    ("interne", "externe"),
    ("old", "new", "former", "current", "previous", "next"),
    ("ancien", "ancienne", "nouveau", "nouvelle"),
    ("upper", "lower"),
    ("senior", "junior"),
    ("import", "export"),
    ("imports", "exports"),
    ("inbound", "outbound"),
    ("incoming", "outgoing"),
    ("input", "output"),
    ("inputs", "outputs"),
    ("ingress", "egress"),
    ("upstream", "downstream"),
    ("online", "offline"),
    ("minimum", "maximum"),
    ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    ("primary", "secondary", "tertiary"),
    ("public", "private"),
    ("domestic", "foreign"),
    ("national", "international", "regional", "local", "federal"),
    ("buyer", "seller"),
    ("lessor", "lessee"),
    ("licensor", "licensee"),
    ("employer", "employee"),
    ("mortgagor", "mortgagee"),
    ("assignor", "assignee"),
    ("controller", "processor"),
    ("sender", "recipient", "receiver"),
    ("client", "server"),
    ("master", "slave", "replica"),
    ("production", "staging", "test", "development"),
    ("alpha", "beta", "gamma", "delta"),
    ("with", "without"),
    ("direct", "indirect"),
    ("left", "right"),
    ("read", "write"),
    ("annual", "monthly", "weekly", "daily", "quarterly"),
    (
        "january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
        "december",
    ),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    (
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
        "décembre",
    ),
)  # fmt: skip

#: Written forms of one opposing word.
SYNONYMS = {"jr": "junior", "sr": "senior"}

_ROMAN = ("ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix")
_LAST_LETTER = r"[\s-]([a-z])\)?$"
_WORDS = pl.DataFrame(
    [
        (written, line, word)
        for line, words in enumerate(OPPOSITIONS)
        for word in words
        for written in (word, *(short for short, long in SYNONYMS.items() if long == word))
    ],
    schema={"_token": pl.String, "_line": pl.UInt32, "_word": pl.String},
    orient="row",
)

#: Columns that `signatures` adds.
SIGNATURE = ("digits", "numerals", "lines", "stands")


def _tokens(column: str) -> pl.Expr:
    return pl.col(column).str.extract_all(r"[\p{L}\p{M}\p{N}]+")


def _multiset(tokens: pl.Expr) -> pl.Expr:
    return tokens.list.sort().list.join("+")


def signatures(names: pl.DataFrame, column: str = "name") -> pl.DataFrame:
    """`names` with what its guards compare.

    digits: multiset of digit runs; numerals: Roman numerals, and the last single letter; lines: numbers of the
    lines of `OPPOSITIONS` that it has a word of; stands: line and words, one a line.
    """
    tokens = names.select(pl.col(column).unique()).with_columns(_tokens(column).alias("_tokens"))
    words = tokens.explode("_tokens").join(_WORDS, left_on="_tokens", right_on="_token")
    lines = (
        words.group_by(column, "_line")
        .agg(pl.col("_word").unique().sort().str.join("+"))
        .sort(column, "_line")
        .group_by(column, maintain_order=True)
        .agg(pl.col("_line").alias("lines"), pl.format("{}:{}", "_line", "_word").alias("stands"))
    )
    roman = pl.col("_tokens").list.set_intersection(pl.lit(list(_ROMAN)))
    signed = tokens.with_columns(
        _multiset(pl.col(column).str.extract_all(r"\d+")).alias("digits"),
        (_multiset(roman) + "|" + pl.col(column).str.extract(_LAST_LETTER).fill_null("")).alias("numerals"),
    ).join(lines, on=column, how="left")
    return names.join(signed.drop("_tokens"), on=column, how="left")


def refusal(suffix: str = "_right") -> pl.Expr:
    """The guard that forbids merging the two names of a row, or null; both sides have their signature.

    digits_differ: the multisets of digit runs differ. numerals_differ: Roman numerals or a last single
    letter differ. opposed_qualifiers: both names have a word of one of `OPPOSITIONS`, not the same.
    """
    shared = pl.col("lines").list.set_intersection(f"lines{suffix}").list.len()
    agreed = pl.col("stands").list.set_intersection(f"stands{suffix}").list.len()
    return (
        pl.when(pl.col("digits") != pl.col(f"digits{suffix}"))
        .then(pl.lit("digits_differ"))
        .when(pl.col("numerals") != pl.col(f"numerals{suffix}"))
        .then(pl.lit("numerals_differ"))
        .when((shared > agreed).fill_null(value=False))
        .then(pl.lit("opposed_qualifiers"))
    )


def refused(pairs: pl.DataFrame, left: str, right: str) -> pl.DataFrame:
    """`pairs` with the column refusal: the guard that forbids merging the names in two columns, or null."""
    names = pl.concat([pairs.select(pl.col(column).alias("name")) for column in (left, right)]).unique()
    signed = signatures(names)
    other = signed.rename({column: f"{column}_right" for column in SIGNATURE})
    return (
        pairs.join(signed, left_on=left, right_on="name", how="left", maintain_order="left")
        .join(other, left_on=right, right_on="name", how="left", maintain_order="left")
        .with_columns(refusal().alias("refusal"))
        .drop(*SIGNATURE, *(f"{column}_right" for column in SIGNATURE))
    )
