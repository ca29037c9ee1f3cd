"""Which versions a generation holds, decided from what is complete when publication starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from muniment.domain.loading import load_domain
from muniment.ids import digest, make_id
from muniment.processing.local_stages import UPSTREAM, StageKeys, required_stages
from muniment.processing.status import DONE, expected_key, status_of
from muniment.settings import Settings
from muniment.store.digests import table_digest
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

Row = Mapping[str, Any]

#: The one view until access views exist: everything, for the operator.
OPERATOR_VIEW = "operator"

#: Raise when a global stage computes other rows from the same input.
CODE_VERSION = "publication-4"


def select_versions(rows: Rows, settings: Settings) -> pl.DataFrame:
    """The `generation_versions` rows that the present state allows.

    Fit is a version whose required stages all have results that belong together and that has no
    critical loss. `held` is a version that an open capture holds; where that one is not fit, the latest fit
    version of its document stays, marked `newer_version_not_published`.
    """
    fit = _fit_versions(rows, settings)
    held = set(
        rows.read("SELECT DISTINCT version_id FROM captures WHERE closed_scan IS NULL AND version_id IS NOT NULL")[
            "version_id"
        ]
    )
    held_documents = set(
        rows.read("SELECT DISTINCT document_id FROM captures WHERE closed_scan IS NULL AND document_id IS NOT NULL")[
            "document_id"
        ]
    )
    latest_fit: dict[str, str] = {}
    served: set[str] = set()
    for row in fit.sort("document_id", "version_no").iter_rows(named=True):
        latest_fit[row["document_id"]] = row["version_id"]
        if row["version_id"] in held:
            served.add(row["document_id"])
    kept = {latest_fit[document_id] for document_id in held_documents - served if document_id in latest_fit}
    frame = fit.with_columns(
        pl.col("version_id").is_in(sorted(held | kept)).alias("held"),
        pl.col("version_id").is_in(sorted(kept)).alias("newer_version_not_published"),
    )
    return frame.select(list(TABLES["generation_versions"].schema)).sort("version_id")


def _fit_versions(rows: Rows, settings: Settings) -> pl.DataFrame:
    versions = rows.read(
        "SELECT v.*, e.extraction_id FROM document_versions v JOIN extractions e USING (version_id) "
        "WHERE v.document_id NOT IN (SELECT document_id FROM tombstones) "
        "AND v.version_id NOT IN (SELECT version_id FROM losses WHERE severity = 'critical') "
        "ORDER BY v.version_id"
    )
    status = status_of(rows, versions["version_id"])
    keys = StageKeys(settings)
    used = [
        _used_keys(version, status.get(version["version_id"], {}), keys) for version in versions.iter_rows(named=True)
    ]
    return versions.with_columns(pl.Series("stage_keys", used, dtype=pl.List(pl.String))).filter(
        pl.col("stage_keys").is_not_null()
    )


def _used_keys(version: Row, known: Mapping[str, Row], keys: StageKeys) -> list[str] | None:
    """stage=key of every required stage; None where one has no result or does not fit what it was made from.

    A stage fits when its key is the expected one, or when nothing that it reads was made after it: after a
    change of settings a whole older result stays published until the reprocessing batch replaces it.
    """
    found = []
    for stage in required_stages(keys.settings):
        recorded = known.get(stage)
        if recorded is None or recorded["state"] not in DONE:
            return None
        overtaken = any(known[upstream]["updated_at"] > recorded["updated_at"] for upstream in UPSTREAM[stage])
        if overtaken and recorded["stage_key"] != expected_key(stage, version, known, keys):
            return None
        found.append(f"{stage}={recorded['stage_key']}")
    return found


def inputs_digest(rows: Rows, versions: pl.DataFrame, settings: Settings) -> str:
    """Digest of all that a generation is computed from: equal inputs make an equal generation."""
    recorded = [
        table_digest(rows, TABLES[name])
        for name in ("captures", "documents", "tombstones", "judgements", "stated_metadata", "policies")
    ]
    sections = (settings.resolution, settings.communities, settings.index, settings.loss)
    chosen = versions.sort("version_id").write_json()
    return digest(
        CODE_VERSION,
        recorded,
        chosen,
        [section.digest() for section in sections],
        settings.pipeline.entity_layer,
        load_domain(settings.domain).graph_digest if settings.pipeline.entity_layer else None,
        _outcomes_digest(rows),
        *_model_digests(settings),
    )


def _model_digests(settings: Settings) -> tuple[str, ...]:
    """What reports by a model are asked under; empty without them."""
    if not (settings.models.reports and settings.pipeline.entity_layer):
        return ()
    budget = settings.models.reports_per_publication
    return (digest("reports", budget, settings.endpoint.answer_digest(), settings.egress.digest()),)


def _outcomes_digest(rows: Rows) -> str:
    """Failures too are published (manifest, losses), so they are part of the inputs."""
    outcomes = rows.read(
        "SELECT version_id, stage, stage_key, state, output_digest FROM stage_status ORDER BY version_id, stage"
    )
    return digest(outcomes.rows())


def version_links(rows: Rows) -> pl.DataFrame:
    """Links that follow from what was captured.

    `next_version` between consecutive contents of a document; `near_version_of` from a version to the
    first captured version of another document that has the same bytes (a copy, or a move to another source).
    """
    frame = rows.read(
        "WITH firsts AS (SELECT v.sha256, arg_min(v.version_id, (d.first_scan, d.document_id)) AS first_id, "
        "arg_min(v.document_id, (d.first_scan, d.document_id)) AS first_document FROM document_versions v "
        "JOIN documents d USING (document_id) GROUP BY v.sha256) "
        "SELECT a.version_id AS from_version_id, b.version_id AS to_version_id, 'next_version' AS kind, "
        "'explicit' AS basis, '{\"captured_in_order\": true}' AS evidence, 'stated' AS verification_status "
        "FROM document_versions a JOIN document_versions b "
        "ON a.document_id = b.document_id AND b.version_no = a.version_no + 1 "
        "UNION ALL SELECT v.version_id, f.first_id, 'near_version_of', 'explicit', '{\"equal_bytes\": true}', 'stated' "
        "FROM document_versions v JOIN firsts f USING (sha256) WHERE v.document_id <> f.first_document"
    )
    return frame.select(list(TABLES["version_links"].schema))


def families(rows: Rows) -> pl.DataFrame:
    """Family of each document: as its newest version states (`family`), else its own."""
    stated = {
        row["document_id"]: row["value"]
        for row in rows.read(
            "SELECT v.document_id, m.value FROM extracted_metadata m JOIN document_versions v USING (version_id) "
            "WHERE m.field = 'family' ORDER BY v.document_id, v.version_no, m.ordinal"
        ).iter_rows(named=True)
    }
    found = []
    for document_id in rows.table("documents", ["document_id"])["document_id"].sort():
        name = stated.get(document_id)
        family = make_id("family", "stated", name) if name else make_id("family", document_id)
        found.append(
            {
                "document_id": document_id,
                "family_id": family,
                "basis": "explicit" if name else "none",
                "evidence": '{"field": "family"}' if name else "{}",
            }
        )
    return TABLES["families"].frame(found)
