"""What the styles and numbering of a word-processing file say: headings, lists, hidden text, list numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from muniment.extraction.model import ElementKind
from muniment.extraction.ooxml import attribute, child, short_name

_HEADING_NAME = re.compile(r"^(?:heading|überschrift|titre|título|titolo|kop|rubrik)\s*([1-9])\b", re.IGNORECASE)
_KIND_BY_NAME: dict[str, ElementKind] = {
    "title": "title",
    "caption": "caption",
    "quote": "quote",
    "intense quote": "quote",
    "block text": "quote",
    "source code": "code",
    "html preformatted": "code",
    "macro": "code",
    "plain text": "code",
}
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(slots=True)
class Style:
    """One style with what it states itself; None = inherits."""

    name: str = ""
    parent: str | None = None
    outline: int | None = None
    hidden: bool | None = None
    list_id: str | None = None
    list_level: int | None = None


@dataclass(frozen=True, slots=True)
class Role:
    """What a paragraph is by its style and properties."""

    kind: ElementKind
    level: int | None
    style: str
    list_id: str | None
    list_level: int


def toggle(properties: Any | None, name: str) -> bool | None:
    """Value of an on/off property such as `w:vanish`; None where it is not stated."""
    item = child(properties, name) if properties is not None else None
    if item is None:
        return None
    return (attribute(item, "w:val") or "true").lower() not in ("0", "false", "off", "none")


def value(properties: Any | None, name: str) -> str | None:
    """`w:val` of a child property."""
    item = child(properties, name) if properties is not None else None
    return attribute(item, "w:val") if item is not None else None


def number(text: str | None) -> int | None:
    """A whole number, or None for anything else."""
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


class Styles:
    """The styles part; without one, everything is a plain paragraph."""

    def __init__(self, root: Any | None) -> None:
        self._styles: dict[str, Style] = {}
        self._default = None
        for item in root if root is not None else ():
            if short_name(item) == "w:style":
                self._add(item)

    def _add(self, item: Any) -> None:
        identifier = attribute(item, "w:styleId") or ""
        paragraph, run = child(item, "w:pPr"), child(item, "w:rPr")
        numbering = child(paragraph, "w:numPr") if paragraph is not None else None
        self._styles[identifier] = Style(
            name=(value(item, "w:name") or identifier).lower(),
            parent=value(item, "w:basedOn"),
            outline=number(value(paragraph, "w:outlineLvl")),
            hidden=toggle(run, "w:vanish"),
            list_id=value(numbering, "w:numId"),
            list_level=number(value(numbering, "w:ilvl")),
        )
        if attribute(item, "w:type") == "paragraph" and attribute(item, "w:default") in ("1", "true", "on"):
            self._default = identifier

    def _chain(self, identifier: str | None) -> list[Style]:
        chain, seen = [], set()
        while identifier in self._styles and identifier not in seen:
            seen.add(identifier)
            style = self._styles[identifier]
            chain.append(style)
            identifier = style.parent
        return chain

    def hidden(self, identifier: str | None) -> bool | None:
        """Whether the style, or one that it is based on, hides its text."""
        return next((style.hidden for style in self._chain(identifier) if style.hidden is not None), None)

    def role(self, properties: Any | None) -> Role:
        """Kind, heading level and list of a paragraph with these properties."""
        chain = self._chain(value(properties, "w:pStyle") or self._default)
        outline = number(value(properties, "w:outlineLvl"))
        if outline is None:
            outline = next((style.outline for style in chain if style.outline is not None), None)
        list_id, list_level = self._list(properties, chain)
        style = chain[0].name if chain else ""
        kind, level = _kind(chain, outline)
        if kind == "paragraph" and list_id is not None:
            kind = "list_item"
        return Role(kind, level, style, list_id, list_level)

    def _list(self, properties: Any | None, chain: list[Style]) -> tuple[str | None, int]:
        direct = child(properties, "w:numPr") if properties is not None else None
        list_id, level = value(direct, "w:numId"), number(value(direct, "w:ilvl"))
        if list_id is None:
            list_id = next((style.list_id for style in chain if style.list_id is not None), None)
        if level is None:
            level = next((style.list_level for style in chain if style.list_level is not None), 0)
        return (None if list_id == "0" else list_id), min(max(level, 0), 8)


def _kind(chain: list[Style], outline: int | None) -> tuple[ElementKind, int | None]:
    for style in chain:
        match = _HEADING_NAME.match(style.name)
        if match:
            return "heading", outline + 1 if outline is not None and outline < 9 else int(match.group(1))
        if style.name in _KIND_BY_NAME:
            return _KIND_BY_NAME[style.name], None
    if outline is not None and outline < 9:
        return "heading", outline + 1
    return "paragraph", None


@dataclass(slots=True)
class _Level:
    start: int = 1
    style: str = "decimal"
    pattern: str = ""
    restart: int | None = None
    legal: bool = False


class Numbering:
    """Counts list paragraphs in document order and gives the number that the program prints.

    Bullets give no number. Formats that are not decimal, letters or roman are written as decimals.
    """

    def __init__(self, root: Any | None) -> None:
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._started: set[tuple[str, int]] = set()
        for item in root if root is not None else ():
            if short_name(item) == "w:abstractNum":
                self._abstract[attribute(item, "w:abstractNumId") or ""] = _levels(item)
        for item in root if root is not None else ():
            if short_name(item) == "w:num":
                self._add(item)

    def _add(self, item: Any) -> None:
        identifier = attribute(item, "w:numId") or ""
        abstract = value(item, "w:abstractNumId") or ""
        self._lists[identifier] = abstract
        levels = dict(self._abstract.get(abstract, {}))
        for override in item:
            if short_name(override) != "w:lvlOverride":
                continue
            level = number(attribute(override, "w:ilvl")) or 0
            levels.update(_levels(override))
            start = number(value(override, "w:startOverride"))
            if start is not None:
                self._starts[identifier, level] = start
        self._levels[identifier] = levels

    def next(self, list_id: str | None, level: int) -> str:
        """Number of the next paragraph of a list level, as printed; empty for bullets and unknown lists."""
        if list_id is None or list_id not in self._lists:
            return ""
        levels = self._levels[list_id]
        if level not in levels:
            return ""
        counts = self._counts.setdefault(self._lists[list_id], [None] * 9)
        self._advance(list_id, level, counts)
        return _printed(levels, level, counts)

    def _advance(self, list_id: str, level: int, counts: list[int | None]) -> None:
        levels = self._levels[list_id]
        override = self._starts.get((list_id, level))
        current = counts[level]
        if override is not None and (list_id, level) not in self._started:
            counts[level] = override
        else:
            counts[level] = levels[level].start if current is None else current + 1
        self._started.add((list_id, level))
        for above in range(level):
            if counts[above] is None:
                counts[above] = levels[above].start if above in levels else 1
        for below in range(level + 1, 9):
            restart = levels[below].restart if below in levels else None
            if restart is None or (restart != 0 and level < restart):
                counts[below] = None


def _levels(item: Any) -> dict[int, _Level]:
    found = {}
    for level in item:
        if short_name(level) != "w:lvl":
            continue
        start = number(value(level, "w:start"))
        found[number(attribute(level, "w:ilvl")) or 0] = _Level(
            start=1 if start is None else start,
            style=value(level, "w:numFmt") or "decimal",
            pattern=value(level, "w:lvlText") or "",
            restart=number(value(level, "w:lvlRestart")),
            legal=bool(toggle(level, "w:isLgl")),
        )
    return found


def _printed(levels: dict[int, _Level], level: int, counts: list[int | None]) -> str:
    own = levels[level]
    if own.style in ("bullet", "none"):
        return ""

    def part(match: re.Match[str]) -> str:
        index = int(match.group(1)) - 1
        style = "decimal" if own.legal or index not in levels else levels[index].style
        return _formatted(counts[index] or 0, style)

    return re.sub(r"%([1-9])", part, own.pattern).strip()


def _formatted(count: int, style: str) -> str:
    if style in ("lowerLetter", "upperLetter") and count > 0:
        letter = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return letter.upper() if style == "upperLetter" else letter
    if style in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        return _roman(count).upper() if style == "upperRoman" else _roman(count)
    if style == "decimalZero":
        return f"{count:02d}"
    return "" if style in ("bullet", "none") else str(count)


def _roman(count: int) -> str:
    text = ""
    for amount, letters in _ROMAN:
        repeats, count = divmod(count, amount)
        text += letters * repeats
    return text
