"""Text of a word-processing file by the counter's engine, in document order, to look a text up in it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muniment.extraction.charts_counter import ChartPart, DiagramPart
from muniment.extraction.docx_counter import Story, Styles
from muniment.extraction.flow import Flow, joined
from muniment.extraction.model import ReadOptions
from muniment.extraction.ooxml_counter import Members

_BREAKS = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n"}
_NOTES = (("footnotes", "w:footnote"), ("endnotes", "w:endnote"), ("comments", "w:comment"))


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """Body, headers, footers, notes and comments; then charts, diagrams and alternative texts.

    A paragraph is a block; what is hidden by its format and what a tracked change deleted are flows of their
    own, so that the text around them stands together. The file has no pages: `locator` limits nothing.
    """
    with Members(path, options) as members:
        main = members.main()
        styles = Styles()
        for part in members.targets(main, "styles"):
            members.walk(part, styles)
        parts: list[tuple[str, str | None]] = [(main, None)]
        parts += [(part, None) for kind in ("header", "footer") for part in members.targets(main, kind)]
        parts += [(part, name) for kind, name in _NOTES for part in members.targets(main, kind)]
        stories = []
        for part, notes in parts:
            story = _FlowStory(styles, notes)
            members.walk(part, story)
            stories.append((part, story))
        flows = [flow for _, story in stories for flow in (story.visible, story.hidden, story.deleted)]
        drawn = [drawn_flow(members, part, story.drawn) for part, story in stories]
        return joined(*flows, *drawn, *(text for _, story in stories for text in story.alternatives))


def drawn_flow(members: Members, part: str, drawn: list[tuple[str, str]]) -> Flow:
    """Texts of the charts and diagrams of a part, by kind and relationship id; a chart as a table."""
    flow = Flow()
    links = members.links(part)
    for kind, identifier in drawn:
        target = links.get(identifier, ("", ""))[1]
        if not members.has(target):
            continue
        found = ChartPart() if kind == "chart" else DiagramPart()
        members.walk(target, found)
        for text in found.texts:
            flow.block(text)
        for table in found.rows() if isinstance(found, ChartPart) else ():
            flow.block()
            for row in table:
                flow.row()
                for cell in row:
                    flow.cell(cell)
    return flow


class _FlowStory(Story):
    """The same walk, with the text kept."""

    def __init__(self, styles: Styles, notes: str | None) -> None:
        super().__init__(styles, notes=notes)
        self.visible, self.hidden, self.deleted = Flow(), Flow(), Flow()
        self.alternatives: list[str] = []
        self._cells = 0
        self._open: list[list[tuple[Flow, str]]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Borders and breaks, and what the counter looks at."""
        super().start(name, attributes)
        if name == "w:p":
            self._open.append([])
        elif name == "w:tbl":
            self.visible.block()
        elif name == "w:tr":
            self.visible.row()
        elif name == "w:tc":
            self._cells += 1
            self.visible.cell()
        elif name in _BREAKS and self._path[-2:-1] == ["w:r"]:
            self._add(_BREAKS[name])
        elif name == "v:textpath":
            self._add(attributes.get("string", ""))
        self.alternatives += [text for key in ("descr", "alt") if (text := attributes.get(key, "").strip())]

    def end(self, name: str) -> None:
        """Closes a paragraph: its text is complete."""
        if name == "w:p":
            self._write(self._open.pop())
        elif name == "w:tc":
            self._cells -= 1
        elif name == "w:tbl":
            self.visible.block()
        super().end(name)

    def _add(self, text: str) -> None:
        super()._add(text)
        if self._skips():
            return
        flow = self.deleted if self.is_deleted() else self.hidden if self.is_vanished() else self.visible
        if self._open:
            self._open[-1].append((flow, text))
        else:
            flow.add(text)

    def _write(self, pieces: list[tuple[Flow, str]]) -> None:
        for flow in (self.visible, self.hidden, self.deleted):
            text = "".join(piece for owner, piece in pieces if owner is flow)
            if self._cells and flow is self.visible:
                flow.add(text + "\n")
            elif text:
                flow.block(text)
