"""Ranking passages through the entity layer: the graph that the pipeline's own stages make, and walks on it.

Used by wiki2.py. A passage is a document with its title as heading; its annotations, mentions, claims,
entities and relationships come from the stages of the product. A question's seeds are the entities that
it names and those whose names are nearest to it; walks from them rank the passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from muniment.claims.stage import extract_entities
from muniment.domain.loading import load_domain
from muniment.graph.merge import merge
from muniment.graph.pagerank import personalised_pagerank
from muniment.index.embedder import Embedder
from muniment.nlp.stage import Pool, annotate
from muniment.resolution.resolve import resolve
from muniment.settings import Settings
from muniment.slices.scope import find_entities
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

VIEW = "operator"

#: Entities taken as seeds because their names are nearest to the question.
NEAREST = 5


def entity_frames(passages: list[dict[str, str]], settings: Settings, pool: Pool) -> dict[str, pl.DataFrame]:
    """Rows of the entity layer over the passages, made by annotate, extract_entities, resolve and merge."""
    local = _texts(passages)
    annotated = annotate(local["extractions"], local["canonical_texts"], local["elements"], settings.nlp, pool).tables
    found = extract_entities(
        local["extractions"],
        local["canonical_texts"],
        local["elements"],
        annotated["annotations"],
        TABLES["extracted_metadata"].empty(),
        TABLES["document_tables"].empty(),
        TABLES["table_cells"].empty(),
        settings.entities,
        load_domain(settings.domain),
        pool,
    ).tables
    resolved = resolve(found["mentions"], local["documents"], VIEW, settings.resolution)
    merged = merge(
        found["claims"],
        found["mentions"],
        resolved["entity_mentions"],
        local["extractions"],
        VIEW,
        domain=load_domain(settings.domain),
        aliases=resolved["aliases"],
        canonical_entities=resolved["canonical_entities"],
    )
    return {"mentions": found["mentions"], "claims": found["claims"], **resolved, **merged}


def _texts(passages: list[dict[str, str]]) -> dict[str, pl.DataFrame]:
    """A document a passage: its title as heading, its text as paragraph."""
    rows: dict[str, list[dict[str, object]]] = {
        name: [] for name in ("documents", "extractions", "canonical_texts", "elements")
    }
    for number, passage in enumerate(passages):
        document, title = passage["id"], passage["title"]
        own: dict[str, object] = {"version_id": f"v-{document}", "extraction_id": f"x-{document}"}
        rows["documents"].append({"document_id": document, "first_scan": number + 1})
        rows["extractions"].append(own | {"document_id": document, "title": title, "language": "en"})
        rows["canonical_texts"].append(own | {"text": f"{title}\n\n{passage['text']}"})
        start = len(title) + 2
        spans = [("heading", 0, len(title)), ("paragraph", start, start + len(passage["text"]))]
        rows["elements"] += [own | {"kind": kind, "start": begin, "end": end} for kind, begin, end in spans]
    return {name: TABLES[name].frame(found) for name, found in rows.items()}


class PassageGraph:
    """Entities and passages as nodes; entities are linked to the passages that mention them and to each other."""

    def __init__(self, frames: dict[str, pl.DataFrame], embedder: Embedder) -> None:
        self._rows = FrameRows(frames)
        self._embedder = embedder
        mentioned = frames["entity_mentions"].select("entity_id", "document_id").unique().sort(pl.all())
        related = frames["relationships"].select(
            pl.col("subject_id").alias("left"), pl.col("object_id").alias("right"), "weight"
        )
        in_passages = mentioned.select(
            pl.col("entity_id").alias("left"), pl.col("document_id").alias("right"), pl.lit(1.0).alias("weight")
        )
        self.edges = pl.concat([in_passages, related])
        self._passages = frozenset(mentioned["document_id"])
        counts = mentioned.group_by("entity_id").len("passages").sort("entity_id")
        self._specificity = {entity: 1.0 / passages for entity, passages in counts.iter_rows()}
        entities = frames["canonical_entities"].sort("entity_id")
        self._ids: list[str] = entities["entity_id"].to_list()
        self._vectors = embedder.embed(entities["name"].to_list())

    def seeds(self, question: str) -> dict[str, float]:
        """Weights by entity: 1 where named and the cosine where near, over the passages with the entity
        (node specificity, HippoRAG section 2.3)."""
        named = {entity for name in find_entities(self._rows, VIEW, question) for entity in name.chosen}
        cosines = self._vectors @ self._embedder.embed([question])[0]
        near = np.lexsort((np.arange(len(cosines)), -cosines))[:NEAREST]
        weights = {self._ids[place]: max(0.0, float(cosines[place])) for place in near}
        weights |= dict.fromkeys(sorted(named), 1.0)
        return {entity: weight * self._specificity[entity] for entity, weight in weights.items()}

    def rank(self, question: str) -> list[tuple[str, float]]:
        """Passages with a score above 0, best first."""
        seeds = self.seeds(question)
        if not any(seeds.values()):
            return []
        scores = personalised_pagerank(self.edges, seeds)
        ranked = [(node, score) for node, score in scores.items() if node in self._passages and score > 0.0]
        return sorted(ranked, key=lambda item: (-item[1], item[0]))


def counts(frames: dict[str, pl.DataFrame]) -> str:
    """Sizes of the entity layer."""
    names: Sequence[Any] = ("mentions", "claims", "canonical_entities", "relationships")
    return ", ".join(f"{frames[name].height:,} {name.replace('_', ' ')}" for name in names)
