"""Every asset check passes on a sound home and fails when what it watches is broken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest
from home_lab import HomeLab

from checks.registry import CHECKS
from muniment.claims.gold import gold_result
from muniment.settings import load_settings
from muniment.store.changes import Append, Change, Delete, Upsert
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES
from pipelines.definitions import ASSETS
from resources.muniment import MunimentResource

PARTITIONED = tuple(check for check in CHECKS for spec in check.check_specs if spec.partitions_def is not None)
WHOLE = tuple(check for check in CHECKS if check not in PARTITIONED)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    base = tmp_path_factory.mktemp("sound")
    folder = base / "papers"
    folder.mkdir()
    (folder / "a.md").write_text(
        "# Pumps\n\nAnna Berg owns the Main Pump. The Main Pump feeds the Archive. See section 3.1.\n\n"
        "| part | weight |\n|---|---|\n| rotor | 12 kg |\n"
    )
    (folder / "b.txt").write_text(
        "Carl Dunn does not own the Main Pump. The Archive depends on the Main Pump.\n\nDora Fox owns the Main Pump.\n"
    )
    (folder / "c.html").write_text(
        "<p>The Control Room watches the Main Pump by day. The Night Desk watches the Main Pump after ten. "
        "The Service Team repairs the Main Pump. The Service Team reports each repair to the Control Room, "
        "and the Control Room writes it into the Archive before the next shift of the Night Desk begins.</p>"
        "<p>The Night Desk need not stop the Main Pump. The Night Desk shall not, must not, should not, will not and "
        "may not repair the Main Pump. It can call the Service Team.</p>"
    )
    lab = HomeLab(base / "home", {"workers": {"backend": "inline"}})
    report = lab.scan(folder)
    lab.process()
    lab.publish()
    lab.close()
    return base / "home", report.batches[0]


def run_checks(home: Path, batch: str, tmp_path: Path) -> dict[str, bool]:
    """Run every check on a home; name → passed."""
    found: dict[str, bool] = {}
    tmp_path.mkdir(exist_ok=True)
    with dg.instance_for_test(temp_dir=str(tmp_path)) as instance:
        instance.add_dynamic_partitions("ingest_batches", [batch])
        for name, checks, partition in (("batch", PARTITIONED, batch), ("whole", WHOLE, None)):
            keys = [spec.key for check in checks for spec in check.check_specs]
            defs = dg.Definitions(
                assets=list(ASSETS),
                asset_checks=list(checks),
                jobs=[dg.define_asset_job(name, selection=dg.AssetSelection.checks(*keys))],
                resources={"muniment": MunimentResource(home=str(home))},
                executor=dg.in_process_executor,
            )
            result = defs.resolve_job_def(name).execute_in_process(
                instance=instance,
                # a job of checks alone has no partitions of its own; the tag is what a partitioned run carries
                tags={"dagster/partition": partition} if partition else {},
                raise_on_error=False,
            )
            found |= {evaluation.check_name: evaluation.passed for evaluation in result.get_asset_check_evaluations()}
    return found


def row_of(warehouse: Warehouse, table: str, where: str = "TRUE", **changed: Any) -> pl.DataFrame:
    """One row of a table with some columns replaced."""
    frame = warehouse.latest().read(f"SELECT * FROM {table} WHERE {where} ORDER BY ALL LIMIT 1")
    assert frame.height == 1, f"{table} has no row to break"
    schema = TABLES[table].schema
    return frame.with_columns(
        pl.lit(value).cast(schema[name]).alias(name) for name, value in changed.items()
    ).select(list(schema)).cast(schema)  # fmt: skip


def breakages(warehouse: Warehouse) -> list[Change]:
    """One breakage for each check."""

    def upsert(table: str, where: str = "TRUE", **changed: Any) -> Change:
        return Upsert(table, row_of(warehouse, table, where, **changed))

    def loss(stage: str) -> Change:
        version = warehouse.latest().read("SELECT version_id FROM extractions ORDER BY 1 LIMIT 1").item()
        row = {
            "loss_id": f"loss-{stage}", "version_id": version, "stage": stage, "unit": "chars",
            "reason_code": "text_missing", "amount": 9, "severity": "critical", "locator": "{}", "detail": "",
        }  # fmt: skip
        return Append("losses", TABLES["losses"].frame([row]))

    def book(stage: str) -> Change:
        row = row_of(warehouse, "stage_books", f"stage = '{stage}'")
        return Upsert("stage_books", row.with_columns(pl.col("expected") + 1))

    changes: list[Change] = []
    for stage in ("structured_extraction", "annotations", "chunks", "contextualized_chunks", "entities"):
        changes += [loss(stage), book(stage)]
    changes += [
        # references that lead nowhere: local stages
        upsert("elements", "kind = 'paragraph'", extraction_id="nowhere"),
        upsert("unit_references", extraction_id="nowhere", text="another word"),
        upsert("chunks", parent_unit_id="nowhere", text="not the slice"),
        upsert("chunk_contexts", chunk_id="nowhere"),
        upsert("claims", subject_mention_id="nowhere"),
        # text that is not the slice
        upsert("table_cells", text="changed"),
        upsert("claim_evidence", quote="changed"),
        # intake
        upsert("documents", source_id="nowhere"),
        upsert("captures", version_id=None, reason_code=None, capture_id="silent"),
        # global stages
        upsert("aliases", entity_id="nowhere"),
        upsert("stage_books", "stage = 'merged_graph'", expected=99),
        upsert("community_members", community_id="nowhere", entity_id="nobody", level=7),
        Delete("community_members", ("level",), pl.DataFrame({"level": [0]}, schema={"level": pl.Int64})),
        upsert("index_points", "kind = 'entity'", text_digest="nowhere"),
        Delete("index_points", ("kind",), pl.DataFrame({"kind": ["chunk"]})),
        upsert("loss_by_type", gate="error"),
        upsert("relationships", weight=0.0),
        Delete(
            "entity_mentions",
            ("version_id",),
            warehouse.latest().read("SELECT version_id FROM document_versions WHERE doc_type = 'html'"),
        ),
        Append(
            "community_members",
            TABLES["community_members"].frame(
                [{"view_id": "operator", "entity_id": f"alone-{number}", "level": -1} for number in range(99)]
            ),
        ),
        # two owners in two documents, and no conflict says so
        Delete("conflicts", ("basis",), pl.DataFrame({"basis": ["value"]})),
        upsert("published_ids", present_entity_id="nowhere"),
    ]
    return changes


@pytest.mark.integration
def test_every_check_passes_on_a_sound_home(sound: tuple[Path, str], tmp_path: Path) -> None:
    home, batch = sound
    found = run_checks(home, batch, tmp_path)
    assert set(found) == {spec.name for check in CHECKS for spec in check.check_specs}
    assert [name for name, passed in found.items() if not passed] == []


@pytest.mark.integration
def test_every_check_fails_when_what_it_watches_is_broken(sound: tuple[Path, str], tmp_path: Path) -> None:
    home, batch = sound
    broken = tmp_path / "broken"
    shutil.copytree(home, broken)
    kept = broken / "work" / "gold"
    gold_result(load_settings({"home": broken}), kept)
    (file,) = kept.glob("gold-claims-*.json")
    file.write_text(json.dumps({"expected": 9, "found": 1, "missed": [], "forbidden": []}), encoding="utf-8")
    warehouse = Warehouse.open(broken / "warehouses" / "w000001")
    warehouse.commit(breakages(warehouse))
    warehouse.close()
    found = run_checks(broken, batch, tmp_path / "instance")
    assert set(found) == {spec.name for check in CHECKS for spec in check.check_specs}
    assert [name for name, passed in found.items() if passed] == []


@pytest.mark.integration
def test_a_table_of_another_shape_is_found(sound: tuple[Path, str]) -> None:
    from muniment.loss.integrity import schema_findings
    from muniment.store.rows import FrameRows

    rows = FrameRows({"chunks": TABLES["chunks"].empty().drop("text")})
    assert [finding.table for finding in schema_findings(rows, ["chunks", "claims"])] == ["chunks"]
