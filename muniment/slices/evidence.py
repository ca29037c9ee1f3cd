"""Verbatim evidence of claims, with where it stands and the chunk that holds it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import polars as pl

from muniment.slices.model import Evidence
from muniment.store.rows import Rows


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim of a relationship with its evidence."""

    relationship_id: str
    claim_id: str
    statement_id: str
    predicate_text: str
    polarity: str
    modality: str
    condition: str | None
    valid_from: datetime.date | None
    valid_to: datetime.date | None
    validity_basis: str
    confidence: float
    evidence: tuple[Evidence, ...]


_EVIDENCE = """
SELECT v.claim_id, v.version_id, v.start, v."end", v.quote, x.document_id,
       coalesce(x.title, d.first_path) AS title,
       k.chunk_id, k.source_locator
FROM claim_evidence v
JOIN wanted w ON w.claim_id = v.claim_id
JOIN extractions x ON x.extraction_id = v.extraction_id
LEFT JOIN documents d ON d.document_id = x.document_id
LEFT JOIN chunks k ON k.extraction_id = v.extraction_id AND k.start <= v.start AND k."end" > v.start
WHERE NOT coalesce(k.hidden, FALSE)
ORDER BY v.claim_id, v.start, v."end", k."end" DESC, k.chunk_id
"""

_CLAIMS = """
SELECT r.relationship_id, c.claim_id, c.statement_id, c.predicate_text, c.polarity, c.modality,
       c.condition_text, c.valid_from, c.valid_to, c.validity_basis, c.confidence
FROM relationship_claims r
JOIN wanted w ON w.relationship_id = r.relationship_id
JOIN claims c ON c.claim_id = r.claim_id
WHERE r.view_id = ?
ORDER BY r.relationship_id, c.confidence DESC, c.claim_id
"""


def evidence_of(rows: Rows, claim_ids: list[str]) -> dict[str, tuple[Evidence, ...]]:
    """Evidence by claim, in order of place; what stands in hidden text is left out.

    A quote in two overlapping chunks gets the longer reach.
    """
    wanted = pl.DataFrame({"claim_id": sorted(set(claim_ids))}, schema={"claim_id": pl.String})
    found = rows.read(_EVIDENCE, (), {"wanted": wanted}).unique(
        ["claim_id", "start", "end"], keep="first", maintain_order=True
    )
    result: dict[str, list[Evidence]] = {}
    for row in found.iter_rows(named=True):
        result.setdefault(row["claim_id"], []).append(
            Evidence(
                document_id=row["document_id"],
                version_id=row["version_id"],
                chunk_id=row["chunk_id"],
                start=row["start"],
                end=row["end"],
                quote=row["quote"],
                locator=row["source_locator"],
                title=row["title"],
            )
        )
    return {claim_id: tuple(evidence) for claim_id, evidence in result.items()}


def claims_of(rows: Rows, view_id: str, relationship_ids: list[str]) -> dict[str, list[ClaimRow]]:
    """Claims by relationship in the view, the most confident first."""
    wanted = pl.DataFrame({"relationship_id": sorted(set(relationship_ids))}, schema={"relationship_id": pl.String})
    found = rows.read(_CLAIMS, [view_id], {"wanted": wanted})
    evidence = evidence_of(rows, found["claim_id"].to_list())
    result: dict[str, list[ClaimRow]] = {}
    for row in found.iter_rows(named=True):
        condition = row.pop("condition_text")
        claim = ClaimRow(**row, condition=condition, evidence=evidence.get(row["claim_id"], ()))
        result.setdefault(claim.relationship_id, []).append(claim)
    return result
