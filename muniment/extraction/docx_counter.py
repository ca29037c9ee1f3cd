"""Counts the text of a word-processing file by streaming its parts; shares nothing with the reader."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from muniment.extraction.charts_counter import ChartPart, DiagramPart
from muniment.extraction.counting import characters, count_visible
from muniment.extraction.model import ReadOptions
from muniment.extraction.ooxml_counter import Members, Part

COUNTER: str = "docx parts by expat 1"

_UNITS = ("chars_visible", "chars_hidden", "digits", "percents", "tables")
_ON = (None, "1", "true", "on")
_SKIPPED = ("w:instrText", "w:delInstrText", "w:rubyPr")
_TEXT = ("w:t", "w:delText", "m:t", "a:t")


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """chars_visible, chars_hidden, digits, percents, tables, footnotes, comments. May raise ReadError."""
    with Members(path, options) as members:
        main = members.main()
        styles = Styles()
        for part in members.targets(main, "styles"):
            members.walk(part, styles)
        totals: Counter[str] = Counter(dict.fromkeys(_UNITS, 0))
        body = Story(styles)
        members.walk(main, body)
        stories = [body]
        links = members.links(main)
        for part in _unique(members, links, "header", "footer"):
            identifiers = [key for key, (_, target) in links.items() if target == part]
            stories.append(Story(styles, hidden=not _first_shown(identifiers, body)))
            members.walk(part, stories[-1])
        called = {call for story in stories for call in story.called}
        for kind, name in (("footnotes", "w:footnote"), ("endnotes", "w:endnote"), ("comments", "w:comment")):
            for part in members.targets(main, kind):
                stories.append(Story(styles, notes=name, called=called))
                members.walk(part, stories[-1])
        for story in stories:
            totals.update(story.totals)
        parts = [main, *_unique(members, links, "header", "footer", "footnotes", "endnotes", "comments")]
        _count_drawn(members, parts, stories, totals)
        return dict(totals)


def _unique(members: Members, links: dict[str, tuple[str, str]], *kinds: str) -> list[str]:
    """Existing parts of some kinds, by kind."""
    found = [target for kind in kinds for link, target in links.values() if link == kind and members.has(target)]
    return list(dict.fromkeys(found))


def _first_shown(identifiers: list[str], body: Story) -> bool:
    return bool(identifiers) and identifiers[0] in body.heads


def _count_drawn(members: Members, parts: list[str], stories: list[Story], totals: Counter[str]) -> None:
    """Charts and diagrams stand in parts of their own."""
    for part, story in zip(parts, stories, strict=True):
        links = members.links(part)
        for kind, identifier in story.drawn:
            target = links.get(identifier, ("", ""))[1]
            if not members.has(target):
                continue
            chart = ChartPart() if kind == "chart" else DiagramPart()
            members.walk(target, chart)
            totals.update(count_visible("\n".join(chart.all_texts())))
            totals["tables"] += chart.tables()


class Styles(Part):
    """Which styles hide their text."""

    def __init__(self) -> None:
        super().__init__()
        self._own: dict[str, bool] = {}
        self._parents: dict[str, str] = {}
        self._current = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Styles, what they are based on, and their vanish property."""
        if name == "w:style":
            self._current = attributes.get("w:styleId", "")
        elif name == "w:basedOn":
            self._parents[self._current] = attributes.get("w:val", "")
        elif name == "w:vanish" and self._path[-3:-1] == ["w:style", "w:rPr"]:
            self._own[self._current] = attributes.get("w:val") in _ON

    def hides(self, style: str | None) -> bool | None:
        """True, False, or None where neither the style nor its parents say."""
        seen: set[str] = set()
        while style and style not in seen:
            seen.add(style)
            if style in self._own:
                return self._own[style]
            style = self._parents.get(style)
        return None


