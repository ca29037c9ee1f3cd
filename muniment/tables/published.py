"""Derived tables of the global stages: computed across versions at publication.

What depends on who may see what carries `view_id`. A generation's snapshot holds one state of
each, so the rows need no generation id.
"""

from __future__ import annotations

from muniment.tables.model import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    STRING,
    STRINGS,
    VECTOR,
    Column,
    Table,
    column,
)

VIEW = column("view_id", STRING, "view; 'operator' sees everything")


def _table(name: str, stage: str, key: tuple[str, ...], description: str, *columns: Column) -> Table:
    return Table(name, "derived", "global", stage, key, description, columns)


GENERATION_VERSIONS = _table(
    "generation_versions", "generation", ("version_id",),
    "The versions in the generation and the local rows it uses of them.",
    column("version_id", STRING, "version"),
    column("document_id", STRING, "document"),
    column("extraction_id", STRING, "extraction"),
    column("sha256", STRING, "original"),
    column("held", BOOLEAN, "an open capture holds it: the default scope"),
    column("newer_version_not_published", BOOLEAN, "a newer version exists that is not fit to publish"),
    column("stage_keys", STRINGS, "stage=key of every local stage"),
)

MANIFEST = _table(
    "manifest", "generation", ("capture_id",),
    "One row for every capture, and what became of it.",
    column("capture_id", STRING, "capture"),
    column("source_id", STRING, "source"),
    column("path", STRING, "path in the source"),
    column("document_id", STRING, "document", null=True),
    column("version_id", STRING, "version", null=True),
    column("sha256", STRING, "original", null=True),
    column("size", INTEGER, "bytes", null=True),
    column("doc_type", STRING, "document type", null=True),
    column("held", BOOLEAN, "still held by the source"),
    column("state", STRING, "indexed, partial, not_indexed, excluded, deleted"),
    column("reason_code", STRING, "why not indexed in full", null=True),
    column("detail", STRING, "for people", null=True),
    column("access_policy_id", STRING, "policy", null=True),
)

VERSION_LINKS = _table(
    "version_links", "originals", ("from_version_id", "to_version_id", "kind"),
    "Links between versions.",
    column("from_version_id", STRING, "version"),
    column("to_version_id", STRING, "version"),
    column("kind", STRING, "next_version, …"),
    column("basis", STRING, "explicit or rule"),
    column("evidence", STRING, "JSON"),
    column("verification_status", STRING, "unverified, stated, confirmed, rejected"),
)

FAMILIES = _table(
    "families", "originals", ("document_id",),
    "Documents of one case or work.",
    column("document_id", STRING, "document"),
    column("family_id", STRING, "family; a document alone is its own"),
    column("basis", STRING, "explicit, rule or none"),
    column("evidence", STRING, "JSON"),
)

CHUNK_STATES = _table(
    "chunk_states", "indexes", ("view_id", "chunk_id"),
    "What becomes of a chunk in a view's index.",
    VIEW,
    column("chunk_id", STRING, "chunk"),
    column("version_id", STRING, "version"),
    column("index_state", STRING, "indexed, excluded_hidden, excluded_boilerplate, suppressed_duplicate, excluded_policy"),
    column("reason_code", STRING, "why not indexed", null=True),
    column("representative_chunk_id", STRING, "chunk indexed in its place", null=True),
)

CANONICAL_ENTITIES = _table(
    "canonical_entities", "merged_graph", ("view_id", "entity_id"),
    "Normalized objects with a canonical id, type and aliases.",
    VIEW,
    column("entity_id", STRING, "UUIDv5 of the anchor mention: document, normalised name, type, ordinal among homonyms"),
    column("name", STRING, "preferred name as written"),
    column("entity_type", STRING, "type"),
    column("mentions", INTEGER, "mentions in held versions"),
    column("documents", INTEGER, "documents that mention it"),
    column("anchor_mention_id", STRING, "earliest mention"),
    column("anchor_document_id", STRING, "document of the earliest mention"),
)

