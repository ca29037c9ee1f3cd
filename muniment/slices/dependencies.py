"""The operation `dependencies`: what a focal entity depends on, what depends on it, with evidence for each edge."""

from __future__ import annotations

import polars as pl

from muniment.slices.conflicts import conflict_ids_of, load_conflicts
from muniment.slices.evidence import ClaimRow, claims_of
from muniment.slices.model import Claim, Decision, EntityCard, Evidence, Excerpt, Omission, OmissionReason, Relationship
from muniment.slices.operation import Asked, Draft, Operation, Proposal
from muniment.slices.render import Section
from muniment.slices.scope import find_entities, has_entities, suggestions
from muniment.slices.traverse import Edge, traverse
from muniment.store.rows import Rows

#: Relationships considered; the rest is listed as left out.
MAX_EDGES = 200

#: Distinct statements shown for a relationship.
STATEMENTS_PER_EDGE = 3

_ADVICE = "For a passage-shaped question use the operation `passages`."


def draft(asked: Asked) -> Draft:
    """Focal entities, then edges by rank, then conflicts, then the passages that the quotes stand in."""
    result = Draft()
    focal = _identify(asked, result)
    if not focal:
        result.log += _nothing_done()
        return result
    view_id = asked.scope.view_id
    edges = traverse(asked.rows, view_id, focal, asked.depth, asked.domain)
    result.proposals += _cards(asked.rows, view_id, focal)
    result.log.append(
        Decision(
            step="traverse",
            decision=f"dependency-like predicates to depth {asked.depth}, other relationships at depth 1",
            counts={"focal": len(focal), "relationships": len(edges)},
        )
    )
    _limit(edges, result)
    relationships = _select(asked, edges[:MAX_EDGES], result)
    _conflicts(asked, relationships, result)
    _excerpts(asked.rows, relationships, result)
    if not edges:
        result.open_questions.append(f"No relationship of the entity is known in held documents. {_ADVICE}")
    return result


def _identify(asked: Asked, result: Draft) -> list[str]:
    """Ids of the focal entities; without any, the open question says why."""
    view_id = asked.scope.view_id
    if not has_entities(asked.rows, view_id):
        result.open_questions.append(
            f"This generation has no entity layer for the view {view_id} (pipeline.entity_layer is off, or no "
            f"entity was found), so dependencies cannot be traced. {_ADVICE}"
        )
        result.log.append(Decision(step="identify", decision="no entity layer"))
        return []
    result.entities = find_entities(asked.rows, view_id, asked.request)
    focal = list(dict.fromkeys(entity_id for entity in result.entities for entity_id in entity.chosen))
    for entity in result.entities:
        if entity.moved is not None:
            result.open_questions.append(f"{entity.moved}.")
        if entity.ambiguous:
            result.open_questions.append(
                f"{entity.text!r} may name {len(entity.chosen)} entities; all are shown. Which one is meant?"
            )
    if not focal:
        near = suggestions(asked.rows, view_id, asked.request)
        hint = f" Names that share a word with it: {', '.join(near)}." if near else ""
        result.open_questions.append(f"The request names no entity of this view.{hint} {_ADVICE}")
    counts = {"names": len(result.entities), "focal": len(focal)}
    result.log.append(Decision(step="identify", decision="aliases of the view in the request", counts=counts))
    return focal


def _nothing_done() -> list[Decision]:
    return [
        Decision(step=step, decision="nothing to do without a focal entity")
        for step in ("traverse", "select", "conflicts", "excerpts")
    ]


def _cards(rows: Rows, view_id: str, focal: list[str]) -> list[Proposal]:
    found = rows.read(
        "SELECT e.entity_id, e.name, e.entity_type, e.mentions, e.documents, "
        "list(a.display_name ORDER BY a.mentions DESC, a.alias) AS aliases "
        "FROM canonical_entities e JOIN wanted w ON w.entity_id = e.entity_id "
        "LEFT JOIN aliases a ON a.view_id = e.view_id AND a.entity_id = e.entity_id "
        "AND a.status IS DISTINCT FROM 'unconfirmed' "
        "WHERE e.view_id = ? GROUP BY ALL",
        [view_id],
        {"wanted": pl.DataFrame({"entity_id": focal}, schema={"entity_id": pl.String})},
    )
    by_id = {row["entity_id"]: row for row in found.iter_rows(named=True)}
    cards = []
    for entity_id in focal:
        row = by_id[entity_id]
        aliases = tuple(dict.fromkeys(name for name in row["aliases"] if name and name != row["name"]))
        card = EntityCard(**{**row, "aliases": aliases}, why="named in the request")
        cards.append(Proposal(card, entity_id, row["name"]))
    return cards


