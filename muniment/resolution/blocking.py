"""Which pairs of names are compared at all (methods.md, section 6.2.4).

A pair is a candidate when the two share a rare word, sound alike, one is the initials of the other, or their
vectors are near. Pairs are name < name_right and stand once; `keys` counts what each kind of key proposes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl

#: Vectors of texts, shape (texts, dimension), each of unit length.
Embed = Callable[[list[str]], npt.NDArray[np.float32]]

#: Words that no initial stands for.
FUNCTION_WORDS = ("and", "de", "des", "du", "for", "für", "in", "la", "le", "of", "on", "the", "to", "und", "von")
_ROWS = 1024

PAIR = {"name": pl.String, "name_right": pl.String, "key": pl.String}


def words(column: str = "name") -> pl.Expr:
    """Runs of letters, marks and digits."""
    return pl.col(column).str.extract_all(r"[\p{L}\p{M}\p{N}]+")


def _paired(keyed: pl.DataFrame, kind: str, limit: int) -> pl.DataFrame:
    """Pairs of names with an equal key (columns name, key) that at most `limit` names have."""
    shared = keyed.filter((pl.col("key") != "") & pl.len().over("key").is_between(2, limit))
    pairs = shared.join(shared, on="key", suffix="_right").filter(pl.col("name") < pl.col("name_right"))
    return pairs.select("name", "name_right", pl.lit(kind).alias("key")).unique()


def soundex(column: pl.Expr) -> pl.Expr:
    """Russell's code of a word without its limit of four places; '' where it does not begin with a Latin letter."""
    word = column.str.replace_all(r"[^a-z]", "")
    coded = (
        word.str.slice(1)
        .str.replace_all("[hw]", "")
        .str.replace_all("[bfpv]", "1")
        .str.replace_all("[cgjkqsxz]", "2")
        .str.replace_all("[dt]", "3")
        .str.replace_all("l", "4")
        .str.replace_all("[mn]", "5")
        .str.replace_all("r", "6")
    )
    for digit in "123456":
        coded = coded.str.replace_all(f"{digit}+", digit)
    return word.str.head(1) + coded.str.replace_all("[aeiouy]", "")


def candidate_pairs(names: pl.DataFrame, max_names: int, neighbours: pl.DataFrame | None = None) -> pl.DataFrame:
    """Candidates among `names` (name): name, name_right, keys (kinds of keys that the two share, sorted).

    Kinds: word (a word that at most `max_names` names have), sound (the sorted codes of all words), initials (one
    is the first letters of the other), neighbour (`neighbours`: name, name_right).
    """
    split = names.select("name").unique().sort("name").with_columns(words().alias("_words"))
    each = split.explode("_words").drop_nulls()
    proposals = [
        _paired(
            each.filter(pl.col("_words").str.len_chars() > 1).rename({"_words": "key"}).unique(), "word", max_names
        ),
        _paired(_sounds(each), "sound", max_names),
        _initials(split, max_names),
    ]
    if neighbours is not None:
        proposals.append(neighbours.select("name", "name_right", pl.lit("neighbour").alias("key")))
    return (
        pl.concat(proposals)
        .group_by("name", "name_right")
        .agg(pl.col("key").unique().sort().str.join("+").alias("keys"))
        .sort("name", "name_right")
    )


def _sounds(each: pl.DataFrame) -> pl.DataFrame:
    coded = each.with_columns(soundex(pl.col("_words")).alias("_sound"))
    return coded.group_by("name").agg(
        pl.when((pl.col("_sound") != "").all())
        .then(pl.col("_sound").sort().str.join("+"))
        .otherwise(pl.lit(""))
        .alias("key")
    )


def initials_of(column: str = "_words") -> pl.Expr:
    """First letters of a list's words but function words, joined."""
    kept = pl.col(column).list.eval(pl.element().filter(~pl.element().is_in(list(FUNCTION_WORDS))).str.head(1))
    return kept.list.join("")


def _initials(split: pl.DataFrame, max_names: int) -> pl.DataFrame:
    long = split.filter(pl.col("_words").list.len() > 2).select("name", initials_of().alias("key"))
    short = split.select("name", pl.col("name").str.replace_all(r"[.&\s]", "").alias("key")).filter(
        pl.col("key").str.len_chars().is_between(3, 8) & pl.col("key").str.contains(r"^\p{L}+$")
    )
    limited = long.filter((pl.col("key").str.len_chars() >= 3) & (pl.len().over("key") <= max_names))
    pairs = short.join(limited, on="key", suffix="_right").filter(pl.col("name") != pl.col("name_right"))
    return pairs.select(
        pl.min_horizontal("name", "name_right").alias("name"),
        pl.max_horizontal("name", "name_right").alias("name_right"),
        pl.lit("initials").alias("key"),
    ).unique()


def nearest(names: list[str], embed: Embed, count: int, similarity: float) -> pl.DataFrame:
    """name, name_right, similarity: of each name the `count` nearest others of at least `similarity`.

    Exact: all cosines, by blocks of rows. Ties go to the name that comes first.
    """
    ordered = sorted(set(names))
    schema = {"name": pl.String, "name_right": pl.String, "similarity": pl.Float64}
    if len(ordered) < 2 or count == 0:
        return pl.DataFrame(schema=schema)
    vectors = embed(ordered)
    left: list[int] = []
    right: list[int] = []
    cosines: list[float] = []
    for first in range(0, len(ordered), _ROWS):
        block = np.round((vectors[first : first + _ROWS] @ vectors.T).astype(np.float64), 4)
        block[np.arange(len(block)), np.arange(first, first + len(block))] = -1.0
        for row, place in enumerate(np.argsort(-block, axis=1, kind="stable")[:, :count]):
            near = place[block[row, place] >= similarity]
            left += [first + row] * len(near)
            right += near.tolist()
            cosines += block[row, near].tolist()
    one, other = np.array(left, dtype=np.int64), np.array(right, dtype=np.int64)
    texts = pl.Series(ordered, dtype=pl.String)
    return (
        pl.DataFrame(
            {
                "name": texts.gather(np.minimum(one, other)),
                "name_right": texts.gather(np.maximum(one, other)),
                "similarity": np.array(cosines, dtype=np.float64),
            },
            schema=schema,
        )
        .group_by("name", "name_right")
        .agg(pl.col("similarity").max())
        .sort("name", "name_right")
    )
