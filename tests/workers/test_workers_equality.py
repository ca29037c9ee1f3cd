"""The backend and the number of processes change no result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from workers_support import read_all, reason

pytestmark = pytest.mark.integration


def test_inline_one_and_two_workers_packed_or_not_read_the_same(tmp_path: Path) -> None:
    documents = {
        **{f"good{number:02d}": f"text {'x' * number}" for number in range(12)},
        "refused": "refuse corrupt_file cut off",
        "raises": "raise anything",
        "nothing": "nothing",
    }
    readings = []
    ways: list[tuple[bool, dict[str, Any]]] = [
        (False, {"backend": "inline"}),
        (False, {"processes": 1}),
        (False, {"processes": 2}),
        (True, {"processes": 2}),
        (True, {"processes": 1, "pack_files": 4}),
    ]
    for packable, changes in ways:
        outcomes, texts = read_all(tmp_path, documents, packable=packable, **changes)
        reasons = {key: (reason(one), getattr(one, "detail", None)) for key, one in sorted(outcomes.items())}
        readings.append((reasons, texts))
    assert readings[0][0]["refused"] == ("corrupt_file", "cut off")
    assert len(readings[0][1]) == 12
    assert all(reading == readings[0] for reading in readings[1:])
