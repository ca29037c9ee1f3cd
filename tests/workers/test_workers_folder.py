"""Nothing stays in the work folder, however the reading ends; and nothing of others is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workers_support import BARE, MARK, marked, mock_tasks, read_all, settings, wait_until

from muniment.workers.executor import open_executor
from muniment.workers.folder import own_folder
from muniment.workers.tasks import explain

_DOCUMENTS = {"a": "text a", "b": "segfault", "c": "fork\ntext c", "d": "write 3000000", "e": "text e"}


@pytest.mark.integration
@pytest.mark.parametrize("backend", ["inline", "forkserver"])
def test_no_leftovers_after_a_full_reading(tmp_path: Path, backend: str) -> None:
    documents = _DOCUMENTS if backend == "forkserver" else {"a": "text a", "r": "raise x"}
    read_all(tmp_path, documents, backend=backend)
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.integration
def test_a_caller_that_stops_in_the_middle_leaves_neither_processes_nor_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, str(tmp_path))
    flag = tmp_path / "running"
    tasks = mock_tasks(tmp_path / "documents", {"good": "text x", "long": f"fork\ntouch {flag}\nloop"})

    def read() -> None:
        with open_executor(settings(wall_seconds=300.0, cpu_seconds=300), tmp_path / "work", BARE) as executor:
            for key, _ in executor.map(tasks):
                assert key == "good"
                assert wait_until(flag.exists, 30)
                assert len(marked(str(tmp_path))) >= 4  # server, child, reader, its descendant
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read()
    assert list((tmp_path / "work").iterdir()) == []
    # multiprocessing's resource tracker is not ours: it ends with this process
    assert wait_until(lambda: not _readers(str(tmp_path)), 5), _readers(str(tmp_path))


def _readers(mark: str) -> list[int]:
    return [pid for pid in marked(mark) if b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_an_executor_removes_what_a_killed_run_left_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "documents-dead").mkdir()
    (tmp_path / "documents-dead" / "000001-00").write_text("text of a document")
    (tmp_path / "documents-dead.lock").touch()
    (tmp_path / "other").mkdir()
    with own_folder(tmp_path) as living:
        (living / "kept").touch()
        with own_folder(tmp_path) as second:
            assert second != living
            assert (living / "kept").exists()
        assert (living / "kept").exists()
        assert not (tmp_path / "documents-dead").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_a_folder_that_a_reader_closed_to_us_is_removed(tmp_path: Path) -> None:
    with own_folder(tmp_path) as folder:
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "a" / "b" / "file").touch()
        (folder / "a" / "b").chmod(0)
        (folder / "a").chmod(0)
    assert list(tmp_path.iterdir()) == []


@given(st.sampled_from([ValueError, KeyError, RuntimeError]), st.text(min_size=4))
def test_no_message_of_an_error_gets_into_a_detail(kind: type[Exception], message: str) -> None:
    quoted = f"«{message}»"
    try:
        try:
            raise kind(quoted)
        except kind as error:
            raise RuntimeError(quoted) from error
    except RuntimeError as error:
        code, detail = explain(error)
    assert code == "reader_error"
    assert "«" not in detail


def test_a_memory_limit_is_not_hidden_by_the_error_that_a_reader_makes_of_it() -> None:
    try:
        try:
            raise MemoryError
        except MemoryError as error:
            raise ValueError("corrupt") from error
    except ValueError as error:
        assert explain(error)[0] == "memory_limit"
