"""The house keeps its shape: imports one way, names that clash with nothing, one code location, no telemetry."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("muniment", "resources", "assets", "checks", "pipelines")


def test_imports_run_one_way_and_the_domain_does_not_know_dagster() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_installed_distribution_ships_a_package_of_our_names() -> None:
    owners = metadata.packages_distributions()
    for package in (*PACKAGES, "tests"):
        assert set(owners.get(package, [])) <= {"muniment"}, package


@pytest.mark.parametrize("package", PACKAGES)
def test_our_packages_are_the_ones_of_this_checkout(package: str) -> None:
    module = __import__(package)
    assert module.__file__ is not None and Path(module.__file__).is_relative_to(ROOT)


def test_workspace_and_pyproject_name_one_code_location() -> None:
    workspace = yaml.safe_load((ROOT / "workspace.yaml").read_text())["load_from"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["dagster"]
    assert len(workspace) == 1
    assert workspace[0]["python_module"]["module_name"] == project["module_name"]
    assert workspace[0]["python_module"]["location_name"] == project["code_location_name"]


def test_lock_files_pin_every_package_with_hashes_and_name_no_index() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        assert "://" not in text and "--index" not in text and "--find-links" not in text
        requirements = re.split(r"\n(?=\S)", text.strip())
        assert len(requirements) > 100
        for requirement in requirements:
            assert re.match(r"^[A-Za-z0-9_.\-]+(\[[A-Za-z0-9, ]+\])?==\S+", requirement), requirement[:80]
            assert "--hash=sha256:" in requirement, requirement[:80]


_TELEMETRY = """
from muniment import cli  # sets the opt-outs before anything else is imported
from unstructured import utils
from checks.expectations import ephemeral_context
print("unstructured", utils._telemetry_opt_out())
print("gx", ephemeral_context().variables.analytics_enabled)
"""


def test_the_opt_outs_of_every_library_are_set_before_it_is_imported() -> None:
    from muniment.telemetry import OPT_OUTS

    clean = {name: value for name, value in os.environ.items() if name not in OPT_OUTS}
    done = subprocess.run([sys.executable, "-c", _TELEMETRY], env=clean, capture_output=True, text=True, check=True)
    answers = dict(line.split() for line in done.stdout.splitlines() if line.count(" ") == 1)
    assert answers == {"unstructured": "True", "gx": "False"}


def test_the_shipped_dagster_instance_has_telemetry_off_and_limits_runs() -> None:
    shipped = yaml.safe_load((ROOT / "muniment" / "dagster.yaml").read_text())
    assert shipped["telemetry"] == {"enabled": False}
    assert shipped["concurrency"]["runs"]["max_concurrent_runs"] == 1
    monitoring = shipped["run_monitoring"]
    assert monitoring["enabled"] and monitoring["max_runtime_seconds"] and monitoring["start_timeout_seconds"]
    assert monitoring["free_slots_after_run_end_seconds"]
    assert shipped["run_retries"]["retry_on_asset_or_op_failure"] is False
    assert shipped["retention"]


def test_the_embedded_index_engine_has_no_network_code_path_of_its_own() -> None:
    """qdrant-edge runs in the process; the client library, which could phone a server, is not installed."""
    installed = {name.lower() for name in (dist.metadata["Name"] for dist in metadata.distributions()) if name}
    assert "qdrant-edge-py" in installed
    assert "qdrant-client" not in installed


def test_no_source_file_promises_later_work() -> None:
    words = re.compile(r"\b(TODO|FIXME|XXX|raise NotImplementedError)\b")
    found = [
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if words.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_modules_stay_small() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if (count := path.read_text(encoding="utf-8").count("\n")) > 450
    }
    assert long == {}
