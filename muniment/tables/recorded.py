"""Recorded tables: what happened and cannot be recomputed. Backup, repair and purge need only these."""

from __future__ import annotations

from muniment.tables.model import BOOLEAN, INTEGER, STRING, TIME, Table, column

SOURCES = Table(
    "sources", "recorded", "none", "originals", ("source_id",),
    "Places that documents come from.",
    (
        column("source_id", STRING, "UUIDv5 of the source's name"),
        column("name", STRING, "unique name given by the operator"),
        column("kind", STRING, "folder or file"),
        column("location", STRING, "absolute path or URL", process=True),
        column("access_policy_id", STRING, "policy of its documents; null: nobody but the operator", null=True),
        column("added_at", TIME, "when it was declared", process=True),
    ),
)

ORIGINALS = Table(
    "originals", "recorded", "none", "originals", ("sha256",),
    "Bytes as received, kept unchanged in the content-addressed store.",
    (
        column("sha256", STRING, "hex digest of the bytes: their address in the store"),
        column("size", INTEGER, "bytes"),
        column("stored_at", TIME, "when first stored", process=True),
    ),
)

DOCUMENTS = Table(
    "documents", "recorded", "none", "originals", ("document_id",),
    "Things with a stable identity in their source.",
    (
        column("document_id", STRING, "UUIDv5(source_id, first path)"),
        column("source_id", STRING, "source"),
        column("first_path", STRING, "path, relative to the source, when first captured"),
        column("access_policy_id", STRING, "its one policy; null: nobody but the operator", null=True),
        column("first_scan", INTEGER, "ordinal of the scan that first captured it (order of first capture)"),
        column("created_at", TIME, "when first captured", process=True),
    ),
)

DOCUMENT_VERSIONS = Table(
    "document_versions", "recorded", "none", "originals", ("version_id",),
    "Contents of documents, one row a distinct content.",
    (
        column("version_id", STRING, "UUIDv5(document_id, sha256)"),
        column("document_id", STRING, "document"),
        column("sha256", STRING, "original"),
        column("size", INTEGER, "bytes"),
        column("version_no", INTEGER, "1 for the first content captured of the document, 2 for the next, …"),
        column("name", STRING, "file name when first captured"),
        column("doc_type", STRING, "document type by content: pdf, docx, html, …, or unsupported"),
        column("type_finding", STRING, "what the content is, where it is unsupported or contradicts the name", null=True),
        column("first_scan", INTEGER, "ordinal of the scan that first captured it"),
        column("created_at", TIME, "when first captured", process=True),
    ),
)

CAPTURES = Table(
    "captures", "recorded", "none", "originals", ("capture_id",),
    "Intervals in which a source held a version at a path; also what was refused, with the reason.",
    (
        column("capture_id", STRING, "UUIDv5(source_id, path, sha256 or reason, ordinal at this path)"),
        column("source_id", STRING, "source"),
        column("path", STRING, "path relative to the source, with forward slashes"),
        column("document_id", STRING, "document; null when nothing could be stored", null=True),
        column("version_id", STRING, "version; null when nothing could be stored", null=True),
        column("sha256", STRING, "digest of the bytes", null=True),
        column("size", INTEGER, "bytes", null=True),
        column("change", STRING, "new, changed, reverted, renamed, reappeared, refused"),
        column("previous_path", STRING, "where a renamed document stood before", null=True),
        column("reason_code", STRING, "why nothing was stored", null=True),
        column("detail", STRING, "what a person should know of the refusal", null=True),
        column("opened_scan", INTEGER, "ordinal of the scan that opened it"),
        column("closed_scan", INTEGER, "ordinal of the scan that no longer saw it; null: held", null=True),
        column("modified_ns", INTEGER, "later of the file's mtime and ctime, to skip unchanged files", null=True, process=True),
        column("observed_from", TIME, "first observed", process=True),
        column("observed_to", TIME, "no longer observed", null=True, process=True),
    ),
)

STATED_METADATA = Table(
    "stated_metadata", "recorded", "none", "originals", ("document_id", "version_id", "field", "value"),
    "What a source or sidecar states of a document (never what a reader derived).",
    (
        column("document_id", STRING, "document"),
        column("version_id", STRING, "version, or '' for all of the document's"),
        column("field", STRING, "title, author, published_on, valid_from, valid_to, …"),
        column("value", STRING, "as stated"),
        column("basis", STRING, "explicit"),
        column("evidence", STRING, "JSON: where it is stated"),
        column("recorded_at", TIME, "when recorded", process=True),
    ),
)

