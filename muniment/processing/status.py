"""Which versions are stale at which stage: recorded keys against the keys that settings and code demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from muniment.processing.local_stages import UPSTREAM, StageKeys, required_stages, source_digest
from muniment.settings import Settings
from muniment.store.rows import Rows

Row = Mapping[str, Any]

#: States in which a stage has left rows that the next may read.
DONE = ("ok", "partial")


def status_of(rows: Rows, version_ids: Iterable[str]) -> dict[str, dict[str, Row]]:
    """stage_status rows by version and stage."""
    wanted = pl.DataFrame({"version_id": sorted(set(version_ids))}, schema={"version_id": pl.String})
    frame = rows.read("SELECT s.* FROM stage_status s JOIN wanted USING (version_id)", frames={"wanted": wanted})
    found: dict[str, dict[str, Row]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(row["version_id"], {})[row["stage"]] = row
    return found


def expected_key(stage: str, version: Row, status: Mapping[str, Row], keys: StageKeys) -> str | None:
    """The key that the stage should have for a version; None while an upstream stage has no result."""
    incoming = [source_digest(version)]
    for upstream in UPSTREAM[stage]:
        before = status.get(upstream)
        if before is None or before["state"] not in DONE:
            return None
        incoming.append(str(before["output_digest"]))
    return keys.key(stage, incoming, str(version["doc_type"]))


def stale_stage(version: Row, status: Mapping[str, Row], keys: StageKeys) -> str | None:
    """The first stage whose recorded key is not the expected one; None when all are up to date.

    A version whose upstream failed for good is up to date: there is nothing to do for it.
    """
    for stage in required_stages(keys.settings):
        key = expected_key(stage, version, status, keys)
        recorded = status.get(stage)
        if key is None:
            ended = [(status.get(upstream) or {}).get("state") in ("failed", "skipped") for upstream in UPSTREAM[stage]]
            if any(ended):
                continue
            return stage
        if recorded is None or recorded["stage_key"] != key:
            return stage
    return None


def stale_versions(rows: Rows, settings: Settings) -> pl.DataFrame:
    """Versions that need a stage: columns version_id, size, stage, sorted by version_id."""
    versions = rows.table("document_versions")
    status = status_of(rows, versions["version_id"])
    keys = StageKeys(settings)
    found = []
    for version in versions.sort("version_id").iter_rows(named=True):
        stage = stale_stage(version, status.get(version["version_id"], {}), keys)
        if stage is not None:
            found.append((version["version_id"], version["size"], stage))
    return pl.DataFrame(found, schema={"version_id": pl.String, "size": pl.Int64, "stage": pl.String}, orient="row")


def transient_failures(rows: Rows, max_attempts: int) -> pl.DataFrame:
    """Versions that failed, in whole or part, for a passing reason and may be tried again: version_id, size."""
    return rows.read(
        "SELECT DISTINCT v.version_id, v.size FROM stage_status s JOIN document_versions v USING (version_id) "
        "WHERE s.state IN ('failed', 'partial') AND s.transient = 'yes' AND s.attempts < ? ORDER BY v.version_id",
        [max_attempts],
    )
