"""Documents for language tests: rows as the extraction stage writes them, from (kind, text) pairs."""

from __future__ import annotations

from typing import Any

import polars as pl

from muniment.nlp.stage import annotate
from muniment.settings import NlpSettings
from muniment.stages import StageOutput
from muniment.tables.registry import TABLES, check_frame
from muniment.workers.pool import WorkPool, open_pool

Parts = list[tuple[str, str]]
Frames = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]


def document(version_id: str, parts: Parts, language: str = "en") -> Frames:
    """Rows of extractions, canonical_texts and elements of one version."""
    extraction_id = f"x-{version_id}"
    text = "\n\n".join(content for _, content in parts)
    elements: list[dict[str, Any]] = []
    position = 0
    for ordinal, (kind, content) in enumerate(parts):
        elements.append(
            {
                "element_id": f"{extraction_id}-{ordinal}",
                "extraction_id": extraction_id,
                "version_id": version_id,
                "ordinal": ordinal,
                "kind": kind,
                "start": position,
                "end": position + len(content),
                "section_path": [],
                "hidden": False,
                "attributes": "{}",
            }
        )
        position += len(content) + 2
    extraction = {
        "extraction_id": extraction_id,
        "version_id": version_id,
        "document_id": f"d-{version_id}",
        "doc_type": "md",
        "reader": "test",
        "reader_version": "1",
        "config_digest": "0",
        "canonical_sha256": "0",
        "characters": len(text),
        "elements": len(elements),
        "title_basis": "none",
        "validity_status": "unverified",
        "language": language,
        "language_basis": "explicit",
    }
    return (
        TABLES["extractions"].frame([extraction]),
        TABLES["canonical_texts"].frame([{"extraction_id": extraction_id, "version_id": version_id, "text": text}]),
        TABLES["elements"].frame(elements),
    )


def together(*documents: Frames) -> Frames:
    """Rows of several versions."""
    first, second, third = zip(*documents, strict=True)
    return pl.concat(first), pl.concat(second), pl.concat(third)


def annotated(frames: Frames, settings: NlpSettings | None = None, pool: WorkPool | None = None) -> StageOutput:
    """Output of the stage, its frames checked against their tables."""
    if pool is None:
        with open_pool(0) as inline:
            return annotated(frames, settings, inline)
    output = annotate(*frames, settings or NlpSettings(), pool)
    for name, frame in output.tables.items():
        check_frame(TABLES[name], frame)
    return output


def sentence_texts(output: StageOutput, text: str) -> list[str]:
    """Sentences as written, in order."""
    return [text[start:end] for start, end in output.tables["annotations"].select("start", "end").iter_rows()]
