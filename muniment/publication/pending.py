"""Whether a new generation is due: the inputs of the published one against the inputs now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from muniment.home import Home
from muniment.ids import digest
from muniment.processing.status import stale_versions
from muniment.publication.scope import inputs_digest, select_versions
from muniment.settings import Settings
from muniment.store.current import read_current
from muniment.store.rows import Rows


@dataclass(frozen=True)
class Pending:
    """Inputs that are not published. `key` also names the generation before, so a return to an
    earlier state is due again."""

    inputs_digest: str
    key: str
    versions: pl.DataFrame


def pending_publication(rows: Rows, home: Home, settings: Settings) -> Pending | None:
    """What a publication would be computed from, or None when the published generation has it.

    An empty warehouse (nothing ever captured) is not published.
    """
    if rows.read("SELECT count(*) FROM captures").item() == 0:
        return None
    versions = select_versions(rows, settings)
    inputs = inputs_digest(rows, versions, settings)
    current = read_current(home)
    published = None if current is None else current.generation_id
    if published is not None:
        known = rows.read("SELECT inputs_digest FROM generations WHERE generation_id = ?", [published])
        if known.height and known.item() == inputs:
            return None
    return Pending(inputs, digest(inputs, published), versions)


def waiting_for_reprocessing(rows: Rows, published: Rows, settings: Settings, given_up: Sequence[str] = ()) -> int:
    """How many versions of the published generation are stale by present settings and code.

    Published now they would be left out, although nothing is wrong with them; so publication waits until
    they are processed anew. `given_up` names batches that failed too often: nothing waits for their versions.
    """
    stale = stale_versions(rows, settings)["version_id"]
    lost = rows.read("SELECT batch_id, version_id FROM batch_members").filter(pl.col("batch_id").is_in(list(given_up)))
    serving = published.table("generation_versions", ["version_id"])["version_id"]
    return len(set(stale) & set(serving) - set(lost["version_id"]))
