"""The merged graph and the communities of a generation, computed per view and committed whole."""

from __future__ import annotations

import polars as pl

from muniment.graph.communities import detect, lineage
from muniment.graph.conflicts import find_conflicts
from muniment.graph.merge import merge
from muniment.graph.reports import extractive_reports
from muniment.loss.ledger import Entry, Ledger
from muniment.processing.context import RunContext
from muniment.publication.begin import begin
from muniment.publication.indexing import stage_rows
from muniment.publication.scope import OPERATOR_VIEW
from muniment.resolution.entity_types import value_mentions
from muniment.resolution.resolve import resolve
from muniment.store.changes import Change, ReplaceAll
from muniment.store.current import read_current
from muniment.store.errors import SnapshotGone
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

GRAPH_TABLES = (
    "canonical_entities",
    "entity_mentions",
    "aliases",
    "pair_decisions",
    "document_subjects",
    "relationships",
    "relationship_claims",
    "conflicts",
    "conflict_claims",
)
COMMUNITY_TABLES = ("communities", "community_members", "community_reports")


def held_rows(rows: Rows, table: str) -> pl.DataFrame:
    """Local rows of the generation's held versions, sorted by key."""
    definition = TABLES[table]
    frame = rows.read(f"SELECT t.* FROM {table} t JOIN generation_versions g USING (version_id) WHERE g.held")
    return frame.select(list(definition.schema)).cast(definition.schema).sort(definition.key)


def build_graph(context: RunContext) -> dict[str, int]:
    """Begin the generation, then resolve, merge and find conflicts; returns row counts by table.

    Without the entity layer the tables are empty.
    """
    rows = begin(context)
    mentions = held_rows(rows, "mentions")
    if not context.settings.pipeline.entity_layer:
        mentions = mentions.clear()
    frames = _graph(rows, mentions, context)
    books = _books(mentions, frames["entity_mentions"])
    changes: list[Change] = [ReplaceAll(name, frames[name]) for name in GRAPH_TABLES]
    context.warehouse.commit([*changes, *stage_rows("merged_graph", books)], message="merged_graph")
    return {name: frames[name].height for name in GRAPH_TABLES}


def _graph(rows: Rows, mentions: pl.DataFrame, context: RunContext) -> dict[str, pl.DataFrame]:
    if mentions.is_empty():
        return {name: TABLES[name].empty() for name in GRAPH_TABLES}
    claims = held_rows(rows, "claims")
    extractions = held_rows(rows, "extractions")
    documents = rows.table("documents", ["document_id", "first_scan"])
    resolved = resolve(mentions, documents, OPERATOR_VIEW, context.settings.resolution)
    merged = merge(claims, mentions, resolved["entity_mentions"], extractions, OPERATOR_VIEW)
    conflicts = find_conflicts(
        claims, mentions, resolved["entity_mentions"], resolved["canonical_entities"], OPERATOR_VIEW
    )
    return {**resolved, **merged, **conflicts}


def _books(mentions: pl.DataFrame, entity_mentions: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Mentions in, mentions of entities out; values (dates, amounts) are explained, not lost."""
    ledger = Ledger("merged_graph")
    values = value_mentions(mentions).rename({"mentions": "values"})
    linked = entity_mentions.group_by("version_id").len("linked")
    counts = (
        mentions.group_by("version_id")
        .len("expected")
        .join(values, on="version_id", how="left")
        .join(linked, on="version_id", how="left")
        .fill_null(0)
        .sort("version_id")
    )
    for row in counts.iter_rows(named=True):
        entries = [Entry("value_mention", row["values"])] if row["values"] else []
        ledger.close(row["version_id"], "mentions", expected=row["expected"], actual=row["linked"], entries=entries)
    return ledger.frames()


def build_communities(context: RunContext) -> dict[str, int]:
    """Detect communities, write their reports and their lineage; returns counts."""
    rows = context.warehouse.latest()
    settings = context.settings.communities
    relationships = rows.table("relationships")
    entities = rows.table("canonical_entities")
    found = detect(relationships, entities, OPERATOR_VIEW, settings)
    reports = extractive_reports(
        found["communities"],
        found["community_members"],
        relationships,
        rows.table("relationship_claims"),
        held_rows(rows, "claims"),
        held_rows(rows, "claim_evidence"),
        entities,
        OPERATOR_VIEW,
        settings,
    )
    previous = _previous_members(context)
    context.warehouse.commit(
        [
            ReplaceAll("communities", found["communities"]),
            ReplaceAll("community_members", found["community_members"]),
            ReplaceAll("community_reports", reports),
            ReplaceAll("community_lineage", lineage(previous, found["community_members"])),
        ],
        message="communities",
    )
    members = found["community_members"]
    return {
        "communities": found["communities"].height,
        "levels": members.filter(pl.col("level") >= 0)["level"].n_unique(),
        "entities": entities.height,
        "isolated_entities": members.filter(pl.col("level") < 0).height,
        "reports": reports.height,
    }


def _previous_members(context: RunContext) -> pl.DataFrame:
    current = read_current(context.home)
    empty = TABLES["community_members"].empty()
    if current is None or current.warehouse != context.warehouse.folder.name:
        return empty
    try:
        return context.warehouse.at(current.snapshot_id).table("community_members")
    except SnapshotGone:
        return empty  # lineage is a help for people; it then starts anew
