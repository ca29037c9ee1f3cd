"""Names that are written alike: what a person should look at. Nothing here merges by itself.

Scores are those of rapidfuzz, capped below what merges, since no similarity tells "Ministry of Finance" from
"Ministry of Defence" or a misspelling from another name.
"""

from __future__ import annotations

import re

import polars as pl

from muniment.resolution.blocking import candidate_pairs
from muniment.resolution.entity_types import GENERIC_TYPE

#: No similarity of names goes beyond this.
CAP = 0.9

#: Names of one word must be at least this alike.
ONE_WORD = 0.88

#: Words of two names that differ must be at least this alike (share of letters kept), pair by pair.
WORD_ALIKE = 0.75

_DIGIT = re.compile(r"\d")

#: What a name's initials, or a near vector, say by themselves.
PROPOSED = 0.8


def similarity(left: list[str], right: list[str]) -> list[float]:
    """Similarity of names with their words in alphabetical order, 0 to 1, pair by pair (rapidfuzz token_sort_ratio)."""
    from rapidfuzz import fuzz, process

    return [float(score) for score in process.cpdist(left, right, scorer=fuzz.token_sort_ratio) / 100]


def words_alike(left: str, right: str) -> bool:
    """Whether each word of one name that the other lacks has a word like it there, and none is left over.

    Words with digits are left out: guards compare them.
    """
    from rapidfuzz.distance import OSA

    one, other = (sorted(word for word in name.split() if not _DIGIT.search(word)) for name in (left, right))
    for word in list(one):
        if word in other:
            one.remove(word)
            other.remove(word)
    if len(one) != len(other):
        return False
    for word in one:
        best = max(other, key=lambda item: (OSA.normalized_similarity(word, item), item))
        if OSA.normalized_similarity(word, best) < WORD_ALIKE:
            return False
        other.remove(best)
    return True


def similar_proposals(
    names: pl.DataFrame, max_names: int, review_from: float, neighbours: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Pairs of `names` (name, compared, entity_type) to look at: name, name_right, rule, score, alike.

    `alike` is the similarity of the compared forms. Rules: similar_spelling (capped similarity), initials,
    near_meaning (`neighbours`: name, name_right, similarity).
    """
    pairs = candidate_pairs(names, max_names, neighbours)
    compared = names.select("name", "compared", "entity_type")
    pairs = pairs.join(compared, on="name").join(
        compared.rename({"name": "name_right", "compared": "compared_right", "entity_type": "entity_type_right"}),
        on="name_right",
    )
    alike = similarity(pairs["compared"].to_list(), pairs["compared_right"].to_list())
    contained = (
        pl.col("compared").str.split(" ").list.set_difference(pl.col("compared_right").str.split(" ")).list.len() == 0
    ) | (pl.col("compared_right").str.split(" ").list.set_difference(pl.col("compared").str.split(" ")).list.len() == 0)
    scored = pairs.with_columns(pl.Series("alike", alike, dtype=pl.Float64).round(4)).filter(
        (pl.col("alike") >= review_from) | pl.col("keys").str.contains("initials|neighbour")
    )
    typed = (pl.col("entity_type") == pl.col("entity_type_right")) | pl.any_horizontal(
        pl.col("entity_type", "entity_type_right") == GENERIC_TYPE
    )
    # "Niger" and "Nigeria", "Maria" and "Marie": in one word a letter is much
    enough = pl.when(pl.col("compared").str.contains(" ")).then(review_from).otherwise(max(review_from, ONE_WORD))
    close = [
        fits and words_alike(left, right)
        for left, right, fits in scored.select(
            "compared", "compared_right", typed & (pl.col("alike") >= enough)
        ).iter_rows()
    ]
    rule = (
        pl.when(pl.col("_close"))
        .then(pl.lit("similar_spelling"))
        .when(pl.col("keys").str.contains("initials"))
        .then(pl.lit("initials"))
        .when(
            pl.col("keys").str.contains("neighbour") & ~contained & typed
        )  # an amendment of it is near it, and is not it
        .then(pl.lit("near_meaning"))
    )
    return (
        scored.with_columns(pl.Series("_close", close, dtype=pl.Boolean))
        .with_columns(rule.alias("rule"))
        .filter(pl.col("rule").is_not_null())
        .select(
            "name",
            "name_right",
            "rule",
            pl.when(pl.col("_close")).then(pl.min_horizontal("alike", pl.lit(CAP))).otherwise(PROPOSED).alias("score"),
            "alike",
        )
    )
