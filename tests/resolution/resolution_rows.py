"""Rows of mentions for tests: a document is a list of (written name, type[, long form it is defined by])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from muniment.nlp.names import display, normalise
from muniment.resolution.blocking import Embed
from muniment.resolution.resolve import resolve
from muniment.settings import ResolutionSettings
from muniment.tables.registry import TABLES, check_frame


@dataclass(frozen=True)
class Stated:
    """A mention with more than a name and a type."""

    text: str
    entity_type: str = "organisation"
    long_form: str | None = None
    definition: str | None = None
    identifier: str | None = None
    source: str = "ner"


Named = tuple[str, str] | tuple[str, str, str] | Stated
Documents = Mapping[str, Sequence[Named]]


def mention_rows(documents: Documents) -> pl.DataFrame:
    """Mentions m:<document>:<place>, one after the other."""
    rows: list[dict[str, object]] = []
    for document_id, named in documents.items():
        for place, item in enumerate(named):
            one = item if isinstance(item, Stated) else Stated(*item)
            text = one.text
            rows.append(
                {
                    "mention_id": f"m:{document_id}:{place}",
                    "extraction_id": f"x:{document_id}",
                    "version_id": f"v:{document_id}",
                    "document_id": document_id,
                    "start": place * 100,
                    "end": place * 100 + len(text),
                    "text": text,
                    "name": normalise(text),
                    "display_name": display(text),
                    "entity_type": one.entity_type,
                    "source": one.source,
                    "is_subject": False,
                    "acronym_of": normalise(one.long_form) if one.long_form else None,
                    "definition": one.definition,
                    "identifier": one.identifier,
                }
            )
    return TABLES["mentions"].frame(rows)


def scans(documents: Documents) -> pl.DataFrame:
    """Documents captured one after the other, in the order given."""
    return pl.DataFrame(
        {"document_id": list(documents), "first_scan": list(range(1, len(documents) + 1))},
        schema={"document_id": pl.String, "first_scan": pl.Int64},
    )


def resolved(
    documents: Documents,
    *,
    families: Mapping[str, str] | None = None,
    judged: pl.DataFrame | None = None,
    embed: Embed | None = None,
    **settings: Any,
) -> dict[str, pl.DataFrame]:
    """Resolution of the documents, every frame checked against its table; `families`: of documents that have one."""
    order = scans(documents).with_columns(
        pl.col("document_id")
        .replace_strict(dict(families or {}), default=None, return_dtype=pl.String)
        .alias("family_id")
    )
    frames = resolve(
        mention_rows(documents), order, "operator", ResolutionSettings(**settings), judged=judged, embed=embed
    )
    return {name: check_frame(TABLES[name], frame) for name, frame in frames.items()}


def groups(frames: dict[str, pl.DataFrame]) -> set[frozenset[str]]:
    """Mention ids that name one thing, without their common prefix."""
    grouped = frames["entity_mentions"].group_by("entity_id").agg("mention_id")
    return {frozenset(mention.removeprefix("m:") for mention in members) for members in grouped["mention_id"]}


def decisions(frames: dict[str, pl.DataFrame]) -> set[tuple[str, str, str, str, str]]:
    """left, right, scope, decision, rule."""
    columns = ("left_name", "right_name", "scope", "decision", "rule")
    return set(frames["pair_decisions"].select(columns).iter_rows())


def alias_rows(frames: dict[str, pl.DataFrame], *columns: str) -> set[tuple[Any, ...]]:
    """Columns of aliases, beside the name of their entity."""
    named = frames["aliases"].join(frames["canonical_entities"].select("entity_id", "name"), on="entity_id")
    return set(named.select("name", *columns).iter_rows())
