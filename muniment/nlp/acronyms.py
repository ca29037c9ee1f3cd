"""Short forms that a document defines for itself, with the long form they stand for.

Schwartz and Hearst, "A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text" (PSB 2003),
section 3, with what legal texts add: (hereinafter "X"), (the "X"), known as X, and a missing closing bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENING = re.compile(r"\(")
_DEFINED = re.compile(
    r"""^\s*(?:(?:hereinafter|hereafter|herein|ci-après|im\sFolgenden)(?:,?\s(?:also\s)?(?:referred\sto\sas|called|the))*
    |(?:also\s)?(?:known|referred\sto)\sas|the|la|le|l['’]|die|der|das)?\s*(?:the\s)?
    (?:["“”„«»'‘’]\s?)(?P<quoted>[^"“”„«»'‘’()]{2,40}?)\s?["“”«»'’]""",
    re.VERBOSE | re.IGNORECASE,
)
_HEREINAFTER = re.compile(
    r"^\s*(?:hereinafter|hereafter)(?:\s(?:referred\sto\sas|called))?\s(?:the\s)?(?P<bare>[A-Z][\w-]{1,30})",
    re.IGNORECASE,
)
_KNOWN_AS = re.compile(
    r"""(?:,\s)?\b(?:also\s)?(?:known|abbreviated)\sas\s(?:the\s)?["“'‘]?(?P<short>[A-Z][A-Za-z0-9&-]{1,9})\b"""
)
_SHORT = re.compile(r"[A-Za-z0-9][\w&./-]{1,9}(?:\s[\w&./-]{1,9})?")
_WORD = re.compile(r"[^\W_][\w'’&.-]*|\S")
_JOINING = {"of", "for", "the", "and", "on", "in", "de", "des", "du", "la", "et", "pour", "&", "für", "und", "der"}
_ARTICLES = {"the", "a", "an", "le", "la", "les", "der", "die", "das"}


@dataclass(frozen=True, slots=True)
class AcronymPair:
    """A definition: text[short_start:short_end] stands for text[long_start:long_end]."""

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int


def find_acronyms(text: str) -> list[AcronymPair]:
    """Definitions in order of place; the first definition of a short form holds for the document."""
    pairs: dict[str, AcronymPair] = {}
    for pair in sorted(_candidates(text), key=lambda pair: (pair.short_start, pair.long_start)):
        pairs.setdefault(pair.short, pair)
    return sorted(pairs.values(), key=lambda pair: pair.short_start)


def _candidates(text: str) -> Iterator[AcronymPair]:
    offset = 0
    for line in text.split("\n"):
        if "(" in line or " as " in line:
            yield from (_shifted(pair, offset) for pair in _in_line(line))
        offset += len(line) + 1


def _in_line(line: str) -> Iterator[AcronymPair]:
    for opening in _OPENING.finditer(line):
        closing = line.find(")", opening.end())
        end = closing if closing >= 0 else len(line)  # an unbalanced bracket still defines
        inside = line[opening.end() : end]
        pair = _quoted(line, opening, inside) or _short_inside(line, opening.start(), opening.end(), inside)
        if pair is None and closing >= 0:
            pair = _long_inside(line, opening.start(), opening.end(), inside)
        if pair is not None:
            yield pair
    for match in _KNOWN_AS.finditer(line):
        span = match.span("short")
        pair = _matched(line, *span, match.start()) or _named_before(line, *span, match.start())
        if pair is not None:
            yield pair


def _quoted(line: str, opening: re.Match[str], inside: str) -> AcronymPair | None:
    """(hereinafter "X"), (the "X"): letters need not match; the name phrase before the bracket is meant."""
    match = _DEFINED.match(inside) or _HEREINAFTER.match(inside)
    if match is None:
        return None
    group = "quoted" if "quoted" in match.re.groupindex else "bare"
    start, end = opening.end() + match.start(group), opening.end() + match.end(group)
    pair = _matched(line, start, end, opening.start())
    if pair is not None:
        return pair
    return _named_before(line, start, end, opening.start())


def _named_before(line: str, start: int, end: int, before: int) -> AcronymPair | None:
    """A defined term whose letters need not match: it stands for the name right before it."""
    head = line[start:end].split(" ", 1)
    if len(head) == 2 and head[0].casefold() in _ARTICLES:
        start += len(head[0]) + 1
    span = _name_phrase(line, before)
    if span is None or line[slice(*span)].casefold() == line[start:end].casefold():
        return None
    return AcronymPair(line[start:end], line[slice(*span)], start, end, *span)


def _short_inside(line: str, before: int, inner: int, inside: str) -> AcronymPair | None:
    """Long form (SHORT): text after the first comma or semicolon inside the bracket is ignored."""
    content = re.split(r"[,;:]", inside, maxsplit=1)[0]
    stripped = content.strip()
    if not _is_short(stripped):
        return None
    start = inner + content.index(stripped)
    pair = _matched(line, start, start + len(stripped), before)
    return pair or _by_capitals(line, start, start + len(stripped), before)


def _long_inside(line: str, before: int, inner: int, inside: str) -> AcronymPair | None:
    """SHORT (long form)."""
    word = re.search(r"([A-Za-z0-9][\w&./-]{1,9})\s*$", line[:before])
    if word is None or not _is_short(word.group(1)) or not _acronym_like(word.group(1)) or len(inside.split()) < 2:
        return None
    start = _match_letters(word.group(1), inside)
    if start is None or start > len(inside) - len(inside.lstrip()):
        return None
    return AcronymPair(
        word.group(1), inside.strip(), word.start(1), word.end(1), inner + start, inner + len(inside.rstrip())
    )


def _is_short(text: str) -> bool:
    return bool(_SHORT.fullmatch(text)) and 2 <= len(text) <= 10 and any(char.isalpha() for char in text)


def _acronym_like(text: str) -> bool:
    return sum(char.isupper() for char in text) >= 2


def _matched(line: str, start: int, end: int, before: int) -> AcronymPair | None:
    """Schwartz and Hearst: the short form's letters from right to left in at most min(n+5, 2n) words."""
    short = line[start:end]
    if not _is_short(short) or not any(char.isupper() for char in short):
        return None
    letters = sum(char.isalnum() for char in short)
    words = list(re.finditer(r"\S+", line[:before]))[-min(letters + 5, 2 * letters) :]
    if not words:
        return None
    begin = words[0].start()
    candidate = line[begin:before].rstrip(" ,")
    found = _match_letters(short, candidate)
    if found is None:
        return None
    long = candidate[found:]
    if len(long) <= len(short) or short.casefold() in (word.casefold() for word in long.split()):
        return None
    return AcronymPair(short, long, start, end, begin + found, begin + found + len(long))


def _match_letters(short: str, long: str) -> int | None:
    """Start of the shortest tail of `long` that spells `short`; its first letter starts a word."""
    place = len(long) - 1
    for index in range(len(short) - 1, -1, -1):
        letter = short[index].casefold()
        if not letter.isalnum():
            continue
        while place >= 0 and (
            long[place].casefold() != letter or (index == 0 and place > 0 and long[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
        place -= 1
    return place + 1


def _by_capitals(line: str, start: int, end: int, before: int) -> AcronymPair | None:
    """ENISA: letters that the name no longer has. The capitalised phrase that starts with its first letter,
    when three in five of its letters follow in order."""
    short = line[start:end]
    if not (short.isupper() and short.isalpha() and len(short) >= 3):
        return None
    span = _name_phrase(line, before)
    if span is None or " " not in line[slice(*span)]:
        return None
    for word in re.finditer(r"\S+", line[slice(*span)]):
        tail = line[span[0] + word.start() : span[1]]
        if word.group()[0] == short[0] and " " in tail and _share_in_order(short, tail) >= 0.6:
            return AcronymPair(short, tail, start, end, span[0] + word.start(), span[1])
    return None


def _share_in_order(short: str, long: str) -> float:
    """Longest common subsequence over the length of the short form."""
    row = [0] * (len(long) + 1)
    for letter in short.casefold():
        previous = 0
        for index, other in enumerate(long.casefold(), start=1):
            previous, row[index] = row[index], previous + 1 if letter == other else max(row[index], row[index - 1])
    return row[-1] / len(short)


def _name_phrase(line: str, before: int) -> tuple[int, int] | None:
    """The run of capitalised words, joined by small ones, that ends at `before`."""
    words = list(_WORD.finditer(line[:before]))
    first = last = None
    for word in reversed(words):
        token = word.group()
        if token[0].isupper() or token[0].isdigit():
            first = word.start()
            last = last or word.end()
        elif last is None or token.casefold() not in _JOINING:
            break
    if first is None or last is None:
        return None
    head = line[first:last].split(" ", 1)
    if len(head) == 2 and head[0].casefold() in _ARTICLES:
        first += len(head[0]) + 1
    return first, last


def _shifted(pair: AcronymPair, offset: int) -> AcronymPair:
    return AcronymPair(
        pair.short,
        pair.long,
        pair.short_start + offset,
        pair.short_end + offset,
        pair.long_start + offset,
        pair.long_end + offset,
    )
