"""The books: expected + additions = actual + explained + unexplained, for each version, stage and unit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

import polars as pl

from muniment.ids import make_id
from muniment.reason_codes import Severity, reason
from muniment.tables.registry import TABLES


@dataclass(frozen=True, slots=True)
class Entry:
    """An addition or an explained loss: `amount` units with a reason and a place."""

    reason_code: str
    amount: int
    locator: dict[str, object] = field(default_factory=dict)
    detail: str = ""
    severity: Severity | None = None  # default: the reason's


class Ledger:
    """Collects the books of one stage over a group of versions."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self._books: list[dict[str, object]] = []
        self._losses: dict[str, dict[str, object]] = {}

    def close(self, version_id: str, unit: str, *, expected: int, actual: int, entries: Iterable[Entry] = ()) -> int:
        """Close the book of a unit and return what stays unexplained (negative: more out than in)."""
        additions = explained = 0
        for entry in entries:
            if reason(entry.reason_code).use == "addition":
                additions += entry.amount
            else:
                explained += entry.amount
                self.lose(version_id, unit, entry)
        unexplained = expected + additions - actual - explained
        self._books.append(
            {
                "version_id": version_id,
                "stage": self.stage,
                "unit": unit,
                "expected": expected,
                "additions": additions,
                "actual": actual,
                "explained": explained,
                "unexplained": unexplained,
            }
        )
        return unexplained

    def lose(self, version_id: str, unit: str, entry: Entry) -> None:
        """Record a loss row; equal losses (reason, place) of a version are summed."""
        locator = json.dumps(entry.locator, sort_keys=True, ensure_ascii=False)
        loss_id = make_id("loss", version_id, self.stage, unit, entry.reason_code, locator)
        known = self._losses.get(loss_id)
        if known is not None:
            known["amount"] = int(str(known["amount"])) + entry.amount
            return
        self._losses[loss_id] = {
            "loss_id": loss_id,
            "version_id": version_id,
            "stage": self.stage,
            "unit": unit,
            "reason_code": entry.reason_code,
            "amount": entry.amount,
            "severity": entry.severity or reason(entry.reason_code).severity,
            "locator": locator,
            "detail": entry.detail,
        }

    def frames(self) -> dict[str, pl.DataFrame]:
        """The `stage_books` and `losses` rows collected."""
        return {
            "stage_books": TABLES["stage_books"].frame(self._books),
            "losses": TABLES["losses"].frame(list(self._losses.values())),
        }
