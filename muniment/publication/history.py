"""The generations that can still be read, newest first: what expiry and clean-up must keep."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict

from muniment.home import Home
from muniment.store.current import Current
from muniment.store.files import write_durably

_FILE = "HISTORY"


def read_history(home: Home) -> list[Current]:
    """Recorded generations, newest first; empty before the first publication."""
    path = home.root / _FILE
    if not path.is_file():
        return []
    return [Current(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def remember(home: Home, current: Current, keep: int) -> list[Current]:
    """Put `current` first and keep the newest `keep` entries of its warehouse; returns them."""
    others = [
        entry
        for entry in read_history(home)
        if entry.generation_id != current.generation_id and entry.warehouse == current.warehouse
    ]
    kept = [current, *others][:keep]
    content = json.dumps([asdict(entry) for entry in kept], indent=1) + "\n"
    write_durably(home.root / _FILE, content.encode())
    return kept


def remove_old_indexes(home: Home, kept: list[Current]) -> list[str]:
    """Delete index folders that no kept generation names; open readers keep their own links."""
    wanted = {entry.index for entry in kept}
    removed = []
    for folder in sorted(home.indexes.iterdir()):
        if folder.is_dir() and folder.name not in wanted:
            shutil.rmtree(folder)
            removed.append(folder.name)
    return removed
