"""What a slice is: items with reasons and evidence, what was left out, what stays open, how it was decided."""

from __future__ import annotations

import datetime
import html
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """A piece of a slice: unknown names are errors, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Evidence(Part):
    """Where something stands, word for word. Offsets are code points of the version's canonical text."""

    document_id: str
    version_id: str
    chunk_id: str | None = None
    start: int
    end: int
    quote: str
    locator: str | None = Field(default=None, description="JSON: page, box, section, sheet, slide, mail part")
    title: str | None = None

    @property
    def place(self) -> tuple[str, int, int]:
        """What makes two pieces of evidence one citation."""
        return (self.version_id, self.start, self.end)


class Candidate(Part):
    """An entity that a piece of the request may name. Score: its share of the mentions of that name."""

    entity_id: str
    name: str
    entity_type: str
    score: float
    mentions: int


class ScopeEntity(Part):
    """A piece of the request that names entities, and which were taken."""

    text: str = Field(description="as found in the request, normalised")
    candidates: tuple[Candidate, ...]
    chosen: tuple[str, ...] = Field(description="entity ids taken as focus; empty: considered only")
    ambiguous: bool = False
    moved: str | None = Field(default=None, description="for an id published earlier: where it leads now")


class Scope(Part):
    """What was looked at: which documents, of which generation, seen by whom."""

    view_id: str
    held: bool = Field(default=True, description="only versions that their source still holds")
    as_of: datetime.date | None = None
    generation_id: str
    principal: str | None = None


class _Item(Part):
    why: str = Field(description="why it is in the slice")
    evidence: tuple[Evidence, ...] = ()


class EntityCard(_Item):
    """An entity in scope."""

    kind: Literal["entity"] = "entity"
    entity_id: str
    name: str
    entity_type: str
    aliases: tuple[str, ...] = ()
    mentions: int
    documents: int


class Claim(_Item):
    """One assertion; a statement made in several places is shown once."""

    kind: Literal["claim"] = "claim"
    claim_id: str
    subject: str
    predicate: str
    object: str
    polarity: str
    modality: str
    condition: str | None = None
    valid_from: datetime.date | None = None
    valid_to: datetime.date | None = None
    validity_basis: str
    confidence: float
    conflict_ids: tuple[str, ...] = ()


class Relationship(_Item):
    """An edge. `direction` is seen from the focal entity; depth 1 touches it."""

    kind: Literal["relationship"] = "relationship"
    relationship_id: str
    subject_id: str
    subject: str
    predicate: str
    object_id: str
    object: str
    polarity: str
    direction: Literal["upstream", "downstream", "related"]
    depth: int
    weight: float
    statements: int
    documents: int
    claims: tuple[Claim, ...]
    claims_total: int
    conflict_ids: tuple[str, ...] = ()


class Conflict(_Item):
    """Claims that cannot all hold; all sides are shown."""

    kind: Literal["conflict"] = "conflict"
    conflict_id: str
    conflict_kind: str
    undated: bool = Field(default=False, description="some side has no stated validity: it may be out of date")
    subject: str
    predicate: str
    sides: dict[str, tuple[str, ...]] = Field(description="side: claim ids")


class CommunityNote(_Item):
    """A community's report."""

    kind: Literal["community"] = "community"
    community_id: str
    level: int
    title: str
    text: str


class Excerpt(_Item):
    """A passage, verbatim; generated context stands beside it and is no quotation."""

    kind: Literal["excerpt"] = "excerpt"
    chunk_id: str
    document_id: str
    version_id: str
    title: str | None = None
    section_path: tuple[str, ...] = ()
    text: str
    generated_context: str | None = None
    score: float | None = None
    valid_from: datetime.date | None = None
    validity_status: str | None = None


Item = Annotated[EntityCard | Claim | Relationship | Conflict | CommunityNote | Excerpt, Field(discriminator="kind")]


#: duplicate: said by another item; limit: beyond a fixed number; no_visible_evidence: its wording stands in
#: text that is hidden in the original.
OmissionReason = Literal["token_budget", "duplicate", "limit", "no_visible_evidence"]


class Omission(Part):
    """Something that was found and is not in the slice."""

    kind: str
    ref_id: str
    label: str
    reason: OmissionReason


class Decision(Part):
    """One of the six steps of assembly (DESIGN, section 8) and what was decided in it."""

    step: Literal["identify", "traverse", "select", "conflicts", "excerpts", "render"]
    decision: str
    counts: dict[str, int] = Field(default_factory=dict)


class Citation(Part):
    """A number in the rendered text and what it stands for."""

    number: int
    evidence: Evidence


class ContextSlice(Part):
    """The context assembled for one operation."""

    operation: str
    request: str
    scope: Scope
    entities: tuple[ScopeEntity, ...] = ()
    items: tuple[Item, ...] = ()
    omitted: tuple[Omission, ...] = ()
    open_questions: tuple[str, ...] = ()
    decision_log: tuple[Decision, ...] = ()
    budget_tokens: int
    used_tokens: int = Field(description="tokens of the rendered text")
    citations: tuple[Citation, ...] = ()
    text: str = Field(description="the slice as rendered for a model")

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """For notebooks; document text is escaped."""
        head = f"{self.operation}: {self.request} ({self.used_tokens} of {self.budget_tokens} tokens)"
        return f"<div><b>{html.escape(head)}</b><pre>{html.escape(self.text)}</pre></div>"
