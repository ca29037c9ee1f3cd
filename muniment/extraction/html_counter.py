"""Independent counter of HTML: the standard library's tokenizer and a stack of open tags, no tree."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from muniment.extraction import counting
from muniment.extraction.flow import Flow, joined

_VOID = frozenset(
    "area base basefont br col embed frame hr img input link meta param source track wbr".split()  # noqa: SIM905
)
_SKIPPED = {"script", "style", "iframe", "noembed", "noframes", "title"}
_CONCEAL = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
#: Tags that a following tag of the same group closes.
_SIBLINGS = {
    "p": {"p"},
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "option": {"option"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
}
#: Tags inside a line of text; all others begin and end a block.
_PHRASING = frozenset(
    (  # noqa: SIM905
        "a abbr acronym audio b bdi bdo big cite code data del dfn em font i img ins kbd map mark math nobr noscript "
        "object picture q rb rp rt ruby s samp script small span strike strong style sub sup svg time tt u "
        "var video wbr"
    ).split()
)
_SEPARATED = frozenset({"button", "label", "option", "optgroup", "input", "select"})
_COMMENT_END = re.compile("--!?>")
_RAW_END = re.compile(r"</(script|style)\s[^>]*>", re.I)
_UNFINISHED = re.compile(r"</?[A-Za-z]")
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.I)


def decode(data: bytes) -> str:
    """Text of an HTML file for counting."""
    found = _CHARSET.search(data[:4096])
    return counting.plain_decode(data, found.group(1).decode("ascii") if found else None)


def _with_plain_comment_ends(text: str) -> str:
    """The text with comments that end in `--!>` ending in `-->`."""
    if "--!>" not in text:
        return text
    pieces: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        end = _COMMENT_END.search(text, start + 4)
        if end is None:
            break
        pieces += (text[position : end.start()], "-->")
        position = end.end()
    return "".join([*pieces, text[position:]])


def count_html(text: str) -> dict[str, int]:
    """Visible and hidden characters, digits, percent signs and tables with two cells or more of their own."""
    scanner = _Scanner()
    scanner.scan(text)
    counts = counting.count_visible("".join(scanner.visible))
    counts["chars_hidden"] = counting.characters("".join(scanner.hidden))
    counts["tables"] = scanner.tables + sum(cells > 1 for cells in scanner.cells)
    return counts


def visible_text(text: str) -> str:
    """Visible text nodes of an HTML text, joined without anything between."""
    scanner = _Scanner()
    scanner.scan(text)
    return "".join(scanner.visible)


def flow_text(text: str) -> str:
    """Text nodes in document order with borders of blocks, rows and cells: visible ones, hidden ones, and
    the alternative texts of pictures. White space is collapsed outside pre and textarea."""
    scanner = _FlowScanner()
    scanner.scan(text)
    return joined(*scanner.flows, "\n\n".join(scanner.alternatives))


class _Scanner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[tuple[str, bool, bool]] = []  # tag, skipped, hidden
        self.visible: list[str] = []
        self.hidden: list[str] = []
        self.tables = 0
        self.cells: list[int] = []  # cells of each open table; a large negative number: presentation
        self.skipped = self.concealed = 0

    def scan(self, text: str) -> None:
        """Feed a whole text. A tag that the text ends in is no text (HTML standard, 13.2.5.8: eof-in-tag)."""
        # two ends that the standard knows and this tokenizer does not: of a comment, and of raw text with attributes
        closed = _RAW_END.sub(r"</\1>", _with_plain_comment_ends(text))
        self.feed(closed)
        if _UNFINISHED.match(self.rawdata):
            self.rawdata = ""
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        self._close_sibling(tag)
        values = dict(attrs)
        hidden = "hidden" in values or tag in ("template", "del") or bool(_CONCEAL.search(values.get("style") or ""))
        skip = tag in _SKIPPED
        self.stack.append((tag, skip, hidden))
        self.skipped += skip
        self.concealed += hidden
        if self.skipped:
            return
        if tag == "table":
            self.cells.append(-(10**9) if values.get("role") in ("presentation", "none") else 0)
        elif tag in ("td", "th") and self.cells:
            self.cells[-1] += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("td", "th") and self.cells and not self.skipped:
            self.cells[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        for index in range(len(self.stack) - 1, -1, -1):
            if self.stack[index][0] == tag:
                self._pop_to(index)
                return

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            (self.hidden if self.concealed else self.visible).append(data)

    def _close_sibling(self, tag: str) -> None:
        group = _SIBLINGS.get(tag)
        if (group and self.stack and self.stack[-1][0] in group and self.stack[-1][0] != "tr") or (
            tag == "tr" and len(self.stack) > 1 and self.stack[-1][0] == "tr"
        ):
            self._pop_to(len(self.stack) - 1)

    def _pop_to(self, index: int) -> None:
        while len(self.stack) > index:
            tag, skipped, hidden = self.stack.pop()
            if tag == "table" and not self.skipped and self.cells:
                self.tables += self.cells.pop() > 1
            self.skipped -= skipped
            self.concealed -= hidden


class _FlowScanner(_Scanner):
    """The same walk, with borders."""

    def __init__(self) -> None:
        super().__init__()
        self.flows = (Flow(), Flow())  # visible, hidden
        self.alternatives: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._border(tag)
        super().handle_starttag(tag, attrs)
        alternative = " ".join((dict(attrs).get("alt") or "").split())
        if alternative:
            self.alternatives.append(alternative)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag not in ("td", "th", "tr"):
            self._border(tag)

    def handle_data(self, data: str) -> None:
        if self.skipped:
            return
        kept = any(tag in ("pre", "textarea") for tag, *_ in self.stack)
        self.flows[self.concealed > 0].add(data if kept else re.sub(r"[ \t\n\r\f]+", " ", data))

    def _border(self, tag: str) -> None:
        for flow in self.flows:
            if tag in ("td", "th"):
                flow.cell()
            elif tag == "tr":
                flow.row()
            elif tag == "br":
                flow.add("\n")
            elif tag in _SEPARATED:
                flow.add(" ")
            elif tag not in _PHRASING:
                flow.block()
