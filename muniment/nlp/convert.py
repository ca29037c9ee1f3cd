"""Annotation rows and Sentence objects, both ways."""

from __future__ import annotations

from typing import Any

import polars as pl

from muniment.nlp.model import Sentence, Span


def sentence_row(extraction_id: str, version_id: str, pipeline: str, sentence: Sentence) -> dict[str, object]:
    """The `annotations` row of a sentence."""
    return {
        "extraction_id": extraction_id,
        "version_id": version_id,
        "ordinal": sentence.ordinal,
        "start": sentence.start,
        "end": sentence.end,
        "pipeline": pipeline,
        "token_starts": sentence.token_starts,
        "token_ends": sentence.token_ends,
        "lemmas": sentence.lemmas,
        "pos": sentence.pos,
        "tags": sentence.tags,
        "deps": sentence.deps,
        "heads": sentence.heads,
        "entity_starts": [span.start for span in sentence.entities],
        "entity_ends": [span.end for span in sentence.entities],
        "entity_labels": [span.label for span in sentence.entities],
        "noun_chunk_starts": [span.start for span in sentence.noun_chunks],
        "noun_chunk_ends": [span.end for span in sentence.noun_chunks],
    }


def row_sentence(row: dict[str, Any], text: str) -> Sentence:
    """The sentence of an `annotations` row; `text` is the canonical text of its extraction."""
    return Sentence(
        ordinal=row["ordinal"],
        start=row["start"],
        end=row["end"],
        text=text[row["start"] : row["end"]],
        token_starts=row["token_starts"],
        token_ends=row["token_ends"],
        lemmas=row["lemmas"],
        pos=row["pos"],
        tags=row["tags"],
        deps=row["deps"],
        heads=row["heads"],
        entities=[
            Span(start, end, label)
            for start, end, label in zip(row["entity_starts"], row["entity_ends"], row["entity_labels"], strict=True)
        ],
        noun_chunks=[
            Span(start, end) for start, end in zip(row["noun_chunk_starts"], row["noun_chunk_ends"], strict=True)
        ],
    )


def sentences_of(annotations: pl.DataFrame, text: str) -> list[Sentence]:
    """Sentences of one extraction in order; `annotations` holds its rows only."""
    return [row_sentence(row, text) for row in annotations.sort("ordinal").iter_rows(named=True)]
