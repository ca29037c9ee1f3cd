"""What an export holds: the graph as some set of documents supports it, with the evidence of every claim.

For everything that the operator sees the published graph is taken as it is. For fewer documents it is computed
anew from those documents alone, so a name, a count or an edge never tells of one that may not be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import polars as pl

from muniment.store.rows import Rows

#: graph(version_ids): the graph tables of those versions only, as publication computes them.
BuildGraph = Callable[[pl.DataFrame], dict[str, pl.DataFrame]]


@dataclass(frozen=True)
class GraphContent:
    """Frames of one export, sorted. Columns are those of the tables, without view_id, unless said.

    entities: canonical_entities with `aliases` (list of names); relationships: with subject, object (names);
    claims: with relationship_id (null: none), subject_id, object_id; evidence: claim_evidence;
    documents: version_id, document_id, source, path, title, sha256, doc_type, held; conflicts, conflict_claims.
    """

    generation_id: str
    entities: pl.DataFrame
    relationships: pl.DataFrame
    claims: pl.DataFrame
    evidence: pl.DataFrame
    documents: pl.DataFrame
    conflicts: pl.DataFrame
    conflict_claims: pl.DataFrame

    def tables(self) -> dict[str, pl.DataFrame]:
        """Frames by name."""
        return {
            "entities": self.entities,
            "relationships": self.relationships,
            "claims": self.claims,
            "evidence": self.evidence,
            "documents": self.documents,
            "conflicts": self.conflicts,
            "conflict_claims": self.conflict_claims,
        }


_DOCUMENTS = """
SELECT g.version_id, v.document_id, s.name AS source, d.first_path AS path, x.title, v.sha256, v.doc_type, g.held,
       d.access_policy_id
FROM generation_versions g
JOIN document_versions v USING (version_id)
JOIN documents d ON d.document_id = v.document_id
JOIN sources s USING (source_id)
LEFT JOIN extractions x ON x.extraction_id = g.extraction_id
WHERE g.held
ORDER BY g.version_id
"""

_CLAIMS = """
SELECT c.*, r.relationship_id, s.entity_id AS subject_id, o.entity_id AS object_id
FROM claims c
JOIN documents_seen d USING (version_id)
LEFT JOIN graph_claims r ON r.claim_id = c.claim_id
LEFT JOIN graph_mentions s ON s.mention_id = c.subject_mention_id
LEFT JOIN graph_mentions o ON o.mention_id = c.object_mention_id
ORDER BY c.claim_id
"""

_EVIDENCE = """
SELECT e.* FROM claim_evidence e JOIN documents_seen d USING (version_id) ORDER BY e.claim_id, e.start, e."end"
"""

_GRAPH = (
    "canonical_entities",
    "entity_mentions",
    "aliases",
    "relationships",
    "relationship_claims",
    "conflicts",
    "conflict_claims",
)


def graph_content(
    rows: Rows, generation_id: str, policies: Iterable[str] | None, build_graph: BuildGraph
) -> GraphContent:
    """The graph of held documents under `policies` (None: all documents, also those without a policy)."""
    documents = rows.read(_DOCUMENTS)
    if policies is None:
        graph = {name: rows.table(name) for name in _GRAPH}
    else:
        documents = documents.filter(pl.col("access_policy_id").is_in(sorted(set(policies))))
        graph = build_graph(documents.select("version_id"))
    documents = documents.drop("access_policy_id")
    frames = {
        "documents_seen": documents.select("version_id"),
        "graph_claims": graph["relationship_claims"].select("claim_id", "relationship_id"),
        "graph_mentions": graph["entity_mentions"].select("mention_id", "entity_id"),
    }
    entities = _entities(graph["canonical_entities"], graph["aliases"])
    return GraphContent(
        generation_id=generation_id,
        entities=entities,
        relationships=_relationships(graph["relationships"], entities),
        claims=rows.read(_CLAIMS, frames=frames),
        evidence=rows.read(_EVIDENCE, frames={"documents_seen": frames["documents_seen"]}),
        documents=documents,
        conflicts=graph["conflicts"].drop("view_id").sort("conflict_id"),
        conflict_claims=graph["conflict_claims"].drop("view_id").sort("conflict_id", "claim_id"),
    )


def _entities(entities: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    names = (
        aliases.filter(pl.col("status").ne_missing("unconfirmed"))
        .sort("entity_id", "alias")
        .group_by("entity_id", maintain_order=True)
        .agg(pl.col("display_name").unique().sort().alias("aliases"))
    )
    return (
        entities.drop("view_id")
        .join(names, on="entity_id", how="left")
        .with_columns(pl.col("aliases").fill_null([]))
        .sort("entity_id")
    )


def _relationships(relationships: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    names = entities.select("entity_id", "name")
    return (
        relationships.drop("view_id")
        .join(names.rename({"entity_id": "subject_id", "name": "subject"}), on="subject_id")
        .join(names.rename({"entity_id": "object_id", "name": "object"}), on="object_id")
        .sort("relationship_id")
    )
