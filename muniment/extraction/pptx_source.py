"""Text of a presentation by the counter's engine, in the order of its parts, to look a text up in it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muniment.extraction.docx_source import drawn_flow
from muniment.extraction.flow import Flow, joined
from muniment.extraction.model import ReadOptions
from muniment.extraction.ooxml_counter import Members, Part
from muniment.extraction.pptx_counter import slide_parts


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """Slides with their charts, diagrams, notes and comments; only one where the locator has `slide` (from 1)."""
    wanted = locator.get("slide")
    flows: list[Flow | str] = []
    with Members(path, options) as members:
        for number, part in enumerate(slide_parts(members), 1):
            if wanted is not None and number != wanted:
                continue
            slide = _SlideFlow()
            members.walk(part, slide)
            flows += [slide.flow, drawn_flow(members, part, slide.drawn)]
            for kind in ("notesSlide", "comments"):
                for target in members.targets(part, kind):
                    other = _SlideFlow()
                    members.walk(target, other)
                    flows.append(other.flow)
            flows += slide.alternatives
    return joined(*flows)


class _SlideFlow(Part):
    """Paragraphs of the shapes of a part; a paragraph is a block, in a table a line of its cell."""

    def __init__(self) -> None:
        super().__init__()
        self.flow = Flow()
        self.drawn: list[tuple[str, str]] = []
        self.alternatives: list[str] = []
        self._inside = False
        self._cells = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Texts, borders, and what is drawn."""
        if name in ("a:t", "m:t", "p:text"):
            self._inside = True
        elif name in ("a:p", "p:text") and not self._cells:
            self.flow.block()
        elif name == "a:br":
            self.flow.add("\n")
        elif name == "a:tbl":
            self.flow.block()
        elif name == "a:tr":
            self.flow.row()
        elif name == "a:tc":
            self._cells += 1
            self.flow.cell()
        elif name == "c:chart" and "r:id" in attributes:
            self.drawn.append(("chart", attributes["r:id"]))
        elif name == "dgm:relIds":
            self.drawn.append(("diagram", attributes.get("r:dm", "")))
        elif name == "p:cNvPr" and attributes.get("descr", "").strip():
            self.alternatives.append(attributes["descr"].strip())

    def text(self, text: str) -> None:
        """Characters of a text element."""
        if self._inside:
            self.flow.add(text)

    def end(self, name: str) -> None:
        """Closes texts, cells and paragraphs."""
        if name in ("a:t", "m:t", "p:text"):
            self._inside = False
            if name == "p:text":
                self.flow.block()
        elif name == "a:tc":
            self._cells -= 1
        elif name == "a:tbl":
            self.flow.block()
        elif name == "a:p" and self._cells:
            self.flow.add("\n")
