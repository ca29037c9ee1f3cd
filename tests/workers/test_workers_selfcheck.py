"""The self-check tries the real walls and says which do not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.workers import selfcheck
from muniment.workers.selfcheck import Trial, try_walls

pytestmark = pytest.mark.integration


def test_all_walls_hold_here_and_nothing_is_left(tmp_path: Path) -> None:
    trials = try_walls(tmp_path / "work")
    assert [(trial.name, trial.observed) for trial in trials if not trial.good] == []
    assert len(trials) == 5
    assert list((tmp_path / "work").iterdir()) == []


def test_a_wall_that_does_not_hold_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roomy = selfcheck._LIMITS.model_copy(update={"output_bytes": 1024**3})
    monkeypatch.setattr(selfcheck, "_LIMITS", roomy)
    broken = [trial for trial in try_walls(tmp_path) if not trial.good]
    assert [(trial.name, trial.expected, trial.observed) for trial in broken] == [
        ("the output limit holds", "output_limit", "read")
    ]
    assert isinstance(broken[0], Trial)
