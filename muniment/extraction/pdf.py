"""PDF files: pdfium's glyphs with page and box, made into elements here.

Lines, columns, paragraphs and headings come from the geometry of the glyphs (`pdf_layout`, `pdf_blocks`), ruled tables
from the lines drawn (`pdf_tables`). Running heads and feet stay, as elements of their own kind. What cannot be seen
(invisible, white, tiny or off-page text) stays, marked hidden. Text and choice fields are `form_field` elements, notes
on pages `comment` elements. Every glyph ends in exactly one element or cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from muniment.extraction import pdf_counter, pdf_source
from muniment.extraction.model import Element, ReadError, Reading, ReadOptions, Stated
from muniment.extraction.pdf_blocks import PageLines, elements_of
from muniment.extraction.pdf_forms import form_fields, links, page_notes
from muniment.extraction.pdf_glyphs import Box, Frame, Glyph, frame_of, glyphs
from muniment.extraction.pdf_layout import lines
from muniment.extraction.pdf_tables import Table, box_of, edges, grid, owner, ruled_tables
from muniment.extraction.reader_books import Books

COUNTER: str = pdf_counter.COUNTER
count = pdf_counter.count
source_text = pdf_source.source_text

_BYTES_A_PAGE = 20  # no page takes less: a larger count is a lie of the page tree
_METADATA = {
    "Title": "title",
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "CreationDate": "created",
    "ModDate": "modified",
}


@dataclass(slots=True)
class _Page:
    """One page as read, before the document's lines are known."""

    lines: PageLines
    tables: list[Element] = field(default_factory=list)
    hidden: list[Element] = field(default_factory=list)
    asides: list[Element] = field(default_factory=list)
    links: list[tuple[Box, str]] = field(default_factory=list)


def read(path: Path, options: ReadOptions) -> Reading:
    """Elements of all pages; none when no page has a text layer (each is then `page_without_text`).

    Raises ReadError: empty_file, corrupt_file, password_protected.
    """
    del options
    document = _open(path)
    try:
        document.init_forms()
        books = Books()
        pages = [_read_page(document, index, books) for index in range(_page_count(document, path))]
        elements = _assemble([page for page in pages if page is not None], books)
        elements += _fields(document, books)
        books.amount("attachments", "attachment_skipped", document.count_attachments())
        return Reading(
            reader="pdf",
            reader_version=f"1 pypdfium2 {version('pypdfium2')} pdfplumber {version('pdfplumber')}",
            elements=elements,
            metadata=_metadata(document),
            adjustments=books.adjustments(),
            pages=len(pages),
        )
    finally:
        document.close()


def _open(path: Path) -> Any:
    import pypdfium2

    if path.stat().st_size == 0:
        raise ReadError("empty_file", "the file has no bytes")
    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        message = str(error).lower()
        if "password" in message or "security" in message:
            raise ReadError("password_protected", "the file needs a password") from error
        raise ReadError("corrupt_file", "not a readable PDF") from error


def _page_count(document: Any, path: Path) -> int:
    count_stated = len(document)
    if count_stated == 0:
        raise ReadError("corrupt_file", "the file has no pages")
    if count_stated * _BYTES_A_PAGE > max(path.stat().st_size, 1000):
        raise ReadError("corrupt_file", f"the page tree states {count_stated} pages, more than the file can hold")
    return count_stated


def _read_page(document: Any, index: int, books: Books) -> _Page | None:
    import pypdfium2

    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        books.amount("pages_read", "page_unreadable", 1, page=index + 1)
        return None
    try:
        return _page(page, index + 1, books, document)
    finally:
        page.close()


def _page(page: Any, number: int, books: Books, document: Any) -> _Page:
    frame = frame_of(page)
    found = glyphs(page, frame)
    visible = [glyph for glyph in found if glyph.hidden is None]
    rules = edges(page, frame) if visible else []
    tables, flowing = _tables(visible, ruled_tables(rules), frame, number)
    hidden = _hidden([glyph for glyph in found if glyph.hidden is not None], frame, number)
    read_lines = lines(flowing, frame.height, frame.width)
    for line in read_lines:
        line.page = number
    made = _Page(PageLines(number, frame.height, read_lines), tables, hidden)
    made.asides = page_notes(page, frame, number)
    made.links = links(page, frame, document)
    broken = sum(glyph.text == "\ufffd" for glyph in found)
    books.amount("chars_broken", "broken_characters", broken, page=number)
    if not found:
        empty = next(page.get_objects(max_depth=1), None) is None
        books.amount("pages_with_text", "blank_page" if empty else "page_without_text", 1, page=number)
    return made