def _limit(edges: list[Edge], result: Draft) -> None:
    result.omitted += [
        Omission(kind="relationship", ref_id=edge.relationship_id, label=_label(edge), reason="limit")
        for edge in edges[MAX_EDGES:]
    ]


def _label(edge: Edge) -> str:
    denied = " not" if edge.polarity == "negative" else ""
    return f"{edge.subject} |{denied} {edge.predicate} | {edge.object}"


def _why(edge: Edge) -> str:
    if edge.direction == "related":
        return "another relationship of the focal entity"
    what = "the focal entity depends on it" if edge.direction == "upstream" else "it depends on the focal entity"
    return what if edge.depth == 1 else f"{what} over {edge.depth} relationships"


def _select(asked: Asked, edges: list[Edge], result: Draft) -> list[Relationship]:
    """Step 3: the statements of each edge, flagged where contested."""
    view_id = asked.scope.view_id
    claims = claims_of(asked.rows, view_id, [edge.relationship_id for edge in edges])
    contested = conflict_ids_of(asked.rows, view_id, [one.claim_id for some in claims.values() for one in some])
    relationships, equal = [], 0
    for edge in edges:
        of_edge = claims.get(edge.relationship_id, [])
        visible = [claim for claim in of_edge if claim.evidence]
        if not visible:
            result.omitted.append(
                Omission(
                    kind="relationship", ref_id=edge.relationship_id, label=_label(edge), reason="no_visible_evidence"
                )
            )
            continue
        statements = list({claim.statement_id: claim for claim in reversed(visible)}.values())[::-1]
        equal += len(visible) - len(statements)
        left: dict[OmissionReason, int] = {
            "limit": len(statements) - STATEMENTS_PER_EDGE,
            "duplicate": len(visible) - len(statements),
            "no_visible_evidence": len(of_edge) - len(visible),
        }
        _leave_out(edge, left, result)
        relationship = _relationship(edge, statements, visible, contested)
        relationships.append(relationship)
        result.proposals.append(Proposal(relationship, edge.relationship_id, _label(edge)))
    counts = {"relationships": len(relationships), "equal_claims": equal}
    result.log.append(
        Decision(step="select", decision="the most confident claim of each statement, held versions", counts=counts)
    )
    return relationships


def _leave_out(edge: Edge, left: dict[OmissionReason, int], result: Draft) -> None:
    for reason, count in left.items():
        if count > 0:
            label = f"{count} claims of {_label(edge)}"
            result.omitted.append(Omission(kind="claims", ref_id=edge.relationship_id, label=label, reason=reason))


def _relationship(
    edge: Edge, statements: list[ClaimRow], visible: list[ClaimRow], contested: dict[str, tuple[str, ...]]
) -> Relationship:
    conflicts = sorted({conflict for claim in visible for conflict in contested.get(claim.claim_id, ())})
    return Relationship(
        why=_why(edge),
        relationship_id=edge.relationship_id,
        subject_id=edge.subject_id,
        subject=edge.subject,
        predicate=edge.predicate,
        object_id=edge.object_id,
        object=edge.object,
        polarity=edge.polarity,
        direction=edge.direction,
        depth=edge.depth,
        weight=edge.weight,
        statements=edge.statements,
        documents=edge.documents,
        claims=tuple(
            _claim(edge, claim, contested.get(claim.claim_id, ())) for claim in statements[:STATEMENTS_PER_EDGE]
        ),
        claims_total=len(visible),
        conflict_ids=tuple(conflicts),
    )


