"""Checks of the entity layer that look at meaning: the gold set, documents without entities, ids in circles."""

import dagster as dg

from checks.results import from_findings
from muniment.claims.gold import gold_result
from muniment.domain.loading import load_domain
from muniment.graph.silence import silent_overlaps
from muniment.loss.integrity import Finding
from muniment.publication.graph_quality import empty_successes, isolation_findings, redirect_findings
from resources.muniment import MunimentResource


@dg.asset_check(asset="merged_graph", description="No document with text ends without any entity, by document type.")
def documents_have_entities(muniment: MunimentResource) -> dg.AssetCheckResult:
    """WARN: a success without content is a failure, but a page of figures may name nothing."""
    run = muniment.run
    findings = empty_successes(run.warehouse.latest()) if run.settings.pipeline.entity_layer else []
    return from_findings(findings, dg.AssetCheckSeverity.WARN)


@dg.asset_check(
    asset="merged_graph", description="No relation with one object at a time has two without a row in conflicts."
)
def no_silent_overlap(muniment: MunimentResource) -> dg.AssetCheckResult:
    """Counted by SQL, apart from conflict finding."""
    run = muniment.run
    silent = silent_overlaps(run.warehouse.latest(), load_domain(run.settings.domain))
    what = "two objects of a relation with one, and no conflict"
    return from_findings([Finding("conflicts", what, silent.height)] if silent.height else [])


@dg.asset_check(asset="communities", description="Not too many entities stand without any relationship.")
def entities_related(muniment: MunimentResource) -> dg.AssetCheckResult:
    """WARN: a graph of isolated names answers little."""
    run = muniment.run
    limit = run.settings.communities.isolated_share_warning
    return from_findings(isolation_findings(run.warehouse.latest(), limit), dg.AssetCheckSeverity.WARN)


@dg.asset_check(asset="generation", description="Every id ever published leads straight to an entity, or to none.")
def published_ids_lead_somewhere(muniment: MunimentResource) -> dg.AssetCheckResult:
    """No chains, no circles, no dead ends."""
    return from_findings(redirect_findings(muniment.run.warehouse.latest()))


@dg.asset_check(
    asset="merged_graph",
    blocking=True,
    description="The rules still find what the project's labelled sentences say, and nothing that they deny.",
)
def claims_gold_set(muniment: MunimentResource) -> dg.AssetCheckResult:
    """A change of rules, pipeline or schema that loses known claims does not reach a publication."""
    run = muniment.run
    if not run.settings.pipeline.entity_layer:
        return dg.AssetCheckResult(passed=True, metadata={"expected": 0, "found": 0})
    result = gold_result(run.settings, run.home.work / "gold")
    lines = [f"- missed: {line}" for line in result.missed] + [f"- never: {line}" for line in result.forbidden]
    return dg.AssetCheckResult(
        passed=result.passed,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            "expected": result.expected,
            "found": result.found,
            "forbidden": len(result.forbidden),
            # sentences written for the project, no document's
            "list": dg.MetadataValue.md("\n".join(lines) or "everything was found"),
        },
    )


def graph_checks() -> list[dg.AssetChecksDefinition]:
    """All checks of this module."""
    return [claims_gold_set, documents_have_entities, no_silent_overlap, published_ids_lead_somewhere]
