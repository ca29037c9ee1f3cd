"""The stage `entities`: mentions and claims of each version from its annotations. No language engine is used here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from muniment.claims.document import Counts, DocumentResult, DocumentTask, extract_documents
from muniment.claims.statements import Origin
from muniment.domain.model import DomainSchema
from muniment.loss.ledger import Entry, Ledger
from muniment.nlp.stage import Pool
from muniment.settings import EntitySettings
from muniment.stages import Outcome, StageOutput
from muniment.tables.registry import TABLES

STAGE = "entities"
#: Raise it when the output changes for equal input and settings.
CODE_VERSION = "2"
#: Documents handed to a worker at once hold about this many sentences.
PAYLOAD_SENTENCES = 400


def producer(settings: EntitySettings) -> str:
    """Code version; the rules use no engine, so the settings change nothing in it."""
    del settings
    return f"{STAGE}-{CODE_VERSION}"


def extract_entities(
    extractions: pl.DataFrame,
    canonical_texts: pl.DataFrame,
    elements: pl.DataFrame,
    annotations: pl.DataFrame,
    extracted_metadata: pl.DataFrame,
    document_tables: pl.DataFrame,
    table_cells: pl.DataFrame,
    settings: EntitySettings,
    domain: DomainSchema,
    pool: Pool,
) -> StageOutput:
    """Mentions, claims and claim_evidence of a group of versions, with their books.

    Books: `mentions` (expected: named entities and noun chunks), `sentences_with_verb` (actual: those
    with a claim) and `clauses` (expected: asserted clauses whose subject is a mention).
    """
    tables = _records(document_tables.sort("ordinal"), "extraction_id")
    cells = _records(table_cells.sort("table_id", "row", "column"), "extraction_id")
    tasks = [
        replace(task, tables=tables.get(task.origin.extraction_id, ()), cells=cells.get(task.origin.extraction_id, ()))
        for task in _tasks(extractions, canonical_texts, elements, annotations, extracted_metadata, settings, domain)
    ]
    results: list[DocumentResult] = [
        result for answer in pool.map(extract_documents, _payloads(tasks)) for result in answer
    ]
    ledger = Ledger(STAGE)
    for result in results:
        _close_books(ledger, result.version_id, result.counts, len(result.mentions))
    done = {result.version_id for result in results}
    outcomes = [
        Outcome(version_id, "ok")
        if version_id in done
        else Outcome(version_id, "failed", "upstream_failed", "no canonical text")
        for version_id in extractions["version_id"].unique().sort()
    ]
    return StageOutput(
        tables={
            "mentions": _frame("mentions", (row for result in results for row in result.mentions)),
            "claims": _frame("claims", (row for result in results for row in result.claims)),
            "claim_evidence": _frame("claim_evidence", (row for result in results for row in result.evidence)),
            **ledger.frames(),
        },
        outcomes=outcomes,
    )


def _tasks(
    extractions: pl.DataFrame,
    canonical_texts: pl.DataFrame,
    elements: pl.DataFrame,
    annotations: pl.DataFrame,
    metadata: pl.DataFrame,
    settings: EntitySettings,
    domain: DomainSchema,
) -> Iterator[DocumentTask]:
    texts = dict(canonical_texts.select("extraction_id", "text").iter_rows())
    outlines = _grouped(elements.sort("start", "end", "kind"), "extraction_id", ["start", "end", "kind"])
    stated = _grouped(metadata.sort("field", "ordinal"), "version_id", ["field", "value"])
    read = annotations.sort("ordinal").partition_by("extraction_id", as_dict=True)
    for row in extractions.sort("version_id", "extraction_id").iter_rows(named=True):
        extraction_id, version_id = row["extraction_id"], row["version_id"]
        if extraction_id not in texts:
            continue
        rows = read.get((extraction_id,))
        yield DocumentTask(
            origin=Origin(extraction_id, version_id, row["document_id"], texts[extraction_id], row["published_on"]),
            elements=outlines.get(extraction_id, ()),
            annotations=tuple(rows.to_dicts()) if rows is not None else (),
            stated=(*stated.get(version_id, ()), *([("title", row["title"])] if row["title"] else [])),
            noun_phrases=settings.noun_phrases,
            max_name_tokens=settings.max_name_tokens,
            domain=domain,
            language=row["language"],
        )


def _grouped(frame: pl.DataFrame, key: str, columns: list[str]) -> dict[str, tuple[tuple[Any, ...], ...]]:
    groups: dict[str, list[tuple[Any, ...]]] = {}
    for name, *values in frame.select(key, *columns).iter_rows():
        groups.setdefault(name, []).append(tuple(values))
    return {name: tuple(values) for name, values in groups.items()}


def _records(frame: pl.DataFrame, key: str) -> dict[str, tuple[dict[str, Any], ...]]:
    return {name: tuple(part.to_dicts()) for (name,), part in frame.partition_by(key, as_dict=True).items()}


def _payloads(tasks: Iterable[DocumentTask]) -> Iterator[tuple[DocumentTask, ...]]:
    waiting: list[DocumentTask] = []
    size = 0
    for task in tasks:
        waiting.append(task)
        size += len(task.annotations)
        if size >= PAYLOAD_SENTENCES:
            yield tuple(waiting)
            waiting, size = [], 0
    if waiting:
        yield tuple(waiting)


def _frame(name: str, rows: Iterable[dict[str, object]]) -> pl.DataFrame:
    table = TABLES[name]
    return table.frame(list(rows)).sort(table.key)


def _close_books(ledger: Ledger, version_id: str, counts: Counts, mentions: int) -> None:
    ledger.close(
        version_id,
        "mentions",
        expected=counts.candidates,
        actual=mentions,
        entries=_entries(
            ("mention_filtered", counts.filtered),
            ("mention_overlapped", counts.overlapped),
            ("mention_added", counts.added),
        ),
    )
    ledger.close(
        version_id,
        "sentences_with_verb",
        expected=counts.verb_sentences,
        actual=counts.verb_sentences_with_claim,
        entries=_entries(("sentence_without_claim", counts.verb_sentences - counts.verb_sentences_with_claim)),
    )
    ledger.close(
        version_id,
        "clauses",
        expected=counts.clauses,
        actual=counts.clauses_with_claim,
        entries=_entries(("claim_without_object", counts.clauses - counts.clauses_with_claim)),
    )


def _entries(*amounts: tuple[str, int]) -> list[Entry]:
    return [Entry(code, amount) for code, amount in amounts if amount]
