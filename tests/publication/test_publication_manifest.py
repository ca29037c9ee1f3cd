"""Manifest and review queue: everything received has one row, and what is wrong with it in words one can act on."""

from __future__ import annotations

from pathlib import Path

import pytest
from home_lab import HomeLab

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40


@pytest.mark.integration
def test_every_capture_has_its_row_and_a_reason_where_it_is_not_indexed(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "good.md").write_text("# Pumps\n\nAnna Berg owns the Main Pump.\n")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "picture.docx").write_bytes(PNG)
    (folder / "link.txt").symlink_to(folder / "good.md")
    (folder / "gone.txt").write_text("Carl Dunn owns the Main Valve.\n")
    lab = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    lab.ingest(folder)
    (folder / "gone.txt").unlink()
    lab.ingest(folder)
    rows = lab.warehouse.latest().read("SELECT path, held, state, reason_code, detail FROM manifest ORDER BY path")
    found = {row["path"]: row for row in rows.iter_rows(named=True)}
    assert {path: (row["held"], row["state"], row["reason_code"]) for path, row in found.items()} == {
        "good.md": (True, "indexed", None),
        "empty.txt": (True, "not_indexed", "empty_file"),
        "picture.docx": (True, "not_indexed", "unsupported_type"),
        "link.txt": (True, "not_indexed", "symlink_refused"),
        "gone.txt": (False, "indexed", None),
    }
    assert "png" in str(found["picture.docx"]["detail"]).lower()
    items = lab.warehouse.latest().read("SELECT reason_code, detail, advice FROM review_items ORDER BY reason_code")
    assert {row["reason_code"] for row in items.iter_rows(named=True)} >= {"empty_file", "unsupported_type"}
    assert all(row["advice"] for row in items.iter_rows(named=True))
    # an unread file is one thing to look at, not two
    assert items["reason_code"].to_list().count("empty_file") == 1
    lab.close()


@pytest.mark.integration
def test_a_text_under_the_wrong_name_is_read_by_its_content_and_put_up_for_review(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "letter.docx").write_text("Anna Berg owns the Main Pump. The Main Pump feeds the Archive.\n")
    lab = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    lab.ingest(folder)
    rows = lab.warehouse.latest()
    state, doc_type = rows.read("SELECT state, doc_type FROM manifest").row(0)
    kinds = set(rows.table("review_items")["kind"])
    assert (state, doc_type, "misnamed_file" in kinds) == ("indexed", "text", True)
    lab.close()
