"""From glyphs to lines in reading order: words as pdfium spaces them, columns by the gutters between them.

A *segment* is a run of glyphs on one baseline without a wide gap. Columns are found by gutters: strips that few
segments cross, with prose on both sides (recursive; after Breuel 2002, whitespace covers, kept to vertical strips).
Segments that cross a gutter divide the page into bands. Where short texts stand side by side (a table without rules),
there is no gutter: such lines are read row by row, so that a value keeps its row.
"""

from __future__ import annotations

import itertools
import statistics
import unicodedata
from dataclasses import dataclass, field

from muniment.extraction.pdf_glyphs import Box, Glyph

_WIDE_GAP = 1.1  # of the size: more may be a gap between columns
_CELL_GAP = 1.4  # more, within a row, is a gap between cells
_PROSE_LENGTH = 18  # characters in the median line of a column of prose
_BIN = 2.0  # points


@dataclass(slots=True)
class Segment:
    """Glyphs on one baseline."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    bold: float  # share of bold glyphs


@dataclass(slots=True)
class Line:
    """One line of a column, or one row of side-by-side texts (`cells` > 1)."""

    text: str
    box: Box
    size: float
    bold: float
    cells: int = 1
    page: int = 0
    turned: bool = False
    segments: list[Segment] = field(default_factory=list)


def lines(glyphs: list[Glyph], height: float, width: float) -> list[Line]:
    """Lines of the visible glyphs of a page in reading order; turned text comes last."""
    turns = [glyph.turn for glyph in glyphs]
    main = max(sorted(set(turns)), key=lambda turn: (turns.count(turn), turn == 0)) if turns else 0
    main = max(main, 0)
    upright = [_turned(glyph, main, width, height) for glyph in glyphs if glyph.turn == main]
    found = flow(segments(upright))
    for turn in sorted({turn for turn in turns if turn != main}):
        others = [_turned(glyph, turn, width, height) for glyph in glyphs if glyph.turn == turn]
        parts = flow(segments(others)) if turn >= 0 else [_line([part]) for part in _runs(others)]
        for line in parts:
            line.turned = True
        found += parts
    if main:
        for line in found:
            line.turned = True
    for line in found:
        if line.turned and main:
            line.box = _turned_back(line.box, main, width, height)
    return found


def _turned(glyph: Glyph, turn: int, width: float, height: float) -> Glyph:
    """The glyph on a page turned so that its text runs from left to right."""
    if turn in (0, -1):
        return glyph
    box = _rotate((glyph.x0, glyph.top, glyph.x1, glyph.bottom), turn, width, height)
    return Glyph(glyph.text, *box, glyph.size, glyph.bold, 0, glyph.hidden, glyph.spaced)


def _rotate(box: Box, turn: int, width: float, height: float) -> Box:
    x0, top, x1, bottom = box
    if turn == 1:  # text runs down: turn the page a quarter counter-clockwise
        return top, width - x1, bottom, width - x0
    if turn == 2:
        return width - x1, height - bottom, width - x0, height - top
    return height - bottom, x0, height - top, x1


def _turned_back(box: Box, turn: int, width: float, height: float) -> Box:
    x0, top, x1, bottom = box
    if turn == 1:
        return width - bottom, x0, width - top, x1
    if turn == 2:
        return width - x1, height - bottom, width - x0, height - top
    return top, height - x1, bottom, height - x0


def _runs(glyphs: list[Glyph]) -> list[Segment]:
    """Text at odd angles: one segment, in content order, for each run of glyphs of one size."""
    found: list[list[Glyph]] = []
    for glyph in glyphs:
        last = found[-1][-1] if found else None
        near = last is not None and max(abs(glyph.x0 - last.x0), abs(glyph.top - last.top)) < 4 * max(glyph.size, 1)
        if near and last is not None and abs(last.size - glyph.size) < 1:
            found[-1].append(glyph)
        else:
            found.append([glyph])
    return [_segment(run) for run in found]


def segments(glyphs: list[Glyph]) -> list[Segment]:
    """Runs of glyphs in content order that stand on one baseline, each next to the one before."""
    found: list[list[Glyph]] = []
    for glyph in glyphs:
        if found and _continues(found[-1], glyph):
            found[-1].append(glyph)
        else:
            found.append([glyph])
    return [_segment(run) for run in found]


def _continues(run: list[Glyph], glyph: Glyph) -> bool:
    last = run[-1]
    overlap = min(last.bottom, glyph.bottom) - max(last.top, glyph.top)
    if overlap < 0.35 * max(min(last.bottom - last.top, glyph.bottom - glyph.top), 0.1):
        return False
    size = max(min(last.size, last.bottom - last.top), min(glyph.size, glyph.bottom - glyph.top), 1.0)
    gap = glyph.x0 - last.x1
    if abs(glyph.x0 - last.x0) < 0.05 * size:  # letters of one ligature share its box
        return True
    if gap < -0.5 * size:  # backwards: only a script that runs from right to left
        return (_is_rtl(glyph.text) or _is_rtl(last.text)) and last.x0 - glyph.x1 < _WIDE_GAP * size
    return gap < _WIDE_GAP * size


def _is_rtl(text: str) -> bool:
    return unicodedata.bidirectional(text[0]) in ("R", "AL", "AN", "NSM")


def _segment(run: list[Glyph]) -> Segment:
    pieces = []
    for index, glyph in enumerate(run):
        if index and glyph.spaced and not _is_raised(run[index - 1], glyph):
            pieces.append(" ")
        pieces.append(glyph.text)
    sizes = [glyph.size for glyph in run]
    return Segment(
        "".join(pieces),
        min(g.x0 for g in run),
        min(g.top for g in run),
        max(g.x1 for g in run),
        max(g.bottom for g in run),
        statistics.mode(sizes),
        sum(g.bold for g in run) / len(run),
    )


def _is_raised(last: Glyph, glyph: Glyph) -> bool:
    """A superscript or subscript that touches the glyph before: the engine's space is not on the page."""
    return glyph.size < 0.85 * last.size and glyph.x0 - last.x1 < 0.12 * last.size


