"""Text of PDF pages by the counter's engine, to look a text up in them again.

A page has no order of its own but that of drawing. So it is given twice: as drawn, and line by line from the top;
with right-to-left letters also with each line in reading order (right to left, numbers and Latin words left to
right); each time what is seen and what is hidden apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from muniment.extraction.flow import joined
from muniment.extraction.model import ReadOptions
from muniment.extraction.pdf_counter import Glyph, annotation_texts, field_texts, glyph_device, with_document

_SPACE = 0.15  # of the size: a gap this wide is a space
#: Bidirectional classes of what stands left to right in a line that does not.
_LEFT_TO_RIGHT = ("L", "EN", "AN", "ES", "ET", "CS")
_LINE = 0.5  # of the size: a step this high is another line


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """Pages `page` to `last_page` of the locator (from 1; all without them), notes, and fields with their names."""
    del options
    first = locator.get("page")
    pages = range(int(first), int(locator.get("last_page") or first) + 1) if first is not None else None
    return with_document(path, lambda document: _text(document, pages))


def _text(document: Any, wanted: range | None) -> str:
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
    from pdfminer.pdfpage import PDFPage

    manager = PDFResourceManager(caching=True)
    device = glyph_device(manager)
    interpreter = PDFPageInterpreter(manager, device)
    drawn: dict[tuple[str, bool], list[str]] = {}
    notes: list[str] = []
    for number, page in enumerate(PDFPage.create_pages(document), 1):
        if wanted is not None and number not in wanted:
            continue
        interpreter.process_page(page)
        glyphs = device.sorted_out()
        for seen in (True, False):
            chosen = [glyph for glyph, shown in glyphs if shown is seen]
            for order, lines in _orders(chosen).items():
                drawn.setdefault((order, seen), []).append("\n".join(map(_running, lines)))
        notes.append(annotation_texts(page))
    fields = [f"{name}: {value}" if name else value for name, value in field_texts(document)]
    return joined(*("\n".join(texts) for texts in drawn.values()), *notes, *fields)


def _running(glyphs: Iterable[Glyph]) -> str:
    """Glyphs as text: a space where there is a gap, a newline where the line changes."""
    pieces: list[str] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is not None:
            size = max(min(glyph.size, last.size), 1.0)
            if abs(glyph.y - last.y) > _LINE * size or glyph.x < last.x - size:
                pieces.append("\n")
            elif glyph.x - last.end > _SPACE * size:
                pieces.append(" ")
        pieces.append(glyph.text)
        last = glyph
    return "".join(pieces)


def _orders(glyphs: list[Glyph]) -> dict[str, list[list[Glyph]]]:
    """Lines of glyphs in each order that may be the reading order."""
    orders = {"drawn": [glyphs], "lines": _lines(glyphs)}
    if any(_is_right_to_left(glyph) for glyph in glyphs):
        orders |= {
            "read drawn": [_read(line) for line in _cut(glyphs)],
            "read": [_read(line) for line in orders["lines"]],
        }
    return orders


def _cut(glyphs: list[Glyph]) -> list[list[Glyph]]:
    """Glyphs as drawn, cut where the line changes; pieces of one line from the left."""
    lines: list[list[Glyph]] = []
    for glyph in glyphs:
        if lines and abs(lines[-1][-1].y - glyph.y) <= _LINE * max(glyph.size, 1.0):
            lines[-1].append(glyph)
        else:
            lines.append([glyph])
    return [sorted(line, key=lambda item: item.x) for line in lines]


def _read(line: list[Glyph]) -> list[Glyph]:
    """A line with right-to-left letters in reading order."""
    if not any(map(_is_right_to_left, line)):
        return line
    read: list[Glyph] = []
    left_to_right: list[Glyph] = []
    for glyph in [*reversed(line), None]:
        if glyph is not None and unicodedata.bidirectional(glyph.text[-1]) in _LEFT_TO_RIGHT:
            left_to_right.append(glyph)
            continue
        read += reversed(left_to_right)
        left_to_right = []
        read += [glyph] if glyph is not None else []
    return read


def _is_right_to_left(glyph: Glyph) -> bool:
    return unicodedata.bidirectional(glyph.text[-1]) in ("R", "AL")


def _lines(glyphs: list[Glyph]) -> list[list[Glyph]]:
    """Glyphs by line from the top, in each from the left."""
    lines: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=lambda item: (-item.y, item.x)):
        if lines and lines[-1][0].y - glyph.y <= _LINE * max(glyph.size, 1.0):
            lines[-1].append(glyph)
        else:
            lines.append([glyph])
    return [sorted(line, key=lambda item: item.x) for line in lines]
