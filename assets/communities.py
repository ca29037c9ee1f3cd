"""Asset `communities`: groups of entities by hierarchical Leiden, with extractive reports."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, numbers
from muniment.publication.graph import build_communities
from resources.muniment import MunimentResource


@dg.asset(
    group_name="corpus",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="communities-1",
    deps=["merged_graph"],
    metadata=definition_metadata("communities"),
)
def communities(muniment: MunimentResource) -> dg.MaterializeResult:
    """Finds communities, counts isolated entities, and writes reports of verbatim evidence."""
    counts = build_communities(muniment.run)
    return dg.MaterializeResult(metadata=numbers({"dagster/row_count": counts["communities"], **counts}))
