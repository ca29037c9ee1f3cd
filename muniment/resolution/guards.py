"""What forbids a merge before any score is looked at (methods.md, section 6.2.5).

"Directive 2014/65/EU" and "2014/56/EU" differ by two characters and are two laws: numbers, numerals and
opposing words decide alone.
"""

from __future__ import annotations

import polars as pl

#: Words of one line exclude one another when both names have one and they differ.
OPPOSITIONS: tuple[tuple[str, ...], ...] = (
    ("north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest", "central"),
    ("northern", "southern", "eastern", "western"),
    ("nord", "sud", "est", "ouest"),
    ("interim", "final", "draft", "preliminary", "provisional", "definitive"),
    ("provisoire", "définitif", "définitive", "projet"),
    ("internal", "external"),
    ("interne", "externe"),
    ("old", "new", "former", "current", "previous", "next"),
    ("ancien", "ancienne", "nouveau", "nouvelle"),
    ("upper", "lower"),
    ("senior", "junior"),
    ("import", "export"),
    ("imports", "exports"),
    ("inbound", "outbound"),
    ("incoming", "outgoing"),
    ("input", "output"),
    ("minimum", "maximum"),
    ("first", "second", "third", "fourth", "fifth"),
    ("primary", "secondary", "tertiary"),
    ("public", "private"),
    ("domestic", "foreign"),
    ("buyer", "seller"),
    ("lessor", "lessee"),
    ("licensor", "licensee"),
    ("employer", "employee"),
    ("controller", "processor"),
    ("master", "slave", "replica"),
    ("production", "staging", "test", "development"),
    ("with", "without"),
    ("direct", "indirect"),
)

_ROMAN = ("ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix")
_LAST_LETTER = r"[\s-]([a-z])\)?$"


def _tokens(column: str) -> pl.Expr:
    return pl.col(column).str.extract_all(r"[\p{L}\p{M}\p{N}]+")


def _multiset(tokens: pl.Expr) -> pl.Expr:
    return tokens.list.sort().list.join("+")


def _digits(column: str) -> pl.Expr:
    return _multiset(pl.col(column).str.extract_all(r"\d+"))


def _numerals(column: str) -> pl.Expr:
    roman = _tokens(column).list.eval(pl.element().filter(pl.element().is_in(_ROMAN)))
    return _multiset(roman) + "|" + pl.col(column).str.extract(_LAST_LETTER).fill_null("")


def _opposed(left: str, right: str) -> pl.Expr:
    one, other = _tokens(left), _tokens(right)
    found = []
    for words in OPPOSITIONS:
        a = one.list.eval(pl.element().filter(pl.element().is_in(words))).list.unique().list.sort()
        b = other.list.eval(pl.element().filter(pl.element().is_in(words))).list.unique().list.sort()
        found.append((a.list.len() > 0) & (b.list.len() > 0) & (a.list.join("+") != b.list.join("+")))
    return pl.any_horizontal(found)


def refusal(left: str, right: str) -> pl.Expr:
    """The guard that forbids merging the normalised names in two columns, or null.

    digits_differ: the multisets of digit runs differ. numerals_differ: Roman numerals or a last single
    letter differ. opposed_qualifiers: both names have a word of one of `OPPOSITIONS`, not the same.
    """
    return (
        pl.when(_digits(left) != _digits(right))
        .then(pl.lit("digits_differ"))
        .when(_numerals(left) != _numerals(right))
        .then(pl.lit("numerals_differ"))
        .when(_opposed(left, right))
        .then(pl.lit("opposed_qualifiers"))
    )
