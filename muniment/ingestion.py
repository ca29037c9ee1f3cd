"""What `muniment ingest` does around the runs: declaring the paths, seeing what waits, saying what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from muniment.home import Home
from muniment.intake.batches import planned_batches
from muniment.intake.sources import SourceError, declare_source, list_sources
from muniment.loss.answers import LossAnswer, loss_answer
from muniment.processing.batch import plan_reprocessing, plan_retries
from muniment.processing.context import run_context, utc_now
from muniment.processing.intake import sources_with_changes
from muniment.publication.pending import pending_publication
from muniment.settings import Settings
from muniment.store.current import read_current
from muniment.store.opening import open_warehouse
from muniment.store.rows import Rows


@dataclass(frozen=True)
class Waiting:
    """What there is to do: sources that changed, batches that are planned, whether a publication is due."""

    sources: list[str]
    batches: list[str]
    publication: bool
    last_scan: int

    @property
    def anything(self) -> bool:
        """Whether a run would be launched."""
        return bool(self.sources or self.batches or self.publication)


class RunFailedError(RuntimeError):
    """A run did not succeed; `quality` when a blocking check of quality stopped it."""

    def __init__(self, job: str, run_id: str, reasons: list[str], *, quality: bool) -> None:
        super().__init__(f"run {run_id} of {job} failed: {'; '.join(reasons) or 'see its log'}")
        self.quality = quality


class IngestOutcome(BaseModel):
    """What an ingest left behind."""

    model_config = ConfigDict(frozen=True)

    runs: list[str]
    changes: dict[str, int]
    generation_id: str | None
    content_digest: str | None
    received: int
    indexed: int
    partial: int
    not_indexed: int
    review_items: int
    gate: str
    losses: LossAnswer | None

    @property
    def exit_code(self) -> int:
        """0 done, 3 gate failed, 4 done with losses to review."""
        if self.gate == "error":
            return 3
        return 4 if self.review_items else 0

    def __str__(self) -> str:
        if not self.runs:
            head = "nothing new: no run launched"
            if self.generation_id is None:
                head = "nothing to ingest: no source is declared, or its folder is empty; give a PATH with documents"
        else:
            head = f"{len(self.runs)} runs: " + ", ".join(
                f"{job} {self.runs.count(job)}" for job in dict.fromkeys(self.runs)
            )
        lines = [head]
        if self.changes:
            lines.append("in the sources: " + ", ".join(f"{count} {change}" for change, count in self.changes.items()))
        if self.losses is not None:
            lines += [
                f"generation {self.generation_id}: {self.received} received, {self.indexed} indexed, "
                f"{self.partial} in part, {self.not_indexed} not indexed",
                str(self.losses),
            ]
        return "\n".join(lines)


def check_places(settings: Settings, paths: list[Path]) -> None:
    """Raise SourceError for a path or a declared source that is not there, before anything is made."""
    for path in sorted(paths):
        if not path.exists():
            raise SourceError(f"{path}: no such file or folder")
    for declared in settings.sources:
        if not declared.path.exists():
            raise SourceError(
                f"source {declared.name!r} of the settings: {declared.path} is not there; correct its path"
            )


def declare_paths(
    home: Home, settings: Settings, paths: list[Path], source: str | None, policy: str | None, *, moved: bool = False
) -> None:
    """Declare each path as a source named after it, or all settings' sources when there is no path.

    `moved` says that a known source now stands at the path. Raises SourceError for a path that is not there,
    for `source` with several paths, and for a known source elsewhere: taken for moved, all its documents would
    count as no longer held.
    """
    if source is not None and len(paths) != 1:
        raise SourceError("--source names one source: give exactly one path with it")
    warehouse = open_warehouse(home, settings.store)
    try:
        now = utc_now()
        for path in sorted(paths):
            name = source or path.resolve().name or "root"
            known = {found.name: found for found in list_sources(warehouse.latest())}.get(name)
            if known is not None and not moved and known.location != path.resolve():
                raise SourceError(
                    f"source {name!r} is {known.location}, not {path.resolve()}; "
                    "give the new one a name of its own (--source NAME), or say that the source has moved (--moved)"
                )
            kept = known.access_policy_id if known is not None and policy is None else policy
            declare_source(warehouse, name, path, kept, now)
        for declared in settings.sources:
            declare_source(warehouse, declared.name, declared.path, declared.policy, now)
    finally:
        warehouse.close()


def plan_and_look(home: Home, settings: Settings) -> Waiting:
    """Plan what has to be done again, and look what waits. A source that cannot be listed raises SourceError."""
    warehouse = open_warehouse(home, settings.store)
    try:
        with run_context(home, settings, warehouse, "plan") as context:
            plan_reprocessing(context)
            plan_retries(context)
        rows = warehouse.latest()
        return Waiting(
            sources_with_changes(rows, settings),
            planned_batches(rows),
            pending_publication(rows, home, settings) is not None,
            rows.read("SELECT coalesce(max(scan_no), 0) FROM scans").item(),
        )
    finally:
        warehouse.close()


#: Captures since a scan, and documents that no capture holds any more since then.
_CHANGES = """
SELECT change, count(*) AS captures FROM captures WHERE opened_scan > $1 GROUP BY change
UNION ALL
SELECT 'gone', count(*) FROM (
    SELECT document_id FROM captures WHERE document_id IS NOT NULL GROUP BY document_id
    HAVING max(closed_scan) > $1 AND count(*) FILTER (closed_scan IS NULL) = 0)
"""


def _changes(rows: Rows, last_scan: int) -> dict[str, int]:
    """new, changed, renamed, …, gone: how many, since a scan; what did not happen is left out."""
    return dict(sorted((change, count) for change, count in rows.read(_CHANGES, [last_scan]).rows() if count))


def outcome_of(home: Home, settings: Settings, runs: list[str], last_scan: int) -> IngestOutcome:
    """Read what is published now, and what has changed in the sources since the scan `last_scan`."""
    current = read_current(home)
    if current is None:
        return IngestOutcome(
            runs=runs, changes={}, generation_id=None, content_digest=None, received=0, indexed=0, partial=0,
            not_indexed=0, review_items=0, gate="ok", losses=None,
        )  # fmt: skip
    warehouse = open_warehouse(home, settings.store)
    try:
        rows = warehouse.at(current.snapshot_id)
        answer = loss_answer(rows)
        known = rows.read("SELECT content_digest FROM generations WHERE generation_id = ?", [current.generation_id])
        return IngestOutcome(
            runs=runs,
            changes=_changes(warehouse.latest(), last_scan),
            generation_id=current.generation_id,
            content_digest=known.item() if known.height else None,
            received=sum(row.received for row in answer.by_type),
            indexed=sum(row.indexed for row in answer.by_type),
            partial=sum(row.partial for row in answer.by_type),
            not_indexed=sum(row.not_indexed for row in answer.by_type),
            # what is only information (two entities that may be one) waits in the queue, and is no reason to say so
            review_items=rows.read("SELECT count(*) FROM review_items WHERE severity <> 'info'").item(),
            gate=answer.gate,
            losses=answer,
        )
    finally:
        warehouse.close()
