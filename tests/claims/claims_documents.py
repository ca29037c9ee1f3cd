"""Documents for claim tests: from (kind, text) pairs through the real language pipeline to mentions and claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from muniment.claims.stage import extract_entities
from muniment.domain.loading import load_domain
from muniment.domain.model import DomainSchema
from muniment.nlp.stage import annotate
from muniment.settings import DomainSettings, EntitySettings, NlpSettings
from muniment.stages import StageOutput
from muniment.tables.registry import TABLES, check_frame
from muniment.workers.pool import WorkPool, open_pool

Parts = list[tuple[str, str]]


@dataclass
class Corpus:
    """Input frames of the stage."""

    extractions: pl.DataFrame
    canonical_texts: pl.DataFrame
    elements: pl.DataFrame
    annotations: pl.DataFrame
    metadata: pl.DataFrame

    def text(self, version_id: str = "v1") -> str:
        return self.canonical_texts.filter(version_id=version_id)["text"][0]


def corpus(
    documents: dict[str, tuple[Parts, str]], stated: list[dict[str, Any]] | None = None, **extraction: Any
) -> Corpus:
    """Versions by id, each with parts and language, annotated; `extraction` overrides its columns."""
    extractions, texts, elements = [], [], []
    for version_id, (parts, language) in documents.items():
        extraction_id = f"x-{version_id}"
        text = "\n\n".join(content for _, content in parts)
        position = 0
        for ordinal, (kind, content) in enumerate(parts):
            element = {"element_id": f"{extraction_id}-{ordinal}", "ordinal": ordinal, "kind": kind}
            place = {"start": position, "end": position + len(content)}
            rest = {"section_path": [], "hidden": False, "attributes": "{}"}
            elements.append({**element, **place, **rest, "extraction_id": extraction_id, "version_id": version_id})
            position += len(content) + 2
        texts.append({"extraction_id": extraction_id, "version_id": version_id, "text": text})
        extractions.append(
            {
                "extraction_id": extraction_id,
                "version_id": version_id,
                "document_id": f"d-{version_id}",
                "doc_type": "md",
                "reader": "test",
                "reader_version": "1",
                "config_digest": "0",
                "canonical_sha256": "0",
                "characters": len(text),
                "elements": len(parts),
                "title_basis": "none",
                "validity_status": "unverified",
                "language": language,
                "language_basis": "explicit",
                **extraction,
            }
        )
    extracted, canonical, outline = (
        TABLES[name].frame(rows)
        for name, rows in (("extractions", extractions), ("canonical_texts", texts), ("elements", elements))
    )
    with open_pool(0) as pool:
        annotations = annotate(extracted, canonical, outline, NlpSettings(), pool).tables["annotations"]
    return Corpus(extracted, canonical, outline, annotations, TABLES["extracted_metadata"].frame(stated or []))


def entities(
    source: Corpus,
    settings: EntitySettings | None = None,
    pool: WorkPool | None = None,
    domain: DomainSchema | None = None,
) -> StageOutput:
    """Output of the stage, its frames checked against their tables."""
    if pool is None:
        with open_pool(0) as inline:
            return entities(source, settings, inline, domain)
    output = extract_entities(
        source.extractions,
        source.canonical_texts,
        source.elements,
        source.annotations,
        source.metadata,
        TABLES["document_tables"].empty(),
        TABLES["table_cells"].empty(),
        settings or EntitySettings(),
        domain or load_domain(DomainSettings()),
        pool,
    )
    for name, frame in output.tables.items():
        check_frame(TABLES[name], frame)
    return output


def read(text: str, language: str = "en", settings: EntitySettings | None = None) -> StageOutput:
    """Output for one paragraph."""
    return entities(corpus({"v1": ([("paragraph", text)], language)}), settings)


def claims(output: StageOutput) -> list[dict[str, Any]]:
    """Claims with subject and object as written."""
    mentions = output.tables["mentions"].select("mention_id", "text")
    return (
        output.tables["claims"]
        .join(mentions.rename({"mention_id": "subject_mention_id", "text": "subject"}), on="subject_mention_id")
        .join(
            mentions.rename({"mention_id": "object_mention_id", "text": "object"}), on="object_mention_id", how="left"
        )
        .sort("subject", "predicate", "object", "value")
        .to_dicts()
    )


def triples(text: str, language: str = "en") -> set[tuple[str, str, str | None]]:
    """(subject, predicate, object or value) of a paragraph."""
    return {
        (row["subject"], row["predicate"], row["object"] if row["object"] is not None else row["value"])
        for row in claims(read(text, language))
    }


def one(text: str, predicate: str, language: str = "en") -> dict[str, Any]:
    """The only claim with the predicate."""
    (row,) = [row for row in claims(read(text, language)) if row["predicate"] == predicate]
    return row


def mentions(output: StageOutput) -> dict[str, dict[str, Any]]:
    """Mentions by their text."""
    return {row["text"]: row for row in output.tables["mentions"].iter_rows(named=True)}
