"""The shape of a local stage: rows in, rows out, one outcome a version, books closed.

A local stage is a function `(inputs, settings, …) -> StageOutput` over a group of versions. It reads
only rows of those versions and its settings; the batch runner keys, commits and retries it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import polars as pl

State = Literal["ok", "partial", "failed", "skipped"]

#: Local stages in order.
LOCAL_STAGES = ("structured_extraction", "annotations", "chunks", "contextualized_chunks", "entities")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage made of one version. `detail` is for people and holds no text of the document."""

    version_id: str
    state: State
    reason_code: str | None = None
    detail: str | None = None
    output_digest: str | None = None
    isolation: str | None = None
    wall_seconds: float | None = None


@dataclass
class StageOutput:
    """Frames by table name (each table of the stage, plus stage_books and losses) and outcomes."""

    tables: dict[str, pl.DataFrame]
    outcomes: list[Outcome] = field(default_factory=list)
