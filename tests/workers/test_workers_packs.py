"""Small files share a child; what one of them does costs the others nothing but a second reading."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workers_support import read_all, reason

from muniment.settings import WorkerSettings
from muniment.workers.scheduling import packed
from muniment.workers.tasks import DocumentTask


@given(
    st.lists(st.tuples(st.integers(0, 200), st.booleans()), max_size=80),
    st.integers(1, 32),
    st.integers(0, 200),
)
def test_every_task_is_in_one_group_and_only_small_packable_ones_share(
    described: list[tuple[int, bool]], pack_files: int, pack_file_bytes: int
) -> None:
    tasks = [DocumentTask(str(number), "m:f", {}, size, may) for number, (size, may) in enumerate(described)]
    groups = [
        group.tasks for group in packed(tasks, WorkerSettings(pack_files=pack_files, pack_file_bytes=pack_file_bytes))
    ]
    assert sorted(int(task.key) for group in groups for task in group) == list(range(len(tasks)))
    assert all(len(group) <= pack_files for group in groups)
    assert all(task.packable and task.size <= pack_file_bytes for group in groups if len(group) > 1 for task in group)
    small = [task for task in tasks if task.packable and task.size <= pack_file_bytes]
    assert len(groups) == len(tasks) - len(small) + -(-len(small) // pack_files)


@pytest.mark.integration
def test_small_files_share_a_process_and_others_have_one_each(tmp_path: Path) -> None:
    documents: dict[str, str] = dict.fromkeys(("a", "b", "c", "d"), "process")
    _, together = read_all(tmp_path, documents, packable=True, processes=1)
    _, apart = read_all(tmp_path, documents, packable=False, processes=1)
    _, two_packs = read_all(tmp_path, documents, packable=True, processes=1, pack_files=2)
    assert len(set(together.values())) == 1
    assert len(set(apart.values())) > 1
    assert two_packs["a"] == two_packs["b"]
    assert two_packs["c"] == two_packs["d"]


@pytest.mark.integration
@pytest.mark.parametrize(
    ("behaviour", "code"),
    [("segfault", "reader_crashed"), ("refuse corrupt_file cut off", "corrupt_file"), ("loop", "time_limit")],
)
def test_a_failing_pack_is_read_again_one_by_one(tmp_path: Path, behaviour: str, code: str) -> None:
    good = {f"good{number:02d}": f"text {number}" for number in range(9)}
    outcomes, texts = read_all(tmp_path, {**good, "poison": behaviour}, packable=True, wall_seconds=1.5)
    assert texts == {f"good{number:02d}": f"{number}" for number in range(9)}
    assert reason(outcomes["poison"]) == code
    assert len(outcomes) == 10
