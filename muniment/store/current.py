"""CURRENT: the one small file that says what is published. Everything else is repaired from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from muniment.home import Home
from muniment.ids import digest
from muniment.store.files import write_durably

_FORMAT = "muniment-current-1"

#: The folder of a home that has published nothing yet.
_FIRST_WAREHOUSE = "w000001"


class CurrentError(ValueError):
    """CURRENT cannot be used; the message names the file and what to do."""


@dataclass(frozen=True)
class Current:
    """The published generation. `warehouse` and `index` are names of folders under the home's own folders."""

    warehouse: str
    snapshot_id: int
    generation_id: str
    index: str


def read_current(home: Home) -> Current | None:
    """What is published; None when nothing has been.

    Raises CurrentError when the file is not one that `swap_current` wrote, whole.
    """
    try:
        content = home.current.read_bytes()
    except FileNotFoundError:
        return None
    try:
        fields = json.loads(content)
        if fields["format"] != _FORMAT:
            raise CurrentError(f"{home.current}: of another format; use the program that wrote it")
        current = Current(**fields["current"])
        if fields["digest"] != _digest(current):
            raise ValueError("its digest does not fit")
        _check(current)
    except CurrentError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise CurrentError(
            f"{home.current}: torn or not written by Muniment ({error}); "
            "restore it from a backup, or remove it and publish again"
        ) from error
    return current


def swap_current(home: Home, current: Current) -> None:
    """Publish: replace CURRENT as a whole. Raises CurrentError for names that are no plain folder names."""
    try:
        _check(current)
    except ValueError as error:
        raise CurrentError(f"{home.current}: not written, {error}") from error
    fields = {"format": _FORMAT, "current": asdict(current), "digest": _digest(current)}
    write_durably(home.current, (json.dumps(fields, indent=1, sort_keys=True) + "\n").encode())


def warehouse_folder(home: Home) -> Path:
    """The warehouse that CURRENT names, or the first one when nothing is published."""
    current = read_current(home)
    return home.warehouses / (current.warehouse if current else _FIRST_WAREHOUSE)


def _digest(current: Current) -> str:
    return digest(_FORMAT, asdict(current))


def _check(current: Current) -> None:
    """A published file must not lead out of the home."""
    for name in (current.warehouse, current.index):
        if not isinstance(name, str) or name in {"", ".", ".."} or Path(name).name != name:
            raise ValueError(f"{name!r} is not the name of a folder")
    if not isinstance(current.snapshot_id, int) or isinstance(current.snapshot_id, bool) or current.snapshot_id < 0:
        raise ValueError(f"{current.snapshot_id!r} is not a snapshot id")
    if not isinstance(current.generation_id, str) or not current.generation_id:
        raise ValueError(f"{current.generation_id!r} is not a generation id")
