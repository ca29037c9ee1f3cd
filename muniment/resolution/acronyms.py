"""Which short forms and other names stand for which long forms, and where.

A definition holds in its document, and in other documents of its family that define nothing else. It holds
everywhere for a written acronym whose letters are those of the long form and which all defining documents of the
view define alike; any other name ("X, also known as Y") needs a second independent family for that. A name that has
nothing in common with the long form, or that stands for something elsewhere, is an alias only from the second
family on: one document that says "X is also known as the Central Bank" makes no alias.
"""

from __future__ import annotations

import re

import polars as pl

from muniment.resolution.guards import refused
from muniment.resolution.names import GENERIC_TERMS

_UNIT = ["cluster", "document_id"]
_WORDS = re.compile(r"[^\W_]+")
_WRITTEN_ACRONYM = r"^\S*\p{Lu}\S*\p{Lu}\S*$"

#: Rules of accepted definitions by how they are stated; any other is acronym_defined.
_ACCEPTED = {"defined_term": "defined_term", "short_form": "short_form", "aka": "known_as"}

#: Independent families that make an alias out of a statement.
FAMILIES = 2


def letters_match(short: str, long: str) -> bool:
    """Whether the letters of `short` stand in `long` in order, the first at the start of a word.

    Schwartz and Hearst 2003, section 3: from the right, each letter where it comes last.
    """
    place = len(long)
    letters = [char for char in short if char.isalnum()]
    for number, letter in enumerate(reversed(letters)):
        first = number == len(letters) - 1
        place = long.rfind(letter, 0, place)
        while first and place > 0 and long[place - 1].isalnum():
            place = long.rfind(letter, 0, place)
        if place < 0:
            return False
    return bool(letters)


def _abbreviates(short: str, long: str) -> bool:
    """Whether the letters match, or are those that the words begin with in another order (UTC)."""
    initials = sorted(word[0] for word in _WORDS.findall(long))
    return letters_match(short, long) or (len(short) > 2 and sorted(short) == initials)


def _part_of(short: str, long: str) -> bool:
    """Whether the words of `short` are words of `long`, in order and one after the other."""
    one, other = _WORDS.findall(short), _WORDS.findall(long)
    return bool(one) and any(other[place : place + len(one)] == one for place in range(len(other)))


def _kinds(stated: pl.DataFrame) -> pl.DataFrame:
    """`stated` with what the two names have in common.

    letters: an acronym by its letters; part: words of the long form; begins: its first ones; term: a generic word.
    """
    pairs = stated.select("name", "long_name").unique()
    kinds = [
        (
            short,
            long,
            _abbreviates(short, long),
            _part_of(short, long),
            long.startswith(f"{short} "),
            short in GENERIC_TERMS,
        )
        for short, long in pairs.iter_rows()
    ]
    flags = ("letters", "part", "begins", "term")
    schema = {"name": pl.String, "long_name": pl.String, **dict.fromkeys(flags, pl.Boolean)}
    return stated.join(pl.DataFrame(kinds, schema=schema, orient="row"), on=["name", "long_name"], how="left")


def definitions(mentions: pl.DataFrame, name_clusters: pl.DataFrame) -> pl.DataFrame:
    """One row a defined short form of a document, with the rule that refuses it, if any.

    Columns: cluster (of the short form), document_id, family_id, name, entity_type, definition, long_name,
    long_cluster, mention_id (its first there), written (forms in which it stands there), letters, part, begins,
    term, families (that state the pair), refused. Rules: acronym_ambiguous (two long forms in one document),
    acronym_chain (the long form is itself a short form), alias_unconfirmed, and the guards.
    """
    stated = (
        mentions.filter(pl.col("acronym_of").is_not_null())
        .group_by("cluster", "document_id", "family_id", "name", "entity_type", pl.col("acronym_of").alias("long_name"))
        .agg(
            pl.col("display_name").unique().sort().alias("written"),
            pl.col("definition").drop_nulls().sort().first(),
            pl.col("mention_id").sort_by("start", "mention_id").first(),
        )
        .join(name_clusters.rename({"name": "long_name", "cluster": "long_cluster"}), on="long_name")
        .filter(pl.col("cluster") != pl.col("long_cluster"))
        .sort("cluster", "document_id", "name", "long_name", "entity_type")
        .with_columns(
            (pl.col("long_cluster").n_unique().over(_UNIT) > 1).alias("_several"),
            pl.col("long_cluster").is_in(pl.col("cluster").unique().implode()).alias("_chain"),
            pl.col("family_id").n_unique().over("cluster", "long_cluster").alias("families"),
        )
    )
    judged = _kinds(refused(stated, "name", "long_name")).join(_established(mentions), on="cluster", how="left")
    return judged.with_columns(
        pl.when(pl.col("_several"))
        .then(pl.lit("acronym_ambiguous"))
        .when(pl.col("_chain"))
        .then(pl.lit("acronym_chain"))
        .when(pl.col("refusal").is_not_null())
        .then(pl.col("refusal"))
        .when(_doubtful() & (pl.col("families") < FAMILIES))
        .then(pl.lit("alias_unconfirmed"))
        .alias("refused")
    ).drop("_several", "_chain", "refusal", "_elsewhere")


