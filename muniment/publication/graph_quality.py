"""Figures and findings about a graph: how dense, how well divided, how changed, and what must not be."""

from __future__ import annotations

import polars as pl

from muniment.graph.communities import undirected
from muniment.loss.integrity import Finding
from muniment.publication.scope import OPERATOR_VIEW
from muniment.store.rows import Rows

CONFLICT_KINDS = (
    "contradiction",
    "version_difference",
    "succession",
    "different_scope",
    "refinement",
    "variant",
    "duplicate",
)
#: A version with at least this many tokens and no entity is a finding.
ENOUGH_TOKENS = 50

_DENSITY = """
WITH tokens AS (SELECT version_id, sum(len(token_starts)) AS tokens FROM annotations GROUP BY version_id),
     linked AS (SELECT version_id, count(*) AS mentions, count(DISTINCT entity_id) AS entities
                FROM entity_mentions WHERE view_id = $1 GROUP BY version_id),
     stated AS (SELECT version_id, count(*) AS claims FROM claims GROUP BY version_id)
SELECT v.doc_type, g.version_id, coalesce(t.tokens, 0)::BIGINT AS tokens, coalesce(l.mentions, 0) AS mentions,
       coalesce(l.entities, 0) AS entities, coalesce(s.claims, 0) AS claims
FROM generation_versions g
JOIN document_versions v USING (version_id)
LEFT JOIN tokens t USING (version_id) LEFT JOIN linked l USING (version_id) LEFT JOIN stated s USING (version_id)
WHERE g.held
ORDER BY v.doc_type, g.version_id
"""


def density_by_type(rows: Rows) -> pl.DataFrame:
    """doc_type, documents, tokens, without_entities (documents), entities_per_1000, claims_per_1000 (of tokens)."""
    counted = rows.read(_DENSITY, [OPERATOR_VIEW])
    per_thousand = [
        (1000 * pl.col(name).sum() / pl.col("tokens").sum().clip(lower_bound=1)).round(1).alias(f"{name}_per_1000")
        for name in ("entities", "claims")
    ]
    return (
        counted.group_by("doc_type")
        .agg(
            pl.len().alias("documents"),
            pl.col("tokens").sum(),
            ((pl.col("entities") == 0) & (pl.col("tokens") >= ENOUGH_TOKENS)).sum().alias("without_entities"),
            *per_thousand,
        )
        .sort("doc_type")
    )


def empty_successes(rows: Rows) -> list[Finding]:
    """Document types with versions that have text but not one entity: a success without content is a failure."""
    return [
        Finding(
            row["doc_type"], f"of {row['documents']} documents with text, without any entity", row["without_entities"]
        )
        for row in density_by_type(rows).iter_rows(named=True)
        if row["without_entities"]
    ]


def graph_numbers(rows: Rows) -> dict[str, int]:
    """Counts for metadata, with the same keys always."""
    kinds = dict(rows.read("SELECT kind, count(*) FROM conflicts GROUP BY kind").rows())
    decided = dict(rows.read("SELECT decision, count(*) FROM pair_decisions GROUP BY decision").rows())
    listed = rows.read("SELECT count(*) FROM conflicts WHERE listed").item()
    negative = rows.read("SELECT count(*) FROM relationships WHERE polarity = 'negative'").item()
    return {
        "pairs_merged": int(decided.get("merge", 0)),
        "pairs_to_review": int(decided.get("maybe_same", 0)),
        "pairs_kept_apart": int(decided.get("keep_apart", 0)),
        "denied_relationships": int(negative),
        "conflicts_listed": int(listed),
        **{f"conflicts_{kind}": int(kinds.get(kind, 0)) for kind in CONFLICT_KINDS},
    }


def modularity(relationships: pl.DataFrame, members: pl.DataFrame, level: int, resolution: float = 1.0) -> float:
    """Newman's modularity of the communities at a level: share of weight inside, less what chance would give.

    0 without edges. `members`: rows of community_members of one view.
    """
    edges = undirected(relationships)
    total = float(edges["weight"].sum())
    if total == 0:
        return 0.0
    of = members.filter(pl.col("level") == level).select("entity_id", "community_id")
    ends = edges.join(of.rename({"entity_id": "left", "community_id": "_left"}), on="left").join(
        of.rename({"entity_id": "right", "community_id": "_right"}), on="right"
    )
    inside = float(ends.filter(pl.col("_left") == pl.col("_right"))["weight"].sum())
    degrees = (
        pl.concat([ends.select(pl.col(end).alias("community_id"), "weight") for end in ("_left", "_right")])
        .group_by("community_id")
        .agg(pl.col("weight").sum())
    )
    chance = float((degrees["weight"] / (2 * total)).pow(2).sum())
    return round(inside / total - resolution * chance, 6)


def community_numbers(rows: Rows, resolution: float) -> dict[str, float]:
    """Coverage (share of entities in a community), modularity at the coarsest and deepest level, and churn.

    Churn is the share of communities without a successor-like ancestor: none of the generation before shares
    half of its members (1 for the first generation).
    """
    relationships = rows.table("relationships").filter(view_id=OPERATOR_VIEW)
    members = rows.table("community_members").filter(view_id=OPERATOR_VIEW)
    deepest = int(members["level"].max() or 0) if members.height else 0  # type: ignore[arg-type]
    entities = members["entity_id"].n_unique()
    covered = members.filter(pl.col("level") == 0)["entity_id"].n_unique()
    communities = rows.table("communities").filter(view_id=OPERATOR_VIEW).height
    kept = rows.read("SELECT count(DISTINCT community_id) FROM community_lineage WHERE jaccard >= 0.5").item()
    return {
        "coverage": round(covered / entities, 4) if entities else 1.0,
        "modularity_coarse": modularity(relationships, members, 0, resolution),
        "modularity_deep": modularity(relationships, members, max(deepest, 0), resolution),
        "churn": round(1 - kept / communities, 4) if communities else 0.0,
    }


def isolation_findings(rows: Rows, limit: float) -> list[Finding]:
    """Entities that nothing relates to another, where their share is above the limit."""
    isolated, entities = rows.read(
        "SELECT count(*) FILTER (level = -1), count(DISTINCT entity_id) FROM community_members WHERE view_id = ?",
        [OPERATOR_VIEW],
    ).row(0)
    if entities and isolated / entities > limit:
        return [Finding("community_members", f"isolated, of {entities} entities", int(isolated))]
    return []


def redirect_findings(rows: Rows) -> list[Finding]:
    """Published ids whose present entity is itself an id that leads elsewhere: names that run in circles or chains."""
    chained = rows.read(
        "SELECT count(*) FROM published_ids a JOIN published_ids b "
        "ON b.view_id = a.view_id AND b.entity_id = a.present_entity_id "
        "WHERE a.present_entity_id IS NOT NULL AND b.present_entity_id IS DISTINCT FROM b.entity_id"
    ).item()
    lost = rows.read(
        "SELECT count(*) FROM published_ids p WHERE p.present_entity_id IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM canonical_entities e WHERE e.view_id = p.view_id AND e.entity_id = p.present_entity_id)"
    ).item()
    findings = [Finding("published_ids", "leads to an id that leads elsewhere", int(chained))] if chained else []
    if lost:
        findings.append(Finding("published_ids", "leads to no entity", int(lost)))
    return findings
