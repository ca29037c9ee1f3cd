"""Whether a pattern's regular expression is safe to run over any text: it compiles, takes something, does not hang."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

#: Repeats of at least this many count as unlimited.
_MANY = 16

_Items = Sequence[tuple[Any, Any]]


def expression_problems(regex: str) -> Iterator[str]:
    """What is wrong with a regular expression, in words.

    Nested repeats are refused where the inner one can run into its own next round, as in (a+)+ or (\\w+\\s?)*:
    such an expression takes exponential time on text that nearly matches. A round that must consume a fixed
    piece, as in (\\w+\\s)+, passes; ambiguity between alternatives is not looked for.
    """
    parser: Any = import_module("re._parser")
    try:
        parsed = parser.parse(regex)
    except re.error as error:
        yield f"does not compile ({error})"
        return
    if parsed.getwidth()[0] == 0:
        yield "can match the empty string: let it require at least one character"
    if _nested(parsed, inside=False):
        yield "nests a repeat in a repeat, as (a+)+ does, and may hang: write one repeat, or a fixed separator"


@lru_cache(maxsize=1024)
def needs_digit(regex: str) -> bool:
    """Whether every match holds a digit: text without one need not be searched. False where that is not clear."""
    parser: Any = import_module("re._parser")
    return _takes_digit(parser.parse(regex))


def _takes_digit(items: _Items) -> bool:
    return any(_is_digit(str(name), value) for name, value in items)


def _is_digit(name: str, value: Any) -> bool:
    if name == "LITERAL":
        return chr(value).isdecimal()
    if name == "IN":
        return all(
            (str(kind) == "CATEGORY" and str(what) == "CATEGORY_DIGIT")
            or (str(kind) == "RANGE" and ord("0") <= what[0] and what[1] <= ord("9"))
            or (str(kind) == "LITERAL" and chr(what).isdecimal())
            for kind, what in value
        )
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return int(value[0]) > 0 and _takes_digit(value[2])
    if name == "SUBPATTERN":
        return _takes_digit(value[3])
    if name == "ATOMIC_GROUP":
        return _takes_digit(value)
    return name == "BRANCH" and all(_takes_digit(branch) for branch in value[1])


def _nested(items: _Items, *, inside: bool) -> bool:
    """Whether a repeat stands free in another repeat; `inside`: items are one round of an unlimited repeat."""
    repeats = [item for item in items if _unlimited(item)]
    if inside and repeats and sum(_least(item) for item in items) <= max(_least(item) for item in repeats):
        return True
    return any(_nested(inner, inside=again) for item in items for inner, again in _inner(item, inside, len(items)))


def _unlimited(item: tuple[Any, Any]) -> bool:
    name = str(item[0])
    return name in ("MAX_REPEAT", "MIN_REPEAT") and int(item[1][1]) >= _MANY and int(item[1][1]) > int(item[1][0])


def _least(item: tuple[Any, Any]) -> int:
    """Fewest characters that an item takes."""
    parser: Any = import_module("re._parser")
    return int(parser.SubPattern(parser.State(), [item]).getwidth()[0])


def _inner(item: tuple[Any, Any], inside: bool, siblings: int) -> Iterator[tuple[_Items, bool]]:
    """Sequences in an item, and whether each is by itself one round of an unlimited repeat."""
    name, value = str(item[0]), item[1]
    alone = inside and siblings == 1
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        yield value[2], _unlimited(item)
    elif name == "POSSESSIVE_REPEAT":
        yield value[2], False
    elif name == "SUBPATTERN":
        yield value[3], alone
    elif name == "BRANCH":
        for branch in value[1]:
            yield branch, alone
    elif name == "ATOMIC_GROUP":
        yield value, False
    elif name in ("ASSERT", "ASSERT_NOT"):
        yield value[1], False
