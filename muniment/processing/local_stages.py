"""The local stages as data: what each reads, writes and depends on, and how it is called.

A stage's key is the digest of its upstream output, its code version, the engines that it uses, and its
settings; a version whose recorded key differs is stale at that stage and at all after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from muniment.domain.loading import load_domain
from muniment.ids import digest
from muniment.processing.context import RunContext
from muniment.settings import Settings
from muniment.stages import StageOutput

Frames = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class LocalStage:
    """One local stage. `tables` are replaced per version; `inputs` are read per version.

    Rows of `recorded` tables are added in the same commit, by their own keys.
    """

    name: str
    tables: tuple[str, ...]
    inputs: tuple[str, ...]
    run: Callable[[RunContext, pl.DataFrame, Frames], StageOutput]
    producer: Callable[[Settings, str], str]
    settings_digest: Callable[[Settings], str]
    recorded: tuple[str, ...] = ()


def source_digest(version: Mapping[str, Any]) -> str:
    """What the first stage's result depends on: bytes, type, and the name's suffix."""
    suffix = str(version["name"]).rpartition(".")[2].lower()
    return digest("original", version["sha256"], version["doc_type"], suffix)


def _extract(context: RunContext, versions: pl.DataFrame, frames: Frames) -> StageOutput:
    from muniment.extraction.stage import extract

    return extract(versions, context.settings, context.executor, context.originals.path)


def _extraction_producer(settings: Settings, doc_type: str) -> str:
    from muniment.extraction import stage

    return f"{stage.CODE_VERSION} {stage.producer(doc_type)}"


def _annotate(context: RunContext, versions: pl.DataFrame, frames: Frames) -> StageOutput:
    from muniment.nlp.stage import annotate

    return annotate(
        frames["extractions"], frames["canonical_texts"], frames["elements"], context.settings.nlp, context.pool
    )


def _annotations_producer(settings: Settings, doc_type: str) -> str:
    from muniment.nlp import stage

    return f"{stage.CODE_VERSION} {stage.producer(settings.nlp)}"


def _chunk(context: RunContext, versions: pl.DataFrame, frames: Frames) -> StageOutput:
    from muniment.chunking.stage import chunk
    from muniment.index.embedder import open_embedder

    return chunk(
        frames["extractions"],
        frames["canonical_texts"],
        frames["elements"],
        frames["document_tables"],
        frames["table_cells"],
        frames["annotations"],
        context.settings.chunking,
        context.settings.index,
        open_embedder(context.settings.index.embedder).count_tokens,
    )


def _chunks_producer(settings: Settings, doc_type: str) -> str:
    from muniment.chunking import stage

    return f"{stage.CODE_VERSION} {stage.producer(settings.chunking)}"


def _contextualize(context: RunContext, versions: pl.DataFrame, frames: Frames) -> StageOutput:
    from muniment.contextualization.stage import contextualize

    return contextualize(
        frames["extractions"],
        frames["extracted_metadata"],
        frames["chunks"],
        frames["document_tables"],
        frames["table_cells"],
        context.settings.contexts,
    )


def _contexts_producer(settings: Settings, doc_type: str) -> str:
    from muniment.contextualization import stage

    return f"{stage.CODE_VERSION} {stage.producer(settings.contexts)}"


def _extract_entities(context: RunContext, versions: pl.DataFrame, frames: Frames) -> StageOutput:
    from muniment.claims.model_stage import ask_model, recorded_rows
    from muniment.claims.stage import extract_entities

    domain, settings = load_domain(context.settings.domain), context.settings
    readings = None
    if settings.models.claims:
        policies = context.warehouse.latest().table("documents", ["document_id", "access_policy_id"])
        readings = ask_model(frames, policies, context.gateway, settings.models, domain)
    output = extract_entities(
        frames["extractions"],
        frames["canonical_texts"],
        frames["elements"],
        frames["annotations"],
        frames["extracted_metadata"],
        frames["document_tables"],
        frames["table_cells"],
        settings.entities,
        domain,
        context.pool,
        readings,
    )
    if readings is not None:
        output.tables.update(recorded_rows(readings, context.gateway))
    return output


def _entities_digest(settings: Settings) -> str:
    from muniment.claims.model_reading import reading_digest

    domain = load_domain(settings.domain)
    parts = [settings.entities.digest(), domain.local_digest]
    model = reading_digest(settings.models, settings.endpoint, settings.egress, domain)
    return digest(*parts, model) if model else digest(*parts)


def _entities_producer(settings: Settings, doc_type: str) -> str:
    from muniment.claims import stage

    return f"{stage.CODE_VERSION} {stage.producer(settings.entities)}"


EXTRACTION = LocalStage(
    "structured_extraction",
    (
        "extractions",
        "canonical_texts",
        "elements",
        "document_tables",
        "table_cells",
        "text_edits",
        "source_counts",
        "extracted_metadata",
        "artifacts",
    ),
    (),
    _extract,
    _extraction_producer,
    lambda settings: digest(settings.extraction.digest(), settings.loss.digest()),
)

ANNOTATIONS = LocalStage(
    "annotations",
    ("annotations", "unit_references"),
    ("extractions", "canonical_texts", "elements"),
    _annotate,
    _annotations_producer,
    lambda settings: settings.nlp.digest(),
)

CHUNKS = LocalStage(
    "chunks",
    ("parent_units", "chunks", "chunk_mentions"),
    ("extractions", "canonical_texts", "elements", "document_tables", "table_cells", "annotations"),
    _chunk,
    _chunks_producer,
    lambda settings: digest(settings.chunking.digest(), settings.index.include_hidden),
)

CONTEXTS = LocalStage(
    "contextualized_chunks",
    ("chunk_contexts",),
    ("extractions", "extracted_metadata", "chunks", "document_tables", "table_cells"),
    _contextualize,
    _contexts_producer,
    lambda settings: settings.contexts.digest(),
)

ENTITIES = LocalStage(
    "entities",
    ("mentions", "claims", "claim_evidence", "model_requests"),
    (
        "extractions",
        "canonical_texts",
        "elements",
        "annotations",
        "extracted_metadata",
        "document_tables",
        "table_cells",
    ),
    _extract_entities,
    _entities_producer,
    _entities_digest,
    ("model_answers", "egress_decisions"),
)

#: Every local stage by name, in order.
STAGES: dict[str, LocalStage] = {stage.name: stage for stage in (EXTRACTION, ANNOTATIONS, CHUNKS, CONTEXTS, ENTITIES)}

#: The stages whose output each stage reads: its key depends on the digests of all of them.
UPSTREAM: dict[str, tuple[str, ...]] = {
    "structured_extraction": (),
    "annotations": ("structured_extraction",),
    "chunks": ("structured_extraction", "annotations"),
    "contextualized_chunks": ("structured_extraction", "chunks"),
    "entities": ("structured_extraction", "annotations"),
}


class StageKeys:
    """Stage keys under one set of settings; what all versions of a type share is computed once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._shared: dict[tuple[str, str], tuple[str, str]] = {}

    def key(self, stage: str, incoming: list[str], doc_type: str) -> str:
        """Key of a stage for a version, from the digests of what comes in."""
        shared = self._shared.get((stage, doc_type))
        if shared is None:
            definition = STAGES[stage]
            shared = (definition.producer(self.settings, doc_type), definition.settings_digest(self.settings))
            self._shared[stage, doc_type] = shared
        return digest(stage, incoming, *shared)


def required_stages(settings: Settings) -> tuple[str, ...]:
    """Stages that a version must pass before it can be published."""
    names = tuple(STAGES)
    return names if settings.pipeline.entity_layer else tuple(name for name in names if name != "entities")
