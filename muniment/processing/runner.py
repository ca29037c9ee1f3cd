"""Taking a batch through one local stage: pending versions in groups, each group one transaction.

A killed run loses at most the group in hand. A version whose recorded key is already right is left
alone, so a second run does nothing twice.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from muniment.intake.batches import claimed, members
from muniment.loss.ledger import Entry, Ledger
from muniment.processing.context import RunContext
from muniment.processing.local_stages import STAGES, UPSTREAM, Frames, LocalStage, StageKeys
from muniment.processing.status import DONE, expected_key, status_of
from muniment.reason_codes import reason
from muniment.stages import Outcome, StageOutput
from muniment.store.changes import Change, Replace, Upsert
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

Row = Mapping[str, Any]

_log = logging.getLogger(__name__)


@dataclass
class StageCounts:
    """What a stage did with a batch: versions by state, rows by table."""

    versions: int = 0
    unchanged: int = 0
    states: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Work:
    version: Row
    key: str
    attempts: int


def run_stage(context: RunContext, batch_id: str, stage_name: str) -> StageCounts:
    """Run one stage over the batch's versions and commit; returns the counts.

    Raises BatchClaimed when another run works on the batch.
    """
    stage = STAGES[stage_name]
    batch = members(context.warehouse.latest(), batch_id)
    counts = StageCounts(versions=batch.height)
    pending, skipped = _pending(context, stage, batch, counts)
    if skipped:
        _commit(context, batch_id, stage, skipped, _skip(stage, skipped), counts)
    done = counts.unchanged + len(skipped)
    context.progress(stage_name, done, batch.height)
    size = _group_size(context, stage, len(pending))
    for start in range(0, len(pending), size):
        group = pending[start : start + size]
        _commit(context, batch_id, stage, group, _run_group(context, stage, batch, group), counts)
        done += len(group)
        context.progress(stage_name, done, batch.height)
    return counts


def _group_size(context: RunContext, stage: LocalStage, pending: int) -> int:
    return max(1, min(context.settings.pipeline.commit_versions, pending))


def _pending(
    context: RunContext, stage: LocalStage, batch: pl.DataFrame, counts: StageCounts
) -> tuple[list[_Work], list[_Work]]:
    """Versions to run and versions whose upstream left nothing to read."""
    status = status_of(context.warehouse.latest(), batch["version_id"])
    keys = StageKeys(context.settings)
    pending: list[_Work] = []
    skipped: list[_Work] = []
    for version in batch.iter_rows(named=True):
        known = status.get(version["version_id"], {})
        recorded = known.get(stage.name)
        key = expected_key(stage.name, version, known, keys)
        attempts = int(recorded["attempts"]) if recorded and recorded["stage_key"] == key else 0
        if key is None:
            work = _Work(version, "upstream_failed", attempts)
            if recorded is not None and recorded["stage_key"] == work.key:
                counts.unchanged += 1
            else:
                skipped.append(work)
        elif recorded is not None and recorded["stage_key"] == key and not _retry(recorded, context):
            counts.unchanged += 1
        else:
            pending.append(_Work(version, key, attempts))
    return pending, skipped


def _retry(recorded: Row, context: RunContext) -> bool:
    return (
        recorded["state"] in ("failed", "partial")
        and recorded["transient"] == "yes"
        and int(recorded["attempts"]) < context.settings.pipeline.max_attempts
    )


def _run_group(context: RunContext, stage: LocalStage, batch: pl.DataFrame, group: list[_Work]) -> StageOutput:
    wanted = pl.DataFrame({"version_id": [work.version["version_id"] for work in group]})
    versions = batch.join(wanted, on="version_id", how="semi").sort("version_id")
    frames = _inputs(context.warehouse.latest(), stage, wanted)
    try:
        return stage.run(context, versions, frames)
    except Exception as error:  # noqa: BLE001 - the boundary of a document
        if len(group) == 1:
            # one document must not end the run; the reason stands in its status row and in the log
            return _failed(stage, group[0], error)
        outputs = [_run_group(context, stage, batch, [work]) for work in group]
        return _joined(outputs)


def _inputs(rows: Rows, stage: LocalStage, wanted: pl.DataFrame) -> Frames:
    return {
        name: rows.read(f"SELECT t.* FROM {name} t JOIN wanted USING (version_id)", frames={"wanted": wanted})
        .select(list(TABLES[name].schema))
        .cast(TABLES[name].schema)
        .sort(TABLES[name].key)
        for name in stage.inputs
    }


def _failed(stage: LocalStage, work: _Work, error: Exception) -> StageOutput:
    detail = f"{type(error).__name__} at {_place(error)}"
    _log.error("stage %s failed for version %s: %s", stage.name, work.version["version_id"], detail)
    outcome = Outcome(str(work.version["version_id"]), "failed", "stage_error", detail)
    ledger = Ledger(stage.name)
    ledger.close(outcome.version_id, "documents", expected=1, actual=0, entries=[Entry("stage_error", 1, {}, detail)])
    return StageOutput(ledger.frames(), [outcome])


def _place(error: Exception) -> str:
    trace = error.__traceback__
    place = "unknown"
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "?")
        place = f"{module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _skip(stage: LocalStage, skipped: list[_Work]) -> StageOutput:
    upstream = " or ".join(UPSTREAM[stage.name])
    return StageOutput(
        {},
        [
            Outcome(str(work.version["version_id"]), "skipped", "upstream_failed", f"{upstream} has no result")
            for work in skipped
        ],
    )


def _joined(outputs: list[StageOutput]) -> StageOutput:
    names = sorted({name for output in outputs for name in output.tables})
    tables = {name: pl.concat([output.tables[name] for output in outputs if name in output.tables]) for name in names}
    for name in names:
        if TABLES[name].kind == "recorded":  # documents with equal texts share an answer
            tables[name] = tables[name].unique(TABLES[name].key, keep="first", maintain_order=True)
    return StageOutput(tables, [outcome for output in outputs for outcome in output.outcomes])


def _commit(
    context: RunContext,
    batch_id: str,
    stage: LocalStage,
    group: list[_Work],
    output: StageOutput,
    counts: StageCounts,
) -> None:
    """Replace the group's rows of the stage, its books and its status in one transaction."""
    _check_outcomes(stage, group, output)
    now = context.clock()
    version_ids = pl.DataFrame({"version_id": [work.version["version_id"] for work in group]})
    stage_keys = version_ids.with_columns(pl.lit(stage.name).alias("stage"))
    changes: list[Change] = [
        Replace(name, output.tables.get(name, TABLES[name].empty()), ("version_id",), version_ids)
        for name in stage.tables
    ]
    changes += [
        Replace(name, output.tables.get(name, TABLES[name].empty()), ("version_id", "stage"), stage_keys)
        for name in ("stage_books", "losses")
    ]
    changes += [Upsert(name, output.tables[name]) for name in stage.recorded if name in output.tables]
    changes.append(Upsert("stage_status", _status_frame(context, batch_id, stage, group, output, now)))
    seconds = context.settings.pipeline.claim_seconds
    context.warehouse.commit(
        lambda rows: [claimed(rows, batch_id, context.run_id, now, seconds), *changes], message=stage.name
    )
    counts.states.update(outcome.state for outcome in output.outcomes)
    counts.rows.update({name: output.tables[name].height for name in stage.tables if name in output.tables})


