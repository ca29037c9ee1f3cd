"""Asset `merged_graph`: mentions resolved to entities, claims merged to relationships, conflicts found."""

import dagster as dg
import polars as pl

from assets.bar_plot import bar_plot
from assets.describing import OWNER, definition_metadata, numbers
from muniment.publication.graph import build_graph
from muniment.publication.graph_quality import density_by_type, graph_numbers
from resources.muniment import MunimentResource


@dg.asset(
    group_name="corpus",
    owners=[OWNER],
    kinds={"python", "polars"},
    code_version="merged_graph-2",
    deps=["entities"],
    metadata=definition_metadata("relationships"),
)
def merged_graph(muniment: MunimentResource) -> dg.MaterializeResult:
    """Resolves mentions, merges claims into relationships with all their evidence, and finds conflicts."""
    counts = build_graph(muniment.run)
    rows = muniment.run.warehouse.latest()
    shown = {name: counts[name] for name in ("canonical_entities", "aliases", "relationships", "document_subjects")}
    density = density_by_type(rows)
    return dg.MaterializeResult(
        metadata={
            **numbers({"dagster/row_count": counts["relationships"], **shown, **graph_numbers(rows)}),
            "by_type": dg.MetadataValue.md(_table(density)),
            "plot": dg.MetadataValue.md(_plot(density)),
        }
    )


def _table(density: pl.DataFrame) -> str:
    lines = [
        "| type | documents | tokens | entities per 1,000 | claims per 1,000 | documents without entity |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {row['doc_type']} | {row['documents']} | {row['tokens']:,} | {row['entities_per_1000']} "
        f"| {row['claims_per_1000']} | {row['without_entities']} |"
        for row in density.iter_rows(named=True)
    ]
    return "\n".join(lines)


def _plot(density: pl.DataFrame) -> str:
    series = {
        "entities": density["entities_per_1000"].to_list(),
        "claims": density["claims_per_1000"].to_list(),
    }
    image = bar_plot(density["doc_type"].to_list(), series, "per 1,000 tokens")
    return f"![entities and claims per 1,000 tokens by document type]({image})"