def _established(mentions: pl.DataFrame) -> pl.DataFrame:
    """cluster, _elsewhere: whether some family uses the name without defining it."""
    used = mentions.group_by("cluster", "family_id").agg(pl.col("acronym_of").is_null().all().alias("_free"))
    return used.group_by("cluster").agg(pl.col("_free").any().alias("_elsewhere"))


def _doubtful() -> pl.Expr:
    """Whether nothing but the statement itself makes the short form a name of the long one.

    The letters, or words of the long form, or a generic word are enough; so is a defined term that is a name nowhere
    else. "Also known as" is not: anybody can write it.
    """
    aka = (pl.col("definition") == "aka").fill_null(value=False)
    acronym = pl.col("letters") & pl.col("written").list.eval(pl.element().str.contains(_WRITTEN_ACRONYM)).list.any()
    shaped = acronym | pl.col("part") | (pl.col("term") & ~aka)
    own_term = (pl.col("definition") == "defined_term").fill_null(value=False) & ~pl.col("_elsewhere")
    return ~shaped & ~own_term


def defined_units(stated: pl.DataFrame, sensed: pl.DataFrame) -> pl.DataFrame:
    """cluster, document_id, long_cluster, long_sense of the units that a definition of their document moves.

    The sense is that of the long form in the same document, else its first sense anywhere, else ''.
    """
    accepted = stated.filter(pl.col("refused").is_null()).select("cluster", "document_id", "long_cluster").unique()
    return with_sense(accepted, sensed).sort("cluster", "document_id")


def with_sense(moves: pl.DataFrame, sensed: pl.DataFrame) -> pl.DataFrame:
    """cluster, document_id, long_cluster, long_sense of moves (without the sense)."""
    here = sensed.select(pl.col("cluster").alias("long_cluster"), "document_id", pl.col("sense").alias("_here"))
    first = sensed.group_by("cluster", maintain_order=True).agg(pl.col("sense").first().alias("_first"))
    return (
        moves.join(here, on=["long_cluster", "document_id"], how="left")
        .join(first.rename({"cluster": "long_cluster"}), on="long_cluster", how="left")
        .select(
            "cluster", "document_id", "long_cluster", pl.coalesce("_here", "_first", pl.lit("")).alias("long_sense")
        )
    )


def family_units(stated: pl.DataFrame, sensed: pl.DataFrame) -> pl.DataFrame:
    """As `defined_units`, for documents without a definition in a family whose documents define the name alike."""
    accepted = stated.filter(pl.col("refused").is_null())
    one = (
        accepted.group_by("cluster", "family_id")
        .agg(pl.col("long_cluster").unique())
        .filter(pl.col("long_cluster").list.len() == 1)
        .with_columns(pl.col("long_cluster").list.first())
    )
    others = sensed.join(stated.select(_UNIT), on=_UNIT, how="anti").select(*_UNIT, "family_id")
    return with_sense(others.join(one, on=["cluster", "family_id"]).select(*_UNIT, "long_cluster"), sensed).sort(_UNIT)


