"""Same recorded rows, same derived rows: whatever the order of events, of files, or of workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from home_lab import HomeLab

from muniment.publication.rebuild import rebuild
from muniment.store.digests import combined, content_digests

INLINE: dict[str, Any] = {"workers": {"backend": "inline"}}

PAPERS = {
    "gateway.md": "# Gateway\n\nAnna Berg owns the Telemetry Gateway. The Telemetry Gateway (TGW) feeds the Archive.\n",
    "policy.md": (
        "---\ntitle: Access Policy\neffective_date: 2026-01-01\n---\n\n# Access\n\nSuppliers must not access the TGW.\n"
    ),
    "register.csv": "system,owner\nTelemetry Gateway,Anna Berg\nArchive,Carl Dunn\n",
    "note.txt": "The Archive depends on the Telemetry Gateway. It stores 340 readings.\n",
    "broken.docx": "this is no archive",
}


def write(folder: Path, papers: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in papers.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.integration
def test_after_a_change_a_rename_a_removal_and_a_return_a_rebuild_gives_the_same_rows(tmp_path: Path) -> None:
    folder = write(tmp_path / "papers", PAPERS)
    lab = HomeLab(tmp_path / "home", INLINE)
    first = lab.ingest(folder)
    (folder / "note.txt").write_text("The Archive no longer depends on the Telemetry Gateway.\n")
    (folder / "gateway.md").rename(folder / "systems.md")
    (folder / "register.csv").unlink()
    second = lab.ingest(folder)
    (folder / "note.txt").write_text(PAPERS["note.txt"])
    third = lab.ingest(folder)
    assert len({first.content_digest, second.content_digest, third.content_digest}) == 3
    result = rebuild(lab.home, lab.settings, keep=False)
    assert result.differing == []
    assert result.digest == third.content_digest
    assert [path.name for path in lab.home.warehouses.iterdir()] == ["w000001"]
    lab.close()


@pytest.mark.integration
def test_a_rebuild_that_is_kept_becomes_the_published_generation(tmp_path: Path) -> None:
    lab = HomeLab(tmp_path / "home", INLINE)
    published = lab.ingest(write(tmp_path / "papers", PAPERS))
    result = rebuild(lab.home, lab.settings, keep=True)
    assert result.equal and result.published
    from muniment.store.current import read_current

    current = read_current(lab.home)
    assert current is not None and current.warehouse == "w000002"
    assert result.digest == published.content_digest
    lab.close()


@pytest.mark.integration
def test_files_written_in_another_order_and_read_by_isolated_workers_give_the_same_rows(tmp_path: Path) -> None:
    plain = HomeLab(tmp_path / "one", INLINE)
    plain.ingest(write(tmp_path / "papers", PAPERS))
    backwards = dict(reversed(list(PAPERS.items())))
    two = HomeLab(tmp_path / "two", {"workers": {"backend": "forkserver", "processes": 2}})
    two.ingest(write(tmp_path / "other", backwards))
    assert plain.digests() == two.digests()
    plain.close()
    two.close()


_CHILD = """
import sys
from pathlib import Path
from home_lab import HomeLab
lab = HomeLab(Path(sys.argv[2]), {"workers": {"backend": "inline"}})
print(lab.ingest(Path(sys.argv[1])).content_digest)
"""


@pytest.mark.integration
def test_the_hash_seed_of_the_process_changes_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "papers", PAPERS)
    digests = set()
    for seed in ("1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])}
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(folder), str(tmp_path / seed)],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        digests.add(done.stdout.split()[-1])
    assert len(digests) == 1


@pytest.mark.integration
def test_a_second_ingest_of_the_same_files_changes_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "papers", PAPERS)
    lab = HomeLab(tmp_path / "home", INLINE)
    first = lab.ingest(folder)
    again = lab.ingest(folder)
    assert not again.new and again.current == first.current
    lab.close()


@pytest.mark.integration
def test_a_removed_document_leaves_no_held_rows_and_the_rest_as_if_it_had_never_been(tmp_path: Path) -> None:
    """build(A + B) with B gone equals build(A) in what is held: entities, relationships, communities."""
    folder = write(tmp_path / "papers", PAPERS)
    both = HomeLab(tmp_path / "both", INLINE)
    both.ingest(folder)
    (folder / "register.csv").unlink()
    both.ingest(folder)
    rest = {name: text for name, text in PAPERS.items() if name != "register.csv"}
    alone = HomeLab(tmp_path / "alone", INLINE)
    alone.ingest(write(tmp_path / "rest", rest))
    left, right = content_digests(both.warehouse.latest()), content_digests(alone.warehouse.latest())
    for table in ("canonical_entities", "entity_mentions", "aliases", "relationships", "conflicts", "communities"):
        assert left[table] == right[table], table
    assert combined(left) != combined(right)  # the removed version stays among all versions
    both.close()
    alone.close()


@pytest.mark.integration
def test_changed_settings_reprocess_what_they_touch_and_nothing_before_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "papers", PAPERS)
    lab = HomeLab(tmp_path / "home", INLINE)
    lab.ingest(folder)
    before = lab.digests()
    runs = dict(
        lab.warehouse.latest()
        .read("SELECT stage, any_value(run_id) FROM stage_status WHERE state = 'ok' GROUP BY 1")
        .rows()
    )
    lab.settings = lab.settings.model_copy(
        update={"chunking": lab.settings.chunking.model_copy(update={"target_tokens": 20, "max_tokens": 30})}
    )
    lab.process()
    lab.publish()
    after = lab.digests()
    again = dict(
        lab.warehouse.latest()
        .read("SELECT stage, any_value(run_id) FROM stage_status WHERE state = 'ok' GROUP BY 1")
        .rows()
    )
    assert before["chunks"] != after["chunks"]
    assert before["extractions"] == after["extractions"] and before["claims"] == after["claims"]
    assert again["structured_extraction"] == runs["structured_extraction"]
    assert again["entities"] == runs["entities"]
    assert again["chunks"] != runs["chunks"]
    lab.close()


@pytest.mark.integration
def test_after_a_change_of_settings_the_older_result_stays_published_until_it_is_made_anew(tmp_path: Path) -> None:
    lab = HomeLab(tmp_path / "home", INLINE)
    first = lab.ingest(write(tmp_path / "papers", PAPERS))
    before = lab.digests()["chunks"]
    lab.settings = lab.settings.model_copy(
        update={"chunking": lab.settings.chunking.model_copy(update={"target_tokens": 20, "max_tokens": 30})}
    )
    early = lab.publish()
    assert early.versions == first.versions > 0
    assert lab.digests()["chunks"] == before
    lab.process()
    late = lab.publish()
    assert late.versions == first.versions
    assert lab.digests()["chunks"] != before
    lab.close()
