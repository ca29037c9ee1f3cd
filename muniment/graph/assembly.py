"""The graph of one view from its claims and resolved mentions: relationships, conflicts, candidates, descriptions."""

from __future__ import annotations

import polars as pl

from muniment.domain.model import DomainSchema
from muniment.graph.conflicts import compared, conflict_tables, many_valued
from muniment.graph.descriptions import entity_descriptions
from muniment.graph.linked import linked_claims
from muniment.graph.merge import merge
from muniment.graph.supersession import supersession_candidates

#: Tables that `assemble` makes.
ASSEMBLED = (
    "document_subjects",
    "relationships",
    "relationship_claims",
    "conflicts",
    "conflict_claims",
    "supersession_candidates",
    "entity_descriptions",
)


def assemble(
    claims: pl.DataFrame,
    claim_evidence: pl.DataFrame,
    mentions: pl.DataFrame,
    extractions: pl.DataFrame,
    resolved: dict[str, pl.DataFrame],
    view_id: str,
    domain: DomainSchema,
) -> tuple[dict[str, pl.DataFrame], dict[str, int]]:
    """Rows of ASSEMBLED, and counts of what was looked at without a row: `questions_with_many_values`.

    Local rows are of the versions in scope; resolved: entity_mentions, canonical_entities and aliases of the view.
    """
    named, entities, aliases = (resolved[name] for name in ("entity_mentions", "canonical_entities", "aliases"))
    linked = linked_claims(claims, mentions, named, aliases, entities)
    merged = merge(
        claims, mentions, named, extractions, view_id, domain=domain, aliases=aliases, canonical_entities=entities
    )
    given = compared(linked, mentions, named, entities, claim_evidence, domain)
    conflicts = conflict_tables(given, view_id)
    candidates = supersession_candidates(
        conflicts["conflicts"], conflicts["conflict_claims"], linked, merged["document_subjects"]
    )
    frames = {
        **merged,
        **conflicts,
        "supersession_candidates": candidates,
        "entity_descriptions": entity_descriptions(linked, claim_evidence, domain, view_id),
    }
    return frames, {"questions_with_many_values": many_valued(given).height}
