"""A home to try things on without Dagster: scan, process and publish by the same functions as the assets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from muniment.home import Home
from muniment.intake.batches import planned_batches
from muniment.intake.scan import ScanReport, scan
from muniment.intake.sources import declare_source
from muniment.processing.batch import plan_reprocessing, process_batch
from muniment.processing.context import RunContext, run_context
from muniment.publication.graph import build_communities, build_graph
from muniment.publication.indexing import build_index
from muniment.publication.publish import Published, publish
from muniment.publication.reporting import build_loss_report, build_review_queue
from muniment.settings import Settings, load_settings
from muniment.store.current import warehouse_folder
from muniment.store.digests import combined, content_digests
from muniment.store.warehouse import Warehouse

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class HomeLab:
    """One home; every scan is a minute later than the one before."""

    def __init__(self, root: Path, options: dict[str, Any] | None = None) -> None:
        self.home = Home(root)
        self.home.create()
        self.settings: Settings = load_settings({"home": root, **(options or {})})
        self.warehouse = Warehouse.create(warehouse_folder(self.home))
        self.now = START
        self.runs = 0

    @contextmanager
    def run(self, run_id: str | None = None) -> Iterator[RunContext]:
        """A run's context; its worker processes end with it."""
        self.runs += 1
        with run_context(
            self.home, self.settings, self.warehouse, run_id or f"run-{self.runs}", clock=self.clock
        ) as context:
            yield context

    def clock(self) -> datetime:
        return self.now

    def scan(self, folder: Path, name: str = "source", policy: str | None = None) -> ScanReport:
        """Declare and scan a source."""
        self.now += timedelta(minutes=1)
        source = declare_source(self.warehouse, name, folder, policy, self.now)
        with self.run() as context:
            return scan(source, self.warehouse, context.originals, self.settings.intake, self.now)

    def process(self) -> None:
        """Take every planned batch through the local stages."""
        with self.run() as context:
            plan_reprocessing(context)
            for batch_id in planned_batches(self.warehouse.latest()):
                process_batch(context, batch_id)

    def compute(self, context: RunContext) -> None:
        """The global stages."""
        build_graph(context)
        build_communities(context)
        build_index(context)
        build_loss_report(context)
        build_review_queue(context)

    def publish(self, step: Callable[[str], None] = lambda name: None) -> Published:
        """The global stages and the swap."""
        with self.run() as context:
            self.compute(context)
            return publish(context, step=step)

    def ingest(self, folder: Path, name: str = "source", policy: str | None = None) -> Published:
        """Scan, process, publish."""
        self.scan(folder, name, policy)
        self.process()
        return self.publish()

    def digests(self) -> dict[str, str]:
        """Content digests of the newest state."""
        return content_digests(self.warehouse.latest())

    def digest(self) -> str:
        """One digest of the newest state."""
        return combined(self.digests())

    def close(self) -> None:
        self.warehouse.close()
