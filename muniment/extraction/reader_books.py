"""Collects what a reader leaves out and adds, summed, so that the books of a file can be closed."""

from __future__ import annotations

from collections import Counter

from muniment.extraction.counting import count_visible
from muniment.extraction.model import Adjustment


class Books:
    """Collects adjustments, summed by unit, code and place."""

    def __init__(self) -> None:
        self._amounts: Counter[tuple[str, str, tuple[tuple[str, object], ...]]] = Counter()

    def text(self, reason_code: str, text: str, **locator: object) -> None:
        """A visible text that was left out (loss codes) or added (addition codes)."""
        for unit, amount in count_visible(text).items():
            self.amount(unit, reason_code, amount, **locator)

    def amount(self, unit: str, reason_code: str, amount: int, **locator: object) -> None:
        """An amount in a unit; 0 is nothing."""
        if amount:
            self._amounts[unit, reason_code, tuple(sorted(locator.items()))] += amount

    def adjustments(self) -> list[Adjustment]:
        """The sums, in a fixed order."""
        ordered = sorted(self._amounts.items(), key=lambda item: (item[0][0], item[0][1], repr(item[0][2])))
        return [Adjustment(unit, code, amount, dict(place)) for (unit, code, place), amount in ordered]