ENTITY_MENTIONS = _table(
    "entity_mentions", "merged_graph", ("view_id", "mention_id"),
    "Which entity a mention names.",
    VIEW,
    column("mention_id", STRING, "mention"),
    column("entity_id", STRING, "entity"),
    column("version_id", STRING, "version"),
    column("document_id", STRING, "document"),
)

ALIASES = _table(
    "aliases", "merged_graph", ("view_id", "entity_id", "alias"),
    "Names of an entity; one that is unconfirmed is stated, but names nothing yet.",
    VIEW,
    column("entity_id", STRING, "entity"),
    column("alias", STRING, "normalised name"),
    column("display_name", STRING, "most frequent written form"),
    column("kind", STRING, "name, acronym, defined_term, short_form, aka, identifier, source_label (of tables or metadata only)"),
    column("source", STRING, "where its first mention comes from: ner, pattern, table_cell, …; definition: only a long form"),
    column("status", STRING, "accepted, or unconfirmed: stated by one family of documents only"),
    column("evidence_mention_id", STRING, "first mention under this name, or of the short form that states it"),
    column("first_seen", INTEGER, "scan that first captured a document that has it"),
    column("last_seen", INTEGER, "scan that first captured the latest such document"),
    column("mentions", INTEGER, "mentions under this name"),
)

PAIR_DECISIONS = _table(
    "pair_decisions", "merged_graph", ("left_name", "left_type", "right_name", "right_type", "rule", "scope"),
    "Whether two name groups name one entity, and why: a pure function of the two groups and their evidence.",
    column("left_name", STRING, "normalised name"),
    column("left_type", STRING, "type"),
    column("right_name", STRING, "normalised name"),
    column("right_type", STRING, "type"),
    column("scope", STRING, "document in which it holds, or '' everywhere"),
    column("decision", STRING, "merge, keep_apart, maybe_same"),
    column("rule", STRING, "rule or guard that decided"),
    column("score", FLOAT, "0 to 1"),
    column("detail", STRING, "what was proposed, what stands against it, which judgement", null=True),
)

JUDGEMENT_STATES = _table(
    "judgement_states", "merged_graph", ("view_id", "judgement_id"),
    "What became of each judgement of identity in force: whether its words were found again, and what contradicts it.",
    VIEW,
    column("judgement_id", STRING, "judgement"),
    column("kind", STRING, "same_entity, different_entity, split_entity"),
    column("state", STRING, "applied, partly_unanchored, unanchored, contradicted; the last two have no effect"),
    column("mentions", INTEGER, "mentions that it was found to name"),
    column("missing", INTEGER, "selectors that match no longer exactly one place"),
    column("document_id", STRING, "first document with such a selector", null=True),
    column("contradicts", STRINGS, "judgements that say the opposite"),
)

DOCUMENT_SUBJECTS = _table(
    "document_subjects", "merged_graph", ("view_id", "version_id", "entity_id"),
    "What a version (by its title or headings) is about.",
    VIEW,
    column("version_id", STRING, "version"),
    column("document_id", STRING, "document"),
    column("entity_id", STRING, "entity"),
    column("basis", STRING, "title or heading"),
)

RELATIONSHIPS = _table(
    "relationships", "merged_graph", ("view_id", "relationship_id"),
    "Merged edges that claims support, keyed by view, subject, predicate, object and polarity.",
    VIEW,
    column("relationship_id", STRING, "UUIDv5(subject, predicate, object, polarity)"),
    column("subject_id", STRING, "entity"),
    column("predicate", STRING, "predicate"),
    column("object_id", STRING, "entity"),
    column("polarity", STRING, "positive or negative"),
    column("claims", INTEGER, "claims that support it"),
    column("statements", INTEGER, "distinct statements"),
    column("documents", INTEGER, "documents that state it"),
    column("conditional", BOOLEAN, "every claim behind it has a condition"),
    column("modalities", STRINGS, "modalities of its claims, in alphabetical order"),
    column("weight", FLOAT, "sum over unconditional statements of their best confidence; finite and > 0"),
)

