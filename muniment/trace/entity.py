"""The card of an entity: what it is, what it is called and where, what is said of it, and what its ids were."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
from pydantic import BaseModel, ConfigDict

from muniment.nlp.names import normalise
from muniment.resolution.published import redirect
from muniment.store.rows import Rows
from muniment.trace.walk import UnknownId

#: Fewest characters of an id that may stand for it.
SHORTEST_ID = 8

_HEX = re.compile(r"[0-9a-f-]+")


class AmbiguousName(ValueError):
    """A name of several entities; the message lists them."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class AliasLine(_Part):
    """A name with the sentence of its first mention."""

    alias: str
    kind: str
    mentions: int
    evidence: str | None
    document_id: str | None


class MentionLine(_Part):
    """A mention with its sentence."""

    mention_id: str
    text: str
    sentence: str | None


class DocumentMentions(_Part):
    """Mentions in one document: how many, and the first ones."""

    document_id: str
    path: str
    total: int
    mentions: list[MentionLine]


class ClaimLine(_Part):
    """A claim of which the entity is subject or object."""

    claim_id: str
    subject: str
    predicate: str
    object: str
    polarity: str
    modality: str
    valid_from: str | None
    valid_to: str | None
    quote: str | None
    document_id: str


class RelationshipLine(_Part):
    """An edge, seen from the entity."""

    relationship_id: str
    direction: str
    predicate: str
    other_id: str
    other: str
    polarity: str
    claims: int
    documents: int


class ConflictLine(_Part):
    """A conflict with the entity as subject: claims by side."""

    conflict_id: str
    kind: str
    predicate: str
    sides: dict[str, list[str]]


class ChangeLine(_Part):
    """What a generation did to entities."""

    generation_id: str
    change: str
    entity_id: str
    other_entity_id: str
    before: str | None
    after: str | None
    entities: int

    def __str__(self) -> str:
        what = {"merged_into": "into", "moved_to": "to", "split_from": "from"}
        if self.change == "kept":
            return f"{self.generation_id}  kept {self.entities}"
        other = f" {what[self.change]} {self.other_entity_id}" if self.change in what else ""
        words = " -> ".join(repr(one) for one in (self.before, self.after) if one is not None)
        return f"{self.generation_id}  {self.change.replace('_', ' ').split(' ')[0]:<9}{self.entity_id}{other}  {words}"


class EntityDetails(_Part):
    """An entity; lists hold the first entries, the totals count all."""

    entity_id: str
    name: str
    entity_type: str
    moved: str | None
    mentions: int
    aliases: list[AliasLine]
    documents: list[DocumentMentions]
    claims: list[ClaimLine]
    claims_total: int
    relationships: list[RelationshipLine]
    relationships_total: int
    conflicts: list[ConflictLine]
    redirects: list[str]
    history: list[ChangeLine]

    def __str__(self) -> str:
        lines = [f"{self.name} ({self.entity_type})", f"  id {self.entity_id}"]
        if self.moved is not None:
            lines.insert(0, self.moved)
        lines += [f"  earlier id {one}" for one in self.redirects]
        lines.append("aliases")
        for alias in self.aliases:
            said = f": {_short(alias.evidence)}" if alias.evidence else ""
            lines.append(f"  {alias.alias} ({alias.kind}, {_count(alias.mentions, 'mention')}){said}")
        lines.append(f"{_count(self.mentions, 'mention')} in {_count(len(self.documents), 'document')}")
        for document in self.documents:
            lines.append(f"  {document.path} ({_count(document.total, 'mention')}), document {document.document_id}")
            lines += [f"    {one.mention_id}  {_short(one.sentence or one.text)}" for one in document.mentions]
        lines.append(_count(self.relationships_total, "relationship"))
        for edge in self.relationships:
            denied = " (denied)" if edge.polarity == "negative" else ""
            arrow = "->" if edge.direction == "out" else "<-"
            lines.append(f"  {arrow} {edge.predicate}{denied} {edge.other} ({_count(edge.claims, 'claim')})")
        lines.append(_count(self.claims_total, "claim"))
        lines += [f"  {one.subject} | {one.predicate} | {one.object}: {_short(one.quote)}" for one in self.claims]
        if self.conflicts:
            lines.append(_count(len(self.conflicts), "conflict"))
            lines += [f"  {one.kind} in {one.predicate}: {' / '.join(one.sides)}" for one in self.conflicts]
        return "\n".join([*lines, *(["history", *(f"  {one}" for one in self.history)] if self.history else [])])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _short(text: str | None) -> str:
    flat = " ".join((text or "").split())
    return flat if len(flat) <= 160 else f"{flat[:159]}…"


