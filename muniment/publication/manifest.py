"""The manifest: one row for every capture, and what became of it.

received = indexed + partial + not_indexed + excluded + deleted; nothing received is without a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from muniment.processing.local_stages import required_stages
from muniment.settings import Settings
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

Row = Mapping[str, Any]


def manifest(rows: Rows, versions: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Rows of the manifest for a generation holding `versions` (generation_versions)."""
    captures = rows.read(
        "SELECT c.*, v.doc_type, v.type_finding, d.access_policy_id, t.document_id IS NOT NULL AS deleted "
        "FROM captures c LEFT JOIN document_versions v USING (version_id) "
        "LEFT JOIN documents d ON d.document_id = c.document_id "
        "LEFT JOIN tombstones t ON t.document_id = c.document_id ORDER BY c.capture_id"
    )
    published = set(versions["version_id"])
    failures = _failures(rows, settings)
    worst = _worst_losses(rows)
    found = []
    for capture in captures.iter_rows(named=True):
        state, reason_code, detail = _state(capture, published, failures, worst)
        found.append(
            {
                name: capture[name]
                for name in (
                    "capture_id",
                    "source_id",
                    "path",
                    "document_id",
                    "version_id",
                    "sha256",
                    "size",
                    "doc_type",
                    "access_policy_id",
                )
            }
            | {
                "held": capture["closed_scan"] is None,
                "state": state,
                "reason_code": reason_code,
                "detail": detail,
            }
        )
    return TABLES["manifest"].frame(found)


def _state(
    capture: Row, published: set[str], failures: Mapping[str, Row], worst: Mapping[str, Row]
) -> tuple[str, str | None, str | None]:
    version_id = capture["version_id"]
    if capture["deleted"]:
        return "deleted", "deleted_on_request", None
    if version_id is None:
        return "not_indexed", capture["reason_code"], capture["detail"]
    loss = worst.get(version_id)
    if version_id in published:
        if loss is not None:
            return "partial", loss["reason_code"], loss["detail"] or None
        return "indexed", None, None
    failure = failures.get(version_id)
    if failure is not None:
        finding = capture["type_finding"] if failure["reason_code"] == "unsupported_type" else None
        return "not_indexed", failure["reason_code"], finding or failure["detail"]
    if loss is not None and loss["severity"] == "critical":
        return "not_indexed", loss["reason_code"], loss["detail"] or None
    return "not_indexed", "not_processed", None


def _failures(rows: Rows, settings: Settings) -> dict[str, Row]:
    """The first stage that failed, by version."""
    order = {stage: position for position, stage in enumerate(required_stages(settings))}
    frame = rows.read(
        "SELECT version_id, stage, reason_code, detail FROM stage_status WHERE state = 'failed' ORDER BY version_id"
    )
    found: dict[str, Row] = {}
    for row in sorted(frame.iter_rows(named=True), key=lambda row: order.get(row["stage"], len(order))):
        found.setdefault(row["version_id"], row)
    return found


def _worst_losses(rows: Rows) -> dict[str, Row]:
    """The worst major or critical loss, by version."""
    frame = rows.read(
        "SELECT version_id, severity, reason_code, detail, amount, loss_id FROM losses "
        "WHERE severity IN ('major', 'critical') ORDER BY version_id, severity, amount DESC, loss_id"
    )
    found: dict[str, Row] = {}
    for row in frame.iter_rows(named=True):  # 'critical' sorts before 'major'
        found.setdefault(row["version_id"], row)
    return found
