"""Independent counter of HTML: the standard library's tokenizer and a stack of open tags, no tree."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from muniment.extraction import counting

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
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.I)


def decode(data: bytes) -> str:
    """Text of an HTML file for counting."""
    found = _CHARSET.search(data[:4096])
    return counting.plain_decode(data, found.group(1).decode("ascii") if found else None)


def count_html(text: str) -> dict[str, int]:
    """Visible and hidden characters, digits, percent signs and tables with two cells or more of their own."""
    scanner = _Scanner()
    scanner.feed(text)
    scanner.close()
    counts = counting.count_visible("".join(scanner.visible))
    counts["chars_hidden"] = counting.characters("".join(scanner.hidden))
    counts["tables"] = scanner.tables + sum(cells > 1 for cells in scanner.cells)
    return counts


def visible_text(text: str) -> str:
    """Visible text nodes of an HTML text, joined without anything between."""
    scanner = _Scanner()
    scanner.feed(text)
    scanner.close()
    return "".join(scanner.visible)


class _Scanner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[tuple[str, bool, bool]] = []  # tag, skipped, hidden
        self.visible: list[str] = []
        self.hidden: list[str] = []
        self.tables = 0
        self.cells: list[int] = []  # cells of each open table; a large negative number: presentation
        self.skipped = self.concealed = 0

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
