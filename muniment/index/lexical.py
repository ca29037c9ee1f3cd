"""Texts to BM25 terms: our own tokens, because ready-made ones lose "not" and read 4.2(a) as 4.2.

A token is kept whole as written (numbers, section labels, citations, compounds) and, where a reader
might ask for a part of it, its parts stand beside it. Term weights follow Robertson and Zaragoza 2009
(section 3.4, k1 = 1.2, b = 0.75); the inverse document frequency is the engine's, over the corpus
that the reader may see. Words are not stemmed: folding plurals
gained on one of four question sets and lost or tied on the others.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

K1 = 1.2
B = 0.75
#: Raise when tokens or weights change: an index of another version is built anew.
VERSION = "muniment-bm25-1"

#: Words that say nothing alone. No negation, no modal, no exception, no number ever stands here.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are as at be been being by did do does for from had has have he her hers him his how i in into
        is it its me my of on or our ours she so that the their theirs them then there these they this those to
        was we were what when where which who whom whose why with you your yours
        """,
    )
)

_NUMBER = r"\d+(?:[.,]\d+)*"
_TOKEN = re.compile(
    r"(?:(?<![\w)])[-−](?=[\d$€£¥]))?"  # a minus sign, not a hyphen
    r"(?:[$€£¥§]{1,2}\s?(?=\d))?"
    r"\w+(?:[.,:/&@'’‐‑-]\w+|\(\w{1,8}\))*"
    r"(?:\s?%)?"
)
_PURE_NUMBER = re.compile(_NUMBER)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PREFIX = re.compile(r"[-−]?(?:[$€£¥§]{1,2}\s?)?")
#: a point or comma inside digits never divides; everything else that holds a compound together does
_PARTS = re.compile(r"(?<!\d)[.,]|[.,](?!\d)|[:/&@'’‐‑()_-]+")
_SUBUNIT = re.compile(r"\((?=\w)")  # 4.2(a)(ii) is found as 4.2(a) too
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
#: scripts written without spaces between words: overlapping pairs of characters stand for words
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}")
_UNDIVIDED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "’": "'", "‑": "-", "‐": "-"})


def tokens(text: str) -> list[str]:
    """Tokens of a text in order, parts and variants of a token after it; stop words left out.

    Letters are case folded and lose their accents; superscripts and signs of numbers stay.
    """
    return [token for match in _TOKEN.finditer(_fold(text)) for token in _expand(match.group())]


@functools.lru_cache(maxsize=200_000)
def token_id(token: str) -> int:
    """Stable 32-bit id of a token (blake2b).

    Two of n distinct tokens share an id with probability about n² / 2³³: a dozen pairs in a
    vocabulary of 300,000. Such a pair counts as one term; the dense branch is not affected.
    """
    return int.from_bytes(hashlib.blake2b(token.encode("utf-8", "replace"), digest_size=4).digest(), "big")


def document_terms(text: str, average_tokens: float) -> tuple[list[int], list[float]]:
    """Ids, ascending, and BM25 term weights of a document text.

    The average length is a constant of the settings, so a document's weights do not depend on others.
    """
    counts = Counter(token_id(token) for token in tokens(text))
    norm = K1 * (1 - B + B * counts.total() / average_tokens)
    ids = sorted(counts)
    return ids, [counts[identifier] * (K1 + 1) / (counts[identifier] + norm) for identifier in ids]


def query_terms(text: str) -> list[int]:
    """Distinct ids of a query's tokens, ascending; each has weight 1."""
    return sorted({token_id(token) for token in tokens(text)})


def _fold(text: str) -> str:
    if text.isascii():
        return text.casefold()
    plain = "".join(map(_compatible, unicodedata.normalize("NFC", text)))
    bare = "".join(character for character in plain if not "\u0300" <= character <= "\u036f")
    return unicodedata.normalize("NFC", bare.casefold().translate(_UNDIVIDED))


def _compatible(character: str) -> str:
    """Compatibility forms of letters, marks and decimal digits only: 10² must not become 102."""
    category = unicodedata.category(character)
    if category == "Nd" or category[0] in "LM":
        return unicodedata.normalize("NFKD", character)
    return character


@functools.lru_cache(maxsize=200_000)
def _expand(raw: str) -> tuple[str, ...]:
    """The token itself, then its variants and parts, each once."""
    token = re.sub(r"\s", "", raw).replace("−", "-")
    return tuple(dict.fromkeys(_variants(token)))


def _variants(token: str) -> Iterator[str]:
    bare = _PREFIX.sub("", token, count=1).removesuffix("%")
    if bare != token:
        yield token  # sign, currency or percent belong to the value; the bare number stands beside it
    if _PURE_NUMBER.fullmatch(bare):
        yield bare
        if _GROUPED.fullmatch(bare):
            yield bare.replace(",", "")
    elif _DOTTED.fullmatch(bare):
        yield bare
        yield bare.replace(".", "")
    elif _UNSPACED.search(bare):
        yield from _unspaced(bare)
    else:
        yield from _words(bare)


def _words(token: str) -> Iterator[str]:
    if not token:
        return
    word = token.removesuffix("'s")
    if word.endswith("n't") or word == "cannot":
        yield word
        yield "not"
        return
    parts = [part for part in _PARTS.split(word) if part]
    if len(parts) == 1:
        yield from _word(parts[0])
        return
    yield word
    yield from (
        word[: match.start()] for match in _SUBUNIT.finditer(word) if match.start() and "(" in word[: match.start()]
    )
    for part in parts:
        yield from _word(part)


def _word(word: str) -> Iterator[str]:
    if word not in STOP_WORDS:
        yield word


def _unspaced(token: str) -> Iterator[str]:
    position = 0
    for run in _UNSPACED.finditer(token):
        yield from _words(token[position : run.start()])
        yield from (run.group()[index : index + 2] for index in range(len(run.group()) - 1))
        position = run.end()
    yield from _words(token[position:])
