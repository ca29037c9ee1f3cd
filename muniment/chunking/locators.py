"""Source locators of pieces: page and box, section, sheet and range, slide, mail part, characters."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from muniment.chunking.model import Block

_RANGE = re.compile(r"(\$?[A-Z]{1,3})\$?(\d+):(\$?[A-Z]{1,3})\$?(\d+)")


def source_locator(start: int, end: int, blocks: Sequence[Block], section_path: Sequence[str]) -> str:
    """JSON with sorted keys, present ones only.

    `page` is the first page and `last_page` the last where it is another; `box` is the union (x0, top,
    x1, bottom in points) of the elements on the first page; `characters` are offsets of the canonical
    text. `blocks` are those with text in the piece, in reading order.
    """
    first = blocks[0].place
    pages = [page for block in blocks if isinstance(page := block.place["page"], int)]
    found: dict[str, object] = {"characters": [start, end]}
    if pages:
        found["page"] = pages[0]
        if max(pages) != pages[0]:
            found["last_page"] = max(pages)
        found["box"] = _union([block for block in blocks if block.place["page"] == pages[0]])
    for name in ("slide", "sheet", "mail_part"):
        found[name] = first[name]
    found["range"] = _cells(start, end, blocks)
    found["section"] = " › ".join(section_path) or None
    return json.dumps(
        {key: value for key, value in found.items() if value is not None}, sort_keys=True, ensure_ascii=False
    )


def _union(blocks: Sequence[Block]) -> list[float] | None:
    boxes = [box for block in blocks if isinstance(box := block.place["box"], list)]
    if not boxes:
        return None
    columns = list(zip(*boxes, strict=True))
    return [min(columns[0]), min(columns[1]), max(columns[2]), max(columns[3])]


def _cells(start: int, end: int, blocks: Sequence[Block]) -> str | None:
    """Range of the cells of a piece: the rows that it touches, where grid rows are sheet rows."""
    for block in blocks:
        whole = block.place["range"]
        if not isinstance(whole, str):
            continue
        match = _RANGE.fullmatch(whole)
        if match is None or block.place["rows"] != int(match[4]) - int(match[2]) + 1:
            return whole
        ends = [*block.row_starts[1:], block.end + 1]
        touched = [
            number
            for number, first, following in zip(block.row_numbers, block.row_starts, ends, strict=True)
            if first < end and following > start + 1
        ]
        if not touched:
            return whole
        top = int(match[2])
        return f"{match[1]}{top + touched[0]}:{match[3]}{top + touched[-1]}"
    return None
