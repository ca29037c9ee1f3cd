"""Asset `indexes`: chunks, entities and reports embedded and written beside the published index."""

import dagster as dg

from assets.describing import OWNER, definition_metadata, numbers
from muniment.publication.indexing import build_index
from resources.muniment import MunimentResource


@dg.asset(
    group_name="corpus",
    owners=[OWNER],
    kinds={"python", "qdrant"},
    code_version="indexes-1",
    deps=["contextualized_chunks", "merged_graph", "communities"],
    metadata=definition_metadata("index_points"),
)
def indexes(muniment: MunimentResource) -> dg.MaterializeResult:
    """Embeds what is new, writes the next index and verifies it against the rows."""
    built = build_index(muniment.run)
    return dg.MaterializeResult(metadata=numbers({"dagster/row_count": built.counts["points"], **built.counts}))
