"""Which blocks belong together: the runs that the structural strategy keeps whole or cuts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from muniment.chunking.model import Block, Limits, Outline

#: A section below this part of the target may be joined with tiny neighbours of its parent.
TINY = 6

Sizes = Callable[[Sequence[tuple[int, int]]], list[int]]


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive blocks (or a part of one table) that one piece may hold."""

    start: int
    end: int
    kind: str
    hidden: bool
    unit: int
    blocks: tuple[Block, ...]
    size: int

    @property
    def heading_only(self) -> bool:
        """Whether it has nothing but headings: they go with what follows."""
        return all(block.kind in ("heading", "title") for block in self.blocks)


def runs_of(outline: Outline, sizes: Sizes, limits: Limits) -> list[Run]:
    """Runs in reading order.

    Headings go with the run that follows inside their unit; whole sections that are tiny (below a sixth
    of the target) are joined with tiny sections next to them under the same parent, up to the target.
    """
    blocks = [block for block in outline.blocks if outline.text[block.start : block.end].strip()]
    parts = [part for block in blocks for part in _visible_parts(block)]
    counted = sizes([(part.start, part.end) for part in parts])
    runs = _grouped(_with_captions(parts), counted)
    return _join_tiny(outline, _join_headings(outline, runs, limits), limits)


def _visible_parts(block: Block) -> Iterable[Block]:
    """A table with hidden rows or cells as visible and hidden parts; any other block as it is."""
    position = block.start
    for start, end in block.hidden_spans if not block.hidden else ():
        if start > position:
            yield dataclasses.replace(block, start=position, end=start)
        yield dataclasses.replace(block, start=start, end=end, hidden=True)
        position = end
    if position < block.end:
        yield dataclasses.replace(block, start=position, end=block.end)


def _with_captions(parts: list[Block]) -> list[tuple[Block, int | None]]:
    """Parts, each with the index of the table or figure that it is a caption of."""
    result: list[tuple[Block, int | None]] = []
    for position, part in enumerate(parts):
        home = None
        if part.kind == "caption":
            beside = [other for other in (position - 1, position + 1) if 0 <= other < len(parts)]
            fitting = [other for other in beside if _is_captioned(parts[other], part)]
            home = parts[fitting[0]].index if fitting else None
        result.append((part, home))
    return result


def _is_captioned(other: Block, caption: Block) -> bool:
    return other.kind in ("table", "figure") and other.hidden == caption.hidden and other.unit == caption.unit


def _grouped(parts: list[tuple[Block, int | None]], counted: list[int]) -> list[Run]:
    kinds = {part.index: part.kind for part, _ in parts}
    runs: list[Run] = []
    keys: list[tuple[object, ...]] = []
    for (part, home), size in zip(parts, counted, strict=True):
        owner = part.index if part.kind in ("table", "figure") else home
        kind = kinds[owner] if owner is not None else "text"
        key = (part.unit, part.hidden, kind, owner)
        if runs and keys[-1] == key:
            runs[-1] = _extended(runs[-1], (part,), part.end, size)
        else:
            runs.append(Run(part.start, part.end, kind, part.hidden, part.unit, (part,), size))
            keys.append(key)
    return runs


def _extended(run: Run, blocks: tuple[Block, ...], end: int, size: int) -> Run:
    return dataclasses.replace(run, end=end, blocks=(*run.blocks, *blocks), size=run.size + size)


def _join_headings(outline: Outline, runs: list[Run], limits: Limits) -> list[Run]:
    """From the end, so that a chain of headings reaches the text below them all."""
    joined: list[Run] = []
    for run in reversed(runs):
        follower = joined[-1] if joined else None
        if follower is not None and _leads(outline, run, follower, limits):
            size = run.size + follower.size
            blocks = (*run.blocks, *follower.blocks)
            joined[-1] = Run(run.start, follower.end, follower.kind, run.hidden, run.unit, blocks, size)
        else:
            joined.append(run)
    return joined[::-1]


def _leads(outline: Outline, run: Run, follower: Run, limits: Limits) -> bool:
    if not run.heading_only or run.hidden != follower.hidden or run.unit not in outline.ancestors(follower.unit):
        return False
    # a figure stays a chunk of its own: it gets no context and no heading is part of it
    return follower.kind != "figure" and run.size < limits.maximum


def _join_tiny(outline: Outline, runs: list[Run], limits: Limits) -> list[Run]:
    joined: list[Run] = []
    parents: list[int | None] = []
    for run in runs:
        unit = _section(outline, run)
        tiny = unit is not None and run.kind == "text" and run.size * TINY < limits.target
        parent = outline.units[unit].parent if tiny and unit is not None else None
        before = joined[-1] if joined else None
        fits = before is not None and before.hidden == run.hidden and before.size + run.size <= limits.target
        if before is not None and fits and parent is not None and parents[-1] == parent:
            joined[-1] = _extended(before, run.blocks, run.end, run.size)
        else:
            joined.append(run)
            parents.append(parent)
    return joined


def _section(outline: Outline, run: Run) -> int | None:
    """The section that a run covers from its heading to its end, if it does."""
    unit = outline.units[run.unit]
    return run.unit if unit.kind == "section" and unit.start == run.start and unit.end == run.end else None
