"""Which parts of a document a model is shown: visible paragraphs in groups, in reading order, nothing hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]

#: Kinds of elements that state nothing of their own.
_LEFT_OUT = frozenset({"page_header", "page_footer", "figure", "code"})
_ENDS = re.compile(r"\n+|(?<=[.!?。！？؟])['\"’”)\]]*\s+")


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the document."""

    start: int
    end: int
    kind: str
    hidden: bool
    section_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """Stretches of the canonical text that are shown together, and the headings that they stand under."""

    stretches: tuple[Span, ...]
    section_path: tuple[str, ...]

    @property
    def start(self) -> int:
        """First code point."""
        return self.stretches[0][0]

    @property
    def end(self) -> int:
        """One past the last code point."""
        return self.stretches[-1][1]

    def text(self, canonical: str) -> str:
        """What is shown."""
        return "\n\n".join(canonical[start:end] for start, end in self.stretches)


def parts_of(text: str, elements: Iterable[Element], hidden: Iterable[Span], characters: int) -> list[Part]:
    """Parts of about so many characters (a sentence may make one longer); `hidden` spans and elements are left out.

    Stretches with nothing but white space between them are one. Depends on the document alone.
    """
    listed = sorted(elements, key=lambda item: (item.start, -item.end, item.kind))
    covered = sorted([*hidden, *((item.start, item.end) for item in listed if item.hidden)])
    parts: list[Part] = []
    waiting: list[Span] = []
    path: tuple[str, ...] = ()
    size = position = 0
    for item in listed:
        if item.hidden or item.kind in _LEFT_OUT:
            continue
        for span in _visible(max(item.start, position), item.end, covered):
            for start, end in _pieces(text, *span, characters):
                if size and size + end - start > characters:
                    parts.append(Part(_joined(text, waiting), path))
                    waiting, size = [], 0
                path = path if waiting else item.section_path
                waiting.append((start, end))
                size += end - start
        position = max(position, item.end)
    if waiting:
        parts.append(Part(_joined(text, waiting), path))
    return [part for part in parts if any(char.isalnum() for char in part.text(text))]


def _visible(start: int, end: int, covered: list[Span]) -> Iterator[Span]:
    for first, last in covered:
        if last <= start or first >= end:
            continue
        if first > start:
            yield start, first
        start = max(start, last)
    if start < end:
        yield start, end


def _pieces(text: str, start: int, end: int, characters: int) -> Iterator[Span]:
    """The span without outer white space, cut at ends of lines and sentences where it is long."""
    start, end = _stripped(text, start, end)
    while end - start > characters:
        cuts = [match.end() for match in _ENDS.finditer(text, start, start + characters) if match.end() > start]
        cut = cuts[-1] if cuts else next((match.end() for match in _ENDS.finditer(text, start, end)), end)
        yield _stripped(text, start, cut)
        start, end = _stripped(text, cut, end)
    if start < end:
        yield start, end


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _joined(text: str, spans: list[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for start, end in spans:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
