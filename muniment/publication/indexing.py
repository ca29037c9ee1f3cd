"""The index of a generation, built beside the published one and recorded for the publication."""

from __future__ import annotations

import polars as pl

from muniment.index.build import BuiltIndex, build, verify
from muniment.processing.context import RunContext
from muniment.store.changes import Change, Replace, ReplaceAll
from muniment.store.current import read_current
from muniment.tables.registry import TABLES


def build_index(context: RunContext) -> BuiltIndex:
    """Build and verify the index, then commit its rows; raises IndexMismatch when it is not what the rows say."""
    rows = context.warehouse.latest()
    current = read_current(context.home)
    previous = context.home.indexes / current.index if current is not None else None
    if previous is not None and not previous.is_dir():
        previous = None
    settings = context.settings.index
    built = build(rows, context.home.indexes, previous, settings, context.pool, work=context.home.work)
    verify(built, rows, settings, work=context.home.work)
    made = {
        "folder": built.folder_name,
        "embedder_digest": built.embedder_digest,
        "built_at": context.clock(),
    }
    changes: list[Change] = [
        ReplaceAll(name, built.frames[name]) for name in ("embeddings", "index_points", "chunk_states")
    ]
    changes += stage_rows("indexes", built.frames)
    changes.append(ReplaceAll("built_index", TABLES["built_index"].frame([made])))
    context.warehouse.commit(changes, message="indexes")
    return built


def stage_rows(stage: str, frames: dict[str, pl.DataFrame]) -> list[Change]:
    """Replace all books and losses of a global stage."""
    key = pl.DataFrame({"stage": [stage]})
    return [Replace(name, frames[name], ("stage",), key) for name in ("stage_books", "losses")]
