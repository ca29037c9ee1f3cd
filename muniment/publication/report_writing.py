"""Reports of communities by a model, on request: who may be asked, within the publication's budget, what is recorded.

The extractive report serves until a model's stands. A rebuild writes the same reports from the recorded answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from muniment.graph.model_reports import (
    PURPOSE,
    Material,
    Written,
    check_answer,
    materials,
    read_report,
    report_request,
)
from muniment.models.egress import CLASSIFICATION_FIELDS, Decision, DocumentClass
from muniment.models.request import Answer
from muniment.processing.context import RunContext
from muniment.store.changes import Change, Upsert
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

_HIDDEN = " UNION ".join(
    f'SELECT t.extraction_id, t.start, t."end" FROM {table} t '
    "JOIN generation_versions g USING (version_id) WHERE g.held AND t.hidden"
    for table in ("elements", "table_cells")
)


@dataclass(slots=True)
class ModelReports:
    """Reports of all communities, what is to be committed with them, and counts for the asset's metadata.

    Counts: `reports_by_model`, `reports_waiting` (beyond the budget), `reports_rejected` (answers without a sentence
    that its quotes bear out), `reports_failed` (no answer), `reports_denied` (egress); `report_sentences_refused` of
    the answers used or rejected. Reasons are in model_answers and egress_decisions.
    """

    reports: pl.DataFrame
    changes: list[Change] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


def model_reports(
    context: RunContext,
    rows: Rows,
    extractive: pl.DataFrame,
    communities: pl.DataFrame,
    claims: pl.DataFrame,
    claim_evidence: pl.DataFrame,
) -> ModelReports:
    """Put a model's report in the place of the extractive one wherever there is one, asked now or before.

    Nothing is changed where `models.reports` is off. Never raises for what an endpoint does.
    """
    if not context.settings.models.reports:
        return ModelReports(extractive)
    shown = visible(claim_evidence, rows.read(_HIDDEN))
    listed = [item for item in materials(extractive, communities, claims, shown) if item.claims]
    gateway = context.gateway
    wanted = {claim.version_id for item in listed for claim in item.claims}
    decisions = gateway.decide(_documents(rows, wanted, context.settings.egress.withhold), PURPOSE)
    requests = [report_request(item, allowed=_allowed(item, decisions)) for item in listed]
    base = context.settings.endpoint.answer_digest()
    chosen = _chosen(context, rows, [item.digest(base) if item.allowed else None for item in requests])
    asked = [(listed[place], requests[place]) for place in chosen]
    answers = gateway.ask([request for _, request in asked], check_answer)
    written = [_written(item, answer) for (item, _), answer in zip(asked, answers, strict=True)]
    denied = sum(not item.allowed for item in requests)
    unusable = {
        answer.request_digest: result.reason_code
        for answer, result in zip(answers, written, strict=True)
        if result is not None and result.reason_code is not None
    }
    recorded = _with_verdicts(gateway.answer_rows(item.request_digest for item in answers), unusable)
    return ModelReports(
        _replaced(extractive, [(item, result) for (item, _), result in zip(asked, written, strict=True)], context),
        [
            Upsert("model_answers", recorded),
            Upsert("egress_decisions", gateway.decision_rows(decisions.values(), PURPOSE)),
        ],
        {
            "reports_by_model": sum(item is not None and item.reason_code is None for item in written),
            "reports_waiting": len(listed) - len(asked) - denied,
            "reports_rejected": sum(
                answer.state == "rejected" or answer.request_digest in unusable for answer in answers
            ),
            "reports_failed": sum(answer.state == "failed" for answer in answers),
            "reports_denied": denied,
            "report_sentences_refused": sum(item.refused.total() for item in written if item is not None),
        },
    )


def visible(claim_evidence: pl.DataFrame, hidden: pl.DataFrame) -> pl.DataFrame:
    """Evidence that touches no hidden text: that is not sent to a model."""
    spans = hidden.rename({"start": "hidden_start", "end": "hidden_end"})
    touching = claim_evidence.join(spans, on="extraction_id").filter(
        (pl.col("start") < pl.col("hidden_end")) & (pl.col("hidden_start") < pl.col("end"))
    )
    return claim_evidence.join(touching, on=["claim_id", "start", "end"], how="anti")


def _documents(rows: Rows, version_ids: set[str], withhold: tuple[str, ...]) -> list[DocumentClass]:
    """What egress rules see of the versions; of several stated classifications one that withholds."""
    wanted = {"wanted": pl.DataFrame({"version_id": sorted(version_ids)}, schema={"version_id": pl.String})}
    found = rows.read(
        "SELECT DISTINCT e.version_id, d.access_policy_id, e.doc_type FROM extractions e "
        "JOIN wanted USING (version_id) JOIN documents d USING (document_id) ORDER BY ALL",
        frames=wanted,
    )
    stated = rows.read(
        "SELECT m.version_id, m.field, m.value FROM extracted_metadata m JOIN wanted USING (version_id) "
        "ORDER BY m.version_id, m.field, m.ordinal",
        frames=wanted,
    ).filter(pl.col("field").is_in(CLASSIFICATION_FIELDS))
    keeps = {word.casefold() for word in withhold}
    classes: dict[str, str] = {}
    for version_id, _, value in stated.iter_rows():
        if version_id not in classes or " ".join(value.casefold().split()) in keeps:
            classes[version_id] = value
    return [
        DocumentClass(version_id, policy, doc_type, classes.get(version_id))
        for version_id, policy, doc_type in found.iter_rows()
    ]


def _allowed(material: Material, decisions: dict[str, Decision]) -> bool:
    """Whether every document that the community's claims come from may leave."""
    return all(claim.version_id in decisions and decisions[claim.version_id].allowed for claim in material.claims)


