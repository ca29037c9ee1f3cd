"""Great Expectations suites made from the table definitions, through one factory.

The library takes seconds to import and leaves a thread behind: it is imported inside the check, in
`publish` only, and the process never forks after it.
"""

# pyright: reportPrivateImportUsage=false
from collections.abc import Sequence
from typing import Any

import dagster as dg

from checks.results import from_findings
from muniment import telemetry
from muniment.claims.modality import MODALITIES
from muniment.loss.integrity import Finding
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES
from resources.muniment import MunimentResource

#: Columns with a closed list of values.
VALUES: dict[tuple[str, str], Sequence[str]] = {
    ("claims", "polarity"): ("positive", "negative"),
    ("claims", "modality"): MODALITIES,
    ("relationships", "polarity"): ("positive", "negative"),
    ("conflicts", "kind"): (
        "contradiction", "version_difference", "succession", "different_scope", "refinement", "variant", "duplicate",
    ),
    ("conflicts", "basis"): ("value", "polarity", "modality", "definition"),
    ("supersession_candidates", "basis"): ("later_source", "stated_amendment"),
    ("supersession_candidates", "status"): ("waiting", "confirmed"),
    ("entity_descriptions", "kind"): ("definition", "copula", "apposition", "role", "attribute"),
    ("manifest", "state"): ("indexed", "partial", "not_indexed", "excluded", "deleted"),
    ("chunks", "kind"): ("text", "table", "figure"),
    ("chunk_states", "index_state"): (
        "indexed", "excluded_hidden", "excluded_boilerplate", "suppressed_duplicate", "excluded_policy",
    ),
    ("index_points", "kind"): ("chunk", "entity", "report"),
    ("losses", "severity"): ("info", "minor", "major", "critical"),
    ("loss_by_type", "gate"): ("ok", "warn", "error"),
}  # fmt: skip

#: Columns with bounds: (least, most, least excluded).
BOUNDS: dict[tuple[str, str], tuple[float | None, float | None, bool]] = {
    ("claims", "confidence"): (0.0, 1.0, False),
    ("relationships", "weight"): (0.0, None, True),
    ("chunks", "tokens"): (1, None, False),
    ("canonical_entities", "mentions"): (1, None, False),
    ("losses", "amount"): (0, None, False),
}


def expectations_for(table: str) -> list[Any]:
    """The expectations of a table: columns in order, no nulls, unique key, values and bounds."""
    import great_expectations.expectations as gxe

    definition = TABLES[table]
    names = list(definition.schema.names())
    found: list[Any] = [gxe.ExpectTableColumnsToMatchOrderedList(column_list=names)]
    found += [gxe.ExpectColumnValuesToNotBeNull(column=name) for name in definition.required_columns]
    if len(definition.key) == 1:
        found.append(gxe.ExpectColumnValuesToBeUnique(column=definition.key[0]))
    else:
        found.append(gxe.ExpectCompoundColumnsToBeUnique(column_list=list(definition.key)))
    for (name, column), values in VALUES.items():
        if name == table:
            found.append(gxe.ExpectColumnValuesToBeInSet(column=column, value_set=list(values)))
    for (name, column), (least, most, strict) in BOUNDS.items():
        if name == table:
            found.append(
                gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most, strict_min=strict)
            )
    return found


def ephemeral_context() -> Any:
    """A Great Expectations context in memory, without analytics and progress bars."""
    telemetry.switch_off()
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    context.enable_analytics(enable=False)
    context.variables.progress_bars = {"globally": False}  # pyright: ignore[reportAttributeAccessIssue]
    return context


def validate_table(rows: Rows, table: str) -> list[Finding]:
    """Validate a table of the warehouse; one finding for each expectation that fails."""
    import great_expectations as gx

    context = ephemeral_context()
    suite = gx.ExpectationSuite(name=table, expectations=expectations_for(table))
    asset = context.data_sources.add_pandas("warehouse").add_dataframe_asset(table)
    batch = asset.add_batch_definition_whole_dataframe("all").get_batch(
        batch_parameters={"dataframe": rows.table(table).to_pandas()}
    )
    outcome = batch.validate(suite)
    findings = []
    for result in outcome.results:
        if result.success:
            continue
        configuration = result.expectation_config
        kind = configuration.type if configuration is not None else "expectation"
        column = configuration.kwargs.get("column", "") if configuration is not None else ""
        count = result.result.get("unexpected_count", 0) if result.result else 0
        findings.append(Finding(table, f"{kind} {column}".strip(), int(count or 0)))
    return findings


def table_expectations(asset: str, tables: Sequence[str], *, blocking: bool = True) -> dg.AssetChecksDefinition:
    """The check `{asset}_expectations`: every expectation of every table of the asset."""

    @dg.asset_check(
        asset=asset,
        name=f"{asset}_expectations",
        blocking=blocking,
        description="Great Expectations made from the table definitions: columns, nulls, keys, values, bounds.",
    )
    def check(muniment: MunimentResource) -> dg.AssetCheckResult:
        rows = muniment.run.warehouse.latest()
        findings: list[Finding] = []
        for table in tables:
            findings += validate_table(rows, table)
        return from_findings(findings)

    return check
