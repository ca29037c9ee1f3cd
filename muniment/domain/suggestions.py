"""What a corpus says and the schema has no name for: frequent raw predicates, fields and words for kinds of things."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Literal

import polars as pl
import yaml
from pydantic import BaseModel, ConfigDict

from muniment.domain.model import GENERIC_TYPE, NAME_PATTERN, DomainSchema
from muniment.domain.predicates import plain, senses
from muniment.domain.types import head_of

#: Predicates of grammar, not of a domain: what they mean stands in their other words.
_GRAMMAR = frozenset({"be", "have", "do", "related_to", "être", "avoir", "faire"})
#: Longest quote shown, in code points, and most types listed for an end.
_QUOTE, _TYPES = 160, 4
#: Datatypes by the kind of value that most claims have.
_DATATYPES = {"date", "money", "percent", "number", "quantity", "duration", "boolean"}


class SuggestedPredicate(BaseModel):
    """A raw predicate or field name that the schema lacks. Types: the most frequent first."""

    model_config = ConfigDict(frozen=True)

    raw: str
    kind: str
    field: bool
    claims: int
    documents: int
    subject_types: tuple[str, ...]
    object_types: tuple[str, ...]
    value_types: tuple[str, ...]
    example: str


class SuggestedType(BaseModel):
    """A word that many names end in and that no type of the schema has; names: distinct ones."""

    model_config = ConfigDict(frozen=True)

    head: str
    mentions: int
    documents: int
    names: int
    example: str


class Suggestions(BaseModel):
    """Most frequent first, by documents, then claims or mentions. `yaml` is a file that adds them."""

    model_config = ConfigDict(frozen=True)

    predicates: tuple[SuggestedPredicate, ...]
    types: tuple[SuggestedType, ...]
    predicates_in_all: int
    types_in_all: int
    yaml: str

    def __str__(self) -> str:
        if not self.predicates and not self.types:
            return "The schema has a name for every predicate and kind of thing that is used twice."
        lines = [f"{'predicate':<28} {'claims':>6} {'docs':>5}  of → to"]
        for item in self.predicates:
            ends = f"{'|'.join(item.subject_types) or '-'} → {'|'.join(item.object_types or item.value_types) or '-'}"
            lines.append(
                f"{item.raw + (' (field)' if item.field else ''):<28} {item.claims:>6} {item.documents:>5}  {ends}"
            )
            lines.append(f"{'':<28} > {item.example}")
        lines += ["", f"{'word for a kind of thing':<28} {'names':>6} {'docs':>5}  example"]
        lines += [f"{item.head:<28} {item.names:>6} {item.documents:>5}  {item.example}" for item in self.types]
        lines += [
            "",
            f"{len(self.predicates)} of {self.predicates_in_all} predicates and {len(self.types)} of "
            f"{self.types_in_all} words are shown. Keep what means something in this file, and name it as domain.file:",
            "",
            self.yaml,
        ]
        return "\n".join(lines)


def suggest(
    claims: pl.DataFrame, mentions: pl.DataFrame, claim_evidence: pl.DataFrame, domain: DomainSchema, limit: int
) -> Suggestions:
    """What rows of these tables use at least twice and the schema lacks; at most `limit` predicates and types."""
    predicates = _predicates(claims, mentions, claim_evidence, domain)
    types = _types(mentions, domain)
    return Suggestions(
        predicates=tuple(predicates[:limit]),
        types=tuple(types[:limit]),
        predicates_in_all=len(predicates),
        types_in_all=len(types),
        yaml=_yaml(predicates[:limit], types[:limit], domain),
    )


def _ranked(column: str) -> pl.Expr:
    """The most frequent values of a column, ties in alphabetical order."""
    return pl.struct(column).filter(pl.col(column).is_not_null()).value_counts(sort=False).alias(column)


def _top(counts: Sequence[dict[str, Any]], column: str) -> tuple[str, ...]:
    rows = sorted((-item["count"], item[column][column]) for item in counts)
    return tuple(name for _, name in rows[:_TYPES])


def _predicates(
    claims: pl.DataFrame, mentions: pl.DataFrame, evidence: pl.DataFrame, domain: DomainSchema
) -> list[SuggestedPredicate]:
    known = sorted({*domain.relations, *domain.attributes, *_GRAMMAR})
    raw = claims.filter(
        (pl.col("predicate") == pl.col("predicate_raw"))
        & pl.col("predicate").is_in(known).not_()
        # a preposition alone ("of", "in") says how nouns stand, not what holds between things
        & ((pl.col("rule") != "R6") | pl.col("predicate").str.contains("_", literal=True))
        & (pl.col("rule") != "R12")
    )
    kinds = mentions.select("mention_id", "entity_type")
    quotes = evidence.sort("claim_id", "start", "end").unique("claim_id", keep="first", maintain_order=True)
    frame = (
        raw.join(kinds.rename({"entity_type": "of"}), left_on="subject_mention_id", right_on="mention_id", how="left")
        .join(kinds.rename({"entity_type": "to"}), left_on="object_mention_id", right_on="mention_id", how="left")
        .join(quotes.select("claim_id", "quote"), on="claim_id", how="left")
        .with_columns((pl.col("basis") == "explicit").alias("field"))
        .sort("claim_id")
        .group_by("predicate", "field")
        .agg(
            pl.len().alias("claims"),
            pl.col("document_id").n_unique().alias("documents"),
            pl.col("object_mention_id").is_not_null().mean().alias("with_object"),
            _ranked("of"),
            _ranked("to"),
            _ranked("value_type"),
            pl.col("quote").drop_nulls().first().alias("example"),
        )
        .filter(pl.col("claims") > 1)
        .sort("documents", "claims", "predicate", "field", descending=[True, True, False, False])
    )
    claimed = senses(domain)
    return [
        SuggestedPredicate(
            raw=row["predicate"],
            kind=_kind(row),
            field=row["field"],
            claims=row["claims"],
            documents=row["documents"],
            subject_types=_top(row["of"], "of"),
            object_types=_top(row["to"], "to"),
            value_types=_top(row["value_type"], "value_type"),
            example=_short(row["example"] or ""),
        )
        for row in frame.iter_rows(named=True)
        # what the schema's types or kinds of value refuse is no gap of its vocabulary
        if ("field" if row["field"] else _kind(row), plain(row["predicate"])) not in claimed
    ]


def _kind(row: dict[str, Any]) -> Literal["relation", "attribute"]:
    return "relation" if row["with_object"] >= 0.5 else "attribute"


def _types(mentions: pl.DataFrame, domain: DomainSchema) -> list[SuggestedType]:
    """Last words of phrases of the generic type, in the singular as far as an s tells it; capitals end proper names."""
    heads = {plain(head) for item in domain.types.values() for head in (*item.heads, *item.name_heads)}
    proper = pl.col("display_name").str.contains(r"(?:^|\s)\p{Lu}\S*$")
    generic = mentions.filter((pl.col("entity_type") == GENERIC_TYPE) & ~proper).sort("mention_id")
    names = generic["display_name"].unique().sort()
    words = pl.DataFrame(
        {"display_name": names, "head": [head_of(name) for name in names]},
        schema={"display_name": pl.String, "head": pl.String},
    )
    frame = (
        generic.join(words, on="display_name")
        .filter(pl.col("head").is_not_null() & pl.col("head").is_in(sorted({*heads, *domain.types})).not_())
        .group_by("head")
        .agg(
            pl.len().alias("mentions"),
            pl.col("document_id").n_unique().alias("documents"),
            pl.col("name").n_unique().alias("names"),
            pl.col("display_name").unique().sort().first().alias("example"),
        )
        .filter(pl.col("mentions") > 1)
        .sort("documents", "names", "mentions", "head", descending=[True, True, True, False])
    )
    return [SuggestedType(**row) for row in frame.iter_rows(named=True)]


def _short(quote: str) -> str:
    line = " ".join(quote.split())
    return line if len(line) <= _QUOTE else line[: _QUOTE - 1] + "…"


def _yaml(predicates: Sequence[SuggestedPredicate], types: Sequence[SuggestedType], domain: DomainSchema) -> str:
    """A pack that can be loaded as it stands."""
    taken = {*domain.relations, *domain.attributes}
    relations, attributes = [], []
    for item in predicates:
        entry: dict[str, object] = {"name": _free(item.raw, taken)}
        if item.kind == "attribute":
            entry["datatype"] = next((kind for kind in item.value_types if kind in _DATATYPES), "text")
        entry["nouns" if item.field else "verbs"] = [item.raw]
        (relations if item.kind == "relation" else attributes).append(entry)
    known = set(domain.types)
    added = [{"name": _free(item.head, known), "heads": [item.head]} for item in types]
    sections = {"types": added, "relations": relations, "attributes": attributes}
    lines = ["name: own", 'version: "1"']
    for section, entries in sections.items():
        if entries:
            lines.append(f"{section}:")
            lines += [f"  - {_flow(entry)}" for entry in entries]
    return "\n".join(lines) + "\n"


def _flow(entry: dict[str, object]) -> str:
    return yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000).strip()


def _free(words: str, taken: set[str]) -> str:
    """A name that a schema may hold and does not hold yet; it is then taken."""
    plain_letters = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "_", plain_letters.lower()).strip("_")
    if not re.match(NAME_PATTERN, name):
        name = f"x_{name}".rstrip("_")
    number = 1
    while (candidate := name if number == 1 else f"{name}_{number}") in taken:
        number += 1
    taken.add(candidate)
    return candidate
