"""The light markup of the example texts, read into blocks that every writer understands.

A line is a block: `# ` to `### ` a heading, `- ` a list item, `> ` a note, `~ ` hidden text, `| a | b |`
a row of a table, lines between ``` a code block, anything else a paragraph. `{-old-}{+new+}` marks a
tracked deletion and insertion (only the office writer keeps it; others write the new text).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

TEXTS = Path(__file__).resolve().parent / "texts"
CHANGE = re.compile(r"\{-(?P<old>.*?)-\}|\{\+(?P<new>.*?)\+\}")

Kind = Literal["heading", "item", "note", "hidden", "table", "code", "paragraph"]


@dataclass
class Block:
    """One block. `rows` holds the cells of a table; its first row is the header."""

    kind: Kind
    text: str = ""
    level: int = 0
    rows: list[list[str]] = field(default_factory=list)


def read(name: str) -> str:
    """The text of an example document, as written by hand."""
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def accepted(text: str) -> str:
    """The text with its tracked changes accepted."""
    return CHANGE.sub(lambda match: match.group("new") or "", text)


def blocks(name: str) -> list[Block]:
    """Blocks of an example document in order."""
    found: list[Block] = []
    code: list[str] | None = None
    for line in read(name).splitlines():
        if line == "```":
            if code is not None:
                found.append(Block("code", "\n".join(code)))
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        elif line.strip():
            _add(found, line)
    return found


def _add(found: list[Block], line: str) -> None:
    heading = re.match(r"(#{1,3}) (.*)", line)
    if heading:
        found.append(Block("heading", heading.group(2), level=len(heading.group(1))))
    elif line.startswith("|"):
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if not found or found[-1].kind != "table":
            found.append(Block("table"))
        found[-1].rows.append(cells)
    else:
        kinds: dict[str, Kind] = {"- ": "item", "> ": "note", "~ ": "hidden"}
        kind = kinds.get(line[:2])
        found.append(Block(kind, line[2:]) if kind else Block("paragraph", line))
