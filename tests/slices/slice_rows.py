"""A small corpus whose entity layer is made by the real resolution, merging and conflict finding."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field

import polars as pl

from muniment.domain.loading import load_domain
from muniment.graph.assembly import assemble
from muniment.nlp.names import display, normalise
from muniment.resolution.resolve import resolve
from muniment.settings import DomainSettings, ResolutionSettings
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

Values = dict[str, object]


@dataclass
class Fact:
    """A sentence that says: subject predicate object."""

    text: str
    subject: str
    predicate: str
    object: str
    types: tuple[str, str] = ("system", "system")
    polarity: str = "positive"
    condition: str | None = None
    confidence: float = 0.85
    hidden: bool = False
    valid_from: datetime.date | None = None


@dataclass
class Shelf:
    """Documents as they are added; `rows` makes the state."""

    facts: dict[str, list[Fact]] = field(default_factory=dict)
    tables: dict[str, list[Values]] = field(default_factory=dict)

    def add(self, document: str, *facts: Fact) -> Shelf:
        """A document whose sentences are chunks of their own."""
        self.facts[document] = list(facts)
        text = "\n\n".join(fact.text for fact in facts)
        place: Values = {"extraction_id": f"x-{document}", "version_id": f"v-{document}"}
        self._row("extractions", {**place, "document_id": document, "title": f"Title of {document}"})
        start = 0
        for number, fact in enumerate(facts):
            end = start + len(fact.text)
            span: Values = {"start": start, "end": end}
            self._row(
                "chunks",
                {
                    **place,
                    **span,
                    "chunk_id": f"k-{document}-{number}",
                    "document_id": document,
                    "text": fact.text,
                    "section_path": ["Chapter 1"],
                    "source_locator": '{"page": 3}',
                    "hidden": fact.hidden,
                },
            )
            claim_id = f"c-{document}-{number}"
            self._row("claim_evidence", {**place, **span, "claim_id": claim_id, "quote": text[start:end]})
            ends = [self._mention(document, number, role, fact, text, start) for role in (0, 1)]
            self._row(
                "claims",
                {
                    **place,
                    "claim_id": claim_id,
                    "statement_id": f"{fact.subject}|{fact.predicate}|{fact.object}|{fact.polarity}",
                    "document_id": document,
                    "subject_mention_id": ends[0],
                    "predicate": fact.predicate,
                    "predicate_text": fact.predicate,
                    "predicate_raw": fact.predicate,
                    "rule": "R4",
                    "valid_from": fact.valid_from,
                    "basis": "rule",
                    "object_mention_id": ends[1],
                    "polarity": fact.polarity,
                    "modality": "is",
                    "condition_text": fact.condition,
                    "validity_basis": "unknown",
                    "claim_status": "asserted",
                    "confidence": fact.confidence,
                },
            )
            start = end + 2
        return self

    def _row(self, table: str, row: Values) -> None:
        self.tables.setdefault(table, []).append(row)

    def _mention(self, document: str, number: int, role: int, fact: Fact, text: str, start: int) -> str:
        name = (fact.subject, fact.object)[role]
        at = text.index(name, start)
        mention_id = f"m-{document}-{number}-{role}"
        self._row(
            "mentions",
            {
                "mention_id": mention_id,
                "extraction_id": f"x-{document}",
                "version_id": f"v-{document}",
                "document_id": document,
                "start": at,
                "end": at + len(name),
                "text": name,
                "name": normalise(name),
                "display_name": display(name),
                "entity_type": fact.types[role],
                "source": "ner",
                "is_subject": False,
            },
        )
        return mention_id

    def rows(self, view_id: str = "operator", *, entity_layer: bool = True) -> FrameRows:
        """The state: local rows, and the global ones of a view."""
        frames: dict[str, pl.DataFrame] = {name: TABLES[name].frame(rows) for name, rows in self.tables.items()}
        if entity_layer:
            frames |= self._graph(frames, view_id)
        return FrameRows(frames)

    def _graph(self, frames: dict[str, pl.DataFrame], view_id: str) -> dict[str, pl.DataFrame]:
        documents = pl.DataFrame({"document_id": list(self.facts), "first_scan": list(range(len(self.facts)))})
        mentions, claims = frames["mentions"], frames["claims"]
        entities = resolve(mentions, documents, view_id, ResolutionSettings())
        domain, evidence = load_domain(DomainSettings()), frames["claim_evidence"]
        return {**entities, **assemble(claims, evidence, mentions, frames["extractions"], entities, view_id, domain)[0]}


def words(text: str) -> int:
    """Tokens as tests count them: words and marks."""
    return len(re.findall(r"\w+|[^\w\s]", text))
