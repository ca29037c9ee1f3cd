"""What people decided about the identity of entities: the recorded rows, and which of them are in force.

Judgements are only ever added. An undo is a row of its own that names the judgement it takes back, so a rebuild
replays the same state. Rows name mentions by selectors, never an entity_id: see `selectors` and `replay`.

Kinds: `same_entity` (two mentions name one thing), `different_entity` (they do not), `split_entity` (some mentions
of an entity name another thing than its other mentions), `retraction`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import polars as pl

from muniment.ids import make_id
from muniment.resolution.selectors import Selector
from muniment.tables.registry import TABLES

Kind = Literal["same_entity", "different_entity", "split_entity"]

#: Decisions by kind, as the table has them.
_DECISIONS: dict[str, str] = {
    "same_entity": "same",
    "different_entity": "different",
    "split_entity": "different",
    "retraction": "retracted",
}
KINDS: tuple[Kind, ...] = ("same_entity", "different_entity", "split_entity")

#: Mentions that stand for one side of a judgement on whole entities: the first that is found again speaks.
WITNESSES = 5


class JudgementError(ValueError):
    """A judgement cannot be made or undone as asked; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a judgement: the mentions, the name that people read, and the normalised names it goes by."""

    name: str
    mentions: tuple[Selector, ...]
    names: tuple[str, ...] = ()

    def content(self) -> str:
        """As JSON."""
        fields = {"name": self.name, "names": sorted(self.names), "mentions": [one.content() for one in self.mentions]}
        return json.dumps(fields, ensure_ascii=False, sort_keys=True)

    @classmethod
    def of(cls, content: str) -> Side:
        """The side that JSON was made of."""
        fields: dict[str, Any] = json.loads(content)
        return cls(fields["name"], tuple(Selector.of(one) for one in fields["mentions"]), tuple(fields["names"]))


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judgement of identity that was recorded."""

    judgement_id: str
    kind: str
    subject: Side
    object: Side
    decided_by: str
    decided_at: datetime

    @property
    def same(self) -> bool:
        """Whether it joins its two sides."""
        return self.kind == "same_entity"

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """All selectors of both sides."""
        return (*self.subject.mentions, *self.object.mentions)

    def __str__(self) -> str:
        verb = {"same_entity": "is", "different_entity": "is not"}.get(self.kind)
        if verb is not None:
            return f"{self.subject.name!r} {verb} {self.object.name!r}"
        count = sum(one.matches for one in self.subject.mentions)
        return f"{count} mention{'s' * (count != 1)} ({self.subject.name!r}) split off {self.object.name!r}"


def judgement_row(
    recorded: pl.DataFrame, kind: Kind, subject: Side, other: Side, decided_by: str, decided_at: datetime
) -> pl.DataFrame:
    """The row of a new judgement; `recorded`: rows of judgements so far.

    Two sides of equal rank stand in the order of their content, so that "A is B" is "B is A". Raises
    JudgementError where the same is in force already.
    """
    left, right = subject.content(), other.content()
    if kind != "split_entity" and right < left:
        left, right = right, left
    equal = recorded.filter(
        (pl.col("kind") == kind) & (pl.col("subject") == left) & pl.col("object").eq_missing(pl.lit(right))
    )
    standing = equal.filter(~pl.col("judgement_id").is_in(_retracted(recorded).implode()))
    if standing.height:
        raise JudgementError(f"this is judged already, by judgement {standing['judgement_id'].item(0)}")
    return _row(kind, left, right, equal.height, decided_by, decided_at)


def retraction_row(
    recorded: pl.DataFrame, judgement_id: str, decided_by: str, decided_at: datetime
) -> tuple[pl.DataFrame, str]:
    """The row that takes a judgement back, and the whole id of that judgement.

    `judgement_id` may be a beginning of at least 4 characters that only one judgement has. Raises JudgementError
    for an unknown or ambiguous id, for a retraction, and for what was taken back already.
    """
    found = recorded.filter(pl.col("judgement_id") == judgement_id)
    if found.is_empty() and len(judgement_id) >= 4:
        found = recorded.filter(pl.col("judgement_id").str.starts_with(judgement_id))
    if found.height != 1:
        problem = "several judgements have ids that begin so" if found.height else "no judgement has this id"
        raise JudgementError(f"{judgement_id}: {problem}; see `muniment entity list-judgements`")
    row = found.row(0, named=True)
    if row["kind"] not in KINDS:
        raise JudgementError(f"{row['judgement_id']} is a {row['kind']}: to undo an undo, make the judgement again")
    if row["judgement_id"] in set(_retracted(recorded)):
        raise JudgementError(f"judgement {row['judgement_id']} is undone already")
    subject = json.dumps({"judgement_id": row["judgement_id"]})
    return _row("retraction", subject, None, 0, decided_by, decided_at), row["judgement_id"]


def effective(recorded: pl.DataFrame) -> list[Judgement]:
    """Judgements of identity in force, by id; `recorded`: rows of judgements."""
    rows = recorded.filter(pl.col("kind").is_in(KINDS), ~pl.col("judgement_id").is_in(_retracted(recorded).implode()))
    return parsed(rows)


def parsed(rows: pl.DataFrame) -> list[Judgement]:
    """Judgements of identity among the rows, in force or not, by id."""
    return [
        Judgement(
            row["judgement_id"],
            row["kind"],
            Side.of(row["subject"]),
            Side.of(row["object"]),
            row["decided_by"],
            row["decided_at"],
        )
        for row in rows.filter(pl.col("kind").is_in(KINDS)).sort("judgement_id").iter_rows(named=True)
    ]


def retractions(recorded: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """The retraction row of each judgement that was taken back."""
    rows = recorded.filter(pl.col("kind") == "retraction").sort("judgement_id")
    return {json.loads(row["subject"])["judgement_id"]: row for row in rows.iter_rows(named=True)}


def documents_of(judgements: Iterable[Judgement]) -> list[str]:
    """Documents that the selectors name, sorted."""
    return sorted({one.document_id for judgement in judgements for one in judgement.selectors})


def _retracted(recorded: pl.DataFrame) -> pl.Series:
    return pl.Series("judgement_id", sorted(retractions(recorded)), dtype=pl.String)


def _row(
    kind: str, subject: str, other: str | None, ordinal: int, decided_by: str, decided_at: datetime
) -> pl.DataFrame:
    """`ordinal`: how many equal judgements there were before, all taken back."""
    decision = _DECISIONS[kind]
    return TABLES["judgements"].frame(
        [
            {
                "judgement_id": make_id("judgement", kind, subject, other, decision, ordinal),
                "kind": kind,
                "subject": subject,
                "object": other,
                "decision": decision,
                "decided_by": decided_by,
                "decided_at": decided_at,
            }
        ]
    )
