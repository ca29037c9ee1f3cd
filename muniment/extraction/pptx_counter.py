"""Counts the text of a presentation by streaming its parts; shares nothing with the reader."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from muniment.extraction.charts_counter import ChartPart, DiagramPart
from muniment.extraction.counting import characters, count_visible
from muniment.extraction.model import ReadOptions
from muniment.extraction.ooxml_counter import Members, Part

COUNTER: str = "pptx parts by expat 1"

_OFF = ("0", "false")


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """chars_visible, chars_hidden, digits, percents, tables, slides, comments. May raise ReadError."""
    totals: Counter[str] = Counter(
        dict.fromkeys(("chars_visible", "chars_hidden", "digits", "percents", "tables", "slides"), 0)
    )
    with Members(path, options) as members:
        for part in slide_parts(members):
            totals["slides"] += 1
            _count_slide(members, part, totals)
    return dict(totals)


def slide_parts(members: Members) -> list[str]:
    """Parts of the slides in their order."""
    main = members.main()
    index = _SlideList()
    members.walk(main, index)
    links = members.links(main)
    return [links.get(identifier, ("", ""))[1] for identifier in index.identifiers]


def _count_slide(members: Members, part: str, totals: Counter[str]) -> None:
    slide = _Shapes()
    members.walk(part, slide)
    links = members.links(part)
    pieces = list(slide.texts)
    for kind, identifier, hidden in slide.drawn:
        target = links.get(identifier, ("", ""))[1]
        if members.has(target):
            drawn = ChartPart() if kind == "chart" else DiagramPart()
            members.walk(target, drawn)
            pieces += [(text, hidden) for text in drawn.all_texts()]
            totals["tables"] += drawn.tables()
    for kind in ("notesSlide", "comments"):
        for target in members.targets(part, kind):
            other = _Shapes(comments=kind == "comments")
            members.walk(target, other)
            pieces += [(text, False) for text, _ in other.texts]
            totals["comments"] += sum(1 for text, _ in other.texts if text.strip()) if kind == "comments" else 0
    totals["tables"] += slide.tables
    for text, hidden in pieces:
        if hidden or slide.hidden:
            totals["chars_hidden"] += characters(text)
        else:
            totals.update(count_visible(text))


class _SlideList(Part):
    def __init__(self) -> None:
        super().__init__()
        self.identifiers: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "p:sldId":
            self.identifiers.append(attributes.get("r:id", ""))


class _Shapes(Part):
    """Texts with whether a hidden shape, or a group inside one, holds them."""

    def __init__(self, *, comments: bool = False) -> None:
        super().__init__()
        self.texts: list[tuple[str, bool]] = []
        self.drawn: list[tuple[str, str, bool]] = []
        self.hidden = False
        self.tables = 0
        self._comments = comments
        self._shapes: list[bool] = []
        self._buffer: list[str] = []
        self._inside = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "p:sld":
            self.hidden = attributes.get("show") in _OFF
        elif name in ("p:sp", "p:grpSp", "p:graphicFrame", "p:pic", "p:cxnSp"):
            self._shapes.append(bool(self._shapes and self._shapes[-1]))
        elif name == "p:cNvPr" and self._shapes:
            self._shapes[-1] = self._shapes[-1] or attributes.get("hidden") in ("1", "true")
        elif name == "a:tbl":
            self.tables += 1
        elif name == "c:chart" and "r:id" in attributes:
            self.drawn.append(("chart", attributes["r:id"], bool(self._shapes and self._shapes[-1])))
        elif name == "dgm:relIds":
            self.drawn.append(("diagram", attributes.get("r:dm", ""), bool(self._shapes and self._shapes[-1])))
        elif name in ("a:t", "m:t") or (self._comments and name == "p:text"):
            self._inside = True

    def text(self, text: str) -> None:
        if self._inside:
            self._buffer.append(text)

    def end(self, name: str) -> None:
        if name in ("a:t", "m:t", "p:text"):
            self._inside = False
        if name in ("a:p", "p:text"):
            self.texts.append(("".join(self._buffer), bool(self._shapes and self._shapes[-1])))
            self._buffer.clear()
        elif name in ("p:sp", "p:grpSp", "p:graphicFrame", "p:pic", "p:cxnSp") and self._shapes:
            self._shapes.pop()