def identify(rows: Rows, view_id: str, named: str) -> tuple[str, str | None]:
    """The present entity that an id, the beginning of one, or a name stands for, and where an old id has led.

    Raises UnknownId, and AmbiguousName for a name of several entities.
    """
    known = "SELECT entity_id, name, entity_type, mentions FROM canonical_entities WHERE view_id = ? AND "
    found = rows.read(f"{known} entity_id = ?", [view_id, named])
    if found.is_empty():
        moved = redirect(rows, view_id, named)
        if moved is not None:
            if moved.entity_id is None:
                raise UnknownId(str(moved))
            return moved.entity_id, str(moved)
        if len(named) >= SHORTEST_ID and _HEX.fullmatch(named):
            found = rows.read(f"{known} starts_with(entity_id, ?)", [view_id, named])
    if found.is_empty():
        found = rows.read(
            f"{known} entity_id IN (SELECT entity_id FROM aliases WHERE view_id = ? AND alias = ? "
            "AND status IS DISTINCT FROM 'unconfirmed')",
            [view_id, view_id, normalise(named)],
        )
    if found.is_empty():
        raise UnknownId(f"{named}: no entity has this id or name; `muniment search` finds where words stand")
    if found.height > 1:
        ordered = found.sort("mentions", "entity_id", descending=[True, False]).iter_rows(named=True)
        several = "; ".join(
            f"{row['entity_id']} ({row['name']}, {row['entity_type']}, {_count(row['mentions'], 'mention')})"
            for row in ordered
        )
        raise AmbiguousName(f"{named!r} names {found.height} entities, give an id: {several}")
    return found["entity_id"].item(), None


_MENTIONS = """
SELECT m.mention_id, m.document_id, m.text, m.name, m.start,
       substring(t.text, CAST(a.start AS BIGINT) + 1, CAST(a."end" - a.start AS BIGINT)) AS sentence
FROM entity_mentions e
JOIN mentions m USING (mention_id)
LEFT JOIN annotations a ON a.extraction_id = m.extraction_id AND a.ordinal = m.ordinal
LEFT JOIN canonical_texts t ON t.extraction_id = m.extraction_id
WHERE e.view_id = ? AND e.entity_id = ?
ORDER BY m.document_id, m.start, m.mention_id
"""

_PATHS = """
SELECT d.document_id, coalesce(c.path, d.first_path) AS path, d.first_scan FROM documents d
LEFT JOIN (SELECT document_id, max(path) AS path FROM captures WHERE closed_scan IS NULL GROUP BY document_id) c
USING (document_id)
"""

_CLAIMS = """
SELECT c.claim_id, coalesce(s.name, sm.display_name) AS subject, c.predicate,
       coalesce(o.name, om.display_name, c.value, '') AS object, c.polarity, c.modality,
       CAST(c.valid_from AS VARCHAR) AS valid_from, CAST(c.valid_to AS VARCHAR) AS valid_to,
       v.quote, c.document_id
FROM claims c
JOIN generation_versions g ON g.version_id = c.version_id AND g.held
JOIN mentions sm ON sm.mention_id = c.subject_mention_id
LEFT JOIN mentions om ON om.mention_id = c.object_mention_id
LEFT JOIN entity_mentions se ON se.mention_id = c.subject_mention_id AND se.view_id = $1
LEFT JOIN entity_mentions oe ON oe.mention_id = c.object_mention_id AND oe.view_id = $1
LEFT JOIN canonical_entities s ON s.view_id = $1 AND s.entity_id = se.entity_id
LEFT JOIN canonical_entities o ON o.view_id = $1 AND o.entity_id = oe.entity_id
LEFT JOIN (SELECT claim_id, min_by(quote, start) AS quote FROM claim_evidence GROUP BY claim_id) v
  ON v.claim_id = c.claim_id
WHERE se.entity_id = $2 OR oe.entity_id = $2
ORDER BY c.confidence DESC, c.claim_id
"""

_EDGES = """
SELECT r.relationship_id, CASE WHEN r.subject_id = $2 THEN 'out' ELSE 'in' END AS direction, r.predicate,
       o.entity_id AS other_id, o.name AS other, r.polarity, r.claims, r.documents
FROM relationships r
JOIN canonical_entities o ON o.view_id = $1
  AND o.entity_id = CASE WHEN r.subject_id = $2 THEN r.object_id ELSE r.subject_id END
WHERE r.view_id = $1 AND $2 IN (r.subject_id, r.object_id)
ORDER BY r.weight DESC, r.relationship_id
"""

