"""Names of persons: their parts, and which differences two names of one person may have.

The parts are told by nameparser. Equal surnames and given names are one person as far as names go; an initial
alone may stand for many, so it waits for more evidence; suffixes of generations, middle names and titles that
contradict are two persons.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

_GENERATIONS = {
    "jr": "junior", "junior": "junior", "sr": "senior", "senior": "senior", "ii": "ii", "2nd": "ii", "iii": "iii",
    "3rd": "iii", "iv": "iv", "4th": "iv", "v": "v",
}  # fmt: skip
_GENDERED = {"mr": "m", "sir": "m", "lord": "m", "herr": "m", "monsieur": "m", "mrs": "f", "ms": "f", "miss": "f",
             "madam": "f", "dame": "f", "lady": "f", "frau": "f", "madame": "f", "mme": "f"}  # fmt: skip

#: Columns that `person_parts` gives.
PARTS = ("given", "middle", "surname", "generation", "gender")


@dataclass(frozen=True, slots=True)
class PersonName:
    """Parts of a name, folded: without dots and diacritics, lower case; '' where there is none."""

    given: str = ""
    middle: str = ""
    surname: str = ""
    generation: str = ""
    gender: str = ""


@lru_cache(maxsize=100_000)
def parse_person(name: str) -> PersonName:
    """Parts of a person's name ("smith, john a., jr", "dr john smith"); a single word is a surname."""
    from nameparser import HumanName

    if any(char.isdigit() for char in name):
        return PersonName()
    parsed = HumanName(name)
    titles = _fold(parsed.title).split()
    suffixes = _fold(parsed.suffix.replace(",", " ")).split()
    given, surname = _fold(parsed.first), _fold(parsed.last)
    if given and not surname:
        given, surname = "", given
    if " " in given or (not given and " " in surname and not parsed.title):
        return PersonName()  # a phrase
    return PersonName(
        given,
        _fold(parsed.middle),
        surname,
        next((_GENERATIONS[word] for word in suffixes if word in _GENERATIONS), ""),
        next((_GENDERED[word] for word in titles if word in _GENDERED), ""),
    )


def _fold(text: str) -> str:
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return " ".join(plain.casefold().replace(".", " ").replace("-", " ").split())


def person_parts(names: pl.DataFrame) -> pl.DataFrame:
    """name and `PARTS` of the persons among `names` that have a surname; `names`: name, entity_type, possessive.

    possessive: the name without an ending that says whose something is.
    """
    found = names.filter(pl.col("entity_type") == "person").sort("name")
    parsed = [parse_person(written) for written in found["possessive"]]
    columns = {part: [getattr(one, part) for one in parsed] for part in PARTS}
    frame = pl.DataFrame(
        {"name": found["name"], **columns}, schema={"name": pl.String, **dict.fromkeys(PARTS, pl.String)}
    )
    return frame.filter(pl.col("surname") != "")


def _initials(words: pl.Expr) -> pl.Expr:
    return words.str.replace_all(r"(\S)\S*\s*", "${1}")


def _compatible(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Whether two lists of names may be one: equal, absent, or the shorter are initials of the longer, in order."""
    absent = (left == "") | (right == "")
    initials = (_initials(left) == left) | (_initials(right) == right)
    prefix = _initials(left).str.starts_with(_initials(right)) | _initials(right).str.starts_with(_initials(left))
    return absent | (left == right) | (initials & prefix)


def contradiction() -> pl.Expr:
    """Why the persons of a row (parts, and the same with _right) are two, or null; null parts contradict nothing.

    surnames_differ, given_names_differ (neither is an initial of the other), generations_differ, titles_differ,
    middle_names_differ.
    """

    def differ(part: str) -> pl.Expr:
        one, other = pl.col(part), pl.col(f"{part}_right")
        return (one != "") & (other != "") & (one != other)

    def incompatible(part: str) -> pl.Expr:
        return ~_compatible(pl.col(part), pl.col(f"{part}_right"))

    return (
        pl.when(differ("surname"))
        .then(pl.lit("surnames_differ"))
        .when(incompatible("given"))
        .then(pl.lit("given_names_differ"))
        .when(differ("generation"))
        .then(pl.lit("generations_differ"))
        .when(differ("gender"))
        .then(pl.lit("titles_differ"))
        .when(incompatible("middle"))
        .then(pl.lit("middle_names_differ"))
    )


def _whole_middle_missing() -> pl.Expr:
    one, other = pl.col("middle"), pl.col("middle_right")
    present = pl.when(one == "").then(other).otherwise(one)
    return ((one == "") != (other == "")) & (present != _initials(present))


def person_proposals(parts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of persons with one surname and compatible given names: name, name_right, rule, score (0: two persons).

    person_name .95 or .93: the same given name, middle names equal or one an initial or without the other's initial.
    middle_name_missing .85: only one has a whole middle name (Anne Rice and Anne Estelle Rice are two writers).
    person_initials .85: an initial for the given name. generation_missing .82. Else the contradiction, 0.
    """
    keyed = parts.filter(pl.col("given") != "").with_columns(pl.col("given").str.head(1).alias("_first"))
    pairs = (
        keyed.join(keyed, on=["surname", "_first"], suffix="_right", coalesce=False)
        .filter(pl.col("name") < pl.col("name_right"))
        .with_columns(contradiction().alias("_contradiction"))
        .filter(pl.col("_contradiction").is_null() | (pl.col("_contradiction") != "given_names_differ"))
    )
    same_middle = pl.col("middle") == pl.col("middle_right")
    rule = (
        pl.when(pl.col("_contradiction").is_not_null())
        .then(pl.col("_contradiction"))
        .when(pl.col("generation") != pl.col("generation_right"))
        .then(pl.lit("generation_missing"))
        .when(pl.col("given") != pl.col("given_right"))
        .then(pl.lit("person_initials"))
        .when(_whole_middle_missing())
        .then(pl.lit("middle_name_missing"))
        .otherwise(pl.lit("person_name"))
    )
    scores = {"generation_missing": 0.82, "person_initials": 0.85, "middle_name_missing": 0.85, "person_name": 0.93}
    score = (
        pl.when((rule == "person_name") & same_middle)
        .then(0.95)
        .otherwise(rule.replace_strict(scores, default=0.0, return_dtype=pl.Float64))
    )
    return pairs.select("name", "name_right", rule.alias("rule"), score.alias("score"))
