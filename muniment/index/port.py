"""What an index of points is to the rest of Muniment: filters, points, and the two protocols.

Adapters implement them (one module each); nothing outside an adapter knows its engine. An index
holds ids, vectors, term weights and a payload of ids, policy, dates and types: never a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Payload keys an index can filter by, and the kind of value. An unknown value has no key at all.
KEYWORDS = (
    "view_id",
    "kind",
    "access_policy_id",
    "source_id",
    "doc_type",
    "document_id",
    "version_id",
    "family_id",
    "language",
)
FLAGS = ("held",)
DATES = ("valid_from", "valid_to")

#: Policy written on points of documents without one: nobody but the operator.
NO_POLICY = ""

#: Decimals of scores; what differs by less is a tie and is ordered by id.
SCORE_DECIMALS = 4


class IndexFolderError(RuntimeError):
    """An index folder that cannot be read or written; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which points a question may see. None leaves a field open; an empty set lets nothing through."""

    view_id: str = "operator"
    kinds: frozenset[str] | None = None
    policies: frozenset[str] | None = None
    source_ids: frozenset[str] | None = None
    doc_types: frozenset[str] | None = None
    document_ids: frozenset[str] | None = None
    family_ids: frozenset[str] | None = None
    languages: frozenset[str] | None = None
    held: bool | None = None
    #: valid_from <= day < valid_to; a bound that is unknown passes
    valid_on: date | None = None

    def keyword_conditions(self) -> dict[str, list[str]]:
        """Payload key to the sorted values that pass, for every field that is set."""
        given = {
            "kind": self.kinds,
            "access_policy_id": None if self.policies is None else self.policies - {NO_POLICY},
            "source_id": self.source_ids,
            "doc_type": self.doc_types,
            "document_id": self.document_ids,
            "family_id": self.family_ids,
            "language": self.languages,
        }
        return {
            "view_id": [self.view_id],
            **{key: sorted(values) for key, values in given.items() if values is not None},
        }


@dataclass(frozen=True, slots=True)
class Point:
    """One point: UUID, unit vector (float32), sparse terms by ascending id, payload."""

    point_id: str
    vector: NDArray[np.float32]
    token_ids: list[int]
    token_weights: list[float]
    payload: Mapping[str, object]


class IndexReader(Protocol):
    """Read access to one published index. Every answer is the same in every process."""

    def dense(self, vector: NDArray[np.float32], condition: Filter, limit: int) -> list[tuple[str, float]]:
        """The points nearest by inner product: (point_id, score), best first, ties by id."""
        ...

    def sparse(self, token_ids: list[int], condition: Filter, limit: int) -> list[tuple[str, float]]:
        """The best points by BM25 with document frequencies among the points that pass `condition` only."""
        ...

    def count(self, condition: Filter) -> int:
        """Points that pass."""
        ...

    def total(self) -> int:
        """All points, of every view."""
        ...

    def payloads(self) -> dict[str, dict[str, object]]:
        """Payload of every point by its id: what verification compares, never used to answer a question."""
        ...

    def vectors(self, point_ids: list[str]) -> dict[str, NDArray[np.float32]]:
        """Stored vectors of points by id; unknown ids are absent."""
        ...

    def close(self) -> None:
        """Release the engine and every file. Safe to call twice."""
        ...


class IndexBuilder(Protocol):
    """Writes an index folder, beside the published one, never into it."""

    def __call__(
        self, folder: Path, points: Iterable[Point], *, dimension: int, previous: Path | None, removed: Iterable[str]
    ) -> None:
        """Make `folder` (must not exist): `previous` copied or nothing, less `removed`, with `points` upserted."""
        ...
