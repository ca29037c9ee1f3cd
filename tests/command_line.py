"""Running the command line on a home as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def muniment(
    home: Path, *arguments: str, timeout: float = 280.0, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line on a home as a user would."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("MUNIMENT_", "DAGSTER_HOME"))
    }
    return subprocess.run(
        [str(Path(sys.executable).parent / "muniment"), "--home", str(home), *arguments],
        env={**inherited, **(environment or {})}, capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip
