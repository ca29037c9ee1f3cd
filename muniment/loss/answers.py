"""The loss report as an answer: typed, and printed as a table."""

from __future__ import annotations

import html
from typing import Any

from pydantic import BaseModel, ConfigDict

from muniment.loss.report import text_loss_by_type
from muniment.store.rows import Rows


class TypeLoss(BaseModel):
    """One document type: what was received and what became of it. Shares are of the text expected.

    `set_aside` are marks of the format and second bodies that say the same; `lost_explained` has a reason.
    """

    model_config = ConfigDict(frozen=True)

    doc_type: str
    received: int
    indexed: int
    partial: int
    not_indexed: int
    characters_expected: int | None
    characters_kept: int | None
    set_aside: float | None
    lost_explained: float | None
    lost_unexplained: float | None
    worst_decile: float | None
    top_reasons: list[str] | None


class StageLoss(BaseModel):
    """One row of loss_by_type."""

    model_config = ConfigDict(frozen=True)

    doc_type: str
    stage: str
    unit: str
    documents: int
    affected: int
    expected: int
    actual: int
    explained: int
    unexplained: int
    set_aside: int
    loss_ratio: float
    worst_decile_ratio: float
    worst_version_id: str | None
    top_reasons: list[str]
    gate: str


class LossAnswer(BaseModel):
    """The report: by type, and by type, stage and unit."""

    model_config = ConfigDict(frozen=True)

    by_type: list[TypeLoss]
    by_stage: list[StageLoss]
    review_items: int

    @property
    def gate(self) -> str:
        """The worst gate of all rows: ok, warn or error."""
        found = {row.gate for row in self.by_stage}
        return "error" if "error" in found else "warn" if "warn" in found else "ok"

    def __str__(self) -> str:
        rows = [_HEADER, *(_cells(row) for row in self.by_type)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, f"{self.review_items} items to review (muniment review); gate: {self.gate}"])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in _HEADER)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row)) + "</tr>" for row in self.by_type
        )
        return f"<table><tr>{head}</tr>{body}</table>"


_HEADER = [
    "type", "received", "indexed", "partial", "not indexed", "text expected", "kept", "set aside", "lost",
    "unexplained", "worst decile", "reasons",
]  # fmt: skip


def _cells(row: TypeLoss) -> list[str]:
    def number(value: int | None) -> str:
        return "" if value is None else f"{value:,}"

    def share(value: float | None) -> str:
        return "" if value is None else f"{100 * value:.2f} %"

    return [
        row.doc_type,
        *(number(value) for value in (row.received, row.indexed, row.partial, row.not_indexed)),
        number(row.characters_expected),
        number(row.characters_kept),
        share(row.set_aside),
        share(row.lost_explained),
        share(row.lost_unexplained),
        share(row.worst_decile),
        ", ".join(row.top_reasons or []),
    ]


def loss_answer(rows: Rows) -> LossAnswer:
    """Read the report of a generation."""
    by_stage: list[dict[str, Any]] = rows.table("loss_by_type").to_dicts()
    return LossAnswer(
        by_type=[TypeLoss(**row) for row in text_loss_by_type(rows).iter_rows(named=True)],
        by_stage=[StageLoss(**row) for row in by_stage],
        review_items=rows.table("review_items", ["item_id"]).height,
    )


class ReviewItem(BaseModel):
    """One item of the review queue, with the file that it is about."""

    model_config = ConfigDict(frozen=True)

    item_id: str
    kind: str
    severity: str
    source: str
    path: str
    document_id: str | None
    version_id: str | None
    reason_code: str
    detail: str
    advice: str


class ReviewAnswer(BaseModel):
    """The review queue, worst first."""

    model_config = ConfigDict(frozen=True)

    items: list[ReviewItem]

    def __str__(self) -> str:
        lines = [f"{len(self.items)} items to review"]
        for item in self.items:
            lines += [
                f"{item.severity:<9}{f'{item.source}: {item.path}' if item.document_id else 'entities'}",
                f"         {item.reason_code}: {item.detail}",
                *([f"         -> {item.advice}"] if item.advice != "none" else []),
            ]
        return "\n".join(lines)


_REVIEW = """
SELECT r.item_id, r.kind, r.severity, coalesce(s.name, '') AS source, coalesce(c.path, d.first_path, '') AS path,
       r.document_id, r.version_id, r.reason_code, r.detail, r.advice
FROM review_items r
LEFT JOIN documents d ON d.document_id = r.document_id
LEFT JOIN sources s ON s.source_id = d.source_id
LEFT JOIN (SELECT version_id, arg_max(path, (closed_scan IS NULL, opened_scan, path)) AS path
           FROM captures GROUP BY version_id) c ON c.version_id = r.version_id
ORDER BY list_position(['critical', 'major', 'minor', 'info'], r.severity), source, path, r.reason_code, r.item_id
"""


def review_answer(rows: Rows) -> ReviewAnswer:
    """Read the review queue of a generation."""
    return ReviewAnswer(items=[ReviewItem(**row) for row in rows.read(_REVIEW).iter_rows(named=True)])
