"""The stage `chunks`: cuts canonical texts by their strategy into verbatim slices, and closes the books.

Units counted: `chars` (non-space code points of the canonical text, in exactly one chunk), `rows`
(elements with text, each in at least one chunk), `entities` (named entities, whole in one chunk), `cuts`
(boundaries between neighbouring chunks, at an allowed place) and `indexed` (chunks, not hidden).
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from muniment.chunking import structural
from muniment.chunking.locators import source_locator
from muniment.chunking.model import Block, Limits, Outline, Piece, TokenCounter
from muniment.chunking.protected import protected_spans
from muniment.chunking.units import outline_of
from muniment.ids import digest, make_id
from muniment.loss.ledger import Entry, Ledger
from muniment.settings import ChunkingSettings, IndexSettings
from muniment.stages import Outcome, StageOutput
from muniment.tables.registry import TABLES

STAGE = "chunks"
#: Raise it when rows change for equal input and settings.
CODE_VERSION = "1"

Row = dict[str, Any]
Strategy = Callable[[Outline, Limits, TokenCounter], list[Piece]]

#: Strategies by name: each cuts an outline into pieces. A new strategy is a module and a line here.
STRATEGIES: dict[str, Strategy] = {"structural": structural.split}


def producer(settings: ChunkingSettings) -> str:
    """Code version and strategy, as the stage key needs them."""
    return f"{STAGE}-{CODE_VERSION} {settings.strategy}"


def strategy_digest(settings: ChunkingSettings) -> str:
    """What a chunk id depends on beside its extraction and span."""
    return digest(producer(settings), settings.model_dump(mode="json"))


def chunk(
    extractions: pl.DataFrame,
    canonical_texts: pl.DataFrame,
    elements: pl.DataFrame,
    document_tables: pl.DataFrame,
    table_cells: pl.DataFrame,
    annotations: pl.DataFrame,
    settings: ChunkingSettings,
    index_settings: IndexSettings,
    count_tokens: TokenCounter,
) -> StageOutput:
    """Parent units, chunks and their mentions of a group of versions.

    `count_tokens` gives the tokens of each text by the embedder's tokenizer, without special tokens. A
    version without canonical text, or with a blank one, is a failed outcome. Raises ValueError when a
    text cannot be cut to the hard maximum (a tokenizer that needs more tokens than characters).
    """
    source = _Source.of(canonical_texts, elements, document_tables, table_cells, annotations)
    made = _Made(Ledger(STAGE))
    for extraction in extractions.sort("version_id", "extraction_id").iter_rows(named=True):
        text = source.texts.get(extraction["extraction_id"])
        version_id = extraction["version_id"]
        if text is None:
            made.outcomes.append(Outcome(version_id, "failed", "upstream_failed", "no canonical text"))
        elif not text.strip():
            made.outcomes.append(Outcome(version_id, "failed", "empty_result", "the canonical text is blank"))
        else:
            document = _Document(extraction, text, source, settings, index_settings)
            made.take(document, document.pieces(count_tokens))
    return made.output()


@dataclass(frozen=True, slots=True)
class _Source:
    """Rows by extraction, ready to use."""

    texts: dict[str, str]
    elements: dict[str, list[Row]]
    tables: dict[str, Row]
    cells: dict[str, list[Row]]
    annotations: dict[str, list[Row]]

    @staticmethod
    def of(
        canonical_texts: pl.DataFrame,
        elements: pl.DataFrame,
        document_tables: pl.DataFrame,
        table_cells: pl.DataFrame,
        annotations: pl.DataFrame,
    ) -> _Source:
        homes = dict(document_tables.select("table_id", "element_id").iter_rows())
        cells = _grouped(table_cells.sort("table_id", "row", "column"), "table_id")
        wanted = ["extraction_id", "start", "end", "token_starts", "token_ends"]
        wanted += ["entity_starts", "entity_ends", "entity_labels"]
        return _Source(
            texts=dict(canonical_texts.select("extraction_id", "text").iter_rows()),
            elements=_grouped(elements.sort("extraction_id", "ordinal"), "extraction_id"),
            tables={row["element_id"]: row for row in document_tables.iter_rows(named=True)},
            cells={homes[table_id]: rows for table_id, rows in cells.items() if table_id in homes},
            annotations=_grouped(annotations.select(wanted).sort("extraction_id", "start", "end"), "extraction_id"),
        )


def _grouped(frame: pl.DataFrame, column: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in frame.iter_rows(named=True):
        groups.setdefault(row[column], []).append(row)
    return groups


Entity = tuple[int, int, str]


def _entities(annotations: Iterable[Mapping[str, Any]]) -> list[Entity]:
    """Named entities as character spans with labels, sorted, each once."""
    found: set[Entity] = set()
    for row in annotations:
        starts, ends = row["token_starts"], row["token_ends"]
        for first, last, label in zip(row["entity_starts"], row["entity_ends"], row["entity_labels"], strict=True):
            found.add((starts[first], ends[last - 1], label))
    return sorted(found)


class _Document:
    """One extraction: its outline, and the rows made of it."""

    def __init__(
        self, extraction: Row, text: str, source: _Source, settings: ChunkingSettings, index_settings: IndexSettings
    ) -> None:
        extraction_id = extraction["extraction_id"]
        annotations = source.annotations.get(extraction_id, [])
        blocks, units = outline_of(text, source.elements.get(extraction_id, []), source.tables, source.cells)
        self.entities = _entities(annotations)
        sentences = tuple((row["start"], row["end"]) for row in annotations)
        protected = protected_spans(text, ((start, end) for start, end, _ in self.entities))
        self.outline = Outline(text, blocks, units, sentences, protected)
        self.text = text
        self.owner = {"extraction_id": extraction_id, "version_id": extraction["version_id"]}
        self._document_id = extraction["document_id"]
        self._settings = settings
        self._include_hidden = index_settings.include_hidden
        self.unit_ids = [
            make_id("parent_unit", extraction_id, unit.kind, unit.start, unit.end, ordinal)
            for ordinal, unit in enumerate(units)
        ]
        # blocks are disjoint and in reading order, so their ends rise: what a piece touches is found by halving
        self.filled = [block for block in blocks if text[block.start : block.end].strip()]
        self._ends = [block.end for block in self.filled]

    def pieces(self, count_tokens: TokenCounter) -> list[Piece]:
        """Pieces of the document by its strategy."""
        limits = Limits(min(self._settings.target_tokens, self._settings.max_tokens), self._settings.max_tokens)
        return STRATEGIES[self._settings.strategy](self.outline, limits, count_tokens)

    def unit_rows(self) -> list[Row]:
        """Rows of parent_units."""
        return [
            {
                **self.owner,
                "parent_unit_id": self.unit_ids[ordinal],
                "kind": unit.kind,
                "ordinal": ordinal,
                "heading": unit.heading,
                "level": unit.level,
                "parent_id": None if unit.parent is None else self.unit_ids[unit.parent],
                "start": unit.start,
                "end": unit.end,
            }
            for ordinal, unit in enumerate(self.outline.units)
        ]

    def chunk_rows(self, pieces: Sequence[Piece]) -> list[Row]:
        """Rows of chunks, linked to their neighbours in reading order."""
        made_by = strategy_digest(self._settings)
        extraction_id = self.owner["extraction_id"]
        ids = [make_id("chunk", extraction_id, piece.start, piece.end, made_by) for piece in pieces]
        return [
            self._chunk_row(ordinal, piece, ids[ordinal])
            | {
                "previous_chunk_id": ids[ordinal - 1] if ordinal else None,
                "next_chunk_id": ids[ordinal + 1] if ordinal + 1 < len(ids) else None,
            }
            for ordinal, piece in enumerate(pieces)
        ]

    def _chunk_row(self, ordinal: int, piece: Piece, chunk_id: str) -> Row:
        blocks = self._blocks(piece)
        section_path = self._section_path(blocks)
        indexed = self._include_hidden or not piece.hidden
        return {
            **self.owner,
            "chunk_id": chunk_id,
            "document_id": self._document_id,
            "ordinal": ordinal,
            "kind": piece.kind,
            "start": piece.start,
            "end": piece.end,
            "text": self.text[piece.start : piece.end],
            "tokens": piece.tokens,
            "parent_unit_id": self.unit_ids[self._parent_unit(blocks)],
            "section_path": section_path,
            "source_locator": source_locator(piece.start, piece.end, blocks, section_path),
            "strategy": self._settings.strategy,
            "forced_cut": piece.forced,
            "hidden": piece.hidden,
            "index_state": "indexed" if indexed else "excluded_hidden",
        }

    def _blocks(self, piece: Piece) -> list[Block]:
        first = bisect.bisect_right(self._ends, piece.start)
        found: list[Block] = []
        for block in self.filled[first:]:
            if block.start >= piece.end:
                break
            found.append(block)
        return found

    def _parent_unit(self, blocks: Sequence[Block]) -> int:
        tables = {block.table_unit for block in blocks}
        if len(tables) == 1 and (table := tables.pop()) is not None:
            return table
        return self.outline.common_unit([block.unit for block in blocks])

    def _section_path(self, blocks: Sequence[Block]) -> list[str]:
        """Headings over the content: a heading that only leads to a deeper section does not shorten the path."""
        content = [block for block in blocks if block.kind not in ("heading", "title")] or list(blocks)
        unit = self.outline.common_unit([block.unit for block in content])
        chain = [self.outline.units[index] for index in reversed(self.outline.ancestors(unit))]
        return [found.heading for found in chain if found.kind == "section" and found.heading]


class _Made:
    """Collects rows, books and outcomes over documents."""

    def __init__(self, ledger: Ledger) -> None:
        self.outcomes: list[Outcome] = []
        self._ledger = ledger
        self._rows: dict[str, list[Row]] = {"parent_units": [], "chunks": [], "chunk_mentions": []}

    def take(self, document: _Document, pieces: Sequence[Piece]) -> None:
        """Add the rows of a document and close its books."""
        rows = {"parent_units": document.unit_rows(), "chunks": document.chunk_rows(pieces)}
        rows["chunk_mentions"], cut = _mentions(document, rows["chunks"])
        for name, made in rows.items():
            self._rows[name] += made
        unexplained = self._close(document, pieces, rows, cut)
        version_id = document.owner["version_id"]
        state, code = ("partial", "text_missing") if unexplained else ("ok", None)
        detail = f"{unexplained} characters not accounted for" if unexplained else None
        self.outcomes.append(Outcome(version_id, state, code, detail, output_digest=digest(rows)))

    def _close(
        self, document: _Document, pieces: Sequence[Piece], rows: Mapping[str, list[Row]], cut: Sequence[Entity]
    ) -> int:
        version_id = document.owner["version_id"]
        chunks = rows["chunks"]
        close = self._ledger.close
        unexplained = close(
            version_id,
            "chars",
            expected=_non_space(document.text),
            actual=sum(_non_space(row["text"]) for row in chunks),
        )
        spans = [(piece.start, piece.end) for piece in pieces]
        held = sum(_touches(spans, block.start, block.end) for block in document.filled)
        close(version_id, "rows", expected=len(document.filled), actual=held)
        close(
            version_id,
            "entities",
            expected=len(document.entities),
            actual=len(rows["chunk_mentions"]),
            entries=[Entry("entity_span_cut", 1, {"characters": [start, end]}) for start, end, _ in cut],
        )
        forced = [piece.end for piece in pieces if piece.cut_after is not None and piece.cut_after.forced]
        cuts = max(len(pieces) - 1, 0)
        entries = [Entry("forced_cut", 1, {"characters": [place, place]}) for place in forced]
        close(version_id, "cuts", expected=cuts, actual=cuts - len(forced), entries=entries)
        hidden = [row for row in chunks if row["index_state"] == "excluded_hidden"]
        entries = [Entry("excluded_hidden", 1, {"characters": [row["start"], row["end"]]}) for row in hidden]
        close(version_id, "indexed", expected=len(chunks), actual=len(chunks) - len(hidden), entries=entries)
        return unexplained

    def output(self) -> StageOutput:
        """Everything collected."""
        tables = {name: TABLES[name].frame(rows) for name, rows in self._rows.items()}
        return StageOutput(tables={**tables, **self._ledger.frames()}, outcomes=self.outcomes)


def _mentions(document: _Document, chunks: Sequence[Row]) -> tuple[list[Row], list[Entity]]:
    """Mentions inside chunks, and the entities that no chunk holds whole."""
    starts = [row["start"] for row in chunks]
    rows: list[Row] = []
    cut: list[Entity] = []
    for start, end, label in document.entities:
        index = bisect.bisect_right(starts, start) - 1
        if index < 0 or chunks[index]["end"] < end:
            cut.append((start, end, label))
            continue
        rows.append(
            {
                "chunk_id": chunks[index]["chunk_id"],
                "version_id": document.owner["version_id"],
                "start": start,
                "end": end,
                "label": label,
                "text": document.text[start:end],
            }
        )
    return rows, cut


def _touches(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    index = bisect.bisect_left(spans, (end, end)) - 1
    return index >= 0 and spans[index][1] > start


def _non_space(text: str) -> int:
    return sum(len(word) for word in text.split())
