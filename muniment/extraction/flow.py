"""Running text with borders of blocks, rows and cells: what `source_text` of the formats is written with.

Used only to look a text up in its original again (`trace --verify`), never by a reader.
"""

from __future__ import annotations

import re

_BLOCK, _ROW, _CELL = "\x1d", "\x1e", "\x1f"
_MARKS = re.compile(f"[{_BLOCK}{_ROW}{_CELL}]")
_AROUND = re.compile(f"[ \n]*([{_BLOCK}{_ROW}{_CELL}])[ \n]*")
_BLOCKS = re.compile(f"[{_BLOCK}{_ROW}{_CELL}]*{_BLOCK}[{_BLOCK}{_ROW}{_CELL}]*")
_ROWS = re.compile(f"{_ROW}+{_CELL}?")


class Flow:
    """Collects pieces of text in document order; borders come between them, never twice."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """Text as it stands; control characters that stand for borders here are dropped."""
        self._pieces.append(_MARKS.sub("", text))

    def block(self, text: str = "") -> None:
        """A border of blocks, and the text of the next one if it is known."""
        self._pieces.append(_BLOCK)
        self.add(text)

    def row(self) -> None:
        """A border of table rows."""
        self._pieces.append(_ROW)

    def cell(self, text: str = "") -> None:
        """A border before a table cell, and its text if it is known."""
        self._pieces.append(_CELL)
        self.add(text)

    def __str__(self) -> str:
        """The text: blocks apart by a blank line, rows by a newline, cells by a tab."""
        text = _AROUND.sub(r"\1", "".join(self._pieces))
        text = _ROWS.sub("\n", _BLOCKS.sub("\n\n", text)).replace(_CELL, "\t")
        return text.strip("\n")


def joined(*flows: Flow | str) -> str:
    """Texts of several flows, empty ones left out, apart by a blank line."""
    return "\n\n".join(text for flow in flows if (text := str(flow).strip("\n")))