def _tables(visible: list[Glyph], found: list[Table], frame: Frame, number: int) -> tuple[list[Element], list[Glyph]]:
    """Tables with at least two filled cells, and the glyphs that no cell took."""
    elements = []
    for cells in sorted(found, key=box_of):
        owned: dict[int, list[Glyph]] = {}
        rest = []
        for glyph in visible:
            cell = owner(cells, glyph)
            (rest if cell is None else owned.setdefault(cell, [])).append(glyph)
        if len(owned) < 2:
            continue  # a frame around a text, a form, a drawing
        visible = rest
        texts = [_cell_text(owned.get(index, []), frame) for index in range(len(cells))]
        bold = [all(glyph.bold for glyph in owned.get(index, [])) for index in range(len(cells))]
        x0, top, x1, bottom = (round(edge, 2) for edge in box_of(cells))
        elements.append(Element("table", page=number, box=(x0, top, x1, bottom), grid=grid(cells, texts, bold)))
    return elements, visible


def _cell_text(inside: list[Glyph], frame: Frame) -> str:
    return "\n".join(line.text.replace("\t", " ") for line in lines(inside, frame.height, frame.width))


def _hidden(unseen: list[Glyph], frame: Frame, number: int) -> list[Element]:
    """One element for each reason on a page."""
    elements = []
    for reason in sorted({glyph.hidden or "" for glyph in unseen}):
        members = [glyph for glyph in unseen if glyph.hidden == reason]
        text = "\n".join(line.text for line in lines(members, frame.height, frame.width))
        elements.append(Element("paragraph", text, page=number, hidden=True, attributes={"reason": reason}))
    return elements


def _assemble(pages: list[_Page], books: Books) -> list[Element]:
    made, hyphens = elements_of([page.lines for page in pages])
    for (number, hyphen), amount in hyphens.items():
        books.text("hyphen_joined", hyphen * amount, page=number)
    elements: list[Element] = []
    for page, flowing in zip(pages, made, strict=True):
        placed = _with_tables(flowing, page.tables)
        _attach_links(placed, page.links)
        elements += placed + page.asides + page.hidden
    return elements


def _with_tables(flowing: list[tuple[Element, float]], tables: list[Element]) -> list[Element]:
    """Puts each table before the first element of the flow that stands below its top, in its column."""
    elements = [element for element, _ in flowing]
    for table in sorted(tables, key=lambda item: item.box or (0, 0, 0, 0), reverse=True):
        x0, top, x1, _ = table.box or (0.0, 0.0, 0.0, 0.0)
        below = next(
            (
                index
                for index, element in enumerate(elements)
                if element.box and element.box[1] >= top - 1 and element.box[0] < x1 and element.box[2] > x0
                and element.kind != "page_header"
            ),
            len(elements),
        )  # fmt: skip
        elements.insert(below, table)
    return elements


def _attach_links(elements: list[Element], found: list[tuple[Box, str]]) -> None:
    for box, target in found:
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        for element in elements:
            if element.box and element.box[0] <= x <= element.box[2] and element.box[1] <= y <= element.box[3]:
                known = element.attributes.setdefault("links", [])
                if isinstance(known, list) and {"target": target} not in known:
                    known.append({"target": target})
                break


def _fields(document: Any, books: Books) -> list[Element]:
    elements = []
    for name, value, number in form_fields(document):
        label = f"{name}: " if name else ""
        books.text("header_as_text", label)
        elements.append(Element("form_field", label + value, page=number, attributes={"field": name}))
    return elements


def _metadata(document: Any) -> list[Stated]:
    stated = []
    for key, field_name in _METADATA.items():
        value = document.get_metadata_value(key).replace("\x00", "").strip()
        if value:
            stated.append(Stated(field_name, _date(value) if "Date" in key else value, {"property": key}))
    return stated


def _date(value: str) -> str:
    """D:20240131… as ISO 8601; anything else as stated."""
    match = re.match(r"^(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?", value)
    if match is None:
        return value
    day = "-".join(match.group(1, 2, 3))
    return f"{day}T{match.group(4)}:{match.group(5)}:{match.group(6) or '00'}" if match.group(4) else day
