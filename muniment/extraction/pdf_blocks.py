"""From lines to elements: running heads and feet, headings, list items, paragraphs, joined hyphens."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from muniment.extraction.model import Element, ElementKind, TextEdit
from muniment.extraction.pdf_layout import Line

_ZONE = 0.12  # of the page's height: where running heads and feet stand
_LIST_MARK = re.compile(
    r"^(?:[•▪◦●○■□‣⁃∙·–—*-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\((?:\d{1,3}|[A-Za-z]|[ivx]{1,5})\))\s+\S"
)
_BULLET = re.compile(r"^[•▪◦●○■□‣⁃∙·–—*-]$|^\(?(?:\d{1,3}|[a-z])[.)]$")
_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,5})\.?\s+\S")
_HYPHENS = "-\u00ad\u2010"
_WORD_END = re.compile(rf"([^\W\d_]+)[{_HYPHENS}]$")
_WORD_START = re.compile(r"^([^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_MAX_HEADING = 200


@dataclass(slots=True)
class PageLines:
    """Lines of one page and its height."""

    number: int
    height: float
    lines: list[Line]


@dataclass(slots=True)
class Style:
    """What the whole document's lines say: body size, whether the body is bold, words that occur."""

    size: float
    bold: bool
    words: Counter[str] = field(default_factory=Counter)
    levels: dict[tuple[float, bool], int] = field(default_factory=dict)


def running_lines(pages: list[PageLines]) -> dict[int, ElementKind]:
    """Lines (by id) that stand on several pages at the same place near an edge: heads and feet.

    Digits count as equal, so page numbers are found; three pages are needed, or both of two.
    """
    places: dict[tuple[str, str, int], list[tuple[int, Line]]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            edge = _edge(line, page.height)
            if edge:
                text = re.sub(r"\d+|\b[ivxlc]+\b", "#", " ".join(line.text.split()))
                places[edge, text, round(line.box[1] / 6)].append((page.number, line))
    least = 3 if len(pages) > 2 else 2
    found: dict[int, ElementKind] = {}
    for (edge, text, place), members in places.items():
        near = [m for other in (place - 1, place, place + 1) for m in places.get((edge, text, other), ())]
        if len({number for number, _ in near}) >= least:
            kind: ElementKind = "page_header" if edge == "top" else "page_footer"
            found |= {id(line): kind for _, line in members}
    return found


def _edge(line: Line, height: float) -> str:
    if line.box[3] < _ZONE * height:
        return "top"
    return "bottom" if line.box[1] > (1 - _ZONE) * height else ""


def style_of(lines: Iterable[Line]) -> Style:
    """Body size and weight by characters, and the words of the lines."""
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    words: Counter[str] = Counter()
    for line in lines:
        letters = len(line.text)
        sizes[_size(line)] += letters
        bold[line.bold > 0.6] += letters
        inner = line.text[:-1].rsplit(None, 1)[0] if line.text[-1:] in _HYPHENS and " " in line.text else line.text
        words.update(word.lower() for word in _WORD.findall(inner))
    body = max(sorted(sizes), key=lambda size: sizes[size]) if sizes else 10.0
    return Style(body, bold[True] > bold[False], words)


def _size(line: Line) -> float:
    return round(line.size * 2) / 2


def _heading_style(line: Line, style: Style) -> tuple[float, bool] | None:
    """(size, bold) of a line that looks like a heading, else None."""
    text = line.text.strip()
    if line.cells > 1 or len(text) > _MAX_HEADING or not any(c.isalpha() for c in text):
        return None
    size, bold = _size(line), line.bold > 0.8
    if size >= style.size * 1.15 and size - style.size >= 1:
        return size, bold
    if bold and not style.bold and size >= style.size * 0.95 and len(text) < 120 and text[-1] not in ".;,":
        return size, True
    return None


@dataclass(slots=True)
class _Block:
    lines: list[Line]
    kind: ElementKind
    heading: tuple[float, bool] | None = None


def elements_of(pages: list[PageLines]) -> tuple[list[list[tuple[Element, float]]], Counter[tuple[int, str]]]:
    """Elements of each page with their top edge, and hyphens removed by (page, hyphen)."""
    running = running_lines(pages)
    flowing = [line for page in pages for line in page.lines if id(line) not in running]
    style = style_of(flowing)
    blocks = [_blocks(page, running, style) for page in pages]
    _set_levels([block for page in blocks for block in page], style)
    hyphens: Counter[tuple[int, str]] = Counter()
    made = []
    for page, found in zip(pages, blocks, strict=True):
        made.append([(_element(block, page.number, style, hyphens), block.lines[0].box[1]) for block in found])
    _mark_title(made, style)
    return made, hyphens


def _blocks(page: PageLines, running: dict[int, ElementKind], style: Style) -> list[_Block]:
    found: list[_Block] = []
    for line in page.lines:
        kind = running.get(id(line))
        if kind is not None:
            found.append(_Block([line], kind))
            continue
        heading = _heading_style(line, style)
        last = found[-1] if found else None
        if last is not None and _goes_on(last, line, heading, style):
            last.lines.append(line)
        elif heading is not None:
            found.append(_Block([line], "heading", heading))
        else:
            found.append(_Block([line], "list_item" if _LIST_MARK.match(_first(line)) else "paragraph"))
    return found


def _first(line: Line) -> str:
    """Text of a line with a marker that stands apart from it."""
    head, separator, rest = line.text.partition("\t")
    return f"{head} {rest}" if separator and _BULLET.match(head.strip()) else line.text


def _goes_on(block: _Block, line: Line, heading: tuple[float, bool] | None, style: Style) -> bool:
    """Whether a line belongs to the block before it."""
    last = block.lines[-1]
    if block.kind in ("page_header", "page_footer") or last.turned != line.turned:
        return False
    if block.heading is not None or heading is not None:
        return block.heading == heading and len(block.lines) < 3 and _is_next(last, line, 1.4) and not _numbered(line)
    if _LIST_MARK.match(_first(line)) or abs(_size(last) - _size(line)) > 1:
        return False
    if (last.cells > 1 and block.kind != "list_item") or (line.cells > 1 and len(line.text.split("\t")) > 1):
        return last.cells > 1 and line.cells > 1 and _is_next(last, line, 2.0) and block.kind == "paragraph"
    if line.box[1] < last.box[1]:  # the next column
        return last.text[-1:] not in ".!?:;" and line.text[:1].islower()
    if not _is_next(last, line, 1.6):
        return False
    indented = line.box[0] > min(part.box[0] for part in block.lines) + style.size * 0.8
    ended = last.text[-1:] in ".!?:" and last.box[2] < max(part.box[2] for part in block.lines) - 2 * style.size
    return not (ended or (indented and block.kind == "paragraph" and last.text[-1:] in ".!?:"))


def _numbered(line: Line) -> bool:
    return bool(_NUMBERED.match(line.text))


def _is_next(last: Line, line: Line, pitch: float) -> bool:
    distance = (line.box[1] + line.box[3] - last.box[1] - last.box[3]) / 2
    height = max(last.size, line.size, 1.0)
    return -0.3 * height < distance < (pitch + 0.2) * height


def _set_levels(blocks: list[_Block], style: Style) -> None:
    styles = sorted({block.heading for block in blocks if block.heading is not None}, reverse=True)
    style.levels = {heading: min(level, 6) for level, heading in enumerate(styles, 1)}


def _element(block: _Block, page: int, style: Style, hyphens: Counter[tuple[int, str]]) -> Element:
    boxes = [line.box for line in block.lines]
    box = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    element = Element(
        block.kind, page=page, box=(round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2))
    )
    _fill(element, block, page, style, hyphens)
    if block.heading is not None:
        element.level = style.levels[block.heading]
    if any(line.turned for line in block.lines):
        element.attributes["turned"] = True
    return element


