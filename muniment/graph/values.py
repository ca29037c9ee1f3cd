"""What the object of a claim comes to, for comparison: an identity, and where it is a measure the range it leaves open.

"30 days" and "720 hours" are one identity; "about a month" and "2025" are ranges that a narrower value refines.
Numbers are compared with their units and currencies, never across them.
"""

from __future__ import annotations

import re

import polars as pl

#: Units of one dimension and what one of them is in the dimension's own unit. Calendar units stay apart:
#: a month has no fixed number of days (`_CALENDAR` gives the range), twelve of them are a year.
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("s", "sec", "second", "seconde"), ("day", 1 / 86_400)),
    **dict.fromkeys(("min", "minute"), ("day", 1 / 1_440)),
    **dict.fromkeys(("h", "hr", "hour", "heure"), ("day", 1 / 24)),
    **dict.fromkeys(("d", "day", "jour", "calendar day"), ("day", 1.0)),
    **dict.fromkeys(("week", "wk", "semaine"), ("day", 7.0)),
    **dict.fromkeys(("month", "mo", "moi", "mois", "calendar month"), ("month", 1.0)),
    **dict.fromkeys(("quarter", "trimestre"), ("month", 3.0)),
    **dict.fromkeys(("year", "yr", "an", "année", "calendar year"), ("month", 12.0)),
    **dict.fromkeys(("b", "byte", "octet"), ("byte", 1.0)),
    "kb": ("byte", 1e3),
    "mb": ("byte", 1e6),
    "gb": ("byte", 1e9),
    "tb": ("byte", 1e12),
    "pb": ("byte", 1e15),
    **dict.fromkeys(("mm", "millimetre"), ("m", 1e-3)),
    **dict.fromkeys(("cm", "centimetre"), ("m", 1e-2)),
    **dict.fromkeys(("m", "metre", "meter"), ("m", 1.0)),
    **dict.fromkeys(("km", "kilometre", "kilometer"), ("m", 1e3)),
    **dict.fromkeys(("g", "gram"), ("g", 1.0)),
    **dict.fromkeys(("kg", "kilogram"), ("g", 1e3)),
    **dict.fromkeys(("t", "tonne"), ("g", 1e6)),
    **dict.fromkeys(("%", "percent", "per cent", "pct"), ("%", 1.0)),
}

#: Days in n months: the mean, and how far the calendar is from it at most.
_MONTH_DAYS, _CALENDAR = 30.436875, 2.5

#: A value "about" n is somewhere within this share of it.
_ABOUT = 0.1

_LEAST = re.compile(r"^(?:at )?(?:least|minimum(?: of)?|(?:no|not) (?:less|fewer|shorter) than|au moins)\b", re.I)
_MOST = re.compile(
    r"^(?:(?:at )?most|up to|within|(?:a )?maximum(?: of)?|(?:no|not) (?:more|longer|later) than|au plus)\b", re.I
)
_OVER = re.compile(r"^(?:more than|over|above|plus de)\b", re.I)
_UNDER = re.compile(r"^(?:less than|fewer than|under|below|moins de)\b", re.I)
_NEAR = re.compile(r"^(?:about|around|approximately|approx\.?|roughly|circa|c\.|some|nearly|almost|environ|~|≈)", re.I)
_BOUNDS = ((_LEAST, "least"), (_OVER, "over"), (_MOST, "most"), (_UNDER, "under"), (_NEAR, "about"))

_SPACES = re.compile(r"\s+")
_ARTICLE = re.compile(r"^(?:the|an?|le|la|les|une?|l')\s+(?=\w)")


def plain_text(text: str) -> str:
    """Words for comparison: lower case, single spaces, without leading article and closing stop."""
    return _ARTICLE.sub("", _SPACES.sub(" ", text).strip().rstrip(".;,").casefold())


def bound_of(text: str) -> str:
    """How words limit a number: least, most, over, under, about, or '' for the number itself."""
    return next((name for pattern, name in _BOUNDS if pattern.match(text.strip())), "")


def with_identity(claims: pl.DataFrame) -> pl.DataFrame:
    """`claims` (of `linked.linked_claims`) with identity, dimension, low and high.

    identity: equal for equal objects; null where a claim has none. dimension, low, high: what the value is
    measured in and the closed range that it leaves open (days since 1970 for dates); null for what is no measure.
    """
    measures = _measures(claims)
    dates = _dates(claims)
    measured = (
        claims.with_row_index("_row")
        .join(pl.concat([measures, dates]), on="_row", how="left")
        .join(_texts(claims), left_on="said", right_on="_said", how="left")
    )
    return measured.with_columns(pl.coalesce("object_id", "_measure", "_plain").alias("identity")).drop(
        "_row", "_measure", "_plain"
    )