def _claim(edge: Edge, claim: ClaimRow, conflict_ids: tuple[str, ...]) -> Claim:
    return Claim(
        why="the most confident wording of a statement behind the relationship",
        evidence=claim.evidence[:1],
        claim_id=claim.claim_id,
        subject=edge.subject,
        predicate=claim.predicate_text,
        object=edge.object,
        polarity=claim.polarity,
        modality=claim.modality,
        condition=claim.condition,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        validity_basis=claim.validity_basis,
        confidence=claim.confidence,
        conflict_ids=conflict_ids,
    )


def _conflicts(asked: Asked, relationships: list[Relationship], result: Draft) -> None:
    """Step 4: every conflict that touches an edge, beside it."""
    edges_of: dict[str, set[str]] = {}
    for relationship in relationships:
        for conflict_id in relationship.conflict_ids:
            edges_of.setdefault(conflict_id, set()).add(relationship.relationship_id)
    conflicts = load_conflicts(asked.rows, asked.scope.view_id, edges_of)
    result.proposals += [
        Proposal(one, one.conflict_id, f"{one.subject} {one.predicate}", frozenset(edges_of[one.conflict_id]))
        for one in conflicts
    ]
    counts = {"conflicts": len(conflicts)}
    result.log.append(Decision(step="conflicts", decision="all sides kept, none resolved", counts=counts))


def _excerpts(rows: Rows, relationships: list[Relationship], result: Draft) -> None:
    """Step 5: the passages around the quotes, in the order of the edges, each once."""
    edges_of: dict[str, set[str]] = {}
    quotes: dict[str, Evidence] = {}
    for relationship in relationships:
        for claim in relationship.claims:
            for evidence in claim.evidence:
                if evidence.chunk_id is not None:
                    edges_of.setdefault(evidence.chunk_id, set()).add(relationship.relationship_id)
                    quotes.setdefault(evidence.chunk_id, evidence)
    wanted = pl.DataFrame({"chunk_id": sorted(quotes)}, schema={"chunk_id": pl.String})
    found = rows.read(
        'SELECT k.chunk_id, k.text, k.start, k."end", k.section_path, k.source_locator, c.generated_context '
        "FROM chunks k JOIN wanted w ON w.chunk_id = k.chunk_id "
        "LEFT JOIN chunk_contexts c ON c.chunk_id = k.chunk_id",
        (),
        {"wanted": wanted},
    )
    chunks = {row["chunk_id"]: row for row in found.iter_rows(named=True)}
    for chunk_id, evidence in quotes.items():
        excerpt = _excerpt(chunks[chunk_id], evidence)
        result.proposals.append(Proposal(excerpt, chunk_id, excerpt.title or chunk_id, frozenset(edges_of[chunk_id])))
    counts = {"excerpts": len(quotes)}
    result.log.append(Decision(step="excerpts", decision="passages that the quotes stand in", counts=counts))


def _excerpt(chunk: dict[str, object], evidence: Evidence) -> Excerpt:
    text = str(chunk["text"])
    path = chunk["section_path"]
    whole = evidence.model_copy(
        update={"start": chunk["start"], "end": chunk["end"], "quote": text, "locator": chunk["source_locator"]}
    )
    return Excerpt(
        why="a quote of a relationship in this slice stands in it",
        evidence=(whole,),
        chunk_id=str(chunk["chunk_id"]),
        document_id=evidence.document_id,
        version_id=evidence.version_id,
        title=evidence.title,
        section_path=tuple(str(part) for part in path) if isinstance(path, list) else (),
        text=text,
        generated_context=None if chunk["generated_context"] is None else str(chunk["generated_context"]),
    )


OPERATION = Operation(
    "Dependencies",
    draft,
    (
        Section("Entities", lambda item: item.kind == "entity"),
        Section("Depends on", lambda item: item.kind == "relationship" and item.direction == "upstream"),
        Section("Depended on by", lambda item: item.kind == "relationship" and item.direction == "downstream"),
        Section("Other relationships", lambda item: item.kind == "relationship" and item.direction == "related"),
        Section("Conflicts", lambda item: item.kind == "conflict"),
        Section("Excerpts", lambda item: item.kind == "excerpt"),
    ),
)