def _unambiguous(stated: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Short clusters with one long group, none refused, known everywhere.

    Columns: cluster, long_cluster, long_sense, written.
    """
    against = stated.filter(pl.col("refused").is_not_null()).select("cluster")
    one = (
        moved.join(against, on="cluster", how="anti")
        .group_by("cluster")
        .agg(
            pl.col("long_cluster").first(),
            pl.col("long_sense").first(),
            pl.struct("long_cluster", "long_sense").n_unique().alias("_groups"),
        )
        .filter(pl.col("_groups") == 1)
        .drop("_groups")
    )
    acronym = pl.col("letters") & pl.col("written").str.contains(_WRITTEN_ACRONYM)
    # a defined term goes by its own name only where that is how the long form begins: Brightwell Systems
    own_name = (pl.col("definition") != "defined_term").fill_null(value=True) | pl.col("begins")
    stated_twice = (pl.col("families") >= FAMILIES) & own_name
    document_only = (pl.col("definition") == "short_form").fill_null(value=False) | pl.col("term")
    everywhere = ~document_only & (acronym | stated_twice)
    written = stated.explode("written").filter(everywhere).select("cluster", "written").unique()
    return one.join(written, on="cluster")


def global_units(
    mentions: pl.DataFrame, sensed: pl.DataFrame, stated: pl.DataFrame, moved: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Units of documents without a definition: those that an unambiguous acronym moves, and those it does not.

    The first frame is as `defined_units`; the second has cluster, document_id, long_cluster, rule
    (acronym_written_otherwise, opposed_types).
    """
    meant = _unambiguous(stated, moved)
    target = meant.drop("written").unique("cluster")
    others = sensed.join(stated.select(_UNIT), on=_UNIT, how="anti").join(target, on="cluster")
    written = (
        mentions.select("cluster", "document_id", "display_name")
        .join(meant.select("cluster", pl.col("written").alias("display_name")), on=["cluster", "display_name"])
        .select(_UNIT)
        .unique()
        .with_columns(pl.lit(value=True).alias("_written"))
    )
    judged = others.join(written, on=_UNIT, how="left").with_columns(
        pl.when(pl.col("_written").is_null())
        .then(pl.lit("acronym_written_otherwise"))
        .when((pl.col("own_class") != pl.col("long_sense")) & (pl.col("long_sense") != ""))
        .then(pl.lit("opposed_types"))
        .alias("rule")
    )
    taken = judged.filter(pl.col("rule").is_null()).select(*_UNIT, "long_cluster", "long_sense")
    left = judged.filter(pl.col("rule").is_not_null()).select(*_UNIT, "long_cluster", "rule")
    return taken.sort(_UNIT), left.sort(_UNIT)


def definition_decisions(
    stated: pl.DataFrame, names: pl.DataFrame, taken: pl.DataFrame, left: pl.DataFrame, family: pl.DataFrame
) -> pl.DataFrame:
    """Rows of pair_decisions for definitions (scope: their document) and for what follows elsewhere."""
    typed = stated.join(
        names.select(pl.col("name").alias("long_name"), pl.col("entity_type").alias("long_type")), on="long_name"
    )
    pair = ["name", "entity_type", "long_name", "long_type"]
    # how it is stated tells which rule accepts it
    rule = pl.coalesce(
        "refused",
        pl.col("definition").replace_strict(_ACCEPTED, default="acronym_defined", return_dtype=pl.String),
    )
    here = typed.select(
        *pair,
        pl.col("document_id").alias("scope"),
        rule.alias("rule"),
        pl.when(pl.col("refused").is_null()).then(1.0).otherwise(0.0).alias("score"),
    )
    pairs = typed.select("cluster", "long_cluster", *pair).unique()

    def follows(rows: pl.DataFrame, scope: pl.Expr, rule: pl.Expr, score: float) -> pl.DataFrame:
        joined = pairs.join(rows, on=["cluster", "long_cluster"])
        return joined.select(*pair, scope.alias("scope"), rule.alias("rule"), pl.lit(score).alias("score"))

    everywhere = follows(
        taken.select("cluster", "long_cluster").unique(), pl.lit(""), pl.lit("acronym_everywhere"), 0.9
    )
    elsewhere = follows(left, pl.col("document_id"), pl.col("rule"), 0.0)
    relatives = follows(family, pl.col("document_id"), pl.lit("defined_in_family"), 0.95)
    differing = pairs.filter(pl.col("long_cluster").n_unique().over("cluster") > 1).select(
        *pair, pl.lit("").alias("scope"), pl.lit("acronym_ambiguous").alias("rule"), pl.lit(0.0).alias("score")
    )
    rows = pl.concat([here, everywhere, elsewhere, relatives, differing]).unique()
    return oriented(rows.rename({"entity_type": "type"}))


def oriented(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows (name, type, long_name, long_type, scope, rule, score) as pair_decisions: a score of 0 keeps apart.

    An alias that waits for a second family is `maybe_same`.
    """
    swapped = pl.col("name") > pl.col("long_name")
    return rows.select(
        pl.when(swapped).then(pl.col("long_name")).otherwise(pl.col("name")).alias("left_name"),
        pl.when(swapped).then(pl.col("long_type")).otherwise(pl.col("type")).alias("left_type"),
        pl.when(swapped).then(pl.col("name")).otherwise(pl.col("long_name")).alias("right_name"),
        pl.when(swapped).then(pl.col("type")).otherwise(pl.col("long_type")).alias("right_type"),
        "scope",
        pl.when(pl.col("rule") == "alias_unconfirmed")
        .then(pl.lit("maybe_same"))
        .when(pl.col("score") > 0)
        .then(pl.lit("merge"))
        .otherwise(pl.lit("keep_apart"))
        .alias("decision"),
        "rule",
        pl.when(pl.col("rule") == "alias_unconfirmed").then(0.8).otherwise("score").alias("score"),
        pl.lit(None, pl.String).alias("detail"),
    )
