"""Batches: grouping versions for runs, claiming a batch for one run, and finishing it."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl
import psutil

from muniment.settings import IntakeSettings
from muniment.store.changes import Append, Change, Delete, Upsert
from muniment.store.rows import Rows
from muniment.store.snapshot import Snapshot
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES


class BatchClaimed(RuntimeError):
    """Another run works on the batch; it will finish it, or its claim expires."""


@dataclass(frozen=True)
class PlannedBatches:
    """Batch ids in order and the changes that record them."""

    batch_ids: list[str]
    changes: list[Change]


def plan_batches(
    versions: Sequence[tuple[str, int]],
    settings: IntakeSettings,
    now: datetime,
    *,
    first_ordinal: int,
    kind: str,
) -> PlannedBatches:
    """Group (version_id, bytes) in order into batches within the limits of count and bytes.

    A version larger than the byte limit is a batch of its own.
    """
    groups: list[list[tuple[str, int]]] = []
    for version in versions:
        full = (
            not groups
            or len(groups[-1]) >= settings.batch_documents
            or sum(size for _, size in groups[-1]) + version[1] > settings.batch_bytes
        )
        if full:
            groups.append([])
        groups[-1].append(version)
    batch_rows, member_rows = [], []
    for ordinal, group in enumerate(groups, start=first_ordinal):
        batch_id = f"{now:%Y%m%dT%H%M%S}-{ordinal:06d}"
        batch_rows.append(
            {
                "batch_id": batch_id,
                "kind": kind,
                "state": "planned",
                "versions": len(group),
                "bytes": sum(size for _, size in group),
                "planned_at": now,
                "finished_at": None,
            }
        )
        member_rows += [{"batch_id": batch_id, "version_id": version_id} for version_id, _ in group]
    if not groups:
        return PlannedBatches([], [])
    return PlannedBatches(
        [str(row["batch_id"]) for row in batch_rows],
        [
            Append("batches", TABLES["batches"].frame(batch_rows)),
            Append("batch_members", TABLES["batch_members"].frame(member_rows)),
        ],
    )


def plan_more(
    warehouse: Warehouse, versions: Iterable[tuple[str, int]], settings: IntakeSettings, now: datetime, *, kind: str
) -> list[str]:
    """Record batches of kind reprocess or retry for versions that are in no planned batch yet."""
    wanted = list(versions)
    planned: list[str] = []

    def changes(snapshot: Snapshot) -> list[Change]:
        waiting = set(
            snapshot.read("SELECT version_id FROM batch_members JOIN batches USING (batch_id) WHERE state = 'planned'")[
                "version_id"
            ]
        )
        batches = plan_batches(
            [version for version in wanted if version[0] not in waiting],
            settings,
            now,
            first_ordinal=_count(snapshot) + 1,
            kind=kind,
        )
        planned[:] = batches.batch_ids
        return batches.changes

    warehouse.commit(changes, message=f"plan {kind}")
    return planned


def planned_batches(rows: Rows) -> list[str]:
    """Batches that wait for a run or are in one, oldest first."""
    return rows.read("SELECT batch_id FROM batches WHERE state = 'planned' ORDER BY batch_id")["batch_id"].to_list()


def members(rows: Rows, batch_id: str) -> pl.DataFrame:
    """Versions of a batch with all their columns, ordered by version_id."""
    return rows.read(
        "SELECT v.* FROM document_versions v JOIN batch_members m USING (version_id) "
        "WHERE m.batch_id = ? ORDER BY v.version_id",
        [batch_id],
    ).select(list(TABLES["document_versions"].schema))


def claim(warehouse: Warehouse, batch_id: str, run_id: str, now: datetime, seconds: int) -> None:
    """Take or renew the claim of a run on a batch; raises as `claimed`."""
    warehouse.commit(lambda rows: [claimed(rows, batch_id, run_id, now, seconds)], message="claim batch")


def claimed(rows: Rows, batch_id: str, run_id: str, now: datetime, seconds: int) -> Change:
    """The change that takes or renews the claim of a run on a batch, to be committed with what the run writes.

    `rows` is the newest state, under the writer lock. Raises BatchClaimed while another run's claim is alive:
    not expired, and its process, where it is one of this host, still there.
    """
    held = rows.read("SELECT run_id, owner, expires_at FROM batch_claims WHERE batch_id = ?", [batch_id])
    for other, owner, expires_at in held.iter_rows():
        if other != run_id and expires_at > now and owner_may_live(owner):
            raise BatchClaimed(f"batch {batch_id} is claimed by run {other} until {expires_at:%H:%M:%S} UTC")
    row = {
        "batch_id": batch_id,
        "run_id": run_id,
        "owner": this_owner(),
        "claimed_at": now,
        "expires_at": now + timedelta(seconds=seconds),
    }
    return Upsert("batch_claims", TABLES["batch_claims"].frame([row]))


def this_owner() -> str:
    """host:pid:start time of this process; the start time tells a reused pid."""
    process = psutil.Process()
    return f"{socket.gethostname()}:{process.pid}:{process.create_time():.2f}"


def owner_may_live(owner: str) -> bool:
    """False only when the owner is of this host and certainly gone."""
    host, pid, started = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return True
    try:
        process = psutil.Process(int(pid))
        # a killed process that its parent has not yet waited for does no more work
        return f"{process.create_time():.2f}" == started and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def finish(warehouse: Warehouse, batch_id: str, now: datetime) -> None:
    """Mark a batch done and drop its claim."""

    def changes(snapshot: Snapshot) -> list[Change]:
        batch = snapshot.read("SELECT * FROM batches WHERE batch_id = ?", [batch_id]).select(
            list(TABLES["batches"].schema)
        )
        done = batch.with_columns(
            pl.lit("done").alias("state"), pl.lit(now).cast(pl.Datetime("us", "UTC")).alias("finished_at")
        )
        keys = pl.DataFrame({"batch_id": [batch_id]})
        return [Upsert("batches", done), Delete("batch_claims", ("batch_id",), keys)]

    warehouse.commit(changes, message="finish batch")


def _count(rows: Rows) -> int:
    return int(rows.read("SELECT count(*) FROM batches").item())
