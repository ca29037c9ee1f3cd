"""Scanning declared sources, all or some."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.intake.scan import ScanReport, pending_changes, scan
from muniment.intake.sources import Source, SourceError, declare_source, list_sources
from muniment.processing.batch import plan_reprocessing, plan_retries
from muniment.processing.context import RunContext
from muniment.settings import Settings
from muniment.store.rows import Rows


def declare_configured(context: RunContext) -> list[str]:
    """Record the sources that the settings declare; returns why some could not be."""
    failures = []
    for source in context.settings.sources:
        try:
            declare_source(context.warehouse, source.name, source.path, source.policy, context.clock())
        except SourceError as error:
            failures.append(str(error))
    return failures


def scan_sources(context: RunContext, names: Sequence[str] | None = None) -> ScanReport:
    """Scan sources by name (default: every declared one) and add up what changed.

    Raises SourceError for an unknown name, and, after the others were scanned, when a source could
    not be declared or listed: nothing of it is taken for gone.
    """
    failures = declare_configured(context)
    sources = {source.name: source for source in list_sources(context.warehouse.latest())}
    unknown = sorted(set(names or ()) - sources.keys())
    if unknown:
        raise SourceError(f"unknown sources {unknown}; declared are {sorted(sources)}")
    total = ScanReport("all")
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


def take_in(context: RunContext, names: Sequence[str] | None = None) -> ScanReport:
    """Scan sources and plan every batch that is due: new contents, what settings or code made stale, retries.

    Raises SourceError as `scan_sources` does, after the planning.
    """
    try:
        total = scan_sources(context, names)
    finally:
        planned = plan_reprocessing(context) + plan_retries(context)
    total.batches += planned
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


def look_at_sources(rows: Rows, settings: Settings) -> tuple[list[str], list[str]]:
    """Names of sources, declared or to be declared by the settings, with something to scan; and what keeps others out.

    One source that cannot be listed does not hide the changes of the others.
    """
    declared = list_sources(rows)
    names = {source.name for source in declared}
    waiting = [source for source in settings.sources if source.name not in names]
    due = [source.name for source in waiting if source.path.exists()]
    problems = [f"source {source.name!r}: {source.path} is not there" for source in waiting if not source.path.exists()]
    for source in declared:
        try:
            if pending_changes(source, rows, settings.intake):
                due.append(source.name)
        except SourceError as error:
            problems.append(str(error))
    return sorted(due), problems


def find_source(rows: Rows, name: str) -> Source | None:
    """A declared source by name."""
    return next((source for source in list_sources(rows) if source.name == name), None)
