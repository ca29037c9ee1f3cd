"""Ingesting in one process: worker processes outlive runs, and nothing pending loads no orchestrator."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from home_lab import HomeLab

from muniment.ingestion import plan_and_look
from muniment.processing.context import kept_workers, run_context

_SECOND_CALL = """
import sys
from typer.testing import CliRunner
from muniment.cli import app
done = CliRunner().invoke(app, ["--home", sys.argv[1], "ingest", sys.argv[2], "--source", "examples"])
assert "no run launched" in done.output, done.output
print([name for name in ("dagster", "great_expectations", "spacy", "onnxruntime") if name in sys.modules])
"""


def test_a_call_with_nothing_new_launches_no_run_and_loads_no_orchestrator(
    ingested_home: Path, example_corpus: Path
) -> None:
    arguments = [sys.executable, "-c", _SECOND_CALL, str(ingested_home), str(example_corpus)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=280)
    assert done.stdout.strip() == "[]", done.stderr


def test_what_waits_is_said_before_anything_is_started(tmp_path: Path) -> None:
    lab = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    try:
        assert not plan_and_look(lab.home, lab.settings).anything
        source = tmp_path / "source"
        source.mkdir()
        (source / "a.txt").write_text("The pump feeds the boiler.")
        lab.scan(source)
        waiting = plan_and_look(lab.home, lab.settings)
        # the scan has taken the file in and planned it; its failure or success is to be published
        assert (waiting.sources, len(waiting.batches), waiting.publication) == ([], 1, True)
        (source / "b.txt").write_text("The boiler heats the hall.")
        assert plan_and_look(lab.home, lab.settings).sources == ["source"]
    finally:
        lab.close()


def test_runs_share_kept_workers_and_others_have_their_own(tmp_path: Path) -> None:
    lab = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    other = HomeLab(tmp_path / "other", {"workers": {"backend": "inline"}})
    try:
        with kept_workers(lab.home, lab.settings) as kept:
            with lab.run() as first:
                pool = first.pool
            with lab.run() as second, kept_workers(lab.home, lab.settings) as inner:
                assert second.pool is pool
                assert second.executor is kept.executor
                assert inner is kept
            with other.run() as elsewhere:
                assert elsewhere.workers is not kept
            assert list(pool.map(str, [1])) == ["1"], "a run that ends leaves kept workers open"
        with run_context(lab.home, lab.settings, lab.warehouse, "later") as later:
            assert later.workers is not kept
    finally:
        lab.close()
        other.close()
