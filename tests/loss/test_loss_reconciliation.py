"""Reconciliation of extraction: a missing book and a recount that differs are found; a failed counter is no bug."""

from __future__ import annotations

import polars as pl

from muniment.loss.ledger import Entry, Ledger
from muniment.loss.reconciliation import reconcile
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

STAGE = "structured_extraction"
WANTED = pl.DataFrame({"version_id": ["v"]})
DONE = pl.DataFrame({"version_id": ["v"], "stage": [STAGE], "state": ["ok"]})
READ = pl.DataFrame({"version_id": ["v"], "extraction_id": ["x"]})


def test_a_version_without_a_book_of_its_text_is_missing_unless_its_counter_failed() -> None:
    ledger = Ledger(STAGE)
    ledger.close("v", "documents", expected=1, actual=1)
    frames = {"stage_status": DONE, "extractions": READ}
    assert reconcile(FrameRows({**frames, **ledger.frames()}), STAGE, WANTED).missing == ["v"]

    ledger.lose("v", "documents", Entry("counter_failed", 1))
    assert reconcile(FrameRows({**frames, **ledger.frames()}), STAGE, WANTED).passed


def test_documents_and_cells_are_recounted() -> None:
    texts = pl.DataFrame({"version_id": ["v"] * 3, "text": ["a", " \u00a0", "7"]})
    cells = pl.concat([TABLES["table_cells"].empty(), texts], how="diagonal")
    for actual, differing in ((2, []), (3, ["v"])):
        ledger = Ledger(STAGE)
        ledger.close("v", "documents", expected=1, actual=1)
        ledger.close("v", "cells", expected=actual, actual=actual)
        rows = FrameRows({"extractions": READ, "table_cells": cells, **ledger.frames()})
        assert reconcile(rows, STAGE, WANTED).recount_differs == differing

    unread = Ledger(STAGE)
    unread.close("v", "documents", expected=1, actual=1)
    assert reconcile(FrameRows(unread.frames()), STAGE, WANTED).recount_differs == ["v"]
