"""Claims, mentions and entities for tests of the graph, written as short lines."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import polars as pl

from muniment.tables.registry import TABLES

VIEW = "operator"


@dataclass(frozen=True)
class Said:
    """One claim: entity predicate entity, or a value; each version is of the document before its dot."""

    subject: str
    predicate: str
    object: str = ""
    version: str = "a.1"
    polarity: str = "positive"
    value: str | None = None
    value_type: str | None = None
    confidence: float = 0.85
    statement: str | None = None
    condition: str | None = None
    valid_from: datetime.date | None = None
    valid_to: datetime.date | None = None


@dataclass(frozen=True)
class Corpus:
    """The frames of some claims."""

    claims: pl.DataFrame
    claim_evidence: pl.DataFrame
    mentions: pl.DataFrame
    entity_mentions: pl.DataFrame
    canonical_entities: pl.DataFrame


def corpus(said: list[Said], types: dict[str, str] | None = None) -> Corpus:
    """Claims c0, c1, … ; entities are named by their letters; names in `types` of type date are values."""
    types = types or {}
    claims: list[dict[str, object]] = []
    evidence: list[dict[str, object]] = []
    mentions: list[dict[str, object]] = []
    for number, one in enumerate(said):
        document = one.version.split(".")[0]
        place = {"version_id": one.version, "extraction_id": f"x{one.version}"}
        ends = {}
        for role, name in (("subject", one.subject), ("object", one.object)):
            if not name:
                continue
            ends[f"{role}_mention_id"] = f"m{number}{role}"
            mentions.append(
                {
                    **place,
                    "mention_id": f"m{number}{role}",
                    "document_id": document,
                    "start": number * 100,
                    "end": number * 100 + 1,
                    "text": name,
                    "name": name.lower(),
                    "display_name": name,
                    "entity_type": types.get(name, "system"),
                    "source": "ner",
                    "is_subject": False,
                }
            )
        statement = one.statement or f"{one.subject}|{one.predicate}|{one.object}|{one.value}|{one.polarity}"
        claims.append(
            {
                **place,
                **ends,
                "claim_id": f"c{number}",
                "statement_id": statement,
                "document_id": document,
                "rule": "R4",
                "predicate": one.predicate,
                "predicate_text": f"{one.predicate}s",
                "predicate_raw": one.predicate,
                "basis": "rule",
                "value": one.value,
                "value_type": one.value_type,
                "polarity": one.polarity,
                "modality": "is",
                "condition_text": one.condition,
                "valid_from": one.valid_from,
                "valid_to": one.valid_to,
                "validity_basis": "unknown",
                "claim_status": "asserted",
                "confidence": one.confidence,
            }
        )
        quote = f"{one.subject} {one.predicate}s {one.object or one.value}."
        start = number * 100
        evidence.append({**place, "claim_id": f"c{number}", "start": start, "end": start + len(quote), "quote": quote})
    mention_frame = TABLES["mentions"].frame(mentions)
    named = mention_frame.filter(pl.col("entity_type") != "date").with_columns(
        pl.lit(VIEW).alias("view_id"), pl.col("text").alias("entity_id")
    )
    entities = (
        named.group_by("view_id", "entity_id", "entity_type")
        .agg(
            pl.len().cast(pl.Int64).alias("mentions"),
            pl.col("document_id").n_unique().cast(pl.Int64).alias("documents"),
            pl.col("mention_id").first().alias("anchor_mention_id"),
            pl.col("document_id").first().alias("anchor_document_id"),
        )
        .with_columns(pl.col("entity_id").alias("name"))
        .sort("entity_id")
    )
    return Corpus(
        TABLES["claims"].frame(claims),
        TABLES["claim_evidence"].frame(evidence),
        mention_frame,
        named.select(list(TABLES["entity_mentions"].schema)),
        entities.select(list(TABLES["canonical_entities"].schema)),
    )
