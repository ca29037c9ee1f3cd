"""Word-processing files (docx, docm, dotx): everything that a reader of the document sees, in order.

The parts are walked here with lxml. unstructured was measured and not chosen: it loses tracked insertions,
footnotes, content controls, VML text boxes and formulas without a word (reliability-ecosystem, section 0.3),
and python-docx, under it, offers no model for them either.

Rules. The text is the accepted view: insertions are in, deletions are an attribute of their paragraph and the
loss `tracked_deletion`. List numbers are in the text (edit `list_number`). Footnotes and endnotes follow the
paragraph that calls them; comments too, as visible elements of kind `comment`. Hidden text (`w:vanish`, and
parts that nothing refers to) becomes elements of its own, marked hidden. Text boxes, shapes, charts and diagrams
follow the paragraph, or the table, that anchors them. Heads and feet stand once, before and after the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from muniment.extraction import docx_counter, docx_source
from muniment.extraction.charts import chart_elements, diagram_texts
from muniment.extraction.docx_paragraph import Paragraph, ParagraphReader
from muniment.extraction.docx_styles import Numbering, Role, Styles, number, toggle, value
from muniment.extraction.model import (
    Cell,
    Element,
    ElementKind,
    Grid,
    Reading,
    ReadOptions,
    TextEdit,
)
from muniment.extraction.ooxml import (
    Package,
    attribute,
    child,
    core_properties,
    descendants,
    embedded_files,
    short_name,
    shown_children,
)
from muniment.extraction.reader_books import Books

COUNTER: str = docx_counter.COUNTER
count = docx_counter.count
source_text = docx_source.source_text

_PARTS = {"footnote": ("footnotes", "w:footnote"), "endnote": ("endnotes", "w:endnote")}
_NOT_BLOCKS = frozenset({"w:sectPr", "w:tblPr", "w:tblGrid", "w:trPr", "w:tcPr", "w:sdtPr", "w:sdtEndPr", "w:pPr"})


def read(path: Path, options: ReadOptions) -> Reading:
    """Elements of the body, heads, feet, notes and comments.

    Raises ReadError: corrupt_file, type_mismatch, password_protected, archive_limit, xml_dtd_forbidden.
    """
    with Package(path, options) as package:
        document = _Document(package, package.main_part("wordprocessingml"))
        elements = document.read()
        return Reading(
            reader="docx",
            reader_version=f"1 lxml {version('lxml')}",
            elements=elements,
            metadata=core_properties(package),
            adjustments=document.books.adjustments(),
        )


@dataclass(slots=True)
class _Cell:
    row: int
    column: int
    column_span: int
    texts: list[str] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)  # the same without list numbers
    marks: list[dict[str, object]] = field(default_factory=list)
    row_span: int = 1
    is_header: bool = False

    def add(self, element: Element) -> None:
        """Take in a block; a cell has no attributes, so its links and changes go to the table."""
        number = element.attributes.get("list_number")
        self.texts.append(element.text)
        self.stored.append(element.text[len(str(number)) + 1 :] if number else element.text)
        kept = {
            key: element.attributes[key] for key in ("links", "insertions", "deletions") if key in element.attributes
        }
        if kept:
            self.marks.append({"row": self.row, "column": self.column, **kept})

    def made(self) -> Cell:
        """The cell of the grid."""
        text, stored = "\n".join(self.texts), "\n".join(self.stored)
        raw = stored if stored != text else None
        return Cell(self.row, self.column, text, self.row_span, self.column_span, self.is_header, raw)


class _Document:
    """Walks the parts of one document."""

    def __init__(self, package: Package, part: str) -> None:
        self.package = package
        self.part = part
        self.books = Books()
        self.styles = Styles(self._related_root("styles"))
        self.numbering = Numbering(self._related_root("numbering"))
        self._notes = {kind: self._load_notes(*names) for kind, names in _PARTS.items()}
        self._comments = self._load_comments()
        self._used: set[tuple[str, str]] = set()

    def _related_root(self, kind: str) -> Any | None:
        parts = self.package.related(self.part, kind)
        return self.package.xml(parts[0]) if parts else None

    def read(self) -> list[Element]:
        """All elements: heads, body with its notes and comments, feet, then what nothing refers to."""
        root = self.package.xml(self.part)
        body = child(root, "w:body")
        heads, feet = self._heads_and_feet(root)
        elements = list(heads)
        if body is not None:
            elements += _Story(self, self.part).blocks(body)
        elements += self._unreferenced()
        elements += feet
        self.books.amount("attachments", "attachment_skipped", len(embedded_files(self.package, self.part)))
        return elements

    def _heads_and_feet(self, root: Any) -> tuple[list[Element], list[Element]]:
        shown = {attribute(item, "r:id"): item for item in descendants(root, "w:headerReference", "w:footerReference")}
        found: dict[str, list[Element]] = {"header": [], "footer": []}
        seen: set[str] = set()
        for identifier, relationship in self.package.relationships(self.part).items():
            known = relationship.kind in found and self.package.has(relationship.target)
            if not known or relationship.target in seen:
                continue
            seen.add(relationship.target)
            reference = shown.get(identifier)
            elements = _Story(self, relationship.target).blocks(self.package.xml(relationship.target))
            for element in elements:
                if element.grid is None and element.kind in ("paragraph", "heading", "title", "list_item"):
                    element.kind = "page_header" if relationship.kind == "header" else "page_footer"
                element.attributes["part"] = relationship.kind
                self._settle(element, hidden=reference is None)
                if reference is not None:
                    element.attributes["pages"] = attribute(reference, "w:type") or "default"
            found[relationship.kind] += elements
        return found["header"], found["footer"]

    def _settle(self, element: Element, *, hidden: bool) -> None:
        element.hidden = element.hidden or hidden

    def _load_notes(self, kind: str, name: str) -> dict[str, tuple[str, Any]]:
        notes = {}
        for part in self.package.related(self.part, kind):
            for item in self.package.xml(part):
                if short_name(item) == name and attribute(item, "w:type") in (None, "normal"):
                    notes[attribute(item, "w:id") or ""] = (part, item)
        return notes

    def _load_comments(self) -> dict[str, tuple[str, Any]]:
        comments = {}
        for part in self.package.related(self.part, "comments"):
            for item in self.package.xml(part):
                if short_name(item) == "w:comment":
                    comments[attribute(item, "w:id") or ""] = (part, item)
        return comments

    def note(self, kind: str, identifier: str, *, hidden: bool = False) -> list[Element]:
        """Elements of a footnote or endnote the first time it is called for."""
        if (kind, identifier) in self._used or identifier not in self._notes[kind]:
            return []
        self._used.add((kind, identifier))
        part, item = self._notes[kind][identifier]
        marks: dict[str, object] = {"note_id": identifier, "note": kind}
        return self._aside("footnote", part, item, marks, hidden=hidden)

    def comment(self, identifier: str) -> list[Element]:
        """Elements of a comment the first time it is called for."""
        if ("comment", identifier) in self._used or identifier not in self._comments:
            return []
        self._used.add(("comment", identifier))
        part, item = self._comments[identifier]
        marks: dict[str, object] = {"comment_id": identifier}
        for name in ("author", "date"):
            stated = attribute(item, f"w:{name}")
            if stated:
                marks[name] = stated
        return self._aside("comment", part, item, marks)

    def _aside(
        self, kind: ElementKind, part: str, item: Any, marks: dict[str, object], *, hidden: bool = False
    ) -> list[Element]:
        elements = _Story(self, part).blocks(item)
        for element in elements:
            if element.grid is None and element.kind in ("paragraph", "heading", "list_item"):
                element.kind, element.level = kind, None
            element.attributes |= marks
            element.hidden = element.hidden or hidden
        return elements

    def _unreferenced(self) -> list[Element]:
        elements = []
        for kind, notes in self._notes.items():
            for identifier in notes:
                elements += self.note(kind, identifier, hidden=True)
        for identifier in self._comments:
            elements += self.comment(identifier)
        return elements


class _Story:
    """Blocks of one part."""

    def __init__(self, document: _Document, part: str) -> None:
        self._document = document
        self._part = part
        self._reader = ParagraphReader(document.styles, document.package.relationships(part))
        self._carried: Paragraph | None = None

    def blocks(self, container: Any) -> list[Element]:
        """Elements of a container of paragraphs and tables, in order."""
        elements: list[Element] = []
        for item in shown_children(container):
            name = short_name(item)
            if name in ("w:p", "m:oMathPara", "m:oMath"):
                elements += self._paragraph(item)
            elif name == "w:tbl":
                elements += self._table(item)
            elif name == "w:altChunk":
                continue  # counted with the embedded files
            elif name and name not in _NOT_BLOCKS:
                elements += self.blocks(item)
        return elements

    def _paragraph(self, item: Any) -> list[Element]:
        properties = child(item, "w:pPr")
        paragraph = self._reader.read(item, self._carried)
        self._carried = None
        marks = child(properties, "w:rPr") if properties is not None else None
        if marks is not None and child(marks, "w:del") is not None:
            self._carried = paragraph  # its end was deleted: the next paragraph goes on with it
            return []
        role = self._document.styles.role(properties)
        if paragraph.deleted and not paragraph.text.strip():
            printed = ""
        else:
            printed = self._document.numbering.next(role.list_id, role.list_level)
        return self._main(paragraph, role, printed) + self.attached(paragraph)

    def _main(self, paragraph: Paragraph, role: Role, printed: str) -> list[Element]:
        lead = len(paragraph.text) - len(paragraph.text.lstrip())
        text = paragraph.text.strip()
        if not text:
            return []
        prefix = f"{printed} " if printed else ""
        element = Element(role.kind, prefix + text, role.level)
        if printed:
            element.edits.append(TextEdit(0, len(prefix), "list_number", ""))
            element.attributes["list_number"] = printed
            self._document.books.text("list_number_added", printed)
        if role.list_id is not None:
            element.attributes |= {"list_id": role.list_id, "list_level": role.list_level}
        if role.style:
            element.attributes["style"] = role.style
        if paragraph.notes:
            element.attributes["notes"] = [identifier for _, identifier in paragraph.notes]
        for kind, spans in paragraph.spans.items():
            element.attributes[kind] = [_shifted(span, len(prefix) - lead, len(element.text)) for span in spans]
        return [element]

    def attached(self, paragraph: Paragraph) -> list[Element]:
        """What follows a paragraph: hidden text, figures, boxes, charts, notes, comments; and its losses."""
        document, books = self._document, self._document.books
        books.text("tracked_deletion", "".join(paragraph.deleted))
        books.amount("formulas", "math_flattened", paragraph.formulas)
        elements = []
        hidden = "".join(paragraph.hidden).strip()
        if hidden:
            elements.append(Element("paragraph", hidden, hidden=True, attributes={"reason": "vanish"}))
        for figure in paragraph.figures:
            elements += self._figure(figure.text.strip())
        for text in paragraph.drawn:
            elements.append(Element("paragraph", text.strip(), attributes={"text_box": True}))
        for box in paragraph.boxes:
            inner = _Story(document, self._part).blocks(box)
            for element in inner:
                element.attributes["text_box"] = True
            elements += inner
        elements += self._drawings(paragraph)
        for kind, identifier in paragraph.notes:
            elements += document.note(kind, identifier)
        for identifier in paragraph.comments:
            elements += document.comment(identifier)
        return elements

    def _figure(self, text: str) -> list[Element]:
        if not text:
            self._document.books.amount("figures", "image_not_read", 1)
            return []
        self._document.books.text("alternative_text_added", text)
        return [Element("figure", text, attributes={"alternative_text": True})]

    def _drawings(self, paragraph: Paragraph) -> list[Element]:
        package, relationships = self._document.package, self._document.package.relationships(self._part)
        elements = []
        for identifier in paragraph.charts:
            target = relationships.get(identifier)
            made = chart_elements(package, target.target) if target and package.has(target.target) else []
            self._document.books.amount("charts", "chart_not_read", 0 if made else 1)
            elements += made
        for identifier in paragraph.diagrams:
            target = relationships.get(identifier)
            for text in diagram_texts(package, target.target) if target and package.has(target.target) else ():
                elements.append(Element("list_item", text.strip(), attributes={"diagram": True}))
        return elements

    def _table(self, table: Any) -> list[Element]:
        cells: list[_Cell] = []
        after: list[Element] = []
        open_cells: dict[int, _Cell] = {}
        header_rows = 0
        rows = list(_parts(table, "w:tr"))
        for index, row in enumerate(rows):
            properties = child(row, "w:trPr")
            is_header = header_rows == index and bool(toggle(properties, "w:tblHeader"))
            header_rows += is_header
            column = number(value(properties, "w:gridBefore")) or 0
            still_open: dict[int, _Cell] = {}
            for item in _parts(row, "w:tc"):
                cell = self._cell(item, index, column, open_cells, after)
                cell.is_header = cell.is_header or is_header
                if cell.row == index:
                    cells.append(cell)
                still_open[column] = cell
                column += max(_span(item), 1)
            open_cells = still_open
        cells.sort(key=lambda cell: (cell.row, cell.column))
        marks = [mark for cell in cells for mark in cell.marks]
        element = Element("table", grid=Grid([cell.made() for cell in cells], header_rows))
        if marks:
            element.attributes["cell_marks"] = marks
        return [element, *after] if cells else after

    def _cell(self, item: Any, row: int, column: int, open_cells: dict[int, _Cell], after: list[Element]) -> _Cell:
        properties = child(item, "w:tcPr")
        merge = child(properties, "w:vMerge") if properties is not None else None
        continues = merge is not None and attribute(merge, "w:val") in (None, "continue")
        cell = open_cells.get(column) if continues else None
        if cell is None:
            cell = _Cell(row, column, max(_span(item), 1))
        elif cell.row + cell.row_span == row:
            cell.row_span += 1
        story = _Story(self._document, self._part)
        for element in story.blocks(item):
            if element.grid is not None and not element.attributes.get("chart"):
                self._document.books.amount("tables", "nested_table_flattened", 1)
                cell.add(Element("paragraph", "\n".join(inner.text for inner in element.grid.cells if inner.text)))
            elif _belongs_in_cell(element):
                cell.add(element)
            else:
                after.append(element)
        return cell


def _belongs_in_cell(element: Element) -> bool:
    outside = ("figure", "footnote", "comment", "table")
    return not element.hidden and element.kind not in outside and not element.attributes.get("text_box")


def _parts(container: Any, name: str) -> list[Any]:
    """Rows of a table or cells of a row, also those inside content controls and change marks."""
    found = []
    for item in shown_children(container):
        short = short_name(item)
        if short == name:
            found.append(item)
        elif short not in _NOT_BLOCKS and short != "w:tc":
            found.extend(_parts(item, name))
    return found


def _span(cell: Any) -> int:
    return number(value(child(cell, "w:tcPr"), "w:gridSpan")) or 1


def _shifted(span: dict[str, object], by: int, limit: int) -> dict[str, object]:
    moved = {key: item for key, item in span.items() if item is not None}
    for key in ("start", "end"):
        if isinstance(moved.get(key), int):
            moved[key] = min(max(int(str(moved[key])) + by, 0), limit)
    return moved
