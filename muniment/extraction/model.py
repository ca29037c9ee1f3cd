"""What a reader returns: elements, tables, edits, stated metadata and adjustments of the books.

A reader runs in a child process without network and sees one file. It never sees ids; `rows`
turns a Reading into warehouse rows for each version that shares the bytes.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

ElementKind = Literal[
    "title",
    "heading",
    "paragraph",
    "list_item",
    "table",
    "figure",
    "caption",
    "footnote",
    "note",
    "code",
    "quote",
    "page_header",
    "page_footer",
    "mail_header",
    "comment",
    "form_field",
]


@dataclass(slots=True)
class TextEdit:
    """A difference between source and element text; offsets are into the element's text."""

    start: int
    end: int
    kind: str
    source_text: str


@dataclass(slots=True)
class Cell:
    """One cell. Text as shown; the element text is made of cells by `canonical`, not by the reader."""

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    is_header: bool = False
    raw_value: str | None = None
    hidden: bool = False


@dataclass(slots=True)
class Grid:
    """A table: cells sorted by (row, column); no two start at one place."""

    cells: list[Cell]
    header_rows: int = 0
    caption: str | None = None


@dataclass(slots=True)
class Element:
    """One piece in reading order. `text` is empty for a table (its grid holds the text)."""

    kind: ElementKind
    text: str = ""
    level: int | None = None
    page: int | None = None
    box: tuple[float, float, float, float] | None = None  # x0, top, x1, bottom in points from the top left
    slide: int | None = None
    sheet: str | None = None
    cell_range: str | None = None
    mail_part: str | None = None
    hidden: bool = False
    grid: Grid | None = None
    edits: list[TextEdit] = dataclasses.field(default_factory=list)
    attributes: dict[str, object] = dataclasses.field(default_factory=dict)


@dataclass(slots=True)
class Stated:
    """A metadata value that the document states, with where it does."""

    field: str
    value: str
    evidence: dict[str, object] = dataclasses.field(default_factory=dict)
    basis: Literal["explicit", "rule"] = "explicit"


@dataclass(slots=True)
class Adjustment:
    """A known difference between counter and reader: an explained loss or an addition, by its code.

    `amount` is in `unit`: chars_visible counts non-space code points after NFC, and so on.
    """

    unit: str
    reason_code: str
    amount: int
    locator: dict[str, object] = dataclasses.field(default_factory=dict)
    detail: str = ""


@dataclass(slots=True)
class Reading:
    """All that a reader made of one file."""

    reader: str
    reader_version: str
    elements: list[Element]
    metadata: list[Stated] = dataclasses.field(default_factory=list)
    adjustments: list[Adjustment] = dataclasses.field(default_factory=list)
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Settings that a reader obeys; part of its configuration digest."""

    max_cells: int = 500_000
    max_archive_bytes: int = 512 * 1024 * 1024
    max_archive_ratio: float = 200.0
    max_archive_members: int = 10_000


class ReadError(Exception):
    """A file that cannot be read: a reason code and what a person should know (no document text)."""

    def __init__(self, reason_code: str, detail: str) -> None:
        super().__init__(f"{reason_code}: {detail}")
        self.reason_code = reason_code
        self.detail = detail


class FormatModule(Protocol):
    """What each module of a format offers.

    `read` raises ReadError for a file that it cannot read. `count` shares no code and no parsing
    library call with `read` and returns counts by unit (see tables.local.SOURCE_COUNTS);
    it too may raise ReadError.
    """

    COUNTER: str

    def read(self, path: Path, options: ReadOptions) -> Reading:
        """Elements, metadata and adjustments of the file."""
        ...

    def count(self, path: Path, options: ReadOptions) -> dict[str, int]:
        """Independent counts by unit."""
        ...

    def source_text(self, path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
        """Text of the file by the counter's engine, in document order; see `muniment.trace.verify`.

        Where `locator` has a page (to last_page), slide, sheet (and range) or mail_part, only the text there.
        Blocks are apart by a blank line, rows by a newline, cells by a tab. Hidden and deleted text, and
        alternative texts, follow the visible text. May raise ReadError.
        """
        ...