def flow(parts: list[Segment]) -> list[Line]:
    """Lines of segments in reading order."""
    gutter = _gutter(parts) if len(parts) >= 6 else None
    if gutter is None:
        return _rows(parts)
    spanning = sorted((p for p in parts if p.x0 < gutter < p.x1), key=lambda part: (part.top, part.x0))
    others = [p for p in parts if not p.x0 < gutter < p.x1]
    found: list[Line] = []
    for part in [*spanning, None]:
        limit = (part.top + part.bottom) / 2 if part is not None else float("inf")
        band = [p for p in others if (p.top + p.bottom) / 2 < limit]
        others = [p for p in others if (p.top + p.bottom) / 2 >= limit]
        found += flow([p for p in band if p.x1 <= gutter]) + flow([p for p in band if p.x0 >= gutter])
        if part is not None:
            found += _rows([part])
    return found


def _gutter(parts: list[Segment]) -> float | None:
    """Centre of the widest strip that divides the segments into two columns of prose."""
    left, right = min(p.x0 for p in parts), max(p.x1 for p in parts)
    bins = int((right - left) / _BIN) + 1
    if bins < 20 or bins > 100_000:
        return None
    steps = [0] * (bins + 1)
    for part in parts:
        steps[int((part.x0 - left) / _BIN)] += 1
        steps[min(int((part.x1 - left) / _BIN) + 1, bins)] -= 1
    limit, covered, strips, start = 0.2 * len(parts), 0, [], None
    for index in range(bins):
        covered += steps[index]
        free = covered <= limit and 0.12 * bins < index < 0.88 * bins
        if free and start is None:
            start = index
        elif not free and start is not None:
            strips.append((index - start, start))
            start = None
    for length, start in sorted(strips, reverse=True):
        centre = left + (start + length / 2) * _BIN
        if length * _BIN >= 6 and _divides(parts, centre):
            return centre
    return None


def _divides(parts: list[Segment], centre: float) -> bool:
    sides = [[p for p in parts if p.x1 <= centre], [p for p in parts if p.x0 >= centre]]
    if min(len(side) for side in sides) < 3:
        return False
    if any(statistics.median(len(p.text) for p in side) < _PROSE_LENGTH for side in sides):
        return False
    for side in sides:
        width = max(p.x1 for p in side) - min(p.x0 for p in side)
        if statistics.median(p.x1 - p.x0 for p in side) < 0.45 * width:
            return False
    (a, b), (c, d) = [(min(p.top for p in side), max(p.bottom for p in side)) for side in sides]
    return min(b, d) - max(a, c) > 0.3 * min(b - a, d - c)


def _rows(parts: list[Segment]) -> list[Line]:
    """Segments by baseline, from top to bottom, each row from left to right."""
    rows: list[list[Segment]] = []
    for part in sorted(parts, key=lambda item: (item.top + item.bottom, item.x0)):
        if rows and _same_row(rows[-1], part):
            rows[-1].append(part)
        else:
            rows.append([part])
    return [_line(row) for row in rows]


def _same_row(row: list[Segment], part: Segment) -> bool:
    largest = max(row, key=lambda item: item.bottom - item.top)
    overlap = min(largest.bottom, part.bottom) - max(largest.top, part.top)
    return overlap > 0.5 * max(min(largest.bottom - largest.top, part.bottom - part.top), 0.1)


def _line(row: list[Segment]) -> Line:
    from_right = all(_is_rtl(part.text) for part in row) and len(row) > 1
    ordered = sorted(row, key=lambda part: -part.x1 if from_right else part.x0)
    text, cells = ordered[0].text, 1
    for last, part in itertools.pairwise(ordered):
        gap = last.x0 - part.x1 if from_right else part.x0 - last.x1
        size = max(last.size, part.size)
        if gap > _CELL_GAP * size:
            text, cells = f"{text}\t{part.text}", cells + 1
        else:
            text += part.text if gap < 0.15 * size else f" {part.text}"
    letters = sum(len(part.text) for part in row)
    box = (min(p.x0 for p in row), min(p.top for p in row), max(p.x1 for p in row), max(p.bottom for p in row))
    size = max(row, key=lambda part: (len(part.text), part.size)).size
    return Line(text, box, size, sum(p.bold * len(p.text) for p in row) / letters, cells, segments=ordered)
