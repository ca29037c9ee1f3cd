"""Selectors: how a judgement names a mention so that it is found again in a later version of its document.

A selector holds the mention's exact text, what stands before and after it within its element, and its unit (the
headings above). It finds a mention only where exactly the judged places match; anything else is no match, never
a guess (DESIGN, section 4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

#: Characters kept on each side of a mention; more only where these do not tell it from another place.
REACH = 32

#: A place of the text: extraction, first code point, one past the last.
Place = tuple[str, int, int]


class SelectorError(ValueError):
    """A mention cannot be named: equal words stand elsewhere in its unit."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Where a mention stands in any version of its document.

    `before` and `after` hold up to `reach` code points and end at the element's borders; shorter means that the
    element begins or ends there. `matches` equal places are meant together (1 but for repeated wording of which
    every place was judged).
    """

    document_id: str
    text: str
    before: str
    after: str
    unit: tuple[str, ...]
    reach: int = REACH
    matches: int = 1

    def content(self) -> dict[str, Any]:
        """What JSON keeps."""
        return {**asdict(self), "unit": list(self.unit)}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Selector:
        """The selector that `content` was made of."""
        return cls(**{**content, "unit": tuple(content["unit"])})


@dataclass(frozen=True, slots=True)
class _Element:
    extraction_id: str
    start: int
    text: str
    unit: tuple[str, ...]

    def around(self, first: int, last: int, reach: int) -> tuple[str, str]:
        return self.text[max(0, first - reach) : first], self.text[last : last + reach]


class Units:
    """The elements of documents by document and unit: what selectors are made of and looked up in."""

    def __init__(self, elements: pl.DataFrame, texts: pl.DataFrame) -> None:
        """`elements`: document_id, extraction_id, start, end, section_path; `texts`: extraction_id, text."""
        by_extraction: dict[str, str] = dict(texts.select("extraction_id", "text").iter_rows())
        self._elements: dict[tuple[str, tuple[str, ...]], list[_Element]] = defaultdict(list)
        self._of_extraction: dict[str, list[_Element]] = defaultdict(list)
        columns = ("document_id", "extraction_id", "start", "end", "section_path")
        for document_id, extraction_id, start, end, path in (
            elements.sort("extraction_id", "start", "end").select(columns).iter_rows()
        ):
            text = by_extraction[extraction_id][start:end]
            element = _Element(extraction_id, start, text, tuple(path))
            self._elements[document_id, element.unit].append(element)
            self._of_extraction[extraction_id].append(element)

    def element_of(self, extraction_id: str, start: int, end: int) -> _Element | None:
        """The smallest element that holds a span."""
        holding = [
            element
            for element in self._of_extraction[extraction_id]
            if element.start <= start and end <= element.start + len(element.text)
        ]
        return min(holding, key=lambda element: (len(element.text), element.start), default=None)

    def places(self, selector: Selector) -> list[Place]:
        """Every place of the selector's document and unit that reads as it says, in order."""
        found: set[Place] = set()
        for element in self._elements[selector.document_id, selector.unit]:
            for first in _occurrences(element.text, selector.text):
                last = first + len(selector.text)
                if element.around(first, last, selector.reach) == (selector.before, selector.after):
                    found.add((element.extraction_id, element.start + first, element.start + last))
        return sorted(found)


def _occurrences(text: str, wanted: str) -> Iterable[int]:
    first = text.find(wanted)
    while first >= 0:
        yield first
        first = text.find(wanted, first + 1)


def make_selectors(mentions: pl.DataFrame, units: Units) -> list[Selector]:
    """One selector for each mention of `mentions`, in order of place; repeated wording shares one.

    `mentions`: mention_id, extraction_id, document_id, start, end, text. The reach grows until the places that
    match are all among the mentions. Raises SelectorError for a mention outside every element, or whose whole
    element reads like another one of its unit that holds no mention of `mentions`.
    """
    ordered = mentions.sort("document_id", "extraction_id", "start", "end")
    wanted = set(ordered.select("extraction_id", "start", "end").iter_rows())
    made: dict[Selector, None] = {}
    for row in ordered.iter_rows(named=True):
        made.setdefault(_selector(row, units, wanted))
    return list(made)


def _selector(row: Mapping[str, Any], units: Units, wanted: set[Place]) -> Selector:
    element = units.element_of(row["extraction_id"], row["start"], row["end"])
    if element is None:
        raise SelectorError(f"mention {row['mention_id']} stands in no element of its document: it cannot be judged")
    first, last = row["start"] - element.start, row["end"] - element.start
    reach = REACH
    while True:
        before, after = element.around(first, last, reach)
        selector = Selector(row["document_id"], row["text"], before, after, element.unit, reach)
        # another version of the document shows it too: each version counts for itself
        places = [place for place in units.places(selector) if place[0] == row["extraction_id"]]
        if set(places) <= wanted:
            return replace(selector, matches=len(places))
        if reach >= len(element.text):
            raise SelectorError(
                f"mention {row['mention_id']} ({row['text']!r}) cannot be told from another place of the same "
                "section: the paragraphs read alike; judge all of them together, or another mention"
            )
        reach *= 2


def anchor(selectors: Iterable[Selector], mentions: pl.DataFrame, units: Units) -> dict[Selector, list[str]]:
    """Mention ids of each selector, empty where it does not match exactly the places that were judged.

    `mentions`: mention_id, extraction_id, start, end of the versions in scope. In each version the selector must
    match `matches` places, and a mention must stand at each of them.
    """
    at: dict[Place, str] = {
        (extraction_id, start, end): mention_id
        for extraction_id, start, end, mention_id in mentions.select(
            "extraction_id", "start", "end", "mention_id"
        ).iter_rows()
    }
    found: dict[Selector, list[str]] = {}
    for selector in selectors:
        by_extraction: dict[str, list[Place]] = defaultdict(list)
        for place in units.places(selector):
            by_extraction[place[0]].append(place)
        exact = [places for places in by_extraction.values() if len(places) == selector.matches]
        whole = [places for places in exact if all(place in at for place in places)]
        found[selector] = sorted(at[place] for places in whole for place in places)
    return found
