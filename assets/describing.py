"""What all assets share: groups, owners, kinds, column schemas, code versions and metadata of counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dagster as dg

from muniment.processing.runner import StageCounts
from muniment.tables.model import Table
from muniment.tables.registry import TABLES

OWNER = "team:muniment"


def column_schema(table: Table) -> dg.TableSchema:
    """Dagster's form of a table's columns."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=str(column.dtype),
                description=column.description,
                constraints=dg.TableColumnConstraints(nullable=column.nullable),
            )
            for column in table.columns
        ]
    )


def definition_metadata(main_table: str) -> dict[str, Any]:
    """Metadata of an asset's definition: the schema of its main table."""
    table = TABLES[main_table]
    return {"dagster/column_schema": column_schema(table), "table": main_table, "key": ", ".join(table.key)}


def stage_metadata(counts: StageCounts, main_table: str) -> dict[str, Any]:
    """Numeric metadata of a local stage, with the same keys at every materialization (they make plots)."""
    states = {state: counts.states.get(state, 0) for state in ("ok", "partial", "failed", "skipped")}
    return {
        "dagster/partition_row_count": counts.rows.get(main_table, 0),
        "versions": counts.versions,
        "unchanged": counts.unchanged,
        **states,
        **{f"rows_{name}": count for name, count in sorted(counts.rows.items())},
    }


def numbers(values: Mapping[str, float]) -> dict[str, Any]:
    """Numeric metadata, at most 20 keys: more are not plotted."""
    if len(values) > 20:
        raise ValueError(f"{len(values)} numeric metadata keys; at most 20 make plots")
    return dict(values)