def _chosen(context: RunContext, rows: Rows, keys: list[str | None]) -> list[int]:
    """Places of the requests whose answers are used: all recorded ones, and new ones as the budget allows.

    Those never asked come first, then those that failed before, so that one that always fails keeps none waiting.
    A rebuild takes what is recorded, failures too.
    """
    known = rows.read(
        "SELECT request_digest, state FROM model_answers JOIN wanted USING (request_digest)",
        frames={"wanted": pl.DataFrame({"request_digest": sorted({key for key in keys if key})}, _KEY)},
    )
    states = dict(known.select("request_digest", "state").iter_rows())
    if context.replay:
        used = set(states)
    else:
        used = {key for key, state in states.items() if state != "failed"}
        new = dict.fromkeys(key for key in keys if key is not None and key not in used)
        used.update(sorted(new, key=lambda key: key in states)[: context.settings.models.reports_per_publication])
    return [place for place, key in enumerate(keys) if key in used]


_KEY = {"request_digest": pl.String}


def _written(material: Material, answer: Answer) -> Written | None:
    return read_report(material, answer.data) if answer.state == "accepted" and answer.data is not None else None


def _with_verdicts(recorded: pl.DataFrame, unusable: dict[str, str]) -> pl.DataFrame:
    """Rows of model_answers; an answer without a usable sentence is recorded as rejected, with the reason."""
    if not unusable:
        return recorded
    verdicts = pl.DataFrame(
        {"request_digest": list(unusable), "verdict": list(unusable.values())}, {**_KEY, "verdict": pl.String}
    )
    refused = pl.col("verdict").is_not_null()
    return (
        recorded.join(verdicts, on="request_digest", how="left", maintain_order="left")
        .with_columns(
            pl.when(refused).then(pl.lit("rejected")).otherwise("state").alias("state"),
            pl.coalesce("verdict", "reason_code").alias("reason_code"),
        )
        .drop("verdict")
    )


def _replaced(
    extractive: pl.DataFrame, written: list[tuple[Material, Written | None]], context: RunContext
) -> pl.DataFrame:
    """The reports with those of the model in place; the digest stays that of the extractive material."""
    made = {item.community_id: result for item, result in written if result is not None and not result.reason_code}
    table = TABLES["community_reports"]
    rows = [
        {
            **row,
            "title": result.title,
            "report": result.report,
            "method": context.settings.endpoint.model,
            "claim_ids": result.claim_ids,
        }
        if (result := made.get(row["community_id"]))
        else row
        for row in extractive.iter_rows(named=True)
    ]
    return table.frame(rows).sort(table.key)
