"""Operational tables: how work went. No digest covers them; a lost row costs time, never knowledge."""

from __future__ import annotations

from muniment.tables.model import FLOAT, INTEGER, STRING, STRINGS, TIME, Table, column

SCANS = Table(
    "scans", "operational", "none", "originals", ("scan_no",),
    "Scans that changed something, in order.",
    (
        column("scan_no", INTEGER, "1, 2, …"),
        column("source_id", STRING, "source"),
        column("files_seen", INTEGER, "files under the source"),
        column("opened", INTEGER, "captures opened"),
        column("closed", INTEGER, "captures closed"),
        column("started_at", TIME, "start"),
        column("finished_at", TIME, "end"),
    ),
)

BATCHES = Table(
    "batches", "operational", "none", "originals", ("batch_id",),
    "Groups of versions that one run takes through the local stages.",
    (
        column("batch_id", STRING, "sortable by time: 20261130T190501-000123"),
        column("kind", STRING, "ingest, reprocess, retry"),
        column("state", STRING, "planned, done; proposed waits for approval"),
        column("versions", INTEGER, "members"),
        column("bytes", INTEGER, "sum of sizes"),
        column("planned_at", TIME, "when planned"),
        column("finished_at", TIME, "when done", null=True),
    ),
)

BATCH_MEMBERS = Table(
    "batch_members", "operational", "none", "originals", ("batch_id", "version_id"),
    "Versions of a batch.",
    (column("batch_id", STRING, "batch"), column("version_id", STRING, "version")),
)

BATCH_CLAIMS = Table(
    "batch_claims", "operational", "none", "originals", ("batch_id",),
    "Which run works on a batch; a claim without heartbeat expires.",
    (
        column("batch_id", STRING, "batch"),
        column("run_id", STRING, "Dagster run"),
        column("owner", STRING, "host:pid:start of the process that works on it"),
        column("claimed_at", TIME, "when"),
        column("expires_at", TIME, "heartbeat plus time to live"),
    ),
)

STAGE_STATUS = Table(
    "stage_status", "operational", "local", "originals", ("version_id", "stage"),
    "The truth about each version: what each stage made of it.",
    (
        column("version_id", STRING, "version"),
        column("stage", STRING, "structured_extraction, annotations, chunks, contextualized_chunks, entities"),
        column("stage_key", STRING, "digest of upstream output, code version and settings"),
        column("state", STRING, "ok, partial, failed, skipped"),
        column("reason_code", STRING, "why not ok", null=True),
        column("detail", STRING, "what a person should know; never text of the document", null=True),
        column("output_digest", STRING, "digest of what the stage made", null=True),
        column("attempts", INTEGER, "times tried"),
        column("transient", STRING, "yes when a retry may help, else no"),
        column("batch_id", STRING, "batch"),
        column("run_id", STRING, "Dagster run"),
        column("isolation", STRING, "what confined the reader, or none", null=True),
        column("wall_seconds", FLOAT, "wall time spent", null=True),
        column("updated_at", TIME, "when"),
    ),
)

GENERATIONS = Table(
    "generations", "operational", "none", "generation", ("generation_id",),
    "Published states.",
    (
        column("generation_id", STRING, "ordinal and content digest: 000012-3fa9c1d2e4b5"),
        column("ordinal", INTEGER, "1, 2, …"),
        column("previous_generation_id", STRING, "the one before", null=True),
        column("content_digest", STRING, "digest of every derived and recorded table in it"),
        column("inputs_digest", STRING, "digest of its versions with their stage keys and of the global settings"),
        column("embedder_digest", STRING, "the one embedder of its index"),
        column("versions", INTEGER, "versions in it"),
        column("table_digests", STRINGS, "name=digest of each table"),
        column("published_at", TIME, "when"),
    ),
)

BUILT_INDEX = Table(
    "built_index", "operational", "none", "indexes", ("folder",),
    "The index that the publication under way built; one row.",
    (
        column("folder", STRING, "folder name under the home's indexes"),
        column("embedder_digest", STRING, "its embedder"),
        column("built_at", TIME, "when"),
    ),
)

COMMUNITY_LINEAGE = Table(
    "community_lineage", "operational", "none", "communities", ("view_id", "community_id", "previous_community_id"),
    "Which community of the generation before a present one grew out of (it looks at the past: no digest).",
    (
        column("view_id", STRING, "view"),
        column("community_id", STRING, "present"),
        column("previous_community_id", STRING, "of the generation before"),
        column("shared_entities", INTEGER, "entities in both"),
        column("jaccard", FLOAT, "shared over union"),
    ),
)

ENTITY_CHANGES = Table(
    "entity_changes", "operational", "none", "generation", ("view_id", "generation_id", "change", "entity_id", "other_entity_id"),
    "What became of the entities of the generation before (it looks at the past: no digest).",
    (
        column("view_id", STRING, "view"),
        column("generation_id", STRING, "generation that made the change"),
        column("change", STRING, "minted, returned, merged_into, moved_to, split_from, renamed, retyped, gone; kept: one row with the number"),
        column("entity_id", STRING, "entity; '' for kept"),
        column("other_entity_id", STRING, "entity merged into, moved to or split from; '' for the others"),
        column("before", STRING, "name, or type where retyped, in the generation before", null=True),
        column("after", STRING, "name, or type where retyped, in this one", null=True),
        column("entities", INTEGER, "1, or how many were kept"),
    ),
)

TABLES = (
    SCANS, BATCHES, BATCH_MEMBERS, BATCH_CLAIMS, STAGE_STATUS, GENERATIONS, BUILT_INDEX, COMMUNITY_LINEAGE, ENTITY_CHANGES,
)