def _check_outcomes(stage: LocalStage, group: list[_Work], output: StageOutput) -> None:
    expected = sorted(str(work.version["version_id"]) for work in group)
    reported = sorted(outcome.version_id for outcome in output.outcomes)
    if expected != reported:
        raise RuntimeError(f"stage {stage.name} reports {len(reported)} outcomes for {len(expected)} versions")
    unknown = [name for name in output.tables if name not in {*stage.tables, *stage.recorded, "stage_books", "losses"}]
    if unknown:
        raise RuntimeError(f"stage {stage.name} returns tables that are not its own: {unknown}")


def _status_frame(
    context: RunContext, batch_id: str, stage: LocalStage, group: list[_Work], output: StageOutput, now: Any
) -> pl.DataFrame:
    works = {str(work.version["version_id"]): work for work in group}
    rows = []
    for outcome in sorted(output.outcomes, key=lambda outcome: outcome.version_id):
        work = works[outcome.version_id]
        transient = outcome.reason_code is not None and reason(outcome.reason_code).transient
        # a stage's output is a function of its key, so the key may stand for it
        output_digest = (outcome.output_digest or work.key) if outcome.state in DONE else None
        rows.append(
            {
                "version_id": outcome.version_id,
                "stage": stage.name,
                "stage_key": work.key,
                "state": outcome.state,
                "reason_code": outcome.reason_code,
                "detail": outcome.detail,
                "output_digest": output_digest,
                "attempts": work.attempts + 1,
                "transient": "yes" if transient else "no",
                "batch_id": batch_id,
                "run_id": context.run_id,
                "isolation": outcome.isolation,
                "wall_seconds": outcome.wall_seconds,
                "updated_at": now,
            }
        )
    return TABLES["stage_status"].frame(rows)
