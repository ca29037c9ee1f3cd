"""Step 6 of a slice: items as text for a model, with numbered citations.

Document text stands only in lines that begin with "> ", so nothing in it can pass for a heading or an
instruction of the slice. Names and titles are brought on one line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from muniment.slices.model import (
    Citation,
    Claim,
    CommunityNote,
    Conflict,
    EntityCard,
    Evidence,
    Excerpt,
    Item,
    Omission,
    Relationship,
    Scope,
    ScopeEntity,
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the items under it."""

    title: str
    wants: Callable[[Item], bool]


@dataclass(slots=True)
class _Numbers:
    """Citations in order of first use; one number a place."""

    evidence: list[Evidence] = field(default_factory=list)
    known: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def cite(self, evidence: Evidence) -> str:
        number = self.known.setdefault(evidence.place, len(self.evidence) + 1)
        if number > len(self.evidence):
            self.evidence.append(evidence)
        return f"[{number}]"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the items."""

    title: str
    request: str
    scope: Scope
    entities: Sequence[ScopeEntity]
    omitted: Sequence[Omission]
    open_questions: Sequence[str]


def one_line(text: str) -> str:
    """Text on one line."""
    return " ".join(text.split())


def quoted(text: str, mark: str = "") -> list[str]:
    """Document text as quotation lines; the mark follows the last."""
    lines = [f"> {line}".rstrip() for line in text.splitlines()] or [">"]
    return [*lines[:-1], f"{lines[-1]} {mark}".rstrip()]


def render(frame: Frame, sections: Sequence[Section], items: Sequence[Item]) -> tuple[str, tuple[Citation, ...]]:
    """The text of a slice and its citations. Equal input gives equal text."""
    numbers = _Numbers()
    lines = [f"# {frame.title}: {one_line(frame.request)}", _scope_line(frame.scope)]
    lines += _ambiguities(frame.entities)
    for section in sections:
        inside = [item for item in items if section.wants(item)]
        if inside:
            lines += ["", f"## {section.title}"]
            lines += [line for item in inside for line in _item_lines(item, numbers)]
    lines += _listed("Left out", _omission_lines(frame.omitted))
    lines += _listed("Open questions", [f"- {one_line(question)}" for question in frame.open_questions])
    lines += _listed("Sources", [_source_line(number, one) for number, one in enumerate(numbers.evidence, start=1)])
    citations = tuple(Citation(number=number, evidence=one) for number, one in enumerate(numbers.evidence, start=1))
    return "\n".join(lines), citations


def item_text(item: Item) -> str:
    """An item alone, with its sources: what it costs."""
    numbers = _Numbers()
    lines = _item_lines(item, numbers)
    return "\n".join([*lines, *(_source_line(number, one) for number, one in enumerate(numbers.evidence, start=1))])


def _listed(title: str, lines: list[str]) -> list[str]:
    return ["", f"## {title}", *lines] if lines else []


def _scope_line(scope: Scope) -> str:
    held = "documents held by their sources" if scope.held else "all versions"
    as_of = f", as of {scope.as_of}" if scope.as_of else ""
    return f"Scope: {held}{as_of}; generation {scope.generation_id}; view {scope.view_id}"


def _ambiguities(entities: Iterable[ScopeEntity]) -> list[str]:
    lines = []
    for entity in entities:
        if entity.ambiguous:
            named = "; ".join(
                f"{one_line(one.name)} ({one.entity_type}, score {one.score:.2f}, {one.entity_id[:8]})"
                for one in entity.candidates
            )
            lines.append(f"Ambiguous: {one_line(entity.text)!r} may name {named}")
    return lines


def _omission_lines(omitted: Sequence[Omission]) -> list[str]:
    counted = Counter((omission.kind, omission.reason) for omission in omitted)
    return [f"- {count} x {kind}: {reason.replace('_', ' ')}" for (kind, reason), count in sorted(counted.items())]


def _source_line(number: int, evidence: Evidence) -> str:
    title = one_line(evidence.title) if evidence.title else f"document {evidence.document_id}"
    place = f"characters {evidence.start}-{evidence.end}" if evidence.start >= 0 else "a property outside the text"
    return f"[{number}] {title}{_locator(evidence.locator)}; {place} of version {evidence.version_id}"


def _locator(locator: str | None) -> str:
    """Page, sheet, slide or mail part of a JSON locator; the rest is for programs."""
    try:
        place = json.loads(locator) if locator else {}
    except ValueError:
        return f", {one_line(locator or '')}"
    if not isinstance(place, dict):
        return ""
    shown = [f"{key} {place[key]}" for key in ("page", "sheet", "range", "slide", "mail_part") if place.get(key)]
    return "".join(f", {one_line(part)}" for part in shown)


def _item_lines(item: Item, numbers: _Numbers) -> list[str]:
    match item:
        case EntityCard():
            return _entity_lines(item)
        case Relationship():
            return _relationship_lines(item, numbers)
        case Claim():
            return _claim_lines(item, numbers)
        case Conflict():
            return _conflict_lines(item, numbers)
        case CommunityNote():
            return [f"- {one_line(item.title)}", *quoted(item.text)]
        case Excerpt():
            return _excerpt_lines(item, numbers)


def _entity_lines(card: EntityCard) -> list[str]:
    also = f"; also: {', '.join(one_line(alias) for alias in card.aliases)}" if card.aliases else ""
    counts = f"{counted(card.mentions, 'mention')} in {counted(card.documents, 'document')}"
    return [f"- {one_line(card.name)} ({card.entity_type}, {card.entity_id[:8]}){also}; {counts}"]


def _relationship_lines(edge: Relationship, numbers: _Numbers) -> list[str]:
    denied = " (denied)" if edge.polarity == "negative" else ""  # of all its claims: they need not say it again
    contested = "; CONTESTED, see Conflicts" if edge.conflict_ids else ""
    head = (
        f"- {one_line(edge.subject)} | {in_words(edge.predicate)}{denied} | {one_line(edge.object)} "
        f"(depth {edge.depth}; {counted(edge.statements, 'statement')} in {counted(edge.documents, 'document')}"
        f"{contested})"
    )
    negative = edge.polarity == "negative"
    return [head, *(line for claim in edge.claims for line in _claim_lines(claim, numbers, negative))]


def in_words(predicate: str) -> str:
    """A predicate for readers: owned_by is "owned by"."""
    return one_line(predicate.replace("_", " "))


def counted(count: int, noun: str) -> str:
    """1 document, 2 documents."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _qualifiers(claim: Claim, denied: bool) -> str:
    parts = [] if claim.modality == "is" else [claim.modality]
    if claim.polarity == "negative" and not denied:
        parts.append("denied")
    if claim.condition:
        parts.append(f"condition: {one_line(claim.condition)}")
    if claim.valid_from or claim.valid_to:
        parts.append(f"valid from {claim.valid_from or 'unknown'} to before {claim.valid_to or 'unknown'}")
    if claim.conflict_ids:
        parts.append("contested")
    return f"  ({'; '.join(parts)})" if parts else ""


