"""Finding a model's words in a text: verbatim after a declared normalisation, and back to the exact span.

The normalisation: NFKC, one kind of quotation marks and dashes, runs of white space as one space, soft hyphens and
zero-width characters left out; of the words sought also outer white space and quotation marks. Names may besides
be compared with case folded. Nothing is guessed: words that differ otherwise are not found.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

_QUOTES = dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"')
_DASHES = dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
_LEFT_OUT = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_ALIKE = {**_QUOTES, **_DASHES}
#: Scripts that part no words: (first, last) code points of Thai, Lao, Khmer and Myanmar, Han and kana.
_UNPARTED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


@dataclass(slots=True)
class Searchable:
    """A stretch of a text, normalised; each of its characters knows the span of the text that it stands for."""

    text: str
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def spans(self, words: str) -> Iterator[tuple[int, int]]:
        """Spans of the text that are the words (normalised), whole words only, in order.

        Words that are not there with their outer quotation marks are sought without them.
        """
        for sought in dict.fromkeys((words.strip(), _unquoted(words))):
            found = list(self._places(sought))
            if found:
                yield from found
                return

    def _places(self, sought: str) -> Iterator[tuple[int, int]]:
        place = self.text.find(sought) if sought else -1
        while place >= 0:
            last = place + len(sought)
            if self._whole(place, last):
                yield self.starts[place], self.ends[last - 1]
            place = self.text.find(sought, place + 1)

    def _whole(self, first: int, last: int) -> bool:
        """Whether no word and no character of the text is cut at the ends."""
        if first and (self.starts[first - 1] == self.starts[first] or _joined(self.text[first - 1], self.text[first])):
            return False
        return last == len(self.text) or not (
            self.starts[last] == self.starts[last - 1] or _joined(self.text[last - 1], self.text[last])
        )


def searchable(text: str, start: int, end: int, *, fold: bool = False) -> Searchable:
    """text[start:end] to search in; `fold`: whatever the case."""
    made = Searchable("")
    pieces: list[str] = []
    place = start
    while place < end:
        after = place + 1
        while after < end and unicodedata.combining(text[after]):
            after += 1
        for char in _normal(text[place:after], fold=fold):
            if char == " " and pieces and pieces[-1] == " ":
                made.ends[-1] = after
                continue
            pieces.append(char)
            made.starts.append(place)
            made.ends.append(after)
        place = after
    made.text = "".join(pieces)
    return made


def normal(words: str, *, fold: bool = False) -> str:
    """The words in the declared normalisation."""
    return searchable(words, 0, len(words), fold=fold).text.strip()


def _unquoted(words: str) -> str:
    stripped = words.strip()
    while len(stripped) > 1 and stripped[0] in "\"'" and stripped[-1] == stripped[0]:
        stripped = stripped[1:-1].strip()
    return stripped


def _normal(cluster: str, *, fold: bool) -> str:
    if cluster[0] in _LEFT_OUT:
        return _normal(cluster[1:], fold=fold) if cluster[1:] else ""
    text = unicodedata.normalize("NFKC", "".join(_ALIKE.get(char, char) for char in cluster))
    if fold:
        text = unicodedata.normalize("NFKC", text.casefold())
    return "".join(" " if char.isspace() else _ALIKE.get(char, char) for char in text)


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not (_unparted(left) or _unparted(right))


def _unparted(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _UNPARTED)