def _texts(claims: pl.DataFrame) -> pl.DataFrame:
    said = claims["said"].drop_nulls().unique().sort()
    return pl.DataFrame(
        {"_said": said, "_plain": [plain_text(text) for text in said]}, schema={"_said": pl.String, "_plain": pl.String}
    )


_MEASURES = {"_row": pl.UInt32, "_measure": pl.String, "dimension": pl.String, "low": pl.Float64, "high": pl.Float64}


def _dates(claims: pl.DataFrame) -> pl.DataFrame:
    first = pl.col("value_date")
    precision = pl.col("value_precision").fill_null("day")
    length = (
        pl.when(precision == "year")
        .then(first.dt.offset_by("1y"))
        .when(precision == "month")
        .then(first.dt.offset_by("1mo"))
        .otherwise(first.dt.offset_by("1d"))
    )
    day = first.to_physical().cast(pl.Float64)
    return (
        claims.with_row_index("_row")
        .filter(pl.col("object_id").is_null() & first.is_not_null())
        .select(
            "_row",
            pl.format("date:{}/{}", first, precision).alias("_measure"),
            pl.lit("date").alias("dimension"),
            day.alias("low"),
            (length.to_physical().cast(pl.Float64) - 1).alias("high"),
        )
        .cast(pl.Schema(_MEASURES))
    )


def _measures(claims: pl.DataFrame) -> pl.DataFrame:
    """Ranges of numbers with units; each distinct (number, unit, bound) is read once."""
    numbers = claims.with_row_index("_row").filter(
        pl.col("object_id").is_null() & pl.col("value_date").is_null() & pl.col("value_number").is_finite()
    )
    words = numbers["said"].fill_null("").unique().sort()
    bounds = pl.DataFrame(
        {"said": words, "_bound": [bound_of(word) for word in words]}, schema={"said": pl.String, "_bound": pl.String}
    )
    numbers = numbers.with_columns(pl.col("said").fill_null(""), pl.col("value_unit").fill_null("")).join(
        bounds, on="said"
    )
    key = ["value_number", "value_unit", "_bound"]
    distinct = numbers.select(key).unique().sort(key)
    read = [measure(number, unit, bound) for number, unit, bound in distinct.iter_rows()]
    columns = {
        "_measure": pl.Series([one[0] for one in read], dtype=pl.String),
        "dimension": pl.Series([one[1] for one in read], dtype=pl.String),
        "low": pl.Series([one[2] for one in read], dtype=pl.Float64),
        "high": pl.Series([one[3] for one in read], dtype=pl.Float64),
    }
    return numbers.join(distinct.with_columns(**columns), on=key).select(list(_MEASURES))


def measure(number: float, unit: str, bound: str = "") -> tuple[str, str, float, float]:
    """Identity, dimension, low and high of a number in a unit under a bound of `bound_of`.

    Units that are not known are dimensions of their own: "5 attempts" is compared with attempts only.
    """
    dimension, factor = _unit(unit)
    amount = number * factor
    identity = f"{bound or 'is'}:{amount:.9g} {dimension}"
    low, high = (amount, amount)
    if dimension == "month":
        dimension = "day"
        low, high = amount * _MONTH_DAYS - _CALENDAR, amount * _MONTH_DAYS + _CALENDAR
    if bound == "about":
        low, high = low - abs(low) * _ABOUT, high + abs(high) * _ABOUT
    elif bound in ("least", "over"):
        high = float("inf")
    elif bound in ("most", "under"):
        low = float("-inf")
    return identity, dimension, low, high


def _unit(unit: str) -> tuple[str, float]:
    plain = _SPACES.sub(" ", unit).strip().casefold()
    if plain in _UNITS:
        return _UNITS[plain]
    singular = plain[:-1] if len(plain) > 3 and plain.endswith("s") else plain
    return _UNITS.get(singular, (singular, 1.0))


def compatible(left: str = "", right: str = "_right") -> pl.Expr:
    """Whether two values of one dimension can both hold: their ranges meet (a day within a year, 30 days in a month).

    The columns are low, high and dimension with the suffixes given; false where either is no measure.
    """
    same = pl.col(f"dimension{left}") == pl.col(f"dimension{right}")
    meets = (pl.col(f"low{left}") <= pl.col(f"high{right}")) & (pl.col(f"low{right}") <= pl.col(f"high{left}"))
    return (same & meets).fill_null(value=False)
