"""The Dagster instance of a home: its configuration file, and storages made before any service starts.

Webserver and daemon starting together on a fresh instance race for its tables; opening each storage
once here ends that.
"""

from __future__ import annotations

import os
import shutil
from importlib.resources import as_file, files

import dagster as dg

from muniment.home import Home


def prepare_instance(home: Home) -> dg.DagsterInstance:
    """The instance of a home, made at first use; DAGSTER_HOME points to it from here on."""
    target = home.dagster / "dagster.yaml"
    home.dagster.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not target.exists():
        with as_file(files("muniment") / "dagster.yaml") as shipped:
            shutil.copyfile(shipped, target)
    os.environ["DAGSTER_HOME"] = str(home.dagster)
    instance = dg.DagsterInstance.from_config(str(home.dagster))
    instance.get_run_ids(limit=1)
    instance.all_instigator_state()
    instance.get_asset_keys(limit=1)
    return instance
