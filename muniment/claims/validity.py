"""Which prepositions make a written day the first or last day of validity."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

_FROM = frozenset(
    {"from", "effective", "effective_from", "as_of", "as_from", "with_effect_from", "since"}
    | {"à_partir_de", "à_partir_du", "à_compter_de", "à_compter_du", "dès"}
)
_UNTIL = frozenset({"until", "till", "up_to", "jusqu'_à", "jusqu'_au"})


def validity(days: Iterable[tuple[str, date | None]]) -> tuple[date | None, date | None]:
    """Half-open (first day, first day after) of (preposition, day) pairs; None where nothing is stated.

    "until 31 December" includes that day. Contradicting or repeated days say nothing.
    """
    known = [(preposition, day) for preposition, day in days if day is not None]
    starts = sorted({day for preposition, day in known if preposition in _FROM})
    ends = sorted({day for preposition, day in known if preposition in _UNTIL})
    first = starts[0] if len(starts) == 1 else None
    after = ends[0] + timedelta(days=1) if len(ends) == 1 and ends[0] < date.max else None
    if len(starts) > 1 or len(ends) > 1 or (first and after and first >= after):
        return None, None
    return first, after
