"""Spans that a chunk boundary must not cut unless the hard maximum forces it: named entities, values with units."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable

#: A number and what it counts or what it is a number of: 4.2 %, £ 30, 90 days, Article 5, section 3.1.
_VALUE = re.compile(
    r"[£$€¥][ \u00a0]?\d+(?:[.,]\d+)*"
    r"|[-−+±]?\d+(?:[.,]\d+)*[ \u00a0]?(?:[%‰]|[°µ]?[A-Za-z]+(?:/[A-Za-z]+)?[²³]?)"
    r"|\b(?:Article|Art\.|Section|Sec\.|Clause|Annex|Regulation|Directive|No\.|§)[ \u00a0]?\d+(?:[.()]*\w)*\)?",
    re.IGNORECASE,
)


def protected_spans(text: str, entities: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Entities and values with their units, sorted and without those that lie inside another.

    Overlapping spans stay apart: a cut inside either is a cut inside a protected span.
    """
    spans = {(start, end) for start, end in entities if end > start}
    spans |= {match.span() for match in _VALUE.finditer(text)}
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or end > kept[-1][1]:
            kept.append((start, end))
    return tuple(kept)


class Guard:
    """Answers whether a position lies strictly inside a protected span."""

    def __init__(self, spans: tuple[tuple[int, int], ...]) -> None:
        # nothing is nested, so starts and ends both rise: the last span that starts before is the only candidate
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def cuts(self, position: int) -> bool:
        """Whether a cut before `position` goes through a protected span."""
        index = bisect.bisect_left(self._starts, position) - 1
        return index >= 0 and position < self._ends[index]