RELATIONSHIP_CLAIMS = _table(
    "relationship_claims", "merged_graph", ("view_id", "claim_id"),
    "Claims behind a relationship.",
    VIEW,
    column("claim_id", STRING, "claim"),
    column("relationship_id", STRING, "relationship"),
    column("version_id", STRING, "version"),
)

CONFLICTS = _table(
    "conflicts", "merged_graph", ("view_id", "conflict_id"),
    "Claims on one question that do not say the same, or say it differently; all sides are kept.",
    VIEW,
    column("conflict_id", STRING, "UUIDv5 of its claims"),
    column("kind", STRING, "contradiction, version_difference, succession, different_scope, refinement, variant, duplicate"),
    column("basis", STRING, "value, polarity, modality or definition: what the sides differ in"),
    column("subject_id", STRING, "entity"),
    column("predicate", STRING, "predicate"),
    column("target", STRING, "what it is said of besides: an entity, or words", null=True),
    column("undated", BOOLEAN, "some claim in it has no stated validity"),
    column("listed", BOOLEAN, "enters the conflict list of a slice"),
    column("claims", INTEGER, "claims in it"),
)

CONFLICT_CLAIMS = _table(
    "conflict_claims", "merged_graph", ("view_id", "conflict_id", "claim_id"),
    "Claims of a conflict.",
    VIEW,
    column("conflict_id", STRING, "conflict"),
    column("claim_id", STRING, "claim"),
    column("side", STRING, "which claims say the same: an entity, or words"),
)

SUPERSESSION_CANDIDATES = _table(
    "supersession_candidates", "merged_graph", ("view_id", "conflict_id", "earlier_claim_id", "later_claim_id", "basis"),
    "Claims of a conflict of which the later may have replaced the earlier; nothing is superseded by its date alone.",
    VIEW,
    column("conflict_id", STRING, "conflict"),
    column("earlier_claim_id", STRING, "claim"),
    column("later_claim_id", STRING, "claim of another side"),
    column("basis", STRING, "later_source, or stated_amendment: the later document says that it changes the earlier one"),
    column("status", STRING, "waiting for evidence or a judgement, or confirmed by a stated amendment"),
    column("evidence_claim_id", STRING, "claim that states the amendment", null=True),
    column("earlier_on", DATE, "date of the earlier source, or its claim's first day of validity", null=True),
    column("later_on", DATE, "likewise of the later", null=True),
)

ENTITY_DESCRIPTIONS = _table(
    "entity_descriptions", "merged_graph", ("view_id", "entity_id", "position"),
    "What documents say an entity is, word for word: a row a sentence of a version, definitions first.",
    VIEW,
    column("entity_id", STRING, "entity"),
    column("position", INTEGER, "1 is the first"),
    column("kind", STRING, "definition, copula, apposition, role, attribute"),
    column("claim_id", STRING, "claim; the first of those with this quote"),
    column("quote", STRING, "its evidence"),
    column("version_id", STRING, "version that says it"),
    column("document_id", STRING, "its document"),
)

COMMUNITIES = _table(
    "communities", "communities", ("view_id", "community_id"),
    "Groups of entities found by hierarchical Leiden.",
    VIEW,
    column("community_id", STRING, "UUIDv5 of view, level and sorted members"),
    column("level", INTEGER, "0 is the coarsest"),
    column("parent_id", STRING, "community that holds it", null=True),
    column("size", INTEGER, "entities"),
    column("is_final", BOOLEAN, "not divided further"),
)

COMMUNITY_MEMBERS = _table(
    "community_members", "communities", ("view_id", "entity_id", "level"),
    "Entities of communities; an isolated entity has level -1 and no community.",
    VIEW,
    column("entity_id", STRING, "entity"),
    column("level", INTEGER, "level, or -1 for an isolated entity"),
    column("community_id", STRING, "community; null when isolated", null=True),
)