class Story(Part):
    """One part with text."""

    def __init__(
        self, styles: Styles, *, hidden: bool = False, notes: str | None = None, called: set[str] | None = None
    ) -> None:
        super().__init__()
        self.totals: Counter[str] = Counter()
        self.heads: set[str] = set()
        self.called: set[str] = set()
        self.drawn: list[tuple[str, str]] = []
        self._styles = styles
        self._hidden = hidden
        self._notes = notes
        self._known_calls = called or set()
        self._in_note: str | None = None
        self._note_hidden = False
        self._note_text = False
        self._texts: dict[bool, list[str]] = {True: [], False: []}
        self._paragraphs: list[bool] = []
        self._run: bool | None = None
        self._deleted = 0
        self._inside: str | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Texts, and everything that decides whether they are seen."""
        if name == self._notes:
            self._begin_note(name, attributes)
        elif name == "w:p":
            self._paragraphs.append(False)
        elif name == "w:r":
            self._run = None
        elif name in ("w:del", "w:moveFrom"):
            self._deleted += 1
        elif name == "w:tbl":
            self.totals["tables"] += not self._skips()
        elif name in ("w:pStyle", "w:rStyle", "w:vanish"):
            self._style(name, attributes)
        elif name in _TEXT:
            self._inside = name
        else:
            self._mark(name, attributes)

    def _mark(self, name: str, attributes: dict[str, str]) -> None:
        if name == "w:noBreakHyphen":
            self._add("\u2011")
        elif name == "w:sym":
            self._symbol(attributes.get("w:char", ""))
        elif name == "v:textpath":
            self._texts[self._hidden].append(attributes.get("string", "") + "\n")
        elif name in ("w:footnoteReference", "w:endnoteReference") and not self._deleted:
            self.called.add(f"{name.removesuffix('Reference')} {attributes.get('w:id', '')}")
        elif name in ("w:headerReference", "w:footerReference"):
            self.heads.add(attributes.get("r:id", ""))
        elif name == "c:chart" and "r:id" in attributes:
            self.drawn.append(("chart", attributes["r:id"]))
        elif name == "dgm:relIds":
            self.drawn.append(("diagram", attributes.get("r:dm", "")))

    def _begin_note(self, name: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("w:type", "normal")
        self._in_note = kind
        called = f"{name} {attributes.get('w:id', '')}" in self._known_calls
        self._note_hidden = name != "w:comment" and not called
        self._note_text = False

    def _skips(self) -> bool:
        return self._notes is not None and self._in_note != "normal"

    def _style(self, name: str, attributes: dict[str, str]) -> None:
        if name == "w:pStyle" and self._paragraphs and self._path[-2] == "w:pPr":
            self._paragraphs[-1] = bool(self._styles.hides(attributes.get("w:val")))
        elif self._path[-3:-1] != ["w:r", "w:rPr"]:
            return  # of the paragraph mark, or of what a change replaced
        elif name == "w:vanish":
            self._run = attributes.get("w:val") in _ON
        elif name == "w:rStyle" and self._run is None:
            self._run = self._styles.hides(attributes.get("w:val"))

    def _symbol(self, code: str) -> None:
        try:
            value = int(code, 16)
        except ValueError:
            return
        if 0x20 < value <= 0xFFFF and not 0xD800 <= value < 0xE000:
            self._add(chr(value))

    def text(self, text: str) -> None:
        """Characters of a text element."""
        if self._inside is not None:
            self._add(text)

    def is_deleted(self) -> bool:
        """Whether what is read now was deleted by a tracked change."""
        return self._deleted > 0 or self._inside == "w:delText"

    def is_vanished(self) -> bool:
        """Whether run or style of what is read now hide it."""
        return (self._paragraphs[-1] if self._paragraphs else False) if self._run is None else self._run

    def _add(self, text: str) -> None:
        if self._skips():
            return
        hidden = self.is_vanished() or self._hidden or self._note_hidden
        self._texts[hidden and not self.is_deleted()].append(text)
        self._note_text = self._note_text or bool(text.strip())

    def end(self, name: str) -> None:
        """Closes texts, paragraphs and notes."""
        if name in _TEXT:
            self._inside = None
        elif name in ("w:del", "w:moveFrom"):
            self._deleted -= 1
        elif name == "w:r":
            self._run = None
        elif name == "w:p":
            self._paragraphs.pop()
            self._close_paragraph()
        elif name == self._notes:
            if self._note_text and self._in_note == "normal":
                self.totals["comments" if name == "w:comment" else "footnotes"] += 1
            self._in_note = None
        elif len(self._path) == 0:
            self._close_paragraph()

    def _close_paragraph(self) -> None:
        for hidden, pieces in self._texts.items():
            text = "".join(pieces)
            if hidden:
                self.totals["chars_hidden"] += characters(text)
            else:
                self.totals.update(count_visible(text))
            pieces.clear()