_CONFLICTS = """
SELECT k.conflict_id, k.kind, k.predicate, c.side, list(c.claim_id ORDER BY c.claim_id) AS claim_ids
FROM conflicts k JOIN conflict_claims c ON c.view_id = k.view_id AND c.conflict_id = k.conflict_id
WHERE k.view_id = $1 AND k.subject_id = $2
GROUP BY ALL ORDER BY k.conflict_id, c.side
"""


def entity_card(rows: Rows, view_id: str, named: str, limit: int = 20) -> EntityDetails:
    """The card of the entity that an id or name stands for; lists hold `limit` entries at most.

    Raises UnknownId and AmbiguousName.
    """
    entity_id, moved = identify(rows, view_id, named)
    row = rows.read("SELECT * FROM canonical_entities WHERE view_id = ? AND entity_id = ?", [view_id, entity_id])
    mentions = rows.read(_MENTIONS, [view_id, entity_id])
    claims = rows.read(_CLAIMS, [view_id, entity_id]).to_dicts()
    edges = rows.read(_EDGES, [view_id, entity_id]).to_dicts()
    ids = rows.read(
        "SELECT entity_id FROM published_ids WHERE view_id = ? AND present_entity_id = ? AND entity_id <> ? "
        "ORDER BY entity_id",
        [view_id, entity_id, entity_id],
    )["entity_id"].to_list()
    fields: dict[str, Any] = {name: row[name].item() for name in ("name", "entity_type", "mentions")}
    return EntityDetails(
        **fields,
        entity_id=entity_id,
        moved=moved,
        aliases=_aliases(rows, view_id, entity_id, mentions),
        documents=_documents(rows, mentions, limit),
        claims=[ClaimLine(**one) for one in claims[:limit]],
        claims_total=len(claims),
        relationships=[RelationshipLine(**one) for one in edges[:limit]],
        relationships_total=len(edges),
        conflicts=_conflicts(rows, view_id, entity_id),
        redirects=ids,
        history=changes_of(rows, view_id, entity_ids=[entity_id, *ids]),
    )


def changes_of(
    rows: Rows, view_id: str, *, generation_id: str | None = None, entity_ids: list[str] | None = None
) -> list[ChangeLine]:
    """The change log in order of generations: of one generation, of some entities, or all of it."""
    found = rows.table("entity_changes").filter(pl.col("view_id") == view_id)
    if generation_id is not None:
        found = found.filter(pl.col("generation_id") == generation_id)
    if entity_ids is not None:
        touched = pl.col("entity_id").is_in(entity_ids) | pl.col("other_entity_id").is_in(entity_ids)
        found = found.filter(touched)
    ordered = found.drop("view_id").sort("generation_id", "change", "entity_id", "other_entity_id")
    return [ChangeLine(**one) for one in ordered.iter_rows(named=True)]


def _aliases(rows: Rows, view_id: str, entity_id: str, mentions: pl.DataFrame) -> list[AliasLine]:
    found = rows.read(
        "SELECT alias, display_name, kind, mentions FROM aliases WHERE view_id = ? AND entity_id = ? "
        "ORDER BY mentions DESC, alias",
        [view_id, entity_id],
    )
    first = {one["name"]: one for one in reversed(mentions.to_dicts())}
    lines = []
    for one in found.iter_rows(named=True):
        at = first.get(one["alias"])
        lines.append(
            AliasLine(
                alias=one["display_name"],
                kind=one["kind"],
                mentions=one["mentions"],
                evidence=(at["sentence"] or at["text"]) if at else None,
                document_id=at["document_id"] if at else None,
            )
        )
    return lines


def _documents(rows: Rows, mentions: pl.DataFrame, limit: int) -> list[DocumentMentions]:
    """In order of first capture."""
    paths = rows.read(_PATHS)
    placed = mentions.join(paths, on="document_id").sort("first_scan", "document_id", "start", "mention_id")
    return [
        DocumentMentions(
            document_id=str(document_id),
            path=some["path"].item(0),
            total=some.height,
            mentions=[
                MentionLine(**one)
                for one in some.head(limit).select("mention_id", "text", "sentence").iter_rows(named=True)
            ],
        )
        for (document_id,), some in placed.group_by(["document_id"], maintain_order=True)
    ]


def _conflicts(rows: Rows, view_id: str, entity_id: str) -> list[ConflictLine]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows.read(_CONFLICTS, [view_id, entity_id]).iter_rows(named=True):
        entry = found.setdefault(
            row["conflict_id"],
            {name: row[name] for name in ("conflict_id", "kind", "predicate")} | {"sides": {}},
        )
        entry["sides"][row["side"]] = row["claim_ids"]
    return [ConflictLine(**one) for one in found.values()]
