"""The stage `entities`: mentions and claims of each version from its annotations. No language engine is used here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from muniment.claims.document import Counts, DocumentResult, DocumentTask, extract_documents
from muniment.claims.effects import document_validity
from muniment.claims.model_reading import Reading
from muniment.claims.model_stage import answers_of, close_model_books, request_rows
from muniment.claims.passages import ClauseCounts
from muniment.claims.statements import Origin
from muniment.claims.values import conventions_of
from muniment.domain.model import DomainSchema
from muniment.extraction.metadata import field_of
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
    readings: Mapping[str, Reading] | None = None,
) -> StageOutput:
    """Mentions, claims and claim_evidence of a group of versions, with their books.

    Books: `mentions` (expected: named entities and noun chunks), `sentences_with_verb` (actual: those
    with a claim), `clauses` (expected: all outside questions) and `anaphora` (actual: resolved); where there are any
    `pattern_matches` (actual: mentions of patterns) and `short_forms` ("the Gateway": actual: with one meaning).
    `table_cells`, `metadata_fields` and `values` account for what tables and metadata state and values mean.
    `readings` by extraction_id is what a model said of them: with it model_requests and the books of `model_stage`
    too; a version of which the model could not be asked is a partial outcome, and its other rows are the same.
    """
    tables = _records(document_tables.sort("ordinal"), "extraction_id")
    hidden = document_tables.join(elements.filter("hidden"), on="element_id", how="semi")["table_id"].implode()
    unseen = pl.col("hidden") | pl.col("table_id").is_in(hidden)
    cells = _records(table_cells.with_columns(hidden=unseen).sort("table_id", "row", "column"), "extraction_id")
    tasks = [
        replace(
            task,
            tables=tables.get(task.origin.extraction_id, ()),
            cells=cells.get(task.origin.extraction_id, ()),
            model=answers_of(readings, task.origin.extraction_id),
        )
        for task in _tasks(extractions, canonical_texts, elements, annotations, extracted_metadata, settings, domain)
    ]
    results: list[DocumentResult] = [
        result for answer in pool.map(extract_documents, _payloads(tasks)) for result in answer
    ]
    ledger = Ledger(STAGE)
    for result in results:
        _close_books(ledger, result.version_id, result.counts, len(result.mentions))
        _close_name_books(ledger, result.version_id, result.counts, result.mentions)
        _close_clause_books(ledger, result.version_id, result.clauses)
        _close_stated_books(ledger, result)
    heard = close_model_books(ledger, results, tasks, readings)
    done = {result.version_id for result in results}
    outcomes = [
        heard.get(version_id, Outcome(version_id, "ok"))
        if version_id in done
        else Outcome(version_id, "failed", "upstream_failed", "no canonical text")
        for version_id in extractions["version_id"].unique().sort()
    ]
    return StageOutput(
        tables={
            "mentions": _frame("mentions", (row for result in results for row in result.mentions)),
            "claims": _frame("claims", (row for result in results for row in result.claims)),
            "claim_evidence": _frame("claim_evidence", (row for result in results for row in result.evidence)),
            "model_requests": request_rows(readings, done),
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
            origin=_origin(row, texts[extraction_id], stated.get(version_id, ())),
            elements=outlines.get(extraction_id, ()),
            annotations=tuple(rows.to_dicts()) if rows is not None else (),
            stated=(*stated.get(version_id, ()), *([("title", row["title"])] if row["title"] else [])),
            noun_phrases=settings.noun_phrases,
            co_occurrence=settings.co_occurrence,
            max_table_rows=settings.max_table_rows,
            max_name_tokens=settings.max_name_tokens,
            domain=domain,
            language=row["language"],
        )


def _origin(row: dict[str, Any], text: str, stated: tuple[tuple[str, str], ...]) -> Origin:
    languages = [value for name, value in stated if field_of(name) == "language"]
    return Origin(
        row["extraction_id"],
        row["version_id"],
        row["document_id"],
        text,
        row["published_on"],
        conventions_of(text, row["language"], languages),
        document_validity(row["valid_from"], row["valid_to"], stated),
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


def _close_clause_books(ledger: Ledger, version_id: str, counts: ClauseCounts) -> None:
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
        actual=counts.clauses - counts.without_claim.total(),
        entries=_entries(*sorted(counts.without_claim.items())),
    )
    ledger.close(
        version_id,
        "anaphora",
        expected=counts.anaphora_resolved + counts.anaphora_unresolved,
        actual=counts.anaphora_resolved,
        entries=_entries(("anaphora_unresolved", counts.anaphora_unresolved)),
    )


def _close_stated_books(ledger: Ledger, result: DocumentResult) -> None:
    """Books of table cells (below headers; actual: those that name a row or make a claim), of metadata fields, and of
    values of claims (actual: those read, or without digits)."""
    for unit, fates in (
        ("table_cells", result.cells),
        ("metadata_fields", result.fields),
        ("values", result.values),
    ):
        made = fates["claim"] + fates["key"]
        lost = {reason: amount for reason, amount in fates.items() if amount and reason not in ("claim", "key")}
        if fates.total():
            ledger.close(
                result.version_id,
                unit,
                expected=fates.total(),
                actual=made,
                entries=_entries(*sorted(lost.items())),
            )


def _close_name_books(ledger: Ledger, version_id: str, counts: Counts, rows: list[dict[str, object]]) -> None:
    """Books of patterns and short forms where there are any, and what a missing language pipeline costs."""
    if counts.pattern_matches:
        ledger.close(
            version_id,
            "pattern_matches",
            expected=counts.pattern_matches,
            actual=sum(row["source"] == "pattern" for row in rows),
            entries=_entries(
                ("mention_overlapped", counts.patterns_covered), ("pattern_across_sentences", counts.patterns_across)
            ),
        )
    forms = counts.short_forms
    if forms.used:
        ledger.close(
            version_id,
            "short_forms",
            expected=forms.used,
            actual=forms.resolved,
            entries=_entries(("short_form_unresolved", forms.used - forms.resolved)),
        )
    if counts.sentences_without_pipeline:
        ledger.lose(version_id, "sentences", Entry("no_language_pipeline", counts.sentences_without_pipeline))


def _entries(*amounts: tuple[str, int]) -> list[Entry]:
    return [Entry(code, amount) for code, amount in amounts if amount]