TOMBSTONES = Table(
    "tombstones", "recorded", "none", "originals", ("document_id",),
    "Documents that must go: every derived row of them is absent from the next generation.",
    (
        column("document_id", STRING, "document"),
        column("reason", STRING, "why"),
        column("requested_by", STRING, "who asked", process=True),
        column("requested_at", TIME, "when", process=True),
    ),
)

MODEL_ANSWERS = Table(
    "model_answers", "recorded", "none", "entities", ("request_digest",),
    "Answers of models, paid for once, by the digest of what was asked. A failed one is asked again by the next run.",
    (
        column("request_digest", STRING, "digest of model, sampling, prompt version and messages"),
        column("model", STRING, "model name at its endpoint"),
        column("endpoint", STRING, "name of the endpoint in the settings"),
        column("purpose", STRING, "claims, contexts, reports"),
        column("prompt", STRING, "name and version of the prompt"),
        column("answer", STRING, "text as the model gave it; null: none came", null=True),
        column("state", STRING, "accepted, rejected (an answer that cannot be used) or failed (no answer)"),
        column("reason_code", STRING, "why not accepted", null=True),
        column("prompt_tokens", INTEGER, "as the endpoint counted, else estimated", process=True),
        column("answer_tokens", INTEGER, "as the endpoint counted, else estimated", process=True),
        column("answered_at", TIME, "when", process=True),
    ),
)

EGRESS_DECISIONS = Table(
    "egress_decisions", "recorded", "none", "entities", ("version_id", "purpose"),
    "Whether a version's text might leave for a model, and by which rule; the last decision for each purpose.",
    (
        column("version_id", STRING, "version"),
        column("purpose", STRING, "claims, contexts, reports"),
        column("endpoint", STRING, "name of the endpoint in the settings"),
        column("base_url", STRING, "its address then"),
        column("access_policy_id", STRING, "the document's policy then", null=True),
        column("doc_type", STRING, "document type"),
        column("classification", STRING, "as the document states it", null=True),
        column("allowed", BOOLEAN, "whether text might leave"),
        column("rule", STRING, "name of the rule that decided, or loopback, withheld, no rule"),
        column("decided_at", TIME, "when", process=True),
    ),
)

PUBLISHED_IDS = Table(
    "published_ids", "recorded", "none", "merged_graph", ("view_id", "entity_id"),
    "Every entity id ever published and the present entity it leads to. Outside digests.",
    (
        column("view_id", STRING, "view"),
        column("entity_id", STRING, "id once published"),
        column("present_entity_id", STRING, "entity that now holds most of its mentions", null=True, process=True),
        column("first_generation", STRING, "generation that first published it", process=True),
        column("changed_generation", STRING, "generation that last changed the mapping", process=True),
    ),
)

JUDGEMENTS = Table(
    "judgements", "recorded", "none", "review_queue", ("judgement_id",),
    "What people decided, anchored by selectors so that it can be replayed. Rows are added, never changed or removed.",
    (
        column("judgement_id", STRING, "UUIDv5 of kind, subject, object, decision, and how many equal ones were undone before"),
        column("kind", STRING, "same_entity, different_entity, split_entity; retraction takes another one back"),
        column("subject", STRING, "JSON: name, names and selectors of the mentions it is about; of a retraction: judgement_id"),
        column("object", STRING, "JSON: the other side", null=True),
        column("decision", STRING, "same, different, retracted"),
        column("decided_by", STRING, "person", process=True),
        column("decided_at", TIME, "when", process=True),
    ),
)

POLICIES = Table(
    "policies", "recorded", "none", "review_queue", ("access_policy_id",),
    "Access policies.",
    (
        column("access_policy_id", STRING, "policy"),
        column("description", STRING, "for people"),
        column("declared_at", TIME, "when", process=True),
    ),
)

PRINCIPALS = Table(
    "principals", "recorded", "none", "review_queue", ("principal_id", "access_policy_id"),
    "Who may see documents of which policy.",
    (
        column("principal_id", STRING, "person or program"),
        column("access_policy_id", STRING, "policy granted"),
        column("active", BOOLEAN, "false once revoked"),
        column("changed_at", TIME, "when", process=True),
    ),
)

TABLES = (
    SOURCES, ORIGINALS, DOCUMENTS, DOCUMENT_VERSIONS, CAPTURES, STATED_METADATA, TOMBSTONES,
    MODEL_ANSWERS, EGRESS_DECISIONS, PUBLISHED_IDS, JUDGEMENTS, POLICIES, PRINCIPALS,
)
