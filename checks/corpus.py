"""Checks of intake and of the global stages: references, coverage, conservation, and the loss gate."""

from collections.abc import Sequence

import dagster as dg
import polars as pl

from checks.results import from_findings
from muniment.loss.integrity import Finding, key_findings, reference_findings, schema_findings
from muniment.loss.reconciliation import reconcile
from muniment.publication.graph import COMMUNITY_TABLES, GRAPH_TABLES
from resources.muniment import MunimentResource

INTAKE_TABLES = ("sources", "originals", "documents", "document_versions", "captures")
INDEX_TABLES = ("embeddings", "index_points", "chunk_states")


def _integrity(asset: str, tables: Sequence[str]) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=asset,
        name=f"{asset}_integrity",
        blocking=True,
        description="Columns and types as declared, keys unique, no reference leads nowhere.",
    )
    def check(muniment: MunimentResource) -> dg.AssetCheckResult:
        rows = muniment.run.warehouse.latest()
        findings = schema_findings(rows, tables) + key_findings(rows, tables)
        return from_findings(findings + reference_findings(rows, tables))

    return check


@dg.asset_check(asset="originals", blocking=True, description="Every capture has stored bytes or a reason.")
def captures_accounted_for(muniment: MunimentResource) -> dg.AssetCheckResult:
    """A capture without original and without reason would be a silent loss."""
    run = muniment.run
    rows = run.warehouse.latest()
    silent = rows.read("SELECT count(*) FROM captures WHERE version_id IS NULL AND reason_code IS NULL").item()
    stored = rows.table("originals", ["sha256"])["sha256"]
    missing = [sha256 for sha256 in stored if not run.originals.path(sha256).is_file()]
    findings = [Finding("captures", "neither bytes nor reason", int(silent))] if silent else []
    if missing:
        findings.append(Finding("originals", "file missing from the store", len(missing)))
    return from_findings(findings)


@dg.asset_check(asset="merged_graph", blocking=True, description="Every mention of a held version is accounted for.")
def mentions_accounted_for(muniment: MunimentResource) -> dg.AssetCheckResult:
    """Mentions are linked to an entity or are values with a reason."""
    found = reconcile(muniment.run.warehouse.latest(), "merged_graph", None)
    return from_findings(
        [Finding("stage_books", "mentions unexplained", len(found.unexplained_rows))] if not found.passed else []
    )


@dg.asset_check(asset="communities", blocking=True, description="Every entity is in a community or isolated.")
def entities_covered(muniment: MunimentResource) -> dg.AssetCheckResult:
    """Each entity stands exactly once at level 0 or at level -1."""
    rows = muniment.run.warehouse.latest()
    uncovered = rows.read(
        "SELECT count(*) FROM canonical_entities e WHERE (SELECT count(*) FROM community_members m "
        "WHERE m.view_id = e.view_id AND m.entity_id = e.entity_id AND m.level IN (0, -1)) <> 1"
    ).item()
    return from_findings([Finding("community_members", "entity not covered once", int(uncovered))] if uncovered else [])


@dg.asset_check(asset="indexes", blocking=True, description="Every chunk of the generation is indexed or has a reason.")
def chunks_accounted_for(muniment: MunimentResource) -> dg.AssetCheckResult:
    """Chunks in the generation = chunk states; chunks indexed = chunk points."""
    rows = muniment.run.warehouse.latest()
    unstated = rows.read(
        "SELECT count(*) FROM chunks c JOIN generation_versions g USING (version_id) "
        "WHERE c.chunk_id NOT IN (SELECT chunk_id FROM chunk_states)"
    ).item()
    unpointed = rows.read(
        "SELECT count(*) FROM chunk_states s WHERE s.index_state = 'indexed' "
        "AND s.chunk_id NOT IN (SELECT ref_id FROM index_points WHERE kind = 'chunk')"
    ).item()
    findings = [Finding("chunk_states", "chunk without state", int(unstated))] if unstated else []
    if unpointed:
        findings.append(Finding("index_points", "indexed chunk without point", int(unpointed)))
    return from_findings(findings)


@dg.asset_check(
    asset="loss_report",
    blocking=True,
    description="received = indexed + partial + not indexed + excluded + deleted, one row a capture.",
)
def manifest_adds_up(muniment: MunimentResource) -> dg.AssetCheckResult:
    """Every capture has one manifest row, and everything not indexed in full has a reason."""
    rows = muniment.run.warehouse.latest()
    captures, listed = rows.read(
        "SELECT (SELECT count(*) FROM captures) AS captures, "
        "(SELECT count(DISTINCT capture_id) FROM manifest) AS listed"
    ).row(0)
    silent = rows.read("SELECT count(*) FROM manifest WHERE state <> 'indexed' AND reason_code IS NULL").item()
    findings = [Finding("manifest", "captures without a row", captures - listed)] if captures != listed else []
    if silent:
        findings.append(Finding("manifest", "not indexed in full, without a reason", int(silent)))
    return from_findings(findings)


@dg.asset_check(asset="loss_report", description="The loss gate, by document type.")
def loss_gate(muniment: MunimentResource) -> dg.AssetCheckResult:
    """ERROR where too many documents of a type have a critical loss, WARN where any has a major one."""
    report = muniment.run.warehouse.latest().table("loss_by_type")
    errors = report.filter(pl.col("gate") == "error")
    warnings = report.filter(pl.col("gate") == "warn")
    findings = [
        Finding(row["doc_type"], f"{row['stage']} {row['unit']}: {row['gate']}", row["affected"])
        for row in pl.concat([errors, warnings]).iter_rows(named=True)
    ]
    return from_findings(findings, dg.AssetCheckSeverity.ERROR if errors.height else dg.AssetCheckSeverity.WARN)


def corpus_checks() -> list[dg.AssetChecksDefinition]:
    """All checks of this module."""
    return [
        _integrity("originals", INTAKE_TABLES),
        captures_accounted_for,
        _integrity("merged_graph", GRAPH_TABLES),
        mentions_accounted_for,
        _integrity("communities", COMMUNITY_TABLES),
        entities_covered,
        _integrity("indexes", INDEX_TABLES),
        chunks_accounted_for,
        manifest_adds_up,
        loss_gate,
    ]
