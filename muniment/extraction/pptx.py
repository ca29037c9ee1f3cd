"""Presentations (pptx, pptm, potx, ppsx): slides with their title, text, tables, charts, notes and comments.

The slide parts are walked here with lxml. python-pptx passes over shapes inside alternative content, formulas and
diagrams without a word, and unstructured, built on it, leaves out charts and marks no hidden slide
(reliability-ecosystem, section 0.3).

Order: title first, then shapes from top to bottom in bands, from left to right within a band; the shapes of a
group stay together. Positions that a placeholder does not state come from its layout or master. All elements of a
hidden slide, and hidden shapes, are marked hidden. Charts become tables of their stored values.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from muniment.extraction import pptx_counter, pptx_source
from muniment.extraction.charts import chart_elements, diagram_texts
from muniment.extraction.counting import characters
from muniment.extraction.model import Cell, Element, Grid, ReadError, Reading, ReadOptions
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

COUNTER: str = pptx_counter.COUNTER
count = pptx_counter.count
source_text = pptx_source.source_text

_SHAPES = ("p:sp", "p:grpSp", "p:graphicFrame", "p:pic", "p:cxnSp", "p:contentPart")
_TITLES = ("title", "ctrTitle")
_FEET = ("ftr", "dt", "sldNum", "hdr")
_BAND = 228600  # a quarter of an inch in English Metric Units: shapes whose tops lie in it are side by side


def read(path: Path, options: ReadOptions) -> Reading:
    """Elements of all slides in order; `pages` is the number of slides.

    Raises ReadError: corrupt_file, type_mismatch, password_protected, archive_limit, xml_dtd_forbidden.
    """
    with Package(path, options) as package:
        main = package.main_part("presentationml")
        books = Books()
        elements: list[Element] = []
        slides = _slide_parts(package, main)
        for number, part in enumerate(slides, 1):
            elements += _Slide(package, part, number, books).read()
        return Reading(
            reader="pptx",
            reader_version=f"1 lxml {version('lxml')}",
            elements=elements,
            metadata=core_properties(package),
            adjustments=books.adjustments(),
            pages=len(slides),
        )


def _slide_parts(package: Package, main: str) -> list[str]:
    relationships = package.relationships(main)
    parts = []
    for item in descendants(package.xml(main), "p:sldId"):
        target = relationships.get(attribute(item, "r:id") or "")
        if target is None or not package.has(target.target):
            raise ReadError("corrupt_file", "a slide that the presentation names is missing")
        parts.append(target.target)
    return parts


class _Slide:
    """Reads one slide."""

    def __init__(self, package: Package, part: str, number: int, books: Books) -> None:
        self._package = package
        self._part = part
        self._number = number
        self._books = books
        self._relationships = package.relationships(part)
        self._places = _inherited_places(package, part)

    def read(self) -> list[Element]:
        """Elements of the slide, its notes and comments."""
        root = self._package.xml(self._part)
        tree = next(descendants(root, "p:spTree"), None)
        elements = self._shapes(tree) if tree is not None else []
        elements.sort(key=lambda element: element.kind != "heading")
        elements += self._notes() + self._comments()
        hidden = attribute(root, "show") in ("0", "false")
        for element in elements:
            element.slide = self._number
            element.hidden = element.hidden or hidden
        self._books.amount("attachments", "attachment_skipped", len(embedded_files(self._package, self._part)))
        return elements

    def _shapes(self, container: Any) -> list[Element]:
        shapes = [item for item in shown_children(container) if short_name(item) in _SHAPES]
        placed = sorted(enumerate(shapes), key=lambda item: (*self._position(item[1]), item[0]))
        return [element for _, shape in placed for element in self._shape(shape)]

    def _position(self, shape: Any) -> tuple[int, int]:
        own = _own_transform(shape)
        offset = child(own, "a:off") if own is not None else self._places.get(_placeholder(shape))
        if offset is None:
            return (0, 0)
        return (_whole(attribute(offset, "y")) // _BAND, _whole(attribute(offset, "x")))

    def _shape(self, shape: Any) -> list[Element]:
        name = short_name(shape)
        if name == "p:grpSp":
            elements = self._shapes(shape)
        elif name == "p:pic":
            elements = self._picture(shape)
        elif name == "p:graphicFrame":
            elements = self._frame(shape)
        else:
            elements = self._text(shape)
        if _is_hidden(shape):
            for element in elements:
                element.hidden = True
        return elements

    def _text(self, shape: Any) -> list[Element]:
        kind, _ = _placeholder(shape) or ("", "")
        body = next((item for item in shape if short_name(item) == "p:txBody"), None)
        paragraphs = [item for item in body if short_name(item) == "a:p"] if body is not None else []
        read = [(item, self._paragraph(item)) for item in paragraphs]
        shown = [(item, text) for item, text in read if text]
        if kind in _TITLES:
            text = "\n".join(text for _, text in shown)
            return [Element("heading", text, 1, attributes=self._links(shape))] if text else []
        return [self._body_paragraph(item, text, kind, shape) for item, text in shown]

    def _body_paragraph(self, item: Any, text: str, kind: str, shape: Any) -> Element:
        if kind in _FEET:
            return Element("page_header" if kind == "hdr" else "page_footer", text)
        if kind == "subTitle":
            return Element("paragraph", text, attributes={"placeholder": kind})
        properties = child(item, "a:pPr")
        level = _whole(attribute(properties, "lvl")) if properties is not None else 0
        marks = [short_name(mark) for mark in properties] if properties is not None else []
        listed = any(mark in ("a:buChar", "a:buAutoNum", "a:buBlip") for mark in marks)
        bulleted = listed or (kind in ("body", "obj") and "a:buNone" not in marks) or level > 0
        element = Element("list_item" if bulleted else "paragraph", text, attributes=self._links(item))
        if bulleted:
            element.attributes["list_level"] = level
        return element

    def _paragraph(self, item: Any) -> str:
        self._books.amount("formulas", "math_flattened", sum(1 for _ in descendants(item, "m:oMath")))
        return _text_of(item).strip()

    def _links(self, item: Any) -> dict[str, object]:
        targets = []
        for link in descendants(item, "a:hlinkClick"):
            relationship = self._relationships.get(attribute(link, "r:id") or "")
            if relationship is not None and relationship.external:
                targets.append({"target": relationship.target})
        return {"links": targets} if targets else {}

    def _picture(self, shape: Any) -> list[Element]:
        named = next(descendants(shape, "p:cNvPr"), None)
        text = (attribute(named, "descr") or "").strip() if named is not None else ""
        if not text:
            self._books.amount("figures", "image_not_read", 1, slide=self._number)
            return []
        if not _is_hidden(shape):
            self._added(text)
        else:
            self._books.amount("chars_hidden", "alternative_text_added", characters(text), slide=self._number)
        return [Element("figure", text, attributes={"alternative_text": True})]

    def _added(self, text: str) -> None:
        if attribute(self._package.xml(self._part), "show") in ("0", "false"):
            self._books.amount("chars_hidden", "alternative_text_added", characters(text), slide=self._number)
        else:
            self._books.text("alternative_text_added", text, slide=self._number)

    def _frame(self, frame: Any) -> list[Element]:
        table = next(descendants(frame, "a:tbl"), None)
        if table is not None:
            return [self._table(table)]
        elements: list[Element] = []
        for item in descendants(frame, "c:chart", "?:chart"):
            target = self._relationships.get(attribute(item, "r:id") or "")
            named = short_name(item) == "c:chart" and target is not None and self._package.has(target.target)
            made = chart_elements(self._package, target.target) if named and target is not None else []
            self._books.amount("charts", "chart_not_read", 0 if made else 1, slide=self._number)
            elements += made
        for item in descendants(frame, "dgm:relIds"):
            target = self._relationships.get(attribute(item, "r:dm") or "")
            texts = diagram_texts(self._package, target.target) if target and self._package.has(target.target) else []
            elements += [Element("list_item", text.strip(), attributes={"diagram": True}) for text in texts]
        return elements

    def _table(self, table: Any) -> Element:
        properties = child(table, "a:tblPr")
        has_header = properties is not None and attribute(properties, "firstRow") in ("1", "true")
        cells: dict[tuple[int, int], Cell] = {}
        owners: dict[tuple[int, int], Cell] = {}
        rows = [item for item in table if short_name(item) == "a:tr"]
        for row, item in enumerate(rows):
            for column, cell in enumerate(part for part in item if short_name(part) == "a:tc"):
                text = "\n".join(filter(None, (self._paragraph(p) for p in descendants(cell, "a:p"))))
                owner = owners.get((row, column))
                if owner is not None:  # covered by a merged cell: its text, if any, is kept there
                    owner.text = "\n".join(filter(None, (owner.text, text)))
                    continue
                spans = [max(_whole(attribute(cell, name)), 1) for name in ("rowSpan", "gridSpan")]
                made = Cell(row, column, text, spans[0], spans[1], has_header and row == 0)
                cells[row, column] = made
                _own(owners, made, len(rows))
        return Element("table", grid=Grid([cells[place] for place in sorted(cells)], int(has_header and bool(cells))))

    def _notes(self) -> list[Element]:
        elements = []
        for part in self._package.related(self._part, "notesSlide"):
            for shape in descendants(self._package.xml(part), "p:sp", "p:graphicFrame"):
                kind, _ = _placeholder(shape) or ("", "")
                for item in descendants(shape, "a:p"):
                    text = self._paragraph(item)
                    if text:
                        foot = kind in _FEET
                        elements.append(Element("page_footer" if foot else "note", text, attributes={"notes": True}))
        return elements

    def _comments(self) -> list[Element]:
        elements = []
        for part in self._package.related(self._part, "comments"):
            for item in self._package.xml(part).iter():
                if short_name(item) == "p:text" and item.text and item.text.strip():
                    elements.append(Element("comment", item.text.strip()))
                elif short_name(item) == "a:p":
                    text = self._paragraph(item)
                    elements += [Element("comment", text)] if text else []
        return elements


def _own(owners: dict[tuple[int, int], Cell], cell: Cell, rows: int) -> None:
    for row in range(cell.row, min(cell.row + cell.row_span, rows)):
        for column in range(cell.column, cell.column + min(cell.column_span, 1000)):
            owners.setdefault((row, column), cell)


def _text_of(element: Any) -> str:
    parts = []
    for item in shown_children(element):
        name = short_name(item)
        if name in ("a:t", "m:t"):
            parts.append(item.text or "")
        elif name == "a:br":
            parts.append("\n")
        elif name not in ("a:pPr", "a:rPr", "a:endParaRPr"):
            parts.append(_text_of(item))
    return "".join(parts)


def _whole(text: str | None) -> int:
    try:
        return int(float(text or 0))
    except (ValueError, OverflowError):
        return 0


def _own_transform(shape: Any) -> Any | None:
    for name in ("p:xfrm", "a:xfrm"):
        direct = child(shape, name)
        if direct is not None:
            return direct
    for name in ("p:spPr", "p:grpSpPr"):
        properties = child(shape, name)
        transform = child(properties, "a:xfrm") if properties is not None else None
        if transform is not None:
            return transform
    return None


def _non_visual(shape: Any) -> Any | None:
    return next((item for item in shape if short_name(item).startswith("p:nv")), None)


def _is_hidden(shape: Any) -> bool:
    properties = _non_visual(shape)
    named = child(properties, "p:cNvPr") if properties is not None else None
    return named is not None and attribute(named, "hidden") in ("1", "true")


def _placeholder(shape: Any) -> tuple[str, str] | None:
    """(type, index) of a placeholder; the type of a plain content placeholder is `obj`."""
    properties = _non_visual(shape)
    holder = next(descendants(properties, "p:ph"), None) if properties is not None else None
    if holder is None:
        return None
    return (attribute(holder, "type") or "obj", attribute(holder, "idx") or "0")


def _inherited_places(package: Package, part: str) -> dict[tuple[str, str] | None, Any]:
    """Offsets of placeholders by (type, index), from the layout and then the master."""
    places: dict[tuple[str, str] | None, Any] = {}
    by_type: dict[str, Any] = {}
    layouts = package.related(part, "slideLayout")
    masters = [master for layout in layouts for master in package.related(layout, "slideMaster")]
    for source in layouts + masters:
        for shape in descendants(package.xml(source), "p:sp"):
            key, transform = _placeholder(shape), _own_transform(shape)
            offset = child(transform, "a:off") if transform is not None else None
            if key is None or offset is None:
                continue
            places.setdefault(key, offset)
            by_type.setdefault(key[0], offset)
    for alias, kind in (("ctrTitle", "title"), ("subTitle", "body"), ("obj", "body")):
        if kind in by_type:
            places.setdefault((alias, "0"), by_type[kind])
    return places
