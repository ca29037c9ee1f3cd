"""One paragraph of a word-processing file: its visible and hidden text, changes, links and what hangs on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from muniment.extraction.docx_styles import Styles, toggle, value
from muniment.extraction.ooxml import Relationship, attribute, child, descendants, short_name, shown_children

_NO_TEXT = frozenset({
    "w:pPr", "w:rPr", "w:sdtPr", "w:sdtEndPr", "w:instrText", "w:delInstrText", "w:fldChar", "w:tblPr", "w:ffData",
    "w:sectPr", "w:rubyPr", "m:rPr", "m:ctrlPr", "?:binData",
})  # fmt: skip
_BREAKS = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "\u2011"}
_CHANGES = {"w:ins": "insertions", "w:moveTo": "insertions", "w:del": "deletions", "w:moveFrom": "deletions"}
_NOTES = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}


@dataclass(slots=True)
class Figure:
    """A picture with its alternative text."""

    text: str


@dataclass(slots=True)
class Paragraph:
    """Text of one paragraph in the accepted view, and everything met on the way."""

    text: str = ""
    hidden: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    spans: dict[str, list[dict[str, object]]] = field(default_factory=dict)  # links, insertions, deletions
    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)  # w:txbxContent
    drawn: list[str] = field(default_factory=list)  # paragraphs of shapes without a text box part
    charts: list[str] = field(default_factory=list)  # relationship ids
    diagrams: list[str] = field(default_factory=list)
    formulas: int = 0

    def mark(self, kind: str, **span: object) -> None:
        """Note a span (or, for a deletion, a place) in the text."""
        self.spans.setdefault(kind, []).append(span)


class ParagraphReader:
    """Reads paragraphs of one story (body, header, note): relationships differ by part, styles do not."""

    def __init__(self, styles: Styles, relationships: dict[str, Relationship]) -> None:
        self._styles = styles
        self._relationships = relationships

    def read(self, element: Any, into: Paragraph | None = None) -> Paragraph:
        """Text and marks of a `w:p` (or of a formula that stands alone), appended to `into` when given."""
        paragraph = into or Paragraph()
        properties = child(element, "w:pPr")
        hidden = self._styles.hidden(value(properties, "w:pStyle")) or False
        if short_name(element).startswith("m:"):
            self._walk(element, paragraph, hidden, deleted=False)
            return paragraph
        for item in shown_children(element):
            self._walk(item, paragraph, hidden, deleted=False)
        return paragraph

    def _walk(self, element: Any, paragraph: Paragraph, hidden: bool, *, deleted: bool) -> None:
        name = short_name(element)
        if not name or name in _NO_TEXT:
            return
        if name in ("w:t", "w:delText", "m:t", "a:t"):
            self._add(paragraph, element.text or "", hidden, deleted or name == "w:delText")
        elif name in _BREAKS:
            self._add(paragraph, _BREAKS[name], hidden, deleted)
        elif name == "w:sym":
            self._add(paragraph, _symbol(element), hidden, deleted)
        elif name in _NOTES or name == "w:commentReference":
            self._refer(name, element, paragraph, deleted)
        elif name in ("w:drawing", "w:pict", "w:object"):
            self._draw(element, paragraph)
        else:
            self._enter(name, element, paragraph, hidden, deleted)

    def _enter(self, name: str, element: Any, paragraph: Paragraph, hidden: bool, deleted: bool) -> None:
        if name == "w:r":
            hidden = self._run_hidden(element, hidden)
        if name == "m:oMath":
            paragraph.formulas += 1
        start, gone = len(paragraph.text), len(paragraph.deleted)
        deleted = deleted or name in ("w:del", "w:moveFrom")
        for item in shown_children(element):
            self._walk(item, paragraph, hidden, deleted=deleted)
        if name in _CHANGES:
            self._note_change(name, element, paragraph, start, gone)
        elif name == "w:hyperlink" and len(paragraph.text) > start:
            paragraph.mark("links", start=start, end=len(paragraph.text), target=self._target(element))

    def _run_hidden(self, run: Any, inherited: bool) -> bool:
        properties = child(run, "w:rPr")
        direct = toggle(properties, "w:vanish")
        if direct is None:
            direct = self._styles.hidden(value(properties, "w:rStyle"))
        return inherited if direct is None else direct

    @staticmethod
    def _add(paragraph: Paragraph, text: str, hidden: bool, deleted: bool) -> None:
        if deleted:
            paragraph.deleted.append(text)
        elif hidden:
            paragraph.hidden.append(text)
        else:
            paragraph.text += text

    @staticmethod
    def _refer(name: str, element: Any, paragraph: Paragraph, deleted: bool) -> None:
        identifier = attribute(element, "w:id") or ""
        if name == "w:commentReference":
            paragraph.comments.append(identifier)
        elif not deleted:
            paragraph.notes.append((_NOTES[name], identifier))

    @staticmethod
    def _note_change(name: str, element: Any, paragraph: Paragraph, start: int, gone: int) -> None:
        who = {"author": attribute(element, "w:author"), "date": attribute(element, "w:date")}
        text = "".join(paragraph.deleted[gone:])
        if _CHANGES[name] == "deletions" and text:
            paragraph.mark("deletions", start=start, text=text, **who)
        elif _CHANGES[name] == "insertions" and len(paragraph.text) > start:
            paragraph.mark("insertions", start=start, end=len(paragraph.text), **who)

    def _target(self, element: Any) -> str:
        relationship = self._relationships.get(attribute(element, "r:id") or "")
        anchor = attribute(element, "w:anchor")
        target = relationship.target if relationship else ""
        return f"{target}#{anchor}" if anchor else target

    def _draw(self, element: Any, paragraph: Paragraph) -> None:
        """Pictures, text boxes, charts and diagrams of a drawing; their text follows the paragraph."""
        paragraph.figures.extend(_figures(element))
        for item in descendants(element, "c:chart"):
            paragraph.charts.append(attribute(item, "r:id") or "")
        for item in descendants(element, "dgm:relIds"):
            paragraph.diagrams.append(attribute(item, "r:dm") or "")
        paragraph.boxes.extend(_outermost(element, "w:txbxContent"))
        for item in descendants(element, "a:p"):
            text = "".join(part.text or "" for part in descendants(item, "a:t"))
            if text.strip():
                paragraph.drawn.append(text)
        for item in descendants(element, "v:textpath"):
            paragraph.drawn.append(attribute(item, "string") or "")


def _outermost(element: Any, name: str) -> list[Any]:
    found = []
    for item in shown_children(element):
        found.extend([item] if short_name(item) == name else _outermost(item, name))
    return found


def _figures(element: Any) -> list[Figure]:
    """Pictures outside the text boxes of a drawing (those inside belong to the paragraphs there)."""
    found = []
    for item in shown_children(element):
        name = short_name(item)
        if name == "w:txbxContent":
            continue
        if name in ("wp:inline", "wp:anchor"):
            found.extend(_anchored(item))
        elif name == "v:imagedata":
            found.append(Figure(attribute(element, "alt") or ""))
        else:
            found.extend(_figures(item))
    return found


def _anchored(anchor: Any) -> list[Figure]:
    pictures = [item for item in _outside_boxes(anchor) if short_name(item) == "pic:pic"]
    described = child(anchor, "wp:docPr")
    outer = (attribute(described, "descr") or "") if described is not None else ""
    if len(pictures) == 1:
        return [Figure(outer or _own_text(pictures[0]))]
    return [Figure(_own_text(picture)) for picture in pictures]


def _outside_boxes(element: Any) -> list[Any]:
    found = []
    for item in shown_children(element):
        if short_name(item) != "w:txbxContent":
            found.append(item)
            found.extend(_outside_boxes(item))
    return found


def _own_text(picture: Any) -> str:
    named = next(descendants(picture, "pic:cNvPr"), None)
    return (attribute(named, "descr") or "") if named is not None else ""


def _symbol(element: Any) -> str:
    try:
        code = int(attribute(element, "w:char") or "", 16)
    except ValueError:
        return ""
    return chr(code) if 0x20 < code < 0xD800 or 0xE000 <= code <= 0xFFFF else ""
