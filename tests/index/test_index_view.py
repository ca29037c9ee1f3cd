"""Published index folders stay as they were published, whatever readers do and however they end."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_index_contract import POINTS

from muniment.index.edge import EdgeReader, build_edge_index, index_digest
from muniment.index.files import copy_sparse, copy_tree, folder_digest
from muniment.index.port import Filter, IndexFolderError
from muniment.index.view import View, sweep

QUESTIONS = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from muniment.index.edge import EdgeReader
from muniment.index.port import Filter
from test_index_contract import make_points
reader = EdgeReader(Path(sys.argv[1]), Path(sys.argv[2]), exact_limit=20_000)
condition = Filter(policies=frozenset(["public", "board"]), held=True)
answers = []
for seed in range(20):
    question = make_points(1, seed)[0]
    answers.append([reader.dense(question.vector, condition, 10), reader.sparse(question.token_ids, condition, 10)])
print(json.dumps(answers), flush=True)
if sys.argv[4] == "wait":
    sys.stdin.read()
reader.close()
"""


@pytest.fixture
def published(tmp_path: Path) -> Path:
    build_edge_index(tmp_path / "published", POINTS, dimension=4)
    return tmp_path / "published"


def ask(published: Path, ending: str) -> subprocess.Popen[str]:
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", QUESTIONS, str(published), str(published.parent / "views"), here, ending]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_readers_change_nothing_and_agree(published: Path) -> None:
    before = index_digest(published)
    views = published.parent / "views"
    first, killed = ask(published, "close"), ask(published, "wait")
    answers = first.communicate()[0]
    assert killed.stdout is not None
    assert json.loads(killed.stdout.readline()) == json.loads(answers)
    assert len(json.loads(answers)[0][0]) == 10
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    killed.communicate()
    assert index_digest(published) == before
    assert len([path for path in views.iterdir() if path.is_dir()]) == 1  # what the killed one left
    with EdgeReader(published, views, exact_limit=10) as reader:
        assert reader.count(Filter()) == 300
        assert len([path for path in views.iterdir() if path.is_dir()]) == 1  # its own: the orphan is gone
    assert list(views.iterdir()) == []
    assert index_digest(published) == before


def test_a_view_in_use_is_not_swept(published: Path) -> None:
    views = published.parent / "views"
    view = View(published, views)
    assert sweep(views) == 0
    assert index_digest(view.folder) == index_digest(published)
    view.close()
    assert not view.folder.exists()


def test_views_share_the_files_of_the_published_folder(published: Path) -> None:
    view = View(published, published.parent / "views")
    shared = [path for path in view.folder.rglob("*") if path.is_file() and path.stat().st_nlink == 2]
    assert shared
    view.close()


def test_across_file_systems_a_view_is_a_copy(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    with EdgeReader(published, published.parent / "views", exact_limit=10) as reader:
        assert reader.count(Filter()) == 300
    assert all(path.stat().st_nlink == 1 for path in published.rglob("*") if path.is_file())


def test_the_next_index_shares_no_file_with_the_published_one(published: Path) -> None:
    before = index_digest(published)
    removed = [point.point_id for point in POINTS[:100]]
    target = published.parent / "next"
    build_edge_index(target, POINTS[:1], dimension=4, previous=published, removed=removed)
    assert index_digest(published) == before
    inodes = {path.stat().st_ino for path in published.rglob("*") if path.is_file()}
    assert not inodes & {path.stat().st_ino for path in target.rglob("*") if path.is_file()}
    with EdgeReader(target, published.parent / "views", exact_limit=10) as reader:
        assert reader.total() == len(POINTS) - 99


def test_a_write_into_a_published_folder_shows_in_its_digest(published: Path) -> None:
    before = index_digest(published)
    victim = max((path for path in published.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    with victim.open("r+b") as stream:
        stream.write(b"\xff")
    assert index_digest(published) != before


def test_loading_does_not_change_what_was_built(published: Path) -> None:
    """The engine rewrites its configuration on the first load; the builder has done that already."""
    copy = published.parent / "copy"
    copy_tree(published, copy)
    with EdgeReader(copy, published.parent / "views", exact_limit=10):
        pass
    assert index_digest(copy) == index_digest(published)


def test_a_damaged_folder_is_refused_and_leaves_no_view(tmp_path: Path) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "edge_config.json").write_text("{")
    with pytest.raises(IndexFolderError, match=r"damaged: cannot be loaded .*publish again"):
        EdgeReader(tmp_path / "damaged", tmp_path / "views", exact_limit=10)
    assert list((tmp_path / "views").iterdir()) == []


@pytest.mark.parametrize("layout", [[], [(0, 10)], [(5_000_000, 3)], [(0, 4096), (9_000_000, 70_000)]])
def test_sparse_copies_are_equal(tmp_path: Path, layout: list[tuple[int, int]]) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    with source.open("wb") as stream:
        for offset, length in layout:
            stream.seek(offset)
            stream.write(bytes(range(1, 256)) * (length // 255 + 1))
        stream.truncate(12_000_000)
    copy_sparse(source, target)
    assert target.read_bytes() == source.read_bytes()
    for name in ("sparse", "dense"):
        (tmp_path / name).mkdir()
    source.rename(tmp_path / "sparse" / "file")
    (tmp_path / "dense" / "file").write_bytes(target.read_bytes())
    assert folder_digest(tmp_path / "sparse") == folder_digest(tmp_path / "dense")
    source = tmp_path / "sparse" / "file"
    assert target.stat().st_blocks <= source.stat().st_blocks + 64
