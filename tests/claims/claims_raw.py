"""What rules make of a text before any schema normalises it: predicates as said, subject and object as said."""

from __future__ import annotations

from typing import Any

import claims_documents
from claims_documents import Parts, claims, corpus

from muniment.domain.loading import load_domain
from muniment.domain.model import DomainSchema
from muniment.settings import DomainSettings, EntitySettings
from muniment.stages import StageOutput

PLAIN = EntitySettings(co_occurrence=False)


def raw_domain() -> DomainSchema:
    """The default types without relations and attributes."""
    whole = load_domain(DomainSettings())
    return DomainSchema(packs=("raw",), types=whole.types, relations={}, attributes={}, patterns=whole.patterns)


def read_parts(parts: Parts, language: str = "en", settings: EntitySettings = PLAIN) -> StageOutput:
    """Output for a document of the parts."""
    return claims_documents.entities(corpus({"v1": (parts, language)}), settings, domain=raw_domain())


def read(text: str, language: str = "en", settings: EntitySettings = PLAIN) -> StageOutput:
    """Output for one paragraph."""
    return read_parts([("paragraph", text)], language, settings)


def triple(row: dict[str, Any]) -> tuple[str, str, str | None]:
    """(subject, predicate, object or value) of a claim."""
    return row["subject"], row["predicate"], row["object"] if row["object"] is not None else row["value"]


def triples(text: str, language: str = "en") -> set[tuple[str, str, str | None]]:
    """Triples of a paragraph."""
    return {triple(row) for row in claims(read(text, language))}


def one(text: str, predicate: str, language: str = "en") -> dict[str, Any]:
    """The only claim with the predicate."""
    (row,) = [row for row in claims(read(text, language)) if row["predicate"] == predicate]
    return row


def books(output: StageOutput, unit: str) -> tuple[int, int, dict[str, int]]:
    """(expected, actual, amounts by reason) of a unit."""
    book = output.tables["stage_books"].filter(unit=unit).row(0, named=True)
    losses = output.tables["losses"].filter(unit=unit)
    return book["expected"], book["actual"], dict(losses.select("reason_code", "amount").iter_rows())
