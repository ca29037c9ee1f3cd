"""The stage `annotations`: runs the language pipeline once over each distinct canonical text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from muniment.ids import digest
from muniment.loss.ledger import Entry, Ledger
from muniment.nlp import pipelines
from muniment.nlp.annotate import WindowReading, annotate_windows
from muniment.nlp.convert import sentence_row
from muniment.nlp.model import Sentence
from muniment.nlp.references import UnitReference, unit_references
from muniment.nlp.segments import Window, pieces_of, windows_of
from muniment.settings import NlpSettings
from muniment.stages import Outcome, StageOutput
from muniment.tables.registry import TABLES

STAGE = "annotations"
#: Raise it when the output changes for equal input, settings and pipelines.
CODE_VERSION = "2"
#: Windows handed to a worker at once hold about this many characters.
PAYLOAD_CHARACTERS = 32_000


class Pool(Protocol):
    """What the stage needs of a pool of workers."""

    def map(self, function: Callable[[Any], Any], payloads: Iterable[Any]) -> Iterator[Any]:
        """Results of a module-level function in the order of the payloads."""
        ...


@dataclass(slots=True)
class _Job:
    """One distinct text with its elements: read once, written for each version that has it."""

    text: str
    language: str
    elements: tuple[tuple[int, int, str], ...]
    pipeline: pipelines.Pipeline | None
    language_known: bool
    sentences: list[Sentence] = dataclasses.field(default_factory=list)
    forced_cuts: int = 0


def producer(settings: NlpSettings) -> str:
    """Code version and every pipeline with its version, as the stage key needs them."""
    return f"{STAGE}-{CODE_VERSION} {pipelines.describe(settings)}"


def annotate(
    extractions: pl.DataFrame,
    canonical_texts: pl.DataFrame,
    elements: pl.DataFrame,
    settings: NlpSettings,
    pool: Pool,
) -> StageOutput:
    """Sentences, tokens, tags, entities and unit references of a group of versions.

    Offsets are code points of the canonical text; each non-space character is in exactly one
    sentence. The book's unit is `chars`: non-space characters of the canonical text.
    """
    texts = dict(canonical_texts.select("extraction_id", "text").iter_rows())
    outlines = _outlines(elements)
    jobs: dict[str, _Job] = {}
    keys: dict[str, str] = {}
    rows = list(extractions.sort("version_id", "extraction_id").iter_rows(named=True))
    for row in rows:
        extraction_id = row["extraction_id"]
        if extraction_id in texts:
            job = _job(texts[extraction_id], row["language"], outlines.get(extraction_id, ()), settings)
            keys[extraction_id] = digest(job.text, job.language, job.elements, job.language_known)
            jobs.setdefault(keys[extraction_id], job)
    _read([jobs[key] for key in sorted(jobs)], settings, pool)

    ledger = Ledger(STAGE)
    annotation_rows: list[dict[str, object]] = []
    reference_rows: list[dict[str, object]] = []
    outcomes: list[Outcome] = []
    for row in rows:
        key = keys.get(row["extraction_id"])
        if key is None:
            outcomes.append(Outcome(row["version_id"], "failed", "upstream_failed", "no canonical text"))
            continue
        job = jobs[key]
        place = (row["extraction_id"], row["version_id"])
        label = job.pipeline.label if job.pipeline else pipelines.RULE_SENTENCIZER
        annotation_rows += [sentence_row(*place, label, sentence) for sentence in job.sentences]
        reference_rows += [_reference_row(*place, job.text, reference) for reference in _references(job)]
        _close_books(ledger, row["version_id"], job)
        outcomes.append(Outcome(row["version_id"], "ok"))
    return StageOutput(
        tables={
            "annotations": TABLES["annotations"].frame(annotation_rows),
            "unit_references": TABLES["unit_references"].frame(reference_rows),
            **ledger.frames(),
        },
        outcomes=outcomes,
    )


def _outlines(elements: pl.DataFrame) -> dict[str, tuple[tuple[int, int, str], ...]]:
    outlines: dict[str, list[tuple[int, int, str]]] = {}
    ordered = elements.select("extraction_id", "start", "end", "kind").sort("extraction_id", "start", "end", "kind")
    for extraction_id, start, end, kind in ordered.iter_rows():
        outlines.setdefault(extraction_id, []).append((start, end, kind))
    return {extraction_id: tuple(outline) for extraction_id, outline in outlines.items()}


def _job(text: str, language: str, outline: tuple[tuple[int, int, str], ...], settings: NlpSettings) -> _Job:
    known = language not in ("und", "")
    chosen = pipelines.base_language(language if known else settings.default_language)
    return _Job(text, chosen, outline, pipelines.resolve(chosen, settings), known)


def _read(jobs: list[_Job], settings: NlpSettings, pool: Pool) -> None:
    """Fill the jobs with sentences. Windows keep their order; payloads only bundle them."""
    windows: list[Window] = []
    owners: list[_Job] = []
    for job in jobs:
        package = job.pipeline.package if job.pipeline else None
        for window in windows_of(pieces_of(job.text, job.elements), job.language, package, settings.window_characters):
            windows.append(window)
            owners.append(job)
    readings: Iterator[WindowReading] = (
        reading for answer in pool.map(annotate_windows, _payloads(windows)) for reading in answer
    )
    for job, reading in zip(owners, readings, strict=True):
        for sentence in reading.sentences:
            sentence.ordinal = len(job.sentences)
            sentence.text = job.text[sentence.start : sentence.end]
            job.sentences.append(sentence)
        job.forced_cuts += reading.forced_cuts


def _payloads(windows: Iterable[Window]) -> Iterator[tuple[Window, ...]]:
    waiting: list[Window] = []
    size = 0
    for window in windows:
        waiting.append(window)
        size += window.characters
        if size >= PAYLOAD_CHARACTERS:
            yield tuple(waiting)
            waiting, size = [], 0
    if waiting:
        yield tuple(waiting)


def _references(job: _Job) -> Iterator[UnitReference]:
    """References stated in the text; the number that opens a heading names the unit itself, not another."""
    own = {start for start, _, kind in job.elements if kind in ("title", "heading")}
    return (reference for reference in unit_references(job.text) if reference.start not in own)


def _reference_row(extraction_id: str, version_id: str, text: str, reference: UnitReference) -> dict[str, object]:
    return {
        "extraction_id": extraction_id,
        "version_id": version_id,
        "start": reference.start,
        "end": reference.end,
        "kind": reference.kind,
        "label": reference.label,
        "text": text[reference.start : reference.end],
    }


def _close_books(ledger: Ledger, version_id: str, job: _Job) -> None:
    ledger.close(
        version_id,
        "chars",
        expected=_solid(job.text),
        actual=sum(_solid(sentence.text) for sentence in job.sentences),
    )
    count = len(job.sentences)
    if not count:
        return
    if job.pipeline is None:
        detail = f"language {job.language}"
        ledger.lose(version_id, "sentences", Entry("language_without_pipeline", count, {}, detail))
    if not job.language_known:
        detail = f"read as {job.language}"
        ledger.lose(version_id, "sentences", Entry("language_unknown", count, {}, detail))
    if job.forced_cuts:
        ledger.lose(version_id, "sentences", Entry("sentence_too_long", job.forced_cuts))


def _solid(text: str) -> int:
    """Characters that are not white space."""
    return len("".join(text.split()))
