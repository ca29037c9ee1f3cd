"""The loss report and its gate: unread documents count in their own unit and nowhere else."""

from __future__ import annotations

import polars as pl
import pytest

from muniment.loss.ledger import Entry, Ledger
from muniment.loss.report import loss_by_type
from muniment.settings import LossSettings
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

STAGE = "structured_extraction"


def report(doc_type: str, read: int, unread: int, settings: LossSettings | None = None) -> dict[str, dict[str, object]]:
    """Rows of the report by unit, for documents of one type of which some could not be read."""
    ledger = Ledger(STAGE)
    for number in range(read + unread):
        version_id = f"v{number:02d}"
        if number < read:
            ledger.close(version_id, "documents", expected=1, actual=1)
            ledger.close(version_id, "chars_visible", expected=100, actual=100)
        else:
            entry = Entry("corrupt_file", 1, {}, "damaged")
            ledger.close(version_id, "documents", expected=1, actual=0, entries=[entry])
    shared = {"document_id": "d", "sha256": "s", "size": 1, "version_no": 1, "doc_type": doc_type}
    versions = [{**shared, "version_id": f"v{number:02d}", "name": "file"} for number in range(read + unread)]
    frames = {**ledger.frames(), "document_versions": pl.DataFrame(versions)}
    rows = loss_by_type(FrameRows(frames), settings or LossSettings())
    assert rows.schema == TABLES["loss_by_type"].schema
    return {row["unit"]: row for row in rows.iter_rows(named=True)}


@pytest.mark.parametrize(
    ("doc_type", "read", "unread", "gate"),
    [
        ("pdf", 10, 0, "ok"),
        ("pdf", 9, 1, "warn"),
        ("pdf", 5, 5, "warn"),  # half is not more than half
        ("pdf", 4, 5, "error"),
        ("pdf", 0, 4, "warn"),  # four documents say nothing about a type
        ("pdf", 0, 5, "error"),
        ("unsupported", 0, 9, "warn"),  # no reader was there to fail
    ],
)
def test_unread_documents_of_a_type_warn_and_fail_the_gate_by_their_share(
    doc_type: str, read: int, unread: int, gate: str
) -> None:
    row = report(doc_type, read, unread)["documents"]
    assert row["gate"] == gate
    assert (row["documents"], row["expected"], row["actual"]) == (read + unread, read + unread, read)
    assert (row["explained"], row["unexplained"], row["affected"]) == (unread, 0, unread)
    assert row["top_reasons"] == ([f"corrupt_file={unread}"] if unread else [])


def test_unread_documents_are_no_loss_of_another_unit() -> None:
    row = report("pdf", 4, 5)["chars_visible"]
    assert (row["gate"], row["documents"], row["loss_ratio"]) == ("ok", 4, 0.0)


def test_the_share_of_unread_documents_is_a_setting() -> None:
    assert report("pdf", 9, 1, LossSettings(gate_failed_share=0.05))["documents"]["gate"] == "error"
