"""What a search answers: typed hits with provenance, and how they print."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

_SHOWN_CHARACTERS = 400
_LOCATOR_FIELDS = ("page", "slide", "sheet", "range", "cell_range", "mail_part")


class Answer(BaseModel):
    """A frozen part of an answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Provenance(Answer):
    """Where a passage stands and what is known of the document."""

    document_id: str
    version_id: str
    family_id: str
    chunk_id: str
    source_name: str
    path: str = Field(description="path in the source, as last captured")
    title: str | None
    doc_type: str
    section_path: tuple[str, ...]
    source_locator: dict[str, Any]
    valid_from: date | None
    valid_to: date | None = Field(description="first day after validity")
    validity_status: str
    held: bool = Field(description="the source still holds this version")
    access_policy_id: str | None

    def place(self) -> str:
        """Source, path and place in the document, in one line."""
        where = [f"{name} {self.source_locator[name]}" for name in _LOCATOR_FIELDS if self.source_locator.get(name)]
        section = " > ".join(self.section_path)
        parts = [f"{self.source_name}: {self.path}", *where, *([section] if section else [])]
        return ", ".join(parts) + ("" if self.held else " (no longer held by its source)")


class BranchPart(Answer):
    """What one branch contributed to a hit."""

    score: float
    rank: int = Field(description="from 1")
    contribution: float


class Explanation(Answer):
    """Why a hit stands where it does; null where a branch did not find it."""

    dense: BranchPart | None
    lexical: BranchPart | None
    fused: float

    def lines(self) -> list[str]:
        """For printing, a line a branch."""
        branches = (("dense", self.dense), ("lexical", self.lexical))
        return [
            f"   {name}: not found"
            if part is None
            else f"   {name}: rank {part.rank}, score {part.score:.4f}, contributes {part.contribution:.4f}"
            for name, part in branches
        ]


class SearchHit(Provenance):
    """One passage, verbatim, with the generated context apart."""

    original_text: str
    generated_context: str | None
    score: float
    also_in: tuple[Provenance, ...] = Field(default=(), description="other places with exactly this text")
    explain: Explanation | None = None


class SearchResult(Answer):
    """Hits, best first, and what an answer must say of itself."""

    query: str
    scope: str
    fusion: str
    hits: tuple[SearchHit, ...]
    notes: tuple[str, ...] = ()
    dropped: Mapping[str, int] | None = Field(
        default=None, description="points that the rows did not bear out, by cause; told to the operator only"
    )

    def __str__(self) -> str:
        lines = [f"{len(self.hits)} passages for {self.query!r} in {self.scope} ({self.fusion})", *self._remarks()]
        for number, hit in enumerate(self.hits, start=1):
            lines += ["", f"{number}. {hit.title or hit.path}  [{hit.score:.3f}]", f"   {hit.place()}"]
            lines.append(textwrap.indent(_shown(hit.original_text), "   "))
            lines += [f"   also in {other.place()}" for other in hit.also_in]
            lines.append(f"   chunk {hit.chunk_id}")
            lines += hit.explain.lines() if hit.explain is not None else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{number}</td><td>{hit.score:.3f}</td><td><b>{html.escape(hit.title or hit.path)}</b><br>"
            f"<small>{html.escape(hit.place())}</small></td>"
            f"<td style='text-align:left;white-space:pre-wrap'>{html.escape(_shown(hit.original_text))}{_others(hit)}"
            "</td></tr>"
            for number, hit in enumerate(self.hits, start=1)
        )
        remarks = "".join(f"<p>{html.escape(remark)}</p>" for remark in self._remarks())
        head = f"{len(self.hits)} passages for <i>{html.escape(self.query)}</i> in {html.escape(self.scope)}"
        return (
            f"<p>{head}</p>{remarks}"
            f"<table><tr><th>#</th><th>score</th><th>document</th><th>passage</th></tr>{rows}</table>"
        )

    def _remarks(self) -> list[str]:
        dropped = [f"dropped {count} points: {cause}" for cause, count in sorted((self.dropped or {}).items())]
        return [*self.notes, *dropped]


def _others(hit: SearchHit) -> str:
    return "".join(f"<br><small>also in {html.escape(other.place())}</small>" for other in hit.also_in)


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS].rstrip() + " […]"
