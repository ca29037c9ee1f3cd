"""Short forms that a document defines for itself, with the long form they stand for.

Schwartz and Hearst, "A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text" (PSB 2003),
section 3, with what legal texts add: (hereinafter "X"), (the "X"), known as X, and a missing closing bracket.
Terms whose letters say nothing of their long form, and definitions outside brackets, are `claims.definitions`' part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

#: acronym: the letters match; defined_term: a bracket or quotation says so; aka: running prose says so.
Kind = Literal["acronym", "defined_term", "aka"]

#: A long form starts at most this many characters before its bracket (a line may be a megabyte).
MAX_LONG = 400

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
_BETWEEN_BLANKS = re.compile(r"\S+")
_WORD_BEFORE = re.compile(r"([A-Za-z0-9][\w&./-]{1,9})\s*$")
_WORD = re.compile(r"[^\W_][\w'’&.-]*|\S")
_JOINING = {"of", "for", "the", "and", "on", "in", "de", "des", "du", "la", "et", "pour", "&", "für", "und", "der"}
_LOWER_FORMS = {"plc", "gmbh", "mbh", "e.v."}
#: Words with a full stop that ends no sentence.
_ABBREVIATED = re.compile(r"(?:[^\W\d_]{1,3}|Corp|Prof|Dept|Univ|[\w.]*\.\w)\.")
_CITED = re.compile(r"\)\s?(?:(?:No\.?|n°|Nr\.)\s?)?\d")
_ELIDED = re.compile(r"[dlDL]['’](?=\w)")
_ARTICLE = re.compile(r"(?:(?:the|an?|les?|la|der|die|das)\s|[dl]['’])(?=\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AcronymPair:
    """A definition: text[short_start:short_end] stands for text[long_start:long_end]; `kind` says by what."""

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int
    kind: Kind = "acronym"


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
        limit = min(len(line), opening.end() + MAX_LONG)
        closing = line.find(")", opening.end(), limit)
        end = closing if closing >= 0 else limit  # an unbalanced bracket still defines
        if _CITED.match(line, end):  # Regulation (EU) 2019/881
            continue
        inside = line[opening.end() : end]
        pair = _quoted(line, opening, inside) or _short_inside(line, opening.start(), opening.end(), inside)
        if pair is None and closing >= 0:
            pair = _long_inside(line, opening.start(), opening.end(), inside)
        if pair is not None:
            yield pair
    for match in _KNOWN_AS.finditer(line):
        span = match.span("short")
        pair = _matched(line, *span, match.start()) or _numbered(line, *span, match.start())
        pair = pair or _named_before(line, *span, match.start(), "aka")
        if pair is not None:
            yield pair


def _quoted(line: str, opening: re.Match[str], inside: str) -> AcronymPair | None:
    """(hereinafter "X"), (the "X"): letters need not match; the name phrase before the bracket is meant."""
    match = _DEFINED.match(inside) or _HEREINAFTER.match(inside)
    if match is None:
        return None
    group = "quoted" if "quoted" in match.re.groupindex else "bare"
    start, end = opening.end() + match.start(group), opening.end() + match.end(group)
    article = _ARTICLE.match(line, start, end)
    start = article.end() if article else start
    pair = _matched(line, start, end, opening.start()) if _acronym_like(line[start:end]) else None
    if pair is not None:
        return pair
    known = "known" in inside[: match.start(group)].casefold()
    return _named_before(line, start, end, opening.start(), "aka" if known else "defined_term")


def _numbered(line: str, start: int, end: int, before: int) -> AcronymPair | None:
    """PSD2: the letters match, a number that the long form lacks tells issues apart."""
    letters = line[start:end].rstrip("0123456789-")
    if not letters or len(letters) == end - start:
        return None
    pair = _matched(line, start, start + len(letters), before)
    return None if pair is None else replace(pair, short=line[start:end], short_end=end)


def _named_before(line: str, start: int, end: int, before: int, kind: Kind = "defined_term") -> AcronymPair | None:
    """A defined term whose letters need not match: it stands for the name right before it."""
    span = name_before(line, before)
    if span is None or line[slice(*span)].casefold() == line[start:end].casefold():
        return None
    return AcronymPair(line[start:end], line[slice(*span)], start, end, *span, kind)


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
    word = _WORD_BEFORE.search(line, max(0, before - 20), before)
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
    words = list(_BETWEEN_BLANKS.finditer(line, max(0, before - MAX_LONG), before))[-min(letters + 5, 2 * letters) :]
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


def spells(short: str, long: str) -> bool:
    """Whether the whole of `long` spells `short`, by Schwartz and Hearst."""
    return _match_letters(short, long) == 0


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
    span = name_before(line, before)
    if span is None or " " not in line[slice(*span)]:
        return None
    initials = sorted(word[0] for word in line[slice(*span)].split() if word[0].isupper())
    if initials == sorted(short):  # Coordinated Universal Time (UTC)
        return AcronymPair(short, line[slice(*span)], start, end, *span)
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


def name_before(line: str, before: int) -> tuple[int, int] | None:
    """The run of capitalised words, joined by small ones, that ends at `before`; without a leading article."""
    first = last = None
    for word in reversed(list(_WORD.finditer(line, max(0, before - MAX_LONG), before))):
        token = word.group()
        if first is not None and token.endswith(".") and not _ABBREVIATED.fullmatch(token):
            break  # the sentence before
        elided = _ELIDED.match(token)  # l'Agence, d'Exploitation
        if (last is None and token in _LOWER_FORMS) or _starts_name(token[elided.end() :] if elided else token):
            first = word.start()
            last = last or word.end()
        elif last is None or token.casefold() not in _JOINING:
            break
    if first is None or last is None:
        return None
    article = _ARTICLE.match(line[first:last])
    return (first + article.end() if article else first), last


def name_after(line: str, after: int, until: int | None = None) -> tuple[int, int] | None:
    """The run of capitalised words, joined by small ones, that starts at `after` (blanks apart), up to `until`."""
    first = last = None
    place = after
    for word in _WORD.finditer(line, after, len(line) if until is None else until):
        token = word.group().rstrip(".")
        elided = _ELIDED.match(token)
        if line[place : word.start()].strip(" ") or not token:
            break
        if _starts_name(token[elided.end() :] if elided else token):
            first = word.start() if first is None else first
            last = word.start() + len(token)
        elif first is None or token.casefold() not in _JOINING:
            break
        if len(token) > 4 and word.group().endswith("."):
            break
        place = word.end()
    return None if first is None or last is None else (first, last)


def _starts_name(token: str) -> bool:
    return token[0].isupper() or token[0].isdigit()


def _shifted(pair: AcronymPair, offset: int) -> AcronymPair:
    return replace(
        pair,
        short_start=pair.short_start + offset,
        short_end=pair.short_end + offset,
        long_start=pair.long_start + offset,
        long_end=pair.long_end + offset,
    )
