"""The first act of a publication: write down which versions it will hold."""

from __future__ import annotations

from muniment.processing.context import RunContext
from muniment.publication.scope import families, select_versions, version_links
from muniment.store.changes import ReplaceAll
from muniment.store.rows import Rows


def begin(context: RunContext) -> Rows:
    """Commit generation_versions, version_links and families; returns the state that holds them.

    Every later step of the publication reads local rows through `generation_versions` only.
    """
    rows = context.warehouse.latest()
    context.warehouse.commit(
        [
            ReplaceAll("generation_versions", select_versions(rows, context.settings)),
            ReplaceAll("version_links", version_links(rows)),
            ReplaceAll("families", families(rows)),
        ],
        message="begin generation",
    )
    return context.warehouse.latest()
