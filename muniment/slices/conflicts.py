"""Step 4 of a slice: conflicts that touch its claims, all sides with their wording.

Only listed conflicts are taken (what cannot all hold as stated); refinements, successions, other scopes and
differences between versions stay in the tables.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from muniment.slices.evidence import evidence_of
from muniment.slices.model import Conflict, Evidence
from muniment.store.rows import Rows


def conflict_ids_of(rows: Rows, view_id: str, claim_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Ids of listed conflicts by claim; claims without one are absent."""
    wanted = pl.DataFrame({"claim_id": sorted(set(claim_ids))}, schema={"claim_id": pl.String})
    found = rows.read(
        "SELECT m.claim_id, m.conflict_id FROM conflict_claims m JOIN wanted w ON w.claim_id = m.claim_id "
        "JOIN conflicts c ON c.view_id = m.view_id AND c.conflict_id = m.conflict_id AND c.listed "
        "WHERE m.view_id = ? ORDER BY m.claim_id, m.conflict_id",
        [view_id],
        {"wanted": wanted},
    )
    result: dict[str, tuple[str, ...]] = {}
    for claim_id, conflict_id in found.iter_rows():
        result[claim_id] = (*result.get(claim_id, ()), conflict_id)
    return result


def load_conflicts(rows: Rows, view_id: str, conflict_ids: Iterable[str]) -> list[Conflict]:
    """Conflicts by id, each with its kind, whether it is undated, one quote a side and all claim ids.

    A side's quote is that of its first claim with visible evidence.
    """
    wanted = pl.DataFrame({"conflict_id": sorted(set(conflict_ids))}, schema={"conflict_id": pl.String})
    found = rows.read(
        "SELECT c.conflict_id, c.kind, c.undated, c.predicate, coalesce(e.name, c.subject_id) AS subject, "
        "coalesce(o.name, m.side) AS side, m.side AS side_id, m.claim_id "
        "FROM conflicts c JOIN wanted w ON w.conflict_id = c.conflict_id "
        "JOIN conflict_claims m ON m.view_id = c.view_id AND m.conflict_id = c.conflict_id "
        "LEFT JOIN canonical_entities e ON e.view_id = c.view_id AND e.entity_id = c.subject_id "
        "LEFT JOIN canonical_entities o ON o.view_id = c.view_id AND o.entity_id = m.side "
        "WHERE c.view_id = ? ORDER BY c.conflict_id, side, m.side, m.claim_id",
        [view_id],
        {"wanted": wanted},
    )
    evidence = evidence_of(rows, found["claim_id"].to_list())
    conflicts = []
    for key, group in found.group_by(["conflict_id", "kind", "undated", "subject", "predicate"], maintain_order=True):
        sides: dict[str, list[str]] = {}
        homonyms = group.group_by("side").agg(pl.col("side_id").n_unique()).filter(pl.col("side_id") > 1)["side"]
        for side, side_id, claim_id in group.select("side", "side_id", "claim_id").iter_rows():
            label = f"{side} [{side_id}]" if side in homonyms else side
            sides.setdefault(label, []).append(claim_id)
        conflicts.append(
            Conflict(
                why="a claim in this slice is contested",
                conflict_id=str(key[0]),
                conflict_kind=str(key[1]),
                undated=bool(key[2]),
                subject=str(key[3]),
                predicate=str(key[4]),
                sides={side: tuple(claims) for side, claims in sides.items()},
                evidence=tuple(quote for claims in sides.values() for quote in _first_quote(claims, evidence)),
            )
        )
    return conflicts


def _first_quote(claims: list[str], evidence: dict[str, tuple[Evidence, ...]]) -> tuple[Evidence, ...]:
    return next((evidence[claim][:1] for claim in claims if evidence.get(claim)), ())
