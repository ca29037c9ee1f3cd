"""Rebuilding: every derived table computed anew in an empty warehouse from the recorded ones.

Derived rows are a pure function of recorded rows, settings and code, so the digests must agree.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass

from muniment.home import Home
from muniment.intake.batches import plan_more, planned_batches
from muniment.processing.batch import process_batch
from muniment.processing.context import RunContext, run_context
from muniment.publication.graph import build_communities, build_graph
from muniment.publication.indexing import build_index
from muniment.publication.publish import publish
from muniment.publication.reporting import build_loss_report, build_review_queue
from muniment.settings import Settings
from muniment.store.changes import Change, ReplaceAll
from muniment.store.current import read_current
from muniment.store.digests import combined, content_digests
from muniment.store.opening import create_warehouse, open_warehouse
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES


@dataclass(frozen=True)
class Rebuilt:
    """Digests by table of the published state and of the rebuilt one, and the new warehouse's name."""

    before: dict[str, str]
    after: dict[str, str]
    warehouse: str
    published: bool

    @property
    def equal(self) -> bool:
        """Whether every table has the same content."""
        return self.before == self.after

    @property
    def digest(self) -> str:
        """Combined digest of the rebuilt state."""
        return combined(self.after)

    @property
    def differing(self) -> list[str]:
        """Tables whose content differs."""
        return sorted(name for name in {*self.before, *self.after} if self.before.get(name) != self.after.get(name))


def rebuild(
    home: Home, settings: Settings, *, keep: bool, progress: Callable[[str, int, int], None] | None = None
) -> Rebuilt:
    """Compute everything in a new warehouse and compare with the published state.

    With `keep` the rebuilt warehouse is published in the old one's place, else it is removed. Raises
    NothingPublished's cause (no CURRENT) as ValueError.
    """
    current = read_current(home)
    if current is None:
        raise ValueError(f"{home.root}: nothing is published, so there is nothing to compare; run `muniment ingest`")
    old = open_warehouse(home, settings.store)
    folder = home.warehouses / _next_name(home)
    new = create_warehouse(home, settings.store, folder=folder)
    try:
        _copy_recorded(old, current.snapshot_id, new)
        with run_context(home, settings, new, f"rebuild-{folder.name}") as context:
            context.replay = True  # what models said is recorded, and nothing is paid for again
            if progress is not None:
                context.progress = progress
            _compute(context)
            after = content_digests(new.latest())
            before = content_digests(old.at(current.snapshot_id))
            if keep:
                publish(context)
        return Rebuilt(before, after, folder.name, keep)
    finally:
        new.close()
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
        old.close()


def _next_name(home: Home) -> str:
    numbers = [int(path.name[1:]) for path in home.warehouses.glob("w[0-9]*") if path.name[1:].isdigit()]
    return f"w{max(numbers, default=0) + 1:06d}"


def _copy_recorded(old: Warehouse, snapshot_id: int, new: Warehouse) -> None:
    rows = old.at(snapshot_id)
    changes: list[Change] = [
        ReplaceAll(name, rows.table(name)) for name, table in TABLES.items() if table.kind == "recorded"
    ]
    new.commit(changes, message="recorded tables")


def _compute(context: RunContext) -> None:
    versions = context.warehouse.latest().table("document_versions", ["version_id", "size"]).sort("version_id")
    plan_more(context.warehouse, versions.rows(), context.settings.intake, context.clock(), kind="reprocess")
    for batch_id in planned_batches(context.warehouse.latest()):
        process_batch(context, batch_id)
    build_graph(context)
    build_communities(context)
    # the published index is looked up by CURRENT and reused where its content is equal
    build_index(context)
    # a comparison must not overwrite the published report
    build_loss_report(context, reports=context.home.work / "rebuild-reports")
    build_review_queue(context)
