"""The running text of one HTML block: white space as a browser shows it, links and raised text with offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SPACE = re.compile(r"[ \t\n\r\f]+")


@dataclass(slots=True)
class Inline:
    """Collects the text nodes of a block. Offsets in attributes are into the text that `take` returns."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    pending: bool = False  # white space seen and not yet written
    links: list[dict[str, object]] = field(default_factory=list)
    raised: list[dict[str, object]] = field(default_factory=list)
    _open: list[tuple[str, str, int]] = field(default_factory=list)  # what, value, start

    def add(self, text: str, *, preserve: bool = False) -> None:
        """Add a text node; runs of white space become one space unless `preserve` (pre)."""
        if preserve:
            kept = text.replace("\r\n", "\n").replace("\r", "\n")
            self._write(kept if self.length else kept.lstrip("\n"))
            return
        collapsed = _SPACE.sub(" ", text)
        words = collapsed.strip(" ")
        if collapsed.startswith(" "):
            self.space()
        if not words:
            return
        if self.pending:
            self._write(" ")
        self.pending = False
        self._write(words)
        if collapsed.endswith(" "):
            self.space()

    def space(self) -> None:
        """A place where words do not touch."""
        self.pending = self.length > 0 and not self.parts[-1].endswith("\n")

    def line_break(self) -> None:
        """A line break inside the block."""
        self.pending = False
        if self.length:
            self._write("\n")

    def open(self, what: str, value: str) -> None:
        """A link (`a`, href) or raised text (`sup`, `sub`) begins."""
        self._open.append((what, value, self.length))

    def close(self, what: str) -> None:
        """The innermost open `what` ends."""
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index][0] == what:
                self._note(*self._open.pop(index))
                return

    def take(self) -> tuple[str, dict[str, object]]:
        """Text so far and its attributes; what is open goes on in the next text."""
        for item in self._open:
            self._note(*item)
        text = "".join(self.parts).rstrip()
        attributes: dict[str, object] = {}
        if self.links:
            attributes["links"] = self.links
        if self.raised:
            attributes["raised"] = self.raised
        still_open = [(what, value, 0) for what, value, _ in self._open]
        self.parts, self.length, self.pending, self.links, self.raised = [], 0, False, [], []
        self._open = still_open
        return text, attributes

    def _write(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.length += len(text)

    def _note(self, what: str, value: str, start: int) -> None:
        covered = "".join(self.parts)[start : self.length] if start < self.length else ""
        if not covered.strip():
            return
        if what == "a":
            self.links.append({"text": covered.strip(), "href": value})
            return
        first = start + len(covered) - len(covered.lstrip())
        self.raised.append({"start": first, "end": start + len(covered.rstrip()), "kind": what})