COMMUNITY_REPORTS = _table(
    "community_reports", "communities", ("view_id", "community_id"),
    "What a community is about: top entities and relationships with verbatim evidence.",
    VIEW,
    column("community_id", STRING, "community"),
    column("title", STRING, "names of its top entities"),
    column("report", STRING, "text for readers and the index"),
    column("method", STRING, "extractive or model name"),
    column("claim_ids", STRINGS, "claims quoted, in order"),
    column("source_digest", STRING, "digest of all that the report is written from"),
)

EMBEDDINGS = _table(
    "embeddings", "indexes", ("text_digest",),
    "Vectors of texts, made once for equal texts.",
    column("text_digest", STRING, "digest of the text embedded"),
    column("embedder_digest", STRING, "model and settings"),
    column("vector", VECTOR, "unit length"),
)

INDEX_POINTS = _table(
    "index_points", "indexes", ("point_id",),
    "Points of the index.",
    column("point_id", STRING, "UUIDv5(view_id, kind, ref_id)"),
    VIEW,
    column("kind", STRING, "chunk, entity, report"),
    column("ref_id", STRING, "chunk_id, entity_id or community_id"),
    column("text_digest", STRING, "digest of the text embedded and tokenised"),
    column("payload_digest", STRING, "digest of the payload"),
    column("version_id", STRING, "version of a chunk", null=True),
)

LOSS_BY_TYPE = _table(
    "loss_by_type", "loss_report", ("doc_type", "stage", "unit"),
    "Losses by document type, stage and unit.",
    column("doc_type", STRING, "document type"),
    column("stage", STRING, "stage"),
    column("unit", STRING, "unit"),
    column("documents", INTEGER, "versions counted"),
    column("affected", INTEGER, "versions with a loss"),
    column("expected", INTEGER, "sum, additions included"),
    column("actual", INTEGER, "sum"),
    column("explained", INTEGER, "sum"),
    column("unexplained", INTEGER, "sum of absolute values"),
    column("set_aside", INTEGER, "the part of explained that loses nothing said: marks of the format, equal second bodies"),
    column("loss_ratio", FLOAT, "(explained - set_aside + unexplained) / expected"),
    column("worst_decile_ratio", FLOAT, "90th percentile of the ratio over versions"),
    column("worst_version_id", STRING, "version with the highest ratio", null=True),
    column("top_reasons", STRINGS, "reason=amount, largest first"),
    column("gate", STRING, "ok, warn or error by the thresholds"),
)

REVIEW_ITEMS = _table(
    "review_items", "review_queue", ("item_id",),
    "What a person must look at.",
    column("item_id", STRING, "UUIDv5 of kind and subject"),
    column("kind", STRING, "failed_document, critical_loss, major_loss, ambiguous_entity, …"),
    column("version_id", STRING, "version", null=True),
    column("document_id", STRING, "document", null=True),
    column("reason_code", STRING, "reason"),
    column("severity", STRING, "info, minor, major, critical"),
    column("detail", STRING, "for people"),
    column("advice", STRING, "what to do"),
)

TABLES = (
    GENERATION_VERSIONS, MANIFEST, VERSION_LINKS, FAMILIES, CHUNK_STATES, CANONICAL_ENTITIES, ENTITY_MENTIONS,
    ALIASES, PAIR_DECISIONS, JUDGEMENT_STATES, DOCUMENT_SUBJECTS, RELATIONSHIPS, RELATIONSHIP_CLAIMS,
    CONFLICTS, CONFLICT_CLAIMS, SUPERSESSION_CANDIDATES, ENTITY_DESCRIPTIONS,
    COMMUNITIES, COMMUNITY_MEMBERS, COMMUNITY_REPORTS, EMBEDDINGS, INDEX_POINTS, LOSS_BY_TYPE, REVIEW_ITEMS,
)
