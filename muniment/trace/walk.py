"""Walking provenance: from any id back to the original, and forward to what would vanish with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from muniment.publication.scope import OPERATOR_VIEW
from muniment.resolution.published import Redirect, redirect
from muniment.store.rows import Rows
from muniment.trace.model import Step, Trace

Row = Mapping[str, Any]


class UnknownId(KeyError):
    """No row of the published generation has this id."""

    def __str__(self) -> str:
        return str(self.args[0])


#: Where an id may be found: kind, table, id column.
KINDS = (
    ("chunk", "chunks", "chunk_id"),
    ("claim", "claims", "claim_id"),
    ("mention", "mentions", "mention_id"),
    ("entity", "canonical_entities", "entity_id"),
    ("relationship", "relationships", "relationship_id"),
    ("element", "elements", "element_id"),
    ("table", "document_tables", "table_id"),
    ("extraction", "extractions", "extraction_id"),
    ("version", "document_versions", "version_id"),
    ("document", "documents", "document_id"),
    ("capture", "captures", "capture_id"),
    ("original", "originals", "sha256"),
    ("conflict", "conflicts", "conflict_id"),
    ("community", "communities", "community_id"),
)


def trace_id(rows: Rows, any_id: str) -> Trace:
    """The trace of anything that has an id. Raises UnknownId naming what was looked through."""
    for kind, table, column in KINDS:
        found = rows.read(f"SELECT * FROM {table} WHERE {column} = ? LIMIT 1", [any_id])
        if found.height:
            return _TRACERS.get(kind, _of_version)(rows, kind, table, any_id, found.row(0, named=True))
    moved = redirect(rows, OPERATOR_VIEW, any_id)
    if moved is not None:
        return _of_redirect(rows, moved)
    raise UnknownId(f"{any_id}: no {', '.join(kind for kind, *_ in KINDS)} of the published generation has this id")


def _of_redirect(rows: Rows, moved: Redirect) -> Trace:
    """The present entity of an id that was published earlier; the first step says that the id has moved."""
    if moved.entity_id is None:
        raise UnknownId(str(moved))
    found = trace_id(rows, moved.entity_id)
    facts = {"leads_to": moved.entity_id, "since": moved.changed_generation}
    step = Step(table="published_ids", id=moved.old_id, facts=facts)
    return found.model_copy(update={"back": [step, *found.back]})


def _of_version(rows: Rows, kind: str, table: str, any_id: str, row: Row) -> Trace:
    """A row of one version: itself, its extraction, version, document, captures, run."""
    text, locator = _text(rows, kind, row)
    facts = {
        name: row[name]
        for name in ("start", "end", "kind", "page", "rule", "predicate", "polarity", "doc_type", "strategy", "path")
        if name in row
    }
    back = [Step(table=table, id=any_id, facts=facts)]
    version_id = row.get("version_id")
    if version_id is not None:
        back += version_steps(rows, version_id)
    return Trace(id=any_id, kind=kind, back=back, forward=_forward(rows, kind, any_id, row), text=text, locator=locator)


def version_steps(rows: Rows, version_id: str) -> list[Step]:
    """Extraction, version, document, captures and runs of a version."""
    steps = []
    for extraction in rows.read("SELECT * FROM extractions WHERE version_id = ?", [version_id]).iter_rows(named=True):
        facts = {name: extraction[name] for name in ("reader", "reader_version", "config_digest", "canonical_sha256")}
        steps.append(Step(table="extractions", id=extraction["extraction_id"], facts=facts))
    for status in rows.read(
        "SELECT stage, state, run_id, batch_id, isolation FROM stage_status WHERE version_id = ? "
        "AND stage = 'structured_extraction'",
        [version_id],
    ).iter_rows(named=True):
        facts = {name: status[name] for name in ("state", "run_id", "isolation")}
        steps.append(Step(table="batches", id=status["batch_id"], facts=facts))
    for version in rows.read("SELECT * FROM document_versions WHERE version_id = ?", [version_id]).iter_rows(
        named=True
    ):
        facts = {name: version[name] for name in ("sha256", "size", "version_no", "name", "doc_type")}
        steps.append(Step(table="document_versions", id=version_id, facts=facts))
        steps += _document_steps(rows, version["document_id"])
    for capture in rows.read(
        "SELECT * FROM captures WHERE version_id = ? ORDER BY opened_scan, path", [version_id]
    ).iter_rows(named=True):
        facts = {
            name: str(capture[name]) for name in ("path", "change", "observed_from", "observed_to") if capture[name]
        }
        steps.append(Step(table="captures", id=capture["capture_id"], facts=facts))
    return steps


def _document_steps(rows: Rows, document_id: str) -> list[Step]:
    return [
        Step(
            table="documents",
            id=document_id,
            facts={"source": row["name"], "first_path": row["first_path"], "access_policy_id": row["access_policy_id"]},
        )
        for row in rows.read(
            "SELECT d.*, s.name FROM documents d JOIN sources s USING (source_id) WHERE d.document_id = ?",
            [document_id],
        ).iter_rows(named=True)
    ]


def _text(rows: Rows, kind: str, row: Row) -> tuple[str | None, dict[str, Any] | None]:
    """The thing's own words, and where they stand."""
    if kind == "chunk":
        return row["text"], json.loads(row["source_locator"])
    if kind in ("mention", "element", "claim"):
        start, end = row.get("start"), row.get("end")
        if kind == "claim":
            quote = rows.read(
                'SELECT start, "end" FROM claim_evidence WHERE claim_id = ? ORDER BY start LIMIT 1', [row["claim_id"]]
            )
            start, end = quote.row(0) if quote.height else (None, None)
        if start is None or end is None:
            return None, None
        text = rows.read("SELECT text FROM canonical_texts WHERE extraction_id = ?", [row["extraction_id"]]).item()
        return text[start:end], _element_locator(rows, row["extraction_id"], start, end)
    return None, None