def _fill(element: Element, block: _Block, page: int, style: Style, hyphens: Counter[tuple[int, str]]) -> None:
    side_by_side = block.kind == "paragraph" and any(line.cells > 1 for line in block.lines)
    text = block.lines[0].text
    for line in block.lines[1:]:
        end, start = _WORD_END.search(text), _WORD_START.match(line.text)
        if side_by_side:
            text += f"\n{line.text}"
        elif end is None or start is None or not line.text[:1].islower():
            text += f" {line.text}"
        elif _is_split(end.group(1), start.group(1), text[-1], style.words):
            at = end.start()
            source = f"{text[at:]}\n{start.group(1)}"
            hyphens[page, text[-1]] += 1
            text = text[:-1] + line.text
            element.edits.append(TextEdit(at, at + len(end.group(1)) + len(start.group(1)), "joined_hyphen", source))
        else:
            text += line.text
    element.text = text


def _is_split(first: str, second: str, hyphen: str, words: Counter[str]) -> bool:
    """Whether a word was cut at the line's end: a soft hyphen, or the joined form is the commoner one elsewhere."""
    joined = words[(first + second).lower()]
    return hyphen == "\u00ad" or joined > words[f"{first}-{second}".lower()]


def _mark_title(made: list[list[tuple[Element, float]]], style: Style) -> None:
    """The first heading of the document is its title when no other is as large."""
    headings = [element for page in made for element, _ in page if element.kind == "heading"]
    largest = [element for element in headings if element.level == 1]
    if largest and headings[0] is largest[0] and largest[0].page == 1 and len(largest) == 1 and len(headings) > 1:
        largest[0].kind, largest[0].level = "title", None
        for element in headings[1:]:
            element.level = max((element.level or 2) - 1, 1)
