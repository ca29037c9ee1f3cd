"""The review queue: what a person must look at, why, and what to do."""

from __future__ import annotations

import polars as pl

from muniment.ids import make_id
from muniment.reason_codes import reason
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES


def review_items(rows: Rows) -> pl.DataFrame:
    """Items for failed stages, for losses that are major or critical, and for names that contradict the content."""
    failures = rows.read(
        "SELECT s.version_id, v.document_id, s.stage, s.reason_code, "
        "CASE WHEN s.reason_code = 'unsupported_type' THEN coalesce(v.type_finding, s.detail) ELSE s.detail END "
        "AS detail "
        "FROM stage_status s "
        "JOIN document_versions v USING (version_id) WHERE s.state = 'failed' ORDER BY s.version_id, s.stage"
    )
    losses = rows.read(
        "SELECT l.version_id, v.document_id, l.stage, l.unit, l.reason_code, l.severity, sum(l.amount) AS amount, "
        "min(l.detail) AS detail FROM losses l JOIN document_versions v USING (version_id) "
        "WHERE l.severity IN ('major', 'critical') AND l.unit <> 'documents' "
        "GROUP BY ALL ORDER BY l.version_id, l.stage, l.unit, l.reason_code"
    )
    misnamed = rows.read(
        "SELECT version_id, document_id, type_finding FROM document_versions "
        "WHERE type_finding IS NOT NULL AND doc_type <> 'unsupported' ORDER BY version_id"
    )
    found = [
        _item(
            "failed_document",
            row["version_id"],
            row["document_id"],
            row["reason_code"],
            reason(row["reason_code"]).severity,
            row["stage"],
            row["detail"] or reason(row["reason_code"]).description,
        )
        for row in failures.iter_rows(named=True)
    ]
    found += [
        _item(
            f"{row['severity']}_loss",
            row["version_id"],
            row["document_id"],
            row["reason_code"],
            row["severity"],
            f"{row['stage']}/{row['unit']}",
            f"{row['amount']} {row['unit']}: {row['detail'] or reason(row['reason_code']).description}",
        )
        for row in losses.iter_rows(named=True)
    ]
    found += [
        _item(
            "misnamed_file", row["version_id"], row["document_id"], "type_mismatch", "minor", "originals",
            row["type_finding"],
        )
        for row in misnamed.iter_rows(named=True)
    ]  # fmt: skip
    return TABLES["review_items"].frame(found)


def _item(
    kind: str, version_id: str, document_id: str, code: str, severity: str, place: str, detail: str
) -> dict[str, object]:
    return {
        "item_id": make_id("review", kind, version_id, place, code),
        "kind": kind,
        "version_id": version_id,
        "document_id": document_id,
        "reason_code": code,
        "severity": severity,
        "detail": detail,
        "advice": reason(code).advice,
    }
