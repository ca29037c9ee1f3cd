"""An entry that tells what its process was given by the fork server."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from muniment.workers import preloading


def look(payload: dict[str, Any], output: Path) -> None:
    """Write environment variables, loaded modules and the state of the preload."""
    state = preloading._state
    output.write_text(
        json.dumps(
            {
                "environment": {name: os.environ.get(name) for name in payload["names"]},
                "loaded": sorted(set(payload["modules"]) & set(sys.modules)),
                "prepared": state is not None and state.problem is None,
                "server": state.pid if state is not None else None,
                "warm": getattr(sys.modules.get("muniment.extraction.preload"), "WARM", False),
                "temporary": os.environ.get("TMPDIR", ""),
            }
        )
    )
