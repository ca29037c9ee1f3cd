"""Originals are kept byte for byte, once, and what cannot be kept says why."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.store import originals
from muniment.store.originals import FileRefused, OriginalDamaged, OriginalStore

LIMIT = 10_000_000


def files_under(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def store(tmp_path: Path) -> OriginalStore:
    return OriginalStore(tmp_path / "originals")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    contents=st.lists(
        st.binary(max_size=300) | st.binary(min_size=1, max_size=3).map(lambda b: b * 700_000), max_size=5
    )
)
def test_every_content_is_kept_once_and_comes_back(tmp_path: Path, contents: list[bytes]) -> None:
    store = OriginalStore(tmp_path / "property")
    source = tmp_path / "source.bin"
    for content in [*contents, *contents]:
        before = len(files_under(store.folder))
        source.write_bytes(content)
        expected = hashlib.sha256(content).hexdigest()
        known = store.verify(expected)
        stored = store.put(source, max_bytes=LIMIT)
        assert (stored.sha256, stored.size, stored.new) == (expected, len(content), not known)
        assert len(files_under(store.folder)) == before + (not known)
        with store.open(expected) as file:
            assert file.read() == content
        assert store.verify(expected)
        assert source.read_bytes() == content


def test_where_an_original_stands_and_that_nobody_may_write_it(store: OriginalStore, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"abc")
    stored = store.put(tmp_path / "a.txt", max_bytes=3)
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, "abc"
    assert store.path(stored.sha256) == store.folder / "ba" / "78" / digest
    assert stat.S_IMODE(store.path(digest).stat().st_mode) in {0o400, 0o440}
    assert files_under(store.folder) == [store.path(digest)]


def test_a_second_put_leaves_the_stored_file_alone(store: OriginalStore, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"same")
    first = store.path(store.put(tmp_path / "a", max_bytes=LIMIT).sha256).stat()
    again = store.put(tmp_path / "b", max_bytes=LIMIT)
    second = store.path(again.sha256).stat()
    assert (again.new, second.st_ino, second.st_mtime_ns) == (False, first.st_ino, first.st_mtime_ns)


def test_names_of_any_bytes_can_be_stored(store: OriginalStore, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 \n'.txt"))
    path.write_bytes(b"content")
    assert store.put(path, max_bytes=LIMIT).size == 7


def _symlink(path: Path) -> None:
    (path.parent / "target").write_bytes(b"secret")
    path.symlink_to(path.parent / "target")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))


REFUSED = {
    "symlink": (_symlink, "symlink_refused"),
    "dangling symlink": (lambda path: path.symlink_to("nowhere"), "symlink_refused"),
    "folder": (Path.mkdir, "not_a_regular_file"),
    "fifo": (os.mkfifo, "not_a_regular_file"),
    "socket": (_socket, "not_a_regular_file"),
    "vanished": (lambda path: None, "changing_file"),
    "too large": (lambda path: path.write_bytes(b"x" * 101), "file_too_large"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_readable_file_is_refused_with_its_reason(
    store: OriginalStore, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    make, code = REFUSED[kind]
    path = Path("refused")
    make(path)
    with pytest.raises(FileRefused, match="refused") as refusal:
        store.put(path, max_bytes=100)
    assert refusal.value.reason_code == code
    assert files_under(store.folder) == []


def test_a_device_is_refused(store: OriginalStore) -> None:
    with pytest.raises(FileRefused) as refusal:
        store.put(Path("/dev/zero"), max_bytes=LIMIT)
    assert refusal.value.reason_code == "not_a_regular_file"


def test_a_file_without_permission_is_refused(store: OriginalStore, tmp_path: Path) -> None:
    path = tmp_path / "locked"
    path.write_bytes(b"x")
    path.chmod(0)
    code = (
        "import os, sys; from pathlib import Path; from muniment.store.originals import *\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try: OriginalStore(Path('unused')).put(Path(sys.argv[1]), max_bytes=9)\n"
        "except FileRefused as refusal: print(refusal.reason_code)"
    )
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    ran = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "unreadable_file", ran.stderr


@pytest.mark.parametrize("change", ["grow", "shrink", "rewrite"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    store: OriginalStore, tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "busy"
    path.write_bytes(b"a" * 3_000_000)
    os.utime(path, ns=(0, 0))
    read = os.read
    changes = {
        "grow": lambda: path.open("ab").write(b"more"),
        "shrink": lambda: os.truncate(path, 5),
        "rewrite": lambda: path.write_bytes(b"b" * 3_000_000),
    }

    def interrupted(descriptor: int, size: int) -> bytes:
        """The other program writes after the first block was read."""
        block = read(descriptor, size)
        if pending:
            changes[pending.pop()]()
        return block

    pending = [change]
    monkeypatch.setattr(originals.os, "read", interrupted)
    with pytest.raises(FileRefused) as refusal:
        store.put(path, max_bytes=LIMIT)
    assert refusal.value.reason_code == "changing_file"
    assert files_under(store.folder) == []


def test_a_damaged_original_is_found_and_not_overwritten(store: OriginalStore, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content")
    stored = store.put(tmp_path / "a", max_bytes=LIMIT)
    path = store.path(stored.sha256)
    path.chmod(0o600)
    path.write_bytes(b"con")
    assert not store.verify(stored.sha256)
    with pytest.raises(OriginalDamaged, match="3 bytes instead of 7"):
        store.put(tmp_path / "a", max_bytes=LIMIT)
    assert path.read_bytes() == b"con"


def test_what_is_not_stored(store: OriginalStore) -> None:
    absent = hashlib.sha256(b"absent").hexdigest()
    assert not store.verify(absent)
    with pytest.raises(FileNotFoundError):
        store.open(absent)
    for name in ("../../etc/passwd", absent.upper(), absent[:-1], absent + "\n"):
        with pytest.raises(ValueError, match="not a sha256"):
            store.path(name)


def test_many_at_once_store_equal_bytes_once(store: OriginalStore, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"z" * 200_000)
    barrier = threading.Barrier(6)
    new: list[bool] = []

    def put() -> None:
        barrier.wait()
        new.append(store.put(source, max_bytes=LIMIT).new)

    threads = [threading.Thread(target=put) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == [False] * 5 + [True]
    assert len(files_under(store.folder)) == 1


def test_drafts_of_killed_processes_are_cleaned_and_those_in_use_are_not(store: OriginalStore, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"q" * 100_000)
    code = (
        "import os, signal, sys; from pathlib import Path; from muniment.store import originals\n"
        "read = os.read\n"
        "def dying(*a):\n    read(*a); os.kill(os.getpid(), signal.SIGKILL)\n"
        "originals.os.read = dying\n"
        "originals.OriginalStore(Path(sys.argv[1])).put(Path(sys.argv[2]), max_bytes=10**9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(store.folder), str(tmp_path / "big")], check=False)
    assert killed.returncode == -9
    assert len(files_under(store.folder)) == 1
    with store._draft() as (draft, _):
        assert store.clean() == 1
        assert files_under(store.folder) == [draft]
    assert (store.clean(), files_under(store.folder)) == (0, [])
    assert store.put(tmp_path / "big", max_bytes=LIMIT).new
    assert store.clean() == 0