def _claim_lines(claim: Claim, numbers: _Numbers, denied: bool = False) -> list[str]:
    """`denied`: what stands above the claim says so already."""
    qualifiers = _qualifiers(claim, denied)
    lines = [qualifiers] if qualifiers else []
    for evidence in claim.evidence:
        lines += quoted(evidence.quote, numbers.cite(evidence))
    return lines


def _conflict_lines(conflict: Conflict, numbers: _Numbers) -> list[str]:
    sides = "; ".join(f"{one_line(side)}: {counted(len(claims), 'claim')}" for side, claims in conflict.sides.items())
    kind = conflict.conflict_kind.replace("_", " ") + (", in part undated" if conflict.undated else "")
    lines = [f"- {kind}: {one_line(conflict.subject)} | {in_words(conflict.predicate)} ({sides})"]
    for evidence in conflict.evidence:
        lines += quoted(evidence.quote, numbers.cite(evidence))
    return lines


def _excerpt_lines(excerpt: Excerpt, numbers: _Numbers) -> list[str]:
    path = " > ".join(one_line(part) for part in excerpt.section_path)
    title = one_line(excerpt.title) if excerpt.title else f"document {excerpt.document_id}"
    marks = "".join(numbers.cite(evidence) for evidence in excerpt.evidence)
    head = f"- {title}{f' > {path}' if path else ''} {marks}".rstrip()
    return [head, *quoted(excerpt.text)]
