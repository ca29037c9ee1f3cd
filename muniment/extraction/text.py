"""Plain text: paragraphs, list items and headings, every line verbatim.

Blocks are cut by our own code: unstructured's partition_text drops bullets and with them the minus of
"- 5 apples", and cuts long texts. Of unstructured only the category of short blocks is used, to tell
headings. Underlines of headings ("====") are marks, entered as markup_removed.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muniment.extraction import counting, engine
from muniment.extraction.decoding import decode
from muniment.extraction.formats import engine_versions
from muniment.extraction.model import Adjustment, Element, ElementKind, Reading, ReadOptions

COUNTER = "text: plain decode 1"

_BLANK = re.compile(r"\n(?:[^\S\n]*\n)+")
_MARKER = re.compile(r"[^\S\n]*(?:[-*+•‣◦▪–—·o]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])[^\S\n]+(?=\S)")
_SIGNED = re.compile(r"[^\S\n]*[-+–—][^\S\n]+[\d.,]")
_NUMBERED = re.compile(
    r"(?:(?:article|section|chapter|part|annex|schedule|appendix|title)\s+[\dIVXLC]+\b|(\d+(?:\.\d+)*)\.?\s+\S)", re.I
)
_UNDERLINE = re.compile(r"([=\-~^*#\"'+.:_`])\1{2,}")
_HEADING_LENGTH = 100
_ENDS = ".,;:!?…。．！？；：，、؟"
#: Blocks whose category is asked; a document of headings only must not cost minutes of tagging.
_MAX_ASKED = 2_000


def read(path: Path, options: ReadOptions) -> Reading:
    """Elements of a text file. Never fails on content: what does not decode is replaced and entered."""
    decoded = decode(path.read_bytes())
    elements, adjustments = blocks(decoded.text)
    return Reading("text", engine_versions("text"), elements, [], [*decoded.adjustments, *adjustments])


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """Characters, digits and percent signs of the decoded file, marks included."""
    return counting.count_visible(counting.plain_decode(path.read_bytes()))


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """The decoded file, lines ended by a newline."""
    return counting.plain_decode(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")


def blocks(text: str, *, headings: bool = True) -> tuple[list[Element], list[Adjustment]]:
    """Elements of a plain text and adjustments for the marks that were left out.

    Without `headings` only underlined lines are headings: in a mail each greeting would look like one.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    elements: list[Element] = []
    adjustments: list[Adjustment] = []
    categories = _Categories(asked=0 if headings else _MAX_ASKED)
    for block in _BLANK.split(lines):
        for piece in _pieces(block):
            element, removed = _element(piece, categories, first=not elements)
            if removed:
                adjustments += counting.adjustments(removed, "markup_removed", {}, "underline of a heading")
            if element is not None:
                elements.append(element)
    return elements, adjustments


def _pieces(block: str) -> list[str]:
    """A block cut before each line that starts a list item; one paragraph with a stray dash stays whole."""
    lines = block.split("\n")
    starts = [index for index, line in enumerate(lines) if _MARKER.match(line) and not _SIGNED.match(line)]
    if not starts or (starts[0] > 0 and len(starts) == 1):
        return [block]
    cuts = sorted({0, *starts, len(lines)})
    return ["\n".join(lines[first:last]) for first, last in itertools.pairwise(cuts)]


def _element(piece: str, categories: _Categories, *, first: bool) -> tuple[Element | None, str]:
    """The element of a piece and the underline taken from it."""
    text, underline = _without_underline(piece.strip("\n").rstrip())
    if not text.strip():
        # a rule between sections: kept as text unless it is nothing but one repeated mark
        return (None, underline) if underline else (None, "")
    if all(line.lstrip().startswith(">") for line in text.split("\n")):
        return Element("quote", text), underline
    if _MARKER.match(text) and not _SIGNED.match(text) and not _is_numbered_heading(text, categories):
        return Element("list_item", text, level=1), underline
    level = _heading_level(text, underline, categories)
    if level is None:
        return Element("paragraph", text), underline
    kind: ElementKind = "title" if first and not _NUMBERED.match(text.strip()) else "heading"
    return Element(kind, text.strip(), level=level), underline


def _without_underline(text: str) -> tuple[str, str]:
    lines = text.split("\n")
    marks = [index for index, line in enumerate(lines) if _UNDERLINE.fullmatch(line.strip())]
    if len(lines) == 1 and marks:
        return "", lines[0]
    framed = marks in ([1], [0, 2]) and len(lines) == marks[-1] + 1 and len(lines[-1].strip()) >= 3
    if not framed:
        return text, ""
    return lines[marks[-1] - 1], "\n".join(lines[index] for index in marks)


def _heading_level(text: str, underline: str, categories: _Categories) -> int | None:
    """Depth of a heading, or None for other text."""
    line = text.strip()
    if underline:
        return 1 if "=" in underline or "#" in underline or "\n" in underline else 2
    if "\n" in line or len(line) > _HEADING_LENGTH or line[-1] in _ENDS or not line[0].isalnum():
        return None
    number = _NUMBERED.match(line)
    if not categories.is_title(line):
        return None
    if number and number.group(1):
        return number.group(1).count(".") + 1
    return 1 if number or line.isupper() else 2


def _is_numbered_heading(text: str, categories: _Categories) -> bool:
    """ "1. Scope": a numbered line of a few words in title case or capitals."""
    line = text.strip()
    words = [word for word in line.split()[1:] if word[0].isalpha()]
    titled = bool(words) and sum(word[0].isupper() for word in words) * 2 > len(words)
    one_line = "\n" not in line and len(line) <= _HEADING_LENGTH and line[-1] not in _ENDS
    return one_line and line[0].isdigit() and titled and categories.is_title(line)


@dataclass(slots=True)
class _Categories:
    """Asks unstructured for categories, at most _MAX_ASKED times a document."""

    asked: int = 0

    def is_title(self, line: str) -> bool:
        """Whether unstructured takes a line for a title (a numbered list item counts, the number is ours)."""
        if self.asked >= _MAX_ASKED:
            return False
        self.asked += 1
        return engine.category_of(line) in {"Title", "ListItem"}
