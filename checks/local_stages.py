"""Checks of the local stages, batch by batch: schema and keys, references, verbatim text, books, losses.

They are SQL over the batch's rows. All but the last block: what they find is a bug of ours.
"""

import warnings

import dagster as dg
import polars as pl

from assets.partitions import INGEST_BATCHES
from checks.results import from_findings
from muniment.intake.batches import members
from muniment.loss.integrity import Finding, key_findings, reference_findings, schema_findings
from muniment.loss.reconciliation import reconcile
from muniment.loss.verbatim import SPANS, check_verbatim
from muniment.processing.local_stages import STAGES, LocalStage
from muniment.store.rows import Rows
from resources.muniment import MunimentResource

# partitioned checks are marked as a preview in the pinned release; the pin makes that safe
warnings.filterwarnings("ignore", category=dg.PreviewWarning)


def _batch(muniment: MunimentResource, batch_id: str) -> tuple[Rows, pl.DataFrame]:
    rows = muniment.run.warehouse.latest()
    return rows, members(rows, batch_id).select("version_id")


def _integrity(stage: LocalStage) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=stage.name,
        name=f"{stage.name}_integrity",
        blocking=True,
        partitions_def=INGEST_BATCHES,
        description="Columns and types as declared, keys unique, no reference leads nowhere.",
    )
    def check(context: dg.AssetCheckExecutionContext, muniment: MunimentResource) -> dg.AssetCheckResult:
        rows, versions = _batch(muniment, context.partition_key)
        findings = schema_findings(rows, stage.tables) + key_findings(rows, stage.tables)
        return from_findings(findings + reference_findings(rows, stage.tables, versions))

    return check


def _verbatim(stage: LocalStage) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=stage.name,
        name=f"{stage.name}_verbatim",
        blocking=True,
        partitions_def=INGEST_BATCHES,
        description="canonical_text[start:end] equals the text of every row that has both.",
    )
    def check(context: dg.AssetCheckExecutionContext, muniment: MunimentResource) -> dg.AssetCheckResult:
        rows, versions = _batch(muniment, context.partition_key)
        results = [result for result in check_verbatim(rows, versions) if result.table in stage.tables]
        findings = [
            Finding(result.table, "text is not the slice", result.failures) for result in results if result.failures
        ]
        outcome = from_findings(findings)
        return dg.AssetCheckResult(
            passed=outcome.passed,
            severity=outcome.severity,
            metadata={**outcome.metadata, "checked": sum(result.checked for result in results)},
        )

    return check


def _reconciliation(stage: LocalStage) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=stage.name,
        name=f"{stage.name}_reconciliation",
        blocking=True,
        partitions_def=INGEST_BATCHES,
        description="Books balance, none is missing, and a recount by SQL agrees.",
    )
    def check(context: dg.AssetCheckExecutionContext, muniment: MunimentResource) -> dg.AssetCheckResult:
        rows, versions = _batch(muniment, context.partition_key)
        found = reconcile(rows, stage.name, versions)
        findings = [
            Finding("stage_books", what, len(ids))
            for what, ids in (
                ("unbalanced", found.unbalanced),
                ("missing", found.missing),
                ("recount differs", found.recount_differs),
                ("rows lost without a reason", found.unexplained_rows),
            )
            if ids
        ]
        return from_findings(findings)

    return check


def _losses(stage: LocalStage) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=stage.name,
        name=f"{stage.name}_losses",
        partitions_def=INGEST_BATCHES,
        description="No document of the batch has a major loss; a loss in a document never blocks a run.",
    )
    def check(context: dg.AssetCheckExecutionContext, muniment: MunimentResource) -> dg.AssetCheckResult:
        rows, versions = _batch(muniment, context.partition_key)
        losses = rows.read(
            "SELECT severity, count(DISTINCT version_id) AS documents FROM losses JOIN wanted USING (version_id) "
            "WHERE stage = ? AND severity IN ('major', 'critical') GROUP BY severity",
            [stage.name],
            {"wanted": versions},
        )
        found = {row["severity"]: int(row["documents"]) for row in losses.iter_rows(named=True)}
        severity = dg.AssetCheckSeverity.ERROR if found.get("critical") else dg.AssetCheckSeverity.WARN
        return dg.AssetCheckResult(
            passed=not found,
            severity=severity,
            metadata={
                "documents": versions.height,
                "major": found.get("major", 0),
                "critical": found.get("critical", 0),
            },
        )

    return check


def local_checks() -> list[dg.AssetChecksDefinition]:
    """All checks of the local stages."""
    checks = []
    for stage in STAGES.values():
        checks += [_integrity(stage), _reconciliation(stage), _losses(stage)]
        if set(stage.tables) & SPANS.keys():
            checks.append(_verbatim(stage))
    return checks
