"""From a reading to warehouse rows of one version: ids, spans, normalised metadata. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypedDict

from muniment.extraction.canonical import Assembled, PlacedElement, assemble
from muniment.extraction.metadata import field_of, normalise
from muniment.extraction.model import Grid
from muniment.extraction.serial import ReadDocument
from muniment.ids import digest, make_id, text_digest

#: Stage that makes these rows.
STAGE = "structured_extraction"

Row = dict[str, object]


class Version(TypedDict):
    """The version that a reading belongs to."""

    version_id: str
    document_id: str
    sha256: str
    doc_type: str
    name: str


def to_rows(
    version: Version, document: ReadDocument, config_digest: str, assembled: Assembled | None = None
) -> dict[str, list[Row]]:
    """Rows by table name, for each table of the stage.

    `assembled` may be given where it is known already; it must come from the same reading.
    """
    placed = assembled or assemble(document.reading)
    extraction_id = make_id("extraction", version["version_id"], text_digest(placed.text))
    owner: Row = {"extraction_id": extraction_id, "version_id": version["version_id"]}
    tables = [
        (element_id(extraction_id, ordinal), element)
        for ordinal, element in enumerate(placed.elements)
        if element.element.grid is not None
    ]
    return {
        "extractions": [_extraction(version, document, config_digest, placed, extraction_id)],
        "canonical_texts": [{**owner, "text": placed.text}],
        "elements": [_element(owner, ordinal, element) for ordinal, element in enumerate(placed.elements)],
        "document_tables": [_table(owner, number, *table) for number, table in enumerate(tables)],
        "table_cells": [cell for holder, element in tables for cell in _cells(owner, holder, element)],
        "text_edits": _edits(owner, placed),
        "source_counts": count_rows(version["version_id"], document),
        "extracted_metadata": _metadata(version["version_id"], document),
        "artifacts": [_artifact(version, document, config_digest, placed)],
    }


def element_id(extraction_id: str, ordinal: int) -> str:
    """Id of the element that stands at `ordinal` in reading order."""
    return make_id("element", extraction_id, ordinal)


def result_digest(document: ReadDocument, assembled: Assembled) -> str:
    """Digest of everything a reading says, without ids: equal for equal bytes under any version."""
    elements = [
        (
            e.element.kind, e.element.level, e.start, e.end, e.element.page, e.element.box, e.element.slide,
            e.element.sheet, e.element.cell_range, e.element.mail_part, e.element.hidden, e.section_path,
            e.element.attributes,
            [(c.start, c.end, c.cell.row, c.cell.column, c.cell.row_span, c.cell.column_span, c.cell.is_header,
              c.cell.raw_value, c.cell.hidden) for c in e.cells],
            [(d.start, d.end, d.kind, d.source_text) for d in e.edits],
        )
        for e in assembled.elements
    ]  # fmt: skip
    reading = document.reading
    metadata = [(m.field, m.value, m.basis, m.evidence) for m in reading.metadata]
    adjustments = [(a.unit, a.reason_code, a.amount, a.locator) for a in reading.adjustments]
    return digest(
        text_digest(assembled.text), elements, _readable(metadata), adjustments, document.counts, reading.pages
    )


def count_rows(version_id: str, document: ReadDocument) -> list[Row]:
    """Rows of source_counts; they are kept for documents that fail, too."""
    return [
        {"version_id": version_id, "unit": unit, "value": value, "counter": document.counter}
        for unit, value in sorted(document.counts.items())
    ]


def _extraction(
    version: Version, document: ReadDocument, config_digest: str, placed: Assembled, extraction_id: str
) -> Row:
    reading = document.reading
    metadata = normalise(reading, placed.text)
    return {
        "extraction_id": extraction_id,
        "version_id": version["version_id"],
        "document_id": version["document_id"],
        "doc_type": version["doc_type"],
        "reader": reading.reader,
        "reader_version": reading.reader_version,
        "config_digest": config_digest,
        "canonical_sha256": text_digest(placed.text),
        "characters": len(placed.text),
        "elements": len(placed.elements),
        "pages": reading.pages,
        "title": _readable(metadata.title),
        "title_basis": metadata.title_basis,
        "author": _readable(metadata.author),
        "published_on": metadata.published_on,
        "valid_from": metadata.valid_from,
        "valid_to": metadata.valid_to,
        "validity_status": metadata.validity_status,
        "language": metadata.language,
        "language_basis": metadata.language_basis,
    }


def _element(owner: Row, ordinal: int, placed: PlacedElement) -> Row:
    element = placed.element
    box = element.box or (None, None, None, None)
    return {
        **owner,
        "element_id": element_id(str(owner["extraction_id"]), ordinal),
        "ordinal": ordinal,
        "kind": element.kind,
        "level": element.level,
        "start": placed.start,
        "end": placed.end,
        "page": element.page,
        "x0": box[0],
        "y0": box[1],
        "x1": box[2],
        "y1": box[3],
        "slide": element.slide,
        "sheet": _readable(element.sheet),
        "cell_range": element.cell_range,
        "mail_part": element.mail_part,
        "section_path": list(placed.section_path),
        "hidden": element.hidden,
        "attributes": to_json(element.attributes),
    }


def _table(owner: Row, ordinal: int, holder: str, placed: PlacedElement) -> Row:
    grid = placed.element.grid or Grid([])
    return {
        **owner,
        "table_id": make_id("table", holder),
        "element_id": holder,
        "ordinal": ordinal,
        "rows": max((cell.row + cell.row_span for cell in grid.cells), default=0),
        "columns": max((cell.column + cell.column_span for cell in grid.cells), default=0),
        "header_rows": grid.header_rows,
        "caption": _readable(grid.caption),
    }


def _cells(owner: Row, holder: str, placed: PlacedElement) -> Iterable[Row]:
    table_id = make_id("table", holder)
    for item in placed.cells:
        cell = item.cell
        yield {
            **owner,
            "table_id": table_id,
            "row": cell.row,
            "column": cell.column,
            "row_span": cell.row_span,
            "column_span": cell.column_span,
            "is_header": cell.is_header,
            "start": item.start,
            "end": item.end,
            "text": item.text,
            "raw_value": _readable(cell.raw_value),
            "hidden": cell.hidden,
        }


def _edits(owner: Row, placed: Assembled) -> list[Row]:
    """Rows of text_edits; edits of one kind at one place are one row, their source texts joined."""
    rows: dict[tuple[int, int, str], Row] = {}
    for element in placed.elements:
        for edit in element.edits:
            key = (edit.start, edit.end, edit.kind)
            known = rows.get(key)
            if known is not None:
                known["source_text"] = f"{known['source_text']}{edit.source_text}"
                continue
            rows[key] = {
                **owner,
                "start": edit.start,
                "end": edit.end,
                "kind": edit.kind,
                "source_text": edit.source_text,
                "canonical_text": edit.canonical_text,
            }
    return list(rows.values())


def _metadata(version_id: str, document: ReadDocument) -> list[Row]:
    ordinals: dict[str, int] = {}
    rows: list[Row] = []
    for stated in document.reading.metadata:
        name = field_of(stated.field) or str(_readable(stated.field))
        ordinal = ordinals.get(name, 0)
        ordinals[name] = ordinal + 1
        rows.append(
            {
                "version_id": version_id,
                "field": name,
                "ordinal": ordinal,
                "value": _readable(stated.value),
                "basis": stated.basis,
                "evidence": to_json(stated.evidence),
            }
        )
    return rows


def _artifact(version: Version, document: ReadDocument, config_digest: str, placed: Assembled) -> Row:
    made = result_digest(document, placed)
    return {
        "artifact_id": make_id("artifact", version["version_id"], STAGE, made),
        "version_id": version["version_id"],
        "kind": STAGE,
        "digest": made,
        "producer": f"{document.reading.reader} {document.reading.reader_version}",
        "config_digest": config_digest,
        "parents": [version["sha256"]],
    }


def to_json(value: object) -> str:
    """JSON with sorted keys; lone surrogates become U+FFFD, which every store holds."""
    return str(_readable(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)))


def _readable(value: object) -> object:
    """A value whose texts have neither lone surrogates nor NUL; other values as they are."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "")
    if isinstance(value, (list, tuple)):
        return [_readable(item) for item in value]
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    return value
