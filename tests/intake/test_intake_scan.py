"""What a scan makes of a folder: identity over changes, renames and returns; every file accounted for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from home_lab import HomeLab

from muniment.intake.sources import SourceError, declare_source
from muniment.processing.intake import sources_with_changes
from muniment.publication.scope import version_links


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[HomeLab]:
    made = HomeLab(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "papers"
    (target / "sub").mkdir(parents=True)
    (target / "a.txt").write_text("Alpha owns the pump.")
    (target / "sub" / "b.md").write_text("# Beta\n\nBeta runs the valve.")
    return target


def captures(lab: HomeLab) -> list[dict[str, object]]:
    return lab.warehouse.latest().read("SELECT * FROM captures ORDER BY opened_scan, path").to_dicts()


def held(lab: HomeLab) -> dict[str, str]:
    rows = lab.warehouse.latest().read("SELECT path, document_id FROM captures WHERE closed_scan IS NULL ORDER BY path")
    return dict(rows.rows())


def test_a_first_scan_captures_every_file_with_its_bytes(lab: HomeLab, folder: Path) -> None:
    report = lab.scan(folder)
    assert (report.files, report.changes, report.gone) == (2, {"new": 2}, 0)
    assert set(held(lab)) == {"a.txt", "sub/b.md"}
    rows = lab.warehouse.latest().read(
        "SELECT c.path, v.doc_type, v.version_no, o.size FROM captures c JOIN document_versions v USING (version_id) "
        "JOIN originals o ON o.sha256 = c.sha256 ORDER BY path"
    )
    assert rows.rows() == [("a.txt", "text", 1, 20), ("sub/b.md", "markdown", 1, 28)]
    assert len(report.batches) == 1


def test_a_second_scan_finds_nothing_and_makes_no_snapshot(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    before = lab.warehouse.latest().snapshot_id
    report = lab.scan(folder)
    assert report.unchanged == 2 and not report.changed_anything
    assert lab.warehouse.latest().snapshot_id == before


def test_a_touched_file_is_not_a_change(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    os.utime(folder / "a.txt", ns=(1, 1))
    assert sources_with_changes(lab.warehouse.latest(), lab.settings) == ["source"]
    report = lab.scan(folder)
    assert not report.changed_anything
    assert len(captures(lab)) == 2
    assert sources_with_changes(lab.warehouse.latest(), lab.settings) == []


def test_a_changed_file_is_a_new_version_of_the_same_document(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    before = held(lab)["a.txt"]
    (folder / "a.txt").write_text("Alpha sold the pump.")
    report = lab.scan(folder)
    assert report.changes == {"changed": 1}
    assert held(lab)["a.txt"] == before
    versions = lab.warehouse.latest().read(
        "SELECT version_no FROM document_versions WHERE document_id = ? ORDER BY 1", [before]
    )
    assert versions["version_no"].to_list() == [1, 2]


def test_a_reverted_file_returns_to_its_first_version_in_a_third_capture(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    (folder / "a.txt").write_text("Other words.")
    lab.scan(folder)
    (folder / "a.txt").write_text("Alpha owns the pump.")
    report = lab.scan(folder)
    assert report.changes == {"reverted": 1}
    assert report.batches == []  # its rows are there already
    at_a = [capture for capture in captures(lab) if capture["path"] == "a.txt"]
    assert [capture["closed_scan"] for capture in at_a] == [2, 3, None]
    assert at_a[0]["version_id"] == at_a[2]["version_id"] != at_a[1]["version_id"]


def test_a_renamed_file_keeps_its_document(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    before = held(lab)["a.txt"]
    (folder / "a.txt").rename(folder / "sub" / "renamed.txt")
    report = lab.scan(folder)
    assert report.changes == {"renamed": 1} and report.gone == 0
    assert held(lab) == {"sub/b.md": held(lab)["sub/b.md"], "sub/renamed.txt": before}
    assert captures(lab)[-1]["previous_path"] == "a.txt"


def test_what_comes_to_the_old_path_of_a_renamed_document_is_another_document(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    first = held(lab)["a.txt"]
    (folder / "a.txt").rename(folder / "moved.txt")
    lab.scan(folder)
    (folder / "a.txt").write_text("A new paper at the old place.")
    lab.scan(folder)
    assert held(lab)["moved.txt"] == first
    assert held(lab)["a.txt"] != first
    assert len(set(held(lab).values())) == 3


def test_a_copy_is_a_document_of_its_own_that_shares_the_stored_bytes(lab: HomeLab, folder: Path) -> None:
    shutil.copy(folder / "a.txt", folder / "copy.txt")
    lab.scan(folder)
    assert held(lab)["a.txt"] != held(lab)["copy.txt"]
    rows = lab.warehouse.latest()
    assert rows.table("originals").height == 2
    assert rows.table("document_versions").height == 3


def test_a_removed_file_closes_its_capture_and_its_return_reopens_the_document(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    document, content = held(lab)["a.txt"], (folder / "a.txt").read_bytes()
    (folder / "a.txt").unlink()
    report = lab.scan(folder)
    assert report.gone == 1 and "a.txt" not in held(lab)
    (folder / "a.txt").write_bytes(content)
    assert lab.scan(folder).changes == {"reappeared": 1}
    assert held(lab)["a.txt"] == document


def test_the_same_file_in_two_sources_is_two_documents_under_their_own_policies(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder, "open", policy="public")
    lab.scan(folder, "closed", policy="board")
    rows = lab.warehouse.latest().read("SELECT access_policy_id, count(*) FROM documents GROUP BY 1 ORDER BY 1")
    assert rows.rows() == [("board", 2), ("public", 2)]
    assert set(lab.warehouse.latest().table("policies")["access_policy_id"]) == {"board", "public"}


def test_links_and_pipes_are_refused_with_a_reason_and_never_opened(lab: HomeLab, folder: Path) -> None:
    (folder / "link.txt").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe.txt")
    report = lab.scan(folder)
    refused = {str(row["path"]): row["reason_code"] for row in captures(lab) if row["change"] == "refused"}
    assert refused == {"link.txt": "symlink_refused", "pipe.txt": "not_a_regular_file"}
    assert report.changes == {"new": 2, "refused": 2}
    assert not lab.scan(folder).changed_anything  # said once, not at every scan


def test_a_file_over_the_limit_is_refused_and_taken_once_the_limit_is_raised(tmp_path: Path, folder: Path) -> None:
    small = HomeLab(tmp_path / "small", {"intake": {"max_file_bytes": 25}})
    small.scan(folder)
    assert [row["reason_code"] for row in captures(small)] == [None, "file_too_large"]
    assert not small.scan(folder).changed_anything
    small.settings = small.settings.model_copy(
        update={"intake": small.settings.intake.model_copy(update={"max_file_bytes": 1000})}
    )
    assert small.scan(folder).changes == {"new": 1}
    assert set(held(small)) == {"a.txt", "sub/b.md"}
    small.close()


def test_a_file_rewritten_under_its_old_modification_time_is_noticed(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    before = (folder / "a.txt").stat()
    (folder / "a.txt").write_text("Alpha sold the pump.")  # as long as before
    os.utime(folder / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert lab.scan(folder).changes == {"changed": 1}


def test_documents_with_equal_bytes_are_linked_to_the_first_captured(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder, "first")
    lab.scan(folder, "second")
    links = version_links(lab.warehouse.latest()).filter(pl.col("kind") == "near_version_of")
    sources = dict(
        lab.warehouse.latest()
        .read("SELECT v.version_id, s.name FROM document_versions v JOIN documents USING (document_id) "
              "JOIN sources s USING (source_id)")
        .rows()
    )  # fmt: skip
    assert links.height == 2
    assert {
        (sources[row["from_version_id"]], sources[row["to_version_id"]]) for row in links.iter_rows(named=True)
    } == {("second", "first")}


def test_excluded_patterns_are_not_captured(lab: HomeLab, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    (folder / "~$draft.docx").write_text("lock file")
    lab.scan(folder)
    assert set(held(lab)) == {"a.txt", "sub/b.md"}


def test_an_unreachable_source_is_an_error_and_loses_nothing(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder)
    folder.rename(folder.with_name("unmounted"))
    with pytest.raises(SourceError, match="no such file or folder"):
        lab.scan(folder)
    assert len(held(lab)) == 2


def test_a_source_keeps_its_policy(lab: HomeLab, folder: Path) -> None:
    lab.scan(folder, "papers", policy="legal")
    with pytest.raises(SourceError, match="--source"):
        declare_source(lab.warehouse, "papers", folder, "public", lab.now)


def test_one_file_can_be_a_source(lab: HomeLab, folder: Path) -> None:
    report = lab.scan(folder / "a.txt", "one")
    assert report.files == 1 and set(held(lab)) == {"a.txt"}


def test_batches_respect_the_limit_and_hold_every_new_version_once(tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(7):
        (many / f"{number}.txt").write_text(f"Paper {number}.")
    lab = HomeLab(tmp_path / "home", {"intake": {"batch_documents": 3}})
    report = lab.scan(many)
    sizes = lab.warehouse.latest().read("SELECT batch_id, count(*) AS n FROM batch_members GROUP BY 1 ORDER BY 1")
    assert sizes["n"].to_list() == [3, 3, 1]
    assert sizes["batch_id"].to_list() == report.batches == sorted(report.batches)
    lab.close()
