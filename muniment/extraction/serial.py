"""What a child process hands back: a reading and its counts as JSON, and the way back, without loss."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path

from muniment.extraction.model import Adjustment, Cell, Element, Grid, Reading, Stated, TextEdit


@dataclass(slots=True)
class ReadDocument:
    """A reading with the independent counts of the same file.

    `counts` is empty when the counter failed; `count_error` then says why (no document text).
    """

    reading: Reading
    counter: str
    counts: dict[str, int] = field(default_factory=dict)
    count_error: str | None = None


def dump(document: ReadDocument, output: Path) -> None:
    """Write a document to `output`; lone surrogates survive as escapes."""
    output.write_text(json.dumps(dataclasses.asdict(document), separators=(",", ":")), encoding="ascii")


def load(path: Path) -> ReadDocument:
    """Read what `dump` wrote."""
    data = json.loads(path.read_text(encoding="ascii"))
    return ReadDocument(
        reading=_reading(data["reading"]),
        counter=data["counter"],
        counts=data["counts"],
        count_error=data["count_error"],
    )


def _reading(data: dict) -> Reading:
    return Reading(
        reader=data["reader"],
        reader_version=data["reader_version"],
        elements=[_element(item) for item in data["elements"]],
        metadata=[Stated(**item) for item in data["metadata"]],
        adjustments=[Adjustment(**item) for item in data["adjustments"]],
        pages=data["pages"],
    )


def _element(data: dict) -> Element:
    grid = data["grid"]
    return Element(
        **{
            **data,
            "box": tuple(data["box"]) if data["box"] is not None else None,
            "grid": _grid(grid) if grid is not None else None,
            "edits": [TextEdit(**edit) for edit in data["edits"]],
        }
    )


def _grid(data: dict) -> Grid:
    return Grid(
        cells=[Cell(**cell) for cell in data["cells"]], header_rows=data["header_rows"], caption=data["caption"]
    )
