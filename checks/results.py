"""From findings of the domain to results of Dagster's checks: counts and ids, never a word of a document."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg

from muniment.loss.integrity import Finding


def from_findings(
    findings: Sequence[Finding], severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR
) -> dg.AssetCheckResult:
    """Passed when there is no finding; else up to 50 are listed."""
    lines = ["| table | finding | rows |", "|---|---|--:|"]
    lines += [f"| {finding.table} | {finding.what} | {finding.rows} |" for finding in findings[:50]]
    listed = {"list": dg.MetadataValue.md("\n".join(lines))} if findings else {}
    return dg.AssetCheckResult(
        passed=not findings,
        severity=severity,
        metadata={"findings": len(findings), "rows": sum(finding.rows for finding in findings), **listed},
    )
