"""Asset `communities`: groups of entities by hierarchical Leiden, with reports."""

import dagster as dg
import polars as pl

from assets.bar_plot import bar_plot
from assets.describing import OWNER, definition_metadata, numbers
from muniment.exports.pages import write_pages
from muniment.publication.graph import build_communities
from muniment.publication.graph_quality import community_numbers
from resources.muniment import MunimentResource


@dg.asset(
    group_name="corpus",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="communities-2",
    deps=["merged_graph"],
    metadata=definition_metadata("communities"),
)
def communities(muniment: MunimentResource) -> dg.MaterializeResult:
    """Finds communities, counts isolated entities, writes reports of verbatim evidence and pages to look at."""
    run = muniment.run
    counts = build_communities(run)
    rows = run.warehouse.latest()
    pages = write_pages(rows, run.home)
    quality = community_numbers(rows, run.settings.communities.resolution)
    return dg.MaterializeResult(
        metadata={
            **numbers({"dagster/row_count": counts["communities"], **counts, **quality}),
            "pages": dg.MetadataValue.path(str(pages)),
            "sizes": dg.MetadataValue.md(_plot(rows.table("communities"))),
        }
    )


def _plot(found: pl.DataFrame) -> str:
    """Communities by level and their largest size: how the hierarchy divides."""
    levels = (
        found.group_by("level").agg(pl.len().alias("communities"), pl.col("size").max().alias("largest")).sort("level")
    )
    names = [f"level {level}" for level in levels["level"]]
    series = {"communities": levels["communities"].to_list(), "largest, entities": levels["largest"].to_list()}
    return f"![communities by level]({bar_plot(names, series, 'count')})" if names else "no community"
