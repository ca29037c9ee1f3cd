"""Integrity of the warehouse: columns and types, unique keys, references that lead somewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

#: (table, column, table referred to, its column); null refers to nothing.
REFERENCES = (
    ("captures", "source_id", "sources", "source_id"),
    ("captures", "document_id", "documents", "document_id"),
    ("captures", "version_id", "document_versions", "version_id"),
    ("captures", "sha256", "originals", "sha256"),
    ("documents", "source_id", "sources", "source_id"),
    ("document_versions", "document_id", "documents", "document_id"),
    ("document_versions", "sha256", "originals", "sha256"),
    ("extractions", "version_id", "document_versions", "version_id"),
    ("canonical_texts", "extraction_id", "extractions", "extraction_id"),
    ("elements", "extraction_id", "extractions", "extraction_id"),
    ("document_tables", "element_id", "elements", "element_id"),
    ("table_cells", "table_id", "document_tables", "table_id"),
    ("text_edits", "extraction_id", "extractions", "extraction_id"),
    ("annotations", "extraction_id", "extractions", "extraction_id"),
    ("unit_references", "extraction_id", "extractions", "extraction_id"),
    ("parent_units", "extraction_id", "extractions", "extraction_id"),
    ("parent_units", "parent_id", "parent_units", "parent_unit_id"),
    ("chunks", "extraction_id", "extractions", "extraction_id"),
    ("chunks", "parent_unit_id", "parent_units", "parent_unit_id"),
    ("chunks", "previous_chunk_id", "chunks", "chunk_id"),
    ("chunks", "next_chunk_id", "chunks", "chunk_id"),
    ("chunk_mentions", "chunk_id", "chunks", "chunk_id"),
    ("chunk_contexts", "chunk_id", "chunks", "chunk_id"),
    ("mentions", "extraction_id", "extractions", "extraction_id"),
    ("claims", "extraction_id", "extractions", "extraction_id"),
    ("claims", "subject_mention_id", "mentions", "mention_id"),
    ("claims", "object_mention_id", "mentions", "mention_id"),
    ("claim_evidence", "claim_id", "claims", "claim_id"),
    ("generation_versions", "version_id", "document_versions", "version_id"),
    ("generation_versions", "extraction_id", "extractions", "extraction_id"),
    ("entity_mentions", "mention_id", "mentions", "mention_id"),
    ("entity_mentions", "entity_id", "canonical_entities", "entity_id"),
    ("aliases", "entity_id", "canonical_entities", "entity_id"),
    ("relationships", "subject_id", "canonical_entities", "entity_id"),
    ("relationships", "object_id", "canonical_entities", "entity_id"),
    ("relationship_claims", "claim_id", "claims", "claim_id"),
    ("relationship_claims", "relationship_id", "relationships", "relationship_id"),
    ("conflict_claims", "claim_id", "claims", "claim_id"),
    ("conflict_claims", "conflict_id", "conflicts", "conflict_id"),
    ("conflicts", "subject_id", "canonical_entities", "entity_id"),
    ("supersession_candidates", "conflict_id", "conflicts", "conflict_id"),
    ("supersession_candidates", "earlier_claim_id", "claims", "claim_id"),
    ("supersession_candidates", "later_claim_id", "claims", "claim_id"),
    ("supersession_candidates", "evidence_claim_id", "claims", "claim_id"),
    ("entity_descriptions", "entity_id", "canonical_entities", "entity_id"),
    ("entity_descriptions", "claim_id", "claims", "claim_id"),
    ("document_subjects", "entity_id", "canonical_entities", "entity_id"),
    ("communities", "parent_id", "communities", "community_id"),
    ("community_members", "entity_id", "canonical_entities", "entity_id"),
    ("community_members", "community_id", "communities", "community_id"),
    ("community_reports", "community_id", "communities", "community_id"),
    ("index_points", "text_digest", "embeddings", "text_digest"),
    ("chunk_states", "chunk_id", "chunks", "chunk_id"),
    ("manifest", "capture_id", "captures", "capture_id"),
    ("losses", "version_id", "document_versions", "version_id"),
    ("stage_books", "version_id", "document_versions", "version_id"),
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """Something that does not hold: where, and how many rows."""

    table: str
    what: str
    rows: int


def schema_findings(rows: Rows, tables: Iterable[str]) -> list[Finding]:
    """Columns whose names, order or types are not those of `tables`; reads no row."""
    findings = []
    for name in tables:
        expected = TABLES[name].schema
        actual = rows.read(f"SELECT * FROM {name} LIMIT 0").schema
        if list(actual.names()) != list(expected.names()):
            findings.append(Finding(name, f"columns {actual.names()}", 0))
            continue
        wrong = [column for column, dtype in expected.items() if actual[column] != dtype]
        if wrong:
            findings.append(Finding(name, f"types of {wrong}", 0))
    return findings


def key_findings(rows: Rows, tables: Iterable[str]) -> list[Finding]:
    """Keys that occur more than once."""
    findings = []
    for name in tables:
        key = ", ".join(f'"{column}"' for column in TABLES[name].key)
        duplicates = rows.read(f"SELECT count(*) - count(DISTINCT ({key})) FROM {name}").item()
        if duplicates:
            findings.append(Finding(name, f"key ({key}) repeated", int(duplicates)))
    return findings


def reference_findings(rows: Rows, tables: Iterable[str], version_ids: pl.DataFrame | None = None) -> list[Finding]:
    """References that lead nowhere, in all rows of the tables or in those of some versions."""
    wanted = set(tables)
    findings = []
    for table, column, target, target_column in REFERENCES:
        if table not in wanted:
            continue
        local = version_ids is not None and "version_id" in TABLES[table].schema
        limit = "JOIN wanted USING (version_id)" if local else ""
        dangling = rows.read(
            f"SELECT count(*) FROM {table} t {limit} WHERE t.{column} IS NOT NULL "
            f"AND t.{column} NOT IN (SELECT {target_column} FROM {target})",
            frames={"wanted": version_ids} if local and version_ids is not None else None,
        ).item()
        if dangling:
            findings.append(Finding(table, f"{column} without {target}", int(dangling)))
    return findings + (_unstated(rows, version_ids) if "claim_evidence" in wanted else [])


def _unstated(rows: Rows, version_ids: pl.DataFrame | None) -> list[Finding]:
    """Evidence outside the text (start and end -1) that is not word for word a field of extracted_metadata."""
    limit = "" if version_ids is None else "JOIN wanted USING (version_id)"
    unstated = rows.read(
        f"SELECT count(*) FROM claim_evidence e {limit} LEFT JOIN extracted_metadata m ON m.version_id = e.version_id "
        "AND m.field = e.field AND m.value = e.quote "
        'WHERE (e.start < 0 OR e."end" < 0) AND (e.start <> -1 OR e."end" <> -1 OR m.field IS NULL)',
        frames=None if version_ids is None else {"wanted": version_ids},
    ).item()
    return (
        [Finding("claim_evidence", "quote outside the text without its metadata field", int(unstated))]
        if unstated
        else []
    )
