"""A finished assertion before it becomes rows: what rules, tables, metadata and models all hand over."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from muniment.claims.mentions import Mention

Span = tuple[int, int]
Precision = Literal["day", "month", "year"]
ValidityBasis = Literal["stated", "stated_open", "relative_resolved", "metadata", "unknown"]


@dataclass(frozen=True, slots=True)
class Value:
    """A literal as written and what it means; `start` is -1 where it stands outside the canonical text."""

    start: int
    end: int
    text: str
    kind: str
    number: float | None = None
    unit: str | None = None
    day: date | None = None
    precision: Precision | None = None


@dataclass(frozen=True, slots=True)
class Validity:
    """Half-open interval in which a claim holds; None: unknown. `text` is what states it, verbatim."""

    start: date | None = None
    end: date | None = None
    precision: Precision | None = None
    basis: ValidityBasis = "unknown"
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """Exact wording at code points start..end, or (start -1) the value of a metadata field as stated."""

    start: int
    end: int
    text: str
    field: str | None = None


@dataclass(slots=True)
class Assertion:
    """One assertion; subject and object as the text has them (the schema may turn them round)."""

    rule: str
    subject: Mention
    predicate: str
    predicate_spans: list[Span]
    confidence: float
    quote: Quote
    object: Mention | None = None
    value: Value | None = None
    basis: Literal["rule", "explicit", "model"] = "rule"
    negative: bool = False
    modality: str = "is"
    condition: list[Span] = field(default_factory=list)
    validity: Validity = field(default_factory=Validity)
    anaphora: Literal["subject", "object", "both"] | None = None
