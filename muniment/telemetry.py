"""Nothing phones home: every dependency's telemetry is switched off before the dependency is imported.

The variables are set for this process and inherited by all that it starts.
"""

from __future__ import annotations

import os

#: What each library reads, and the value that switches it off.
OPT_OUTS = {
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "DAGSTER_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def switch_off() -> None:
    """Set every opt-out; an operator's own value that also switches off stays."""
    for name, value in OPT_OUTS.items():
        os.environ[name] = value
