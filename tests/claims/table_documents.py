"""Documents with tables for claim tests: parts are (kind, text) or Grid; through the real pipeline to claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from claims_documents import corpus

from muniment.claims.stage import extract_entities
from muniment.domain.loading import load_domain
from muniment.domain.model import DomainSchema
from muniment.extraction.stage import extract
from muniment.nlp.stage import annotate
from muniment.settings import DomainSettings, EntitySettings, NlpSettings, Settings
from muniment.stages import StageOutput
from muniment.tables.registry import TABLES, check_frame
from muniment.workers.executor import InlineExecutor
from muniment.workers.pool import open_pool


@dataclass
class Grid:
    """A table as rows of texts; `spans` are (row, column) → (rows, columns) of merged cells."""

    rows: list[list[str]]
    header_rows: int = 1
    caption: str | None = None
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    side_header: bool = False
    hidden_columns: set[int] = field(default_factory=set)
    hidden: bool = False

    def text(self) -> str:
        return "\n".join("\t".join(row) for row in self.rows)


Part = tuple[str, str] | Grid


def tabled(
    *parts: Part,
    metadata: list[dict[str, Any]] | None = None,
    language: str = "en",
    domain: DomainSchema | None = None,
    settings: EntitySettings | None = None,
    **extraction: Any,
) -> StageOutput:
    """Output of the stage for one document `v1`."""
    plain = [("table", part.text()) if isinstance(part, Grid) else part for part in parts]
    source = corpus({"v1": (plain, language)}, metadata, **extraction)
    tables, cells, hidden = _tables(list(parts), source.elements)
    elements = source.elements.with_columns(hidden=pl.col("element_id").is_in(hidden))
    with open_pool(0) as pool:
        output = extract_entities(
            source.extractions,
            source.canonical_texts,
            elements,
            source.annotations,
            source.metadata,
            TABLES["document_tables"].frame(tables),
            TABLES["table_cells"].frame(cells),
            settings or EntitySettings(),
            domain or load_domain(DomainSettings()),
            pool,
        )
    for name, frame in output.tables.items():
        check_frame(TABLES[name], frame)
    text = source.text()
    for row in output.tables["claim_evidence"].filter(pl.col("start") >= 0).iter_rows(named=True):
        assert text[row["start"] : row["end"]] == row["quote"]
    assert output.tables["stage_books"].filter(pl.col("unexplained") != 0).is_empty()
    return output


def _tables(parts: list[Part], elements: pl.DataFrame) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    tables: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    hidden: list[str] = []
    for part, element in zip(parts, elements.sort("ordinal").iter_rows(named=True), strict=True):
        if not isinstance(part, Grid):
            continue
        owner = {"extraction_id": element["extraction_id"], "version_id": element["version_id"]}
        table_id = f"t-{element['element_id']}"
        hidden += [element["element_id"]] if part.hidden else []
        width = max(len(row) for row in part.rows)
        table = {"table_id": table_id, "element_id": element["element_id"], "ordinal": element["ordinal"]}
        shape = {"rows": len(part.rows), "columns": width, "header_rows": part.header_rows, "caption": part.caption}
        tables.append({**table, **shape, **owner})
        position = element["start"]
        covered: set[tuple[int, int]] = set()
        for row, texts in enumerate(part.rows):
            for column, text in enumerate(texts):
                down, right = part.spans.get((row, column), (1, 1))
                if (row, column) not in covered:
                    place = {"row": row, "column": column, "row_span": down, "column_span": right}
                    header = row < part.header_rows or (part.side_header and column == 0)
                    cell = {"is_header": header, "text": text, "hidden": column in part.hidden_columns}
                    cells.append({"table_id": table_id, **place, **cell, **owner, "start": position,
                                  "end": position + len(text)})  # fmt: skip
                    covered |= {(row + y, column + x) for y in range(down) for x in range(right)}
                position += len(text) + 1
    return tables, cells, hidden


def said(output: StageOutput, rule: str = "T") -> set[tuple[str, str, str]]:
    """(subject, raw predicate, object or value as written) of a rule."""
    names = dict(output.tables["mentions"].select("mention_id", "text").iter_rows())
    return {
        (
            names[row["subject_mention_id"]],
            row["predicate_raw"],
            names[row["object_mention_id"]] if row["object_mention_id"] else row["value"],
        )
        for row in output.tables["claims"].filter(rule=rule).iter_rows(named=True)
    }


def book(output: StageOutput, unit: str) -> tuple[int, int, dict[str, int]]:
    """(expected, actual, amounts by reason) of a unit."""
    row = output.tables["stage_books"].filter(unit=unit).row(0, named=True)
    lost = output.tables["losses"].filter(unit=unit).select("reason_code", "amount")
    return row["expected"], row["actual"], dict(lost.iter_rows())


def read_files(folder: Path, names: dict[str, str]) -> StageOutput:
    """Output for real files by document type, through their readers; a version is named by its file."""
    work = folder / "work"
    work.mkdir()
    columns = ["version_id", "document_id", "sha256", "size", "name", "doc_type"]
    rows = [(name, name, name, (folder / name).stat().st_size, name, kind) for kind, name in sorted(names.items())]
    versions = pl.DataFrame(rows, schema=columns, orient="row")
    read = extract(versions, Settings(), InlineExecutor(work), lambda sha256: folder / sha256).tables
    with open_pool(0) as pool:
        annotated = annotate(read["extractions"], read["canonical_texts"], read["elements"], NlpSettings(), pool)
        return extract_entities(
            read["extractions"],
            read["canonical_texts"],
            read["elements"],
            annotated.tables["annotations"],
            read["extracted_metadata"],
            read["document_tables"],
            read["table_cells"],
            EntitySettings(),
            load_domain(DomainSettings()),
            pool,
        )
