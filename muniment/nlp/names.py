"""Normalised names: one spelling for comparison, safe for every script. The text as written is never changed."""

from __future__ import annotations

import re
import unicodedata

_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′`´"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
#: Soft hyphen, blanks without width, marks of direction, and the stroke that only widens Arabic words. Joiners
#: (U+200C, U+200D) stay: they spell.
_INVISIBLE = dict.fromkeys(
    [0x00AD, 0x0640, 0x061C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF]
)
_TABLE = _QUOTES | _DASHES | _INVISIBLE

#: Leading articles that name nothing: English, French, German, Greek. Elided ones carry their apostrophe.
_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|le|la|les|un|une|des|der|die|das|dem|den|ein|eine|einer|eines|einem|einen"
    r"|ο|η|το|οι|τα|του|τη[ςσν]?|των|τον|τους|τουσ|τι[ςσ])\s+|[ld]')(?=\w)",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")
_OPEN_TO_CLOSE = {"(": ")", "[": "]", "{": "}"}
_CLOSE_TO_OPEN = {close: opening for opening, close in _OPEN_TO_CLOSE.items()}


def normalise(name: str) -> str:
    """The name for comparison: NFKC, case folded, one kind of quotes and dashes, single spaces.

    Outer punctuation and leading articles are stripped; an outer bracket stays when its partner is
    inside ("5(2)"). Letters, marks and digits of every script are kept, so no name of one becomes empty.
    """
    text = unicodedata.normalize("NFKC", name).translate(_TABLE).casefold()
    text = unicodedata.normalize("NFKC", text)  # folding can leave decomposed letters
    return strip_name(_SPACES.sub(" ", text))


def display(name: str) -> str:
    """The name as written, without leading article and outer punctuation, on one line."""
    return strip_name(_SPACES.sub(" ", name))


def strip_name(text: str) -> str:
    """Without outer punctuation and leading articles; unchanged where nothing else would be left."""
    first, last = strip_span(text)
    return text[first:last] if last > first else text.strip()


def leading_article(text: str) -> int:
    """Length of a leading article with the blank behind it; 0 without one."""
    article = _ARTICLE.match(text)
    return article.end() if article else 0


def strip_span(text: str) -> tuple[int, int]:
    """Offsets of what `strip_name` keeps; (0, 0) when nothing but punctuation is there."""
    first, last = _strip_marks(text, 0, len(text))
    article = _ARTICLE.match(text[first:last])
    while article:
        first, last = _strip_marks(text, first + article.end(), last)
        article = _ARTICLE.match(text[first:last])
    return (first, last) if last > first else (0, 0)


def _strip_marks(text: str, first: int, last: int) -> tuple[int, int]:
    while first < last and _outer(text, first, first, last):
        first += 1
    while last > first and _outer(text, last - 1, first, last):
        last -= 1
    return first, last


def _outer(text: str, index: int, first: int, last: int) -> bool:
    """Whether the mark at an end of text[first:last] belongs to the surroundings, not to the name."""
    char = text[index]
    if char in _OPEN_TO_CLOSE:
        return _OPEN_TO_CLOSE[char] not in text[first:last] or _wraps(text, first, last)
    if char in _CLOSE_TO_OPEN:
        return _CLOSE_TO_OPEN[char] not in text[first:last] or _wraps(text, first, last)
    if char in "§#@&+%°$€£":  # marks that carry meaning: § 12, C++, 5 %
        return False
    return not (char.isalnum() or unicodedata.category(char)[0] in "LMN" or unicodedata.category(char) == "Sc")


def _wraps(text: str, first: int, last: int) -> bool:
    """Whether one bracket opens at the start and closes only at the end."""
    if text[first] not in _OPEN_TO_CLOSE or text[last - 1] != _OPEN_TO_CLOSE[text[first]]:
        return False
    depth = 0
    for index in range(first, last):
        depth += (text[index] in _OPEN_TO_CLOSE) - (text[index] in _CLOSE_TO_OPEN)
        if depth == 0:
            return index == last - 1
    return False
