"""The merged graph and the communities of a generation, computed per view and committed whole."""

from __future__ import annotations

import polars as pl

from muniment.domain.loading import load_domain
from muniment.graph.assembly import ASSEMBLED, assemble
from muniment.graph.communities import detect, lineage
from muniment.graph.reports import extractive_reports
from muniment.index.embedder import open_embedder
from muniment.loss.ledger import Entry, Ledger
from muniment.processing.context import RunContext
from muniment.publication.begin import begin
from muniment.publication.indexing import stage_rows
from muniment.publication.report_writing import model_reports
from muniment.publication.scope import OPERATOR_VIEW
from muniment.resolution.entity_types import value_mentions
from muniment.resolution.replay import replay
from muniment.resolution.resolve import resolve
from muniment.settings import Settings
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
    "judgement_states",
    *ASSEMBLED,
)
COMMUNITY_TABLES = ("communities", "community_members", "community_reports")


def held_rows(rows: Rows, table: str, versions: pl.DataFrame | None = None) -> pl.DataFrame:
    """Local rows of the generation's held versions (of those in `versions` only, where given), sorted by key."""
    definition = TABLES[table]
    limit = "" if versions is None else "JOIN wanted_versions USING (version_id)"
    frame = rows.read(
        f"SELECT t.* FROM {table} t JOIN generation_versions g USING (version_id) {limit} WHERE g.held",
        frames=None if versions is None else {"wanted_versions": versions.select("version_id").unique()},
    )
    return frame.select(list(definition.schema)).cast(definition.schema).sort(definition.key)


def build_graph(context: RunContext) -> dict[str, int]:
    """Begin the generation, then resolve, merge and find conflicts; returns row counts by table.

    Without the entity layer the tables are empty.
    """
    rows = begin(context)
    mentions = held_rows(rows, "mentions")
    if not context.settings.pipeline.entity_layer:
        mentions = mentions.clear()
    frames, notes = graph_tables(rows, context.settings)
    books = _books(mentions, frames["entity_mentions"])
    changes: list[Change] = [ReplaceAll(name, frames[name]) for name in GRAPH_TABLES]
    context.warehouse.commit([*changes, *stage_rows("merged_graph", books)], message="merged_graph")
    return {**{name: frames[name].height for name in GRAPH_TABLES}, **notes}


def graph_tables(
    rows: Rows, settings: Settings, versions: pl.DataFrame | None = None
) -> tuple[dict[str, pl.DataFrame], dict[str, int]]:
    """Rows of GRAPH_TABLES from held versions (of those in `versions` only, where given), and counts of what has none.

    A pure function of local rows, judgements and settings.
    """
    empty = {name: TABLES[name].empty() for name in GRAPH_TABLES}
    if not settings.pipeline.entity_layer:
        return empty, {}
    mentions = held_rows(rows, "mentions", versions)
    judged = replay(rows, mentions, OPERATOR_VIEW)
    if mentions.is_empty():
        return {**empty, "judgement_states": judged.states}, {}
    claims = held_rows(rows, "claims", versions)
    extractions = held_rows(rows, "extractions", versions)
    resolved = resolve(
        mentions,
        _independent(rows),
        OPERATOR_VIEW,
        settings.resolution,
        judged=judged.pairs,
        embed=lambda texts: open_embedder(settings.index.embedder).embed(texts),
    )
    domain = load_domain(settings.domain)
    evidence = held_rows(rows, "claim_evidence", versions)
    frames, notes = assemble(claims, evidence, mentions, extractions, resolved, OPERATOR_VIEW, domain)
    return {**resolved, **frames, "judgement_states": judged.states}, notes


def _independent(rows: Rows) -> pl.DataFrame:
    """document_id, first_scan, family_id of all documents; a copy is of the family of what it is equal to."""
    return rows.read(
        "SELECT d.document_id, d.first_scan, coalesce(min(o.family_id), min(f.family_id)) AS family_id "
        "FROM documents d LEFT JOIN families f USING (document_id) "
        "LEFT JOIN generation_versions g ON g.document_id = d.document_id AND g.held "
        "LEFT JOIN version_links l ON l.from_version_id = g.version_id AND l.kind = 'near_version_of' "
        "LEFT JOIN document_versions v ON v.version_id = l.to_version_id "
        "LEFT JOIN families o ON o.document_id = v.document_id "
        "GROUP BY ALL ORDER BY d.document_id"
    )


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
    """Detect communities, write their reports and their lineage; returns counts.

    Reports are extractive; with `models.reports` a model's take their places where its answers stand.
    """
    rows = context.warehouse.latest()
    settings = context.settings.communities
    relationships = rows.table("relationships")
    entities = rows.table("canonical_entities")
    claims, evidence = held_rows(rows, "claims"), held_rows(rows, "claim_evidence")
    found = detect(relationships, entities, OPERATOR_VIEW, settings)
    reports = extractive_reports(
        found["communities"],
        found["community_members"],
        relationships,
        rows.table("relationship_claims"),
        claims,
        evidence,
        entities,
        rows.table("entity_descriptions"),
        rows.table("conflicts"),
        rows.table("conflict_claims"),
        OPERATOR_VIEW,
        settings,
    )
    modelled = model_reports(context, rows, reports, found["communities"], claims, evidence)
    previous = _previous_members(context)
    context.warehouse.commit(
        [
            ReplaceAll("communities", found["communities"]),
            ReplaceAll("community_members", found["community_members"]),
            ReplaceAll("community_reports", modelled.reports),
            *modelled.changes,
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
        **modelled.counts,
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
