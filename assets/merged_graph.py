"""Asset `merged_graph`: mentions resolved to entities, claims merged to relationships, conflicts found."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, numbers
from muniment.publication.graph import build_graph
from resources.muniment import MunimentResource


@dg.asset(
    group_name="corpus",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="merged_graph-1",
    deps=["entities"],
    metadata=definition_metadata("relationships"),
)
def merged_graph(muniment: MunimentResource) -> dg.MaterializeResult:
    """Resolves mentions, merges claims into relationships with all their evidence, and finds conflicts."""
    counts = build_graph(muniment.run)
    return dg.MaterializeResult(metadata=numbers({"dagster/row_count": counts["relationships"], **counts}))
