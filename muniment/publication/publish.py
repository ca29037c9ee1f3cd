"""Publishing: what was computed becomes a generation by the swap of one small file.

A crash before the swap leaves the old generation served; after it, the new one. Everything else
(history, expiry, old folders) is repaired from CURRENT by the next publication.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import polars as pl

from muniment.processing.context import RunContext
from muniment.publication.history import remember, remove_old_indexes
from muniment.publication.scope import OPERATOR_VIEW, inputs_digest, select_versions
from muniment.resolution.changes import entity_changes
from muniment.resolution.published import update_published_ids
from muniment.store.changes import Change, Upsert
from muniment.store.current import Current, read_current, swap_current
from muniment.store.digests import combined, content_digests
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

#: Longer than any transaction: files younger than this may belong to a commit under way.
_ORPHAN_AGE = timedelta(hours=2)


class PublicationConflict(RuntimeError):
    """Rows changed while the generation was computed; publishing again picks them up."""


@dataclass(frozen=True)
class Published:
    """A publication: the pointer, and whether anything is new."""

    current: Current
    new: bool
    content_digest: str
    versions: int


def publish(context: RunContext, *, step: Callable[[str], None] = lambda name: None) -> Published:
    """Publish what the global stages have written.

    `step` is called with the name of each step before it (crash tests stop there). Raises
    PublicationConflict when versions or settings changed since the publication began.
    """
    rows = context.warehouse.latest()
    versions = rows.table("generation_versions").sort("version_id")
    if not versions.equals(select_versions(rows, context.settings).sort("version_id")):
        raise PublicationConflict("versions changed while the generation was computed; run publish again")
    inputs = inputs_digest(rows, versions, context.settings)
    built = rows.table("built_index").row(0, named=True)
    step("digest")
    digests = content_digests(rows)
    content = combined(digests)
    before = read_current(context.home)
    if before is not None and _same_generation(rows, before, content, built["folder"]):
        _refresh_inputs(context, rows, before, inputs)
        return Published(before, False, content, versions.height)
    ordinal = int(rows.read("SELECT coalesce(max(ordinal), 0) + 1 FROM generations").item())
    generation_id = f"{ordinal:06d}-{content[:12]}"
    step("record")
    context.warehouse.commit(
        [
            Upsert(
                "generations",
                _generation(context, generation_id, ordinal, before, content, inputs, built, digests, versions),
            ),
            *_identity(context, rows, before, generation_id),
        ],
        message="generation",
    )
    step("merge")
    context.warehouse.merge_adjacent()
    snapshot = context.warehouse.latest()
    current = Current(context.warehouse.folder.name, snapshot.snapshot_id, generation_id, built["folder"])
    step("swap")
    swap_current(context.home, current)
    step("clean")
    clean_up(context, current)
    return Published(current, True, content, versions.height)


def clean_up(context: RunContext, current: Current) -> None:
    """Keep the last generations readable; expire, delete and collect the rest."""
    kept = remember(context.home, current, context.settings.pipeline.keep_generations)
    context.warehouse.expire({entry.snapshot_id for entry in kept})
    remove_old_indexes(context.home, kept)
    context.warehouse.collect_orphans(_ORPHAN_AGE)


def _same_generation(rows: Rows, before: Current, content: str, index: str) -> bool:
    known = rows.read("SELECT content_digest FROM generations WHERE generation_id = ?", [before.generation_id])
    return known.height == 1 and known.item() == content and before.index == index


def _refresh_inputs(context: RunContext, rows: Rows, before: Current, inputs: str) -> None:
    """Other inputs gave the same content: the published generation stands for them too."""
    row = rows.read("SELECT * FROM generations WHERE generation_id = ?", [before.generation_id])
    frame = row.select(list(TABLES["generations"].schema)).with_columns(pl.lit(inputs).alias("inputs_digest"))
    context.warehouse.commit([Upsert("generations", frame)], message="generation")


def _generation(
    context: RunContext,
    generation_id: str,
    ordinal: int,
    before: Current | None,
    content: str,
    inputs: str,
    built: dict[str, Any],
    digests: dict[str, str],
    versions: pl.DataFrame,
) -> pl.DataFrame:
    row = {
        "generation_id": generation_id,
        "ordinal": ordinal,
        "previous_generation_id": before.generation_id if before else None,
        "content_digest": content,
        "inputs_digest": inputs,
        "embedder_digest": built["embedder_digest"],
        "versions": versions.height,
        "table_digests": [f"{name}={value}" for name, value in sorted(digests.items())],
        "published_at": context.clock(),
    }
    return TABLES["generations"].frame([row])


def _identity(context: RunContext, rows: Rows, before: Current | None, generation_id: str) -> list[Change]:
    """Where every id ever published leads now, and what became of the entities of the generation before."""
    previous = _previous(context, before)
    new = _named_mentions(rows)
    entities = rows.table("canonical_entities")
    old = new.clear() if previous is None else _named_mentions(previous)
    old_entities = entities.clear() if previous is None else previous.table("canonical_entities")
    known = rows.table("published_ids")
    leads = update_published_ids(known, old, new, generation_id, OPERATOR_VIEW)
    changes = entity_changes(known, old_entities, entities, old, new, generation_id, OPERATOR_VIEW)
    return [Upsert("published_ids", leads), Upsert("entity_changes", changes)]


def _previous(context: RunContext, before: Current | None) -> Rows | None:
    """The generation before, where this warehouse still has it."""
    if before is None or before.warehouse != context.warehouse.folder.name:
        return None
    known = context.warehouse.snapshots()
    return context.warehouse.at(before.snapshot_id) if before.snapshot_id in known else None


def _named_mentions(rows: Rows) -> pl.DataFrame:
    return rows.read(
        "SELECT e.view_id, e.mention_id, e.entity_id, e.document_id, m.name FROM entity_mentions e "
        "JOIN mentions m USING (mention_id) ORDER BY e.view_id, e.mention_id"
    )
