"""The model's part of the stage `entities`: what documents it is shown, its books, rows and outcomes.

Units: `model_requests` (expected: what was or would have been asked; actual: accepted answers), `model_entities` and
`model_claims` (expected: items of the answers; actual: new entities, claims kept).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from muniment.claims.document import DocumentResult, DocumentTask
from muniment.claims.model_reading import PURPOSE, PartAnswer, Reading, Source, read_sources
from muniment.claims.model_windows import Element
from muniment.domain.model import DomainSchema
from muniment.loss.ledger import Entry, Ledger
from muniment.models.egress import CLASSIFICATION_FIELDS, DocumentClass
from muniment.models.gateway import Gateway
from muniment.settings import ModelSettings
from muniment.stages import Outcome
from muniment.tables.registry import TABLES

Frames = Mapping[str, pl.DataFrame]


def ask_model(
    frames: Frames, policies: pl.DataFrame, gateway: Gateway, settings: ModelSettings, domain: DomainSchema
) -> dict[str, Reading]:
    """What the model says of each extraction in `frames` (input frames of the stage).

    `policies` has document_id and access_policy_id.
    """
    return read_sources(_sources(frames, policies), gateway, settings, domain)


def recorded_rows(readings: Mapping[str, Reading], gateway: Gateway) -> dict[str, pl.DataFrame]:
    """Rows of model_answers and egress_decisions to commit with the group's own."""
    asked = {str(row["request_digest"]) for reading in readings.values() for row in reading.requests}
    decisions = {reading.decision.document.version_id: reading.decision for reading in readings.values()}
    return {
        "model_answers": gateway.answer_rows(asked),
        "egress_decisions": gateway.decision_rows(decisions.values(), PURPOSE),
    }


def answers_of(readings: Mapping[str, Reading] | None, extraction_id: str) -> tuple[PartAnswer, ...]:
    """Accepted answers about an extraction, in order."""
    reading = (readings or {}).get(extraction_id)
    return tuple(reading.answers) if reading is not None else ()


def request_rows(readings: Mapping[str, Reading] | None, version_ids: Iterable[str]) -> pl.DataFrame:
    """Rows of model_requests of the versions."""
    table, wanted = TABLES["model_requests"], set(version_ids)
    rows = [row for reading in (readings or {}).values() for row in reading.requests if row["version_id"] in wanted]
    return table.frame(rows).sort(table.key)


def close_model_books(
    ledger: Ledger,
    results: Sequence[DocumentResult],
    tasks: Sequence[DocumentTask],
    readings: Mapping[str, Reading] | None,
) -> dict[str, Outcome]:
    """Close the model's books; outcomes of the versions that a model was to read, by version_id."""
    if readings is None:
        return {}
    read = {task.origin.version_id: readings[task.origin.extraction_id] for task in tasks}
    for result in results:
        version_id, reading, counts = result.version_id, read[result.version_id], result.model
        asked = len(reading.requests) or reading.parts
        _close(ledger, version_id, "model_requests", asked, len(reading.answers), reading.ended)
        _close(ledger, version_id, "model_entities", counts.entities, counts.new_entities, counts.refused_entities)
        _close(ledger, version_id, "model_claims", counts.claims, counts.kept_claims, counts.refused_claims)
        if reading.hidden and reading.decision.allowed:
            ledger.lose(version_id, "model_requests", Entry("model_hidden_withheld", reading.hidden))
    return {version_id: _outcome(version_id, reading) for version_id, reading in read.items()}


def _close(ledger: Ledger, version_id: str, unit: str, expected: int, actual: int, refused: Counter[str]) -> None:
    entries = [Entry(code, amount) for code, amount in sorted(refused.items()) if amount]
    ledger.close(version_id, unit, expected=expected, actual=actual, entries=entries)


def _outcome(version_id: str, reading: Reading) -> Outcome:
    code = reading.passing
    if code is None:
        return Outcome(version_id, "ok", output_digest=reading.output_digest)
    failed = len(reading.requests) - len(reading.answers)
    detail = f"{failed} of {len(reading.requests)} requests without a usable answer"
    return Outcome(version_id, "partial", code, detail, reading.output_digest)


def _sources(frames: Frames, policies: pl.DataFrame) -> list[Source]:
    texts = dict(frames["canonical_texts"].select("extraction_id", "text").iter_rows())
    policy = dict(policies.select("document_id", "access_policy_id").iter_rows())
    elements: dict[str, list[Element]] = {}
    columns = ["extraction_id", "start", "end", "kind", "hidden", "section_path"]
    for extraction_id, start, end, kind, hidden, path in frames["elements"].select(columns).iter_rows():
        elements.setdefault(extraction_id, []).append(Element(start, end, kind, hidden, tuple(path)))
    hidden_cells = frames["table_cells"].filter(pl.col("hidden") & (pl.col("end") > pl.col("start")))
    cells: dict[str, list[tuple[int, int]]] = {}
    for extraction_id, start, end in (
        hidden_cells.select("extraction_id", "start", "end").unique().sort(pl.all()).iter_rows()
    ):
        cells.setdefault(extraction_id, []).append((start, end))
    stated = frames["extracted_metadata"].filter(pl.col("field").is_in(CLASSIFICATION_FIELDS)).sort("field", "ordinal")
    classes = dict(stated.select("version_id", "value").reverse().iter_rows())
    return [
        Source(
            row["extraction_id"],
            DocumentClass(
                row["version_id"], policy.get(row["document_id"]), row["doc_type"], classes.get(row["version_id"])
            ),
            texts[row["extraction_id"]],
            row["title"],
            tuple(elements.get(row["extraction_id"], ())),
            tuple(cells.get(row["extraction_id"], ())),
        )
        for row in frames["extractions"].iter_rows(named=True)
        if row["extraction_id"] in texts
    ]
