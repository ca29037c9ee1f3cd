"""Claims, mentions and entities for tests of the graph, written as short lines."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import polars as pl

from muniment.domain.model import AttributeType, DomainSchema, EntityType, RelationType
from muniment.tables.registry import TABLES

VIEW = "operator"


@dataclass(frozen=True)
class Said:
    """One claim: entity predicate entity, or a value; each version is of the document before its dot.

    Claims with equal `sentence` stand in one; claims with equal `shared` have one subject mention. `number_of`
    is the claim's number where it is not its place in the list.
    """

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
    modality: str = "is"
    number: float | None = None
    unit: str | None = None
    date: datetime.date | None = None
    precision: str | None = None
    rule: str = "R4"
    raw: str | None = None
    asserted_on: datetime.date | None = None
    quote: str | None = None
    sentence: int | None = None
    shared: int | None = None
    definition: str | None = None
    number_of: int | None = None


@dataclass(frozen=True)
class Corpus:
    """The frames of some claims."""

    claims: pl.DataFrame
    claim_evidence: pl.DataFrame
    mentions: pl.DataFrame
    entity_mentions: pl.DataFrame
    canonical_entities: pl.DataFrame


def schema(relations: dict[str, dict[str, Any]], attributes: dict[str, dict[str, Any]]) -> DomainSchema:
    """A schema of these relations and attributes, by name."""
    return DomainSchema(
        packs=("test 1",),
        types={"contract": EntityType(name="contract", heads=("agreement",))},
        relations={name: RelationType(name=name, **more) for name, more in relations.items()},
        attributes={name: AttributeType(name=name, **more) for name, more in attributes.items()},
        patterns={},
    )


#: owned_by has one object at a time, borders is symmetric, retention and expiry have one value at a time.
DOMAIN = schema(
    {
        "owned_by": {"functional": True},
        "born_in": {"functional": True, "temporal": False},
        "succeeds": {"inverse_functional": True},
        "borders": {"symmetric": True},
    },
    {
        "retention": {"functional": True, "datatype": "duration"},
        "expiry": {"functional": True, "datatype": "date"},
    },
)


def corpus(said: list[Said], types: dict[str, str] | None = None) -> Corpus:
    """Claims c0, c1, … ; entities are named by their letters; names in `types` of type date are values."""
    types = types or {}
    claims: list[dict[str, object]] = []
    evidence: list[dict[str, object]] = []
    mentions: list[dict[str, object]] = []
    known: set[str] = set()
    for place_in_list, one in enumerate(said):
        number = place_in_list if one.number_of is None else one.number_of
        document = one.version.split(".")[0]
        place = {"version_id": one.version, "extraction_id": f"x{one.version}"}
        ends = {}
        for role, name in (("subject", one.subject), ("object", one.object)):
            if not name:
                continue
            shared = role == "subject" and one.shared is not None
            identifier = f"ms{one.shared}" if shared else f"m{number}{role}"
            ends[f"{role}_mention_id"] = identifier
            if identifier in known:
                continue
            known.add(identifier)
            mentions.append(
                {
                    **place,
                    "mention_id": identifier,
                    "document_id": document,
                    "start": number * 100,
                    "end": number * 100 + 1,
                    "text": name,
                    "name": name.lower(),
                    "display_name": name,
                    "entity_type": types.get(name, "system"),
                    "source": "ner",
                    "is_subject": False,
                    "definition": one.definition if role == "subject" else None,
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
                "rule": one.rule,
                "predicate": one.predicate,
                "predicate_text": f"{one.predicate}s",
                "predicate_raw": one.raw or one.predicate,
                "basis": "rule",
                "value": one.value,
                "value_type": one.value_type,
                "value_number": one.number,
                "value_unit": one.unit,
                "value_date": one.date,
                "value_precision": one.precision,
                "polarity": one.polarity,
                "modality": one.modality,
                "condition_text": one.condition,
                "valid_from": one.valid_from,
                "valid_to": one.valid_to,
                "validity_basis": "unknown",
                "claim_status": "asserted",
                "asserted_on": one.asserted_on,
                "confidence": one.confidence,
            }
        )
        quote = one.quote or f"{one.subject} {one.predicate}s {one.object or one.value}."
        start = (number if one.sentence is None else one.sentence) * 100
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
