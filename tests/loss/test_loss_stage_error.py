"""A stage that raises for a version leaves a loss and a closed book, not only a status."""

from __future__ import annotations

from pathlib import Path

import pytest
from home_lab import HomeLab

from muniment.extraction import stage
from muniment.loss.reconciliation import reconcile


def test_an_error_of_a_stage_is_a_loss_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text("Some words here.\n")

    def broken(*arguments: object) -> None:
        raise ValueError("secret words of the document")

    monkeypatch.setattr(stage, "extract", broken)
    lab = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    try:
        lab.scan(source)
        lab.process()
        rows = lab.warehouse.latest()
        (loss,) = rows.table("losses").to_dicts()
        assert (loss["stage"], loss["unit"], loss["reason_code"]) == (stage.STAGE, "documents", "stage_error")
        assert "ValueError" in loss["detail"] and "secret" not in loss["detail"]
        (book,) = rows.table("stage_books").to_dicts()
        assert (book["expected"], book["actual"], book["explained"], book["unexplained"]) == (1, 0, 1, 0)
        assert reconcile(rows, stage.STAGE).passed
    finally:
        lab.close()
