"""From an HTML tree to elements: one walk in document order that cuts the text at block borders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from muniment.extraction import counting
from muniment.extraction.html_tables import EXCLUDED, PHRASING, is_counted, is_hidden, is_layout, read_table
from muniment.extraction.inline import Inline
from muniment.extraction.model import Adjustment, Element, ElementKind

_KINDS: dict[str, ElementKind] = {
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "li": "list_item",
    "dt": "list_item",
    "dd": "list_item",
    "blockquote": "quote",
    "pre": "code",
    "figcaption": "caption",
    "caption": "caption",
    "textarea": "form_field",
    "select": "form_field",
}
_SECTIONING = {"article", "main", "section", "aside", "blockquote"}
_REGION_ROLES = {"navigation": "page_header", "banner": "page_header", "contentinfo": "page_footer"}
_SEPARATED = {"button", "label", "option", "optgroup"}


@dataclass(slots=True)
class Blocks:
    """Elements of a tree and adjustments of the books for them."""

    elements: list[Element] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)


@dataclass(slots=True)
class _Context:
    """What an open tag means for the text in it."""

    tag: str
    kind: ElementKind | None = None
    region: ElementKind | None = None
    hidden: bool = False
    attributes: dict[str, object] = field(default_factory=dict)


def to_blocks(root: Any, max_cells: int) -> Blocks:
    """Elements of an lxml tree in document order.

    Hidden text (hidden, display:none, visibility:hidden, template, del) becomes elements of its own,
    marked hidden. Navigation and the page's header and footer keep their text as page_header and
    page_footer. Alternative texts of pictures are figures, entered as additions.
    """
    walk = _Walk(max_cells)
    walk.run(root)
    return walk.result


class _Walk:
    def __init__(self, max_cells: int) -> None:
        self.max_cells = max_cells
        self.result = Blocks()
        self.stack: list[_Context] = []
        self.hidden = self.sectioning = self.pre = 0
        self.lists: list[int | None] = []  # next number of each open ordered list, None for others
        self.visible, self.concealed = Inline(), Inline()
        self.figures: list[str] = []
        self.unread_images = 0

    def run(self, root: Any) -> None:
        walker = etree.iterwalk(root, events=("start", "end"))
        depth_skipped: Any = None
        for event, element in walker:
            if event == "start":
                if element.tag in EXCLUDED and element is not root:
                    walker.skip_subtree()
                    depth_skipped = element
                elif element.tag == "table" and not is_layout(element):
                    self._table(element)
                    walker.skip_subtree()
                    depth_skipped = element
                else:
                    self._start(element)
                    self._text(element.text)
            else:
                if element is depth_skipped:
                    depth_skipped = None
                else:
                    self._end(element)
                if element is not root:
                    self._text(element.tail)
        self._flush()
        if self.unread_images:
            self.result.adjustments.append(Adjustment("images", "image_not_read", self.unread_images))

    def _start(self, element: Any) -> None:
        tag = element.tag
        if tag not in PHRASING and tag not in _SEPARATED and tag != "br":
            self._flush()
        context = self._context(element)
        self.stack.append(context)
        self.hidden += context.hidden
        self.sectioning += tag in _SECTIONING
        self.pre += tag in ("pre", "textarea")
        if tag in ("ul", "ol", "menu"):
            self.lists.append(_number(element.get("start")) if tag == "ol" else None)
        elif tag == "table" and is_counted(element):
            self.result.adjustments.append(Adjustment("tables", "layout_table", 1))
        elif tag == "img":
            self._image(element)
        else:
            self._start_inline(element)

    def _start_inline(self, element: Any) -> None:
        tag = element.tag
        if tag == "br":
            self._target().line_break()
        elif tag in _SEPARATED:
            self._target().space()
        elif tag == "a" and (element.get("href") or "").strip():
            self._target().open("a", element.get("href").strip())
        elif tag in ("sup", "sub"):
            self._target().open(tag, "")

    def _end(self, element: Any) -> None:
        tag = element.tag
        if tag in ("a", "sup", "sub"):
            self._target().close(tag)
        elif tag in _SEPARATED:
            self._target().space()
        elif tag not in PHRASING and tag != "br":
            self._flush()
        context = self.stack.pop()
        self.hidden -= context.hidden
        self.sectioning -= tag in _SECTIONING
        self.pre -= tag in ("pre", "textarea")
        if tag in ("ul", "ol", "menu") and self.lists:
            self.lists.pop()

    def _context(self, element: Any) -> _Context:
        tag = element.tag
        context = _Context(tag, _KINDS.get(tag), self._region(element), is_hidden(element))
        if tag == "li" and self.lists and self.lists[-1] is not None:
            number = _number(element.get("value"), self.lists[-1])
            context.attributes["number"] = number
            self.lists[-1] = number + 1
        elif tag == "code":
            language = next((c[9:] for c in (element.get("class") or "").split() if c.startswith("language-")), None)
            if language and self.stack and self.stack[-1].tag == "pre":
                self.stack[-1].attributes["language"] = language
        elif tag in ("del", "template", "noscript", "details", "summary", "aside", "dt", "dd"):
            context.attributes["within"] = tag
        elif tag == "section" and "footnotes" in (element.get("class") or ""):
            context.kind = "footnote"
        return context

    def _region(self, element: Any) -> ElementKind | None:
        tag, role = element.tag, element.get("role")
        if tag == "nav" or role == "navigation":
            return "page_header"
        if self.sectioning:
            return None
        if tag == "header" or role == "banner":
            return "page_header"
        return "page_footer" if tag == "footer" or role == "contentinfo" else None

    def _target(self) -> Inline:
        return self.concealed if self.hidden else self.visible

    def _text(self, text: str | None) -> None:
        if text:
            self._target().add(text, preserve=self.pre > 0)

    def _image(self, element: Any) -> None:
        alternative = element.get("alt")
        if alternative is None:
            self.unread_images += not self.hidden
        elif alternative.strip() and not self.hidden:
            self.figures.append(" ".join(alternative.split()))

    def _flush(self) -> None:
        for inline, hidden in ((self.visible, False), (self.concealed, True)):
            if not inline.length:
                inline.pending = False
                continue
            text, attributes = inline.take()
            if text:
                self.result.elements.append(self._element(text, attributes, hidden=hidden))
        for alternative in self.figures:
            self._figure(alternative)
        self.figures = []

    def _figure(self, alternative: str) -> None:
        self.result.elements.append(Element("figure", alternative, attributes={"alternative_text": True}))
        self.result.adjustments += counting.adjustments(alternative, "alternative_text_added")

    def _element(self, text: str, attributes: dict[str, object], *, hidden: bool) -> Element:
        kind: ElementKind = "paragraph"
        heading: str | None = None
        region: ElementKind | None = None
        for context in self.stack:
            if context.tag == "li":
                attributes.pop("number", None)  # the number of an outer item is not that of an inner one
            attributes.update(context.attributes)
            kind = context.kind or kind
            heading = context.tag if context.kind == "heading" else heading
            region = region or context.region
        navigation = any(context.tag == "nav" for context in self.stack)
        if region and (kind != "heading" or navigation or region == "page_footer"):
            kind = region
        level = int(heading[1]) if heading and kind == "heading" else None
        if kind == "list_item":
            level = max(len(self.lists), 1)
        return Element(kind, text, level=level, hidden=hidden, attributes=attributes)

    def _table(self, table: Any) -> None:
        self._flush()
        hidden = self.hidden > 0 or is_hidden(table)
        read = read_table(table, self.max_cells)
        elements = self.result.elements
        if read.caption:
            elements.append(Element("caption", read.caption, hidden=hidden))
        if read.stray:
            elements.append(Element("paragraph", read.stray, hidden=hidden, attributes={"within": "table"}))
        elements.append(Element("table", grid=read.grid, hidden=hidden))
        for text in read.hidden_texts:
            elements.append(Element("paragraph", text, hidden=True, attributes={"within": "table"}))
        if not hidden:
            for alternative in read.alternatives:
                self._figure(" ".join(alternative.split()))
            self.result.adjustments += read.adjustments
        else:
            self.result.adjustments += [a for a in read.adjustments if a.unit == "tables"]


def _number(value: str | None, default: int = 1) -> int:
    try:
        return int(value) if value is not None else default
    except ValueError:
        return default
