"""Scanning declared sources, all or some."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.intake.scan import ScanReport, pending_changes, scan
from muniment.intake.sources import Source, SourceError, declare_source, list_sources
from muniment.processing.context import RunContext
from muniment.settings import Settings
from muniment.store.rows import Rows


def declare_configured(context: RunContext) -> None:
    """Record the sources that the settings declare."""
    for source in context.settings.sources:
        declare_source(context.warehouse, source.name, source.path, source.policy, context.clock())


def scan_sources(context: RunContext, names: Sequence[str] | None = None) -> ScanReport:
    """Scan sources by name (default: every declared one) and add up what changed.

    Raises SourceError for an unknown name, and, after the others were scanned, when a source could
    not be listed: nothing of it is taken for gone.
    """
    declare_configured(context)
    sources = {source.name: source for source in list_sources(context.warehouse.latest())}
    unknown = sorted(set(names or ()) - sources.keys())
    if unknown:
        raise SourceError(f"unknown sources {unknown}; declared are {sorted(sources)}")
    total = ScanReport("all")
    failures: list[str] = []
    for name in sorted(names or sources):
        try:
            report = scan(
                sources[name],
                context.warehouse,
                context.originals,
                context.settings.intake,
                context.clock(),
                progress=lambda done, of: context.progress("originals", done, of),
            )
        except SourceError as error:
            failures.append(str(error))
            continue
        _add(total, report)
    if failures:
        raise SourceError("; ".join(failures))
    return total


def _add(total: ScanReport, report: ScanReport) -> None:
    total.files += report.files
    total.unchanged += report.unchanged
    total.gone += report.gone
    total.batches += report.batches
    for change, count in report.changes.items():
        total.changes[change] = total.changes.get(change, 0) + count


def sources_with_changes(rows: Rows, settings: Settings) -> list[str]:
    """Names of sources whose listing differs from their open captures; a source that cannot be listed raises."""
    return [source.name for source in list_sources(rows) if pending_changes(source, rows, settings.intake)]


def find_source(rows: Rows, name: str) -> Source | None:
    """A declared source by name."""
    return next((source for source in list_sources(rows) if source.name == name), None)
