"""CURRENT names what is published, as a whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.home import Home
from muniment.store.current import Current, CurrentError, read_current, swap_current, warehouse_folder

FIRST = Current("w000001", 12, "000001-abc", "i000001")
SECOND = Current("w000002", 3, "000002-def", "i000002")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


def test_nothing_is_published_in_a_new_home(home: Home) -> None:
    assert read_current(home) is None
    assert warehouse_folder(home) == home.root / "warehouses" / "w000001"


def test_what_was_swapped_in_last_is_published_and_nothing_else_is_left(home: Home) -> None:
    before = {path.name for path in home.root.iterdir()}
    for current in (FIRST, SECOND):
        swap_current(home, current)
        assert read_current(home) == current
    assert warehouse_folder(home) == home.root / "warehouses" / "w000002"
    assert {path.name for path in home.root.iterdir()} == before | {"CURRENT"}


def test_every_torn_or_altered_file_is_an_error_that_names_it(home: Home) -> None:
    swap_current(home, FIRST)
    whole = home.current.read_bytes()
    torn = [whole[:length] for length in range(len(whole) - 1)]
    altered = [whole.replace(b"12", b"13"), whole.replace(b"w000001", b"w000002"), b"w000001\n", b"[]", b"\xff"]
    for content in [*torn, *altered]:
        home.current.write_bytes(content)
        with pytest.raises(CurrentError, match="CURRENT: torn or not written by Muniment"):
            read_current(home)
    home.current.write_bytes(whole)
    assert read_current(home) == FIRST


def test_another_format_is_refused(home: Home) -> None:
    swap_current(home, FIRST)
    fields = json.loads(home.current.read_text()) | {"format": "muniment-current-2"}
    home.current.write_text(json.dumps(fields))
    with pytest.raises(CurrentError, match="another format"):
        read_current(home)


@pytest.mark.parametrize("name", ["", ".", "..", "../elsewhere", "/etc", "a/b"])
def test_a_pointer_out_of_the_home_is_never_written(home: Home, name: str) -> None:
    swap_current(home, FIRST)
    for wrong in (Current(name, 1, "g", "i"), Current("w", 1, "g", name)):
        with pytest.raises(CurrentError, match="not the name of a folder"):
            swap_current(home, wrong)
    assert read_current(home) == FIRST