def _element_locator(rows: Rows, extraction_id: str, start: int, end: int) -> dict[str, Any] | None:
    found = rows.read(
        "SELECT page, slide, sheet, cell_range, mail_part FROM elements "
        'WHERE extraction_id = ? AND start <= ? AND "end" > ? ORDER BY ordinal LIMIT 1',
        [extraction_id, start, start],
    )
    if not found.height:
        return None
    place = {name: value for name, value in found.row(0, named=True).items() if value is not None}
    return {"characters": [start, end], **place}


def _forward(rows: Rows, kind: str, any_id: str, row: Row) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name, sql in _FORWARD.get(kind, {}).items():
        count = rows.read(sql, [row.get("sha256") if kind == "original" else any_id]).item()
        if count:
            counts[name] = int(count)
    return counts


#: What depends on a thing, by kind: name and SQL with the id as its only parameter.
_FORWARD: dict[str, dict[str, str]] = {
    "chunk": {
        "contexts": "SELECT count(*) FROM chunk_contexts WHERE chunk_id = ?",
        "points": "SELECT count(*) FROM index_points WHERE ref_id = ?",
    },
    "claim": {
        "relationships": "SELECT count(*) FROM relationship_claims WHERE claim_id = ?",
        "conflicts": "SELECT count(*) FROM conflict_claims WHERE claim_id = ?",
    },
    "mention": {
        "entities": "SELECT count(*) FROM entity_mentions WHERE mention_id = ?",
        "claims": "SELECT count(*) FROM claims WHERE ? IN (subject_mention_id, object_mention_id)",
    },
    "version": {
        "elements": "SELECT count(*) FROM elements WHERE version_id = ?",
        "chunks": "SELECT count(*) FROM chunks WHERE version_id = ?",
        "mentions": "SELECT count(*) FROM mentions WHERE version_id = ?",
        "claims": "SELECT count(*) FROM claims WHERE version_id = ?",
        "points": "SELECT count(*) FROM index_points WHERE version_id = ?",
        "entities that only it mentions": (
            "SELECT count(*) FROM (SELECT entity_id FROM entity_mentions GROUP BY entity_id "
            "HAVING count(*) = count(*) FILTER (version_id = ?))"
        ),
    },
}  # fmt: skip


def _of_document(rows: Rows, kind: str, table: str, any_id: str, row: Row) -> Trace:
    versions = rows.read("SELECT version_id FROM document_versions WHERE document_id = ? ORDER BY version_no", [any_id])
    back = [*_document_steps(rows, any_id)]
    for version_id in versions["version_id"]:
        back += [step for step in version_steps(rows, version_id) if step.table != "documents"]
    forward: dict[str, int] = {}
    for version_id in versions["version_id"]:
        for name, count in _forward(rows, "version", version_id, {}).items():
            forward[name] = forward.get(name, 0) + count
    return Trace(id=any_id, kind=kind, back=back, forward=forward)


def _of_original(rows: Rows, kind: str, table: str, any_id: str, row: Row) -> Trace:
    versions = rows.read("SELECT version_id FROM document_versions WHERE sha256 = ? ORDER BY version_id", [any_id])
    back = [Step(table="originals", id=any_id, facts={"size": row["size"]})]
    for version_id in versions["version_id"]:
        back += version_steps(rows, version_id)
    return Trace(id=any_id, kind=kind, back=back, forward={"versions": versions.height})


def _of_entity(rows: Rows, kind: str, table: str, any_id: str, row: Row) -> Trace:
    facts = {name: row[name] for name in ("name", "entity_type", "mentions", "documents")}
    back = [Step(table=table, id=any_id, facts=facts)]
    back += [
        Step(table="mentions", id=mention["mention_id"], facts={"text": mention["text"], "start": mention["start"]})
        for mention in rows.read(
            "SELECT m.* FROM entity_mentions e JOIN mentions m USING (mention_id) WHERE e.entity_id = ? "
            "ORDER BY m.document_id, m.start LIMIT 20",
            [any_id],
        ).iter_rows(named=True)
    ]
    relationships = rows.read("SELECT count(*) FROM relationships WHERE ? IN (subject_id, object_id)", [any_id]).item()
    return Trace(id=any_id, kind=kind, back=back, forward={"relationships": int(relationships)})


def _of_relationship(rows: Rows, kind: str, table: str, any_id: str, row: Row) -> Trace:
    facts = {name: row[name] for name in ("subject_id", "predicate", "object_id", "polarity")}
    back = [Step(table=table, id=any_id, facts=facts)]
    claims = rows.read(
        "SELECT c.claim_id, c.rule, c.version_id, e.quote FROM relationship_claims r JOIN claims c USING (claim_id) "
        "JOIN claim_evidence e USING (claim_id) WHERE r.relationship_id = ? ORDER BY c.claim_id LIMIT 20",
        [any_id],
    )
    back += [
        Step(
            table="claims", id=claim["claim_id"], facts={name: claim[name] for name in ("rule", "version_id", "quote")}
        )
        for claim in claims.iter_rows(named=True)
    ]
    return Trace(id=any_id, kind=kind, back=back, forward={"claims": claims.height})


_TRACERS: dict[str, Callable[[Rows, str, str, str, Row], Trace]] = {
    "document": _of_document,
    "original": _of_original,
    "entity": _of_entity,
    "relationship": _of_relationship,
}
