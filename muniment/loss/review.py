"""The review queue: what a person must look at, why, and what to do."""

from __future__ import annotations

import json

import polars as pl

from muniment.ids import make_id
from muniment.reason_codes import reason
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES


def review_items(rows: Rows, ambiguous: pl.DataFrame) -> pl.DataFrame:
    """Items for failed stages, for losses that are major or critical, for names that contradict the content, for
    judgements without effect, and for entities that may be one (`ambiguous`: resolution.ambiguous)."""
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
    found += [*_judgement_items(rows), *_ambiguous_items(ambiguous)]
    return TABLES["review_items"].frame(found)


def _judgement_items(rows: Rows) -> list[dict[str, object]]:
    """Judgements whose words are gone, in part or all, and those that another one contradicts."""
    states = rows.read(
        "SELECT s.*, j.subject, j.object FROM judgement_states s JOIN judgements j USING (judgement_id) "
        "WHERE s.state <> 'applied' ORDER BY s.view_id, s.judgement_id"
    )
    found = []
    for row in states.iter_rows(named=True):
        left, right = (json.loads(row[side])["name"] for side in ("subject", "object"))
        what = f"judgement {row['judgement_id']} ({row['kind']}: {left!r}, {right!r})"
        if row["state"] == "contradicted":
            code, detail = "judgement_contradicted", f"{what} contradicts {', '.join(row['contradicts'])}"
        elif row["state"] == "unanchored":
            code, detail = "judgement_unanchored", f"{what} has no effect: its words are gone"
        else:
            code = "judgement_unanchored"
            detail = f"{what} holds in part: {row['missing']} of its places are not found again"
        severity = reason(code).severity
        found.append(_item(code, None, row["document_id"], code, severity, row["judgement_id"], detail))
    return found


def _ambiguous_items(ambiguous: pl.DataFrame) -> list[dict[str, object]]:
    return [
        {
            **_item(
                "ambiguous_entity", None, None, "ambiguous_entity", reason("ambiguous_entity").severity, row["pair_id"],
                f"{row['left_name']!r} ({row['left_type']}) and {row['right_name']!r} ({row['right_type']}) may be "
                f"one: {row['rule']}, score {row['score']:.2f}",
            ),
            "item_id": row["pair_id"],
        }
        for row in ambiguous.sort("pair_id").iter_rows(named=True)
    ]  # fmt: skip


def _item(
    kind: str, version_id: str | None, document_id: str | None, code: str, severity: str, place: str, detail: str
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
