"""What a literal means: numbers with units, amounts with currencies, days with their precision, yes and no."""

from __future__ import annotations

from muniment.claims.assertion import Value
from muniment.nlp.dates import parse_day


def read_value(start: int, end: int, text: str, kind: str) -> Value:
    """The literal at code points start..end with its meaning; nothing is guessed, what is unclear stays text."""
    if kind == "date":
        day = parse_day(text)
        return Value(start, end, text, kind, day=day, precision="day" if day else None)
    return Value(start, end, text, kind)
