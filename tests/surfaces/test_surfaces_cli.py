"""The command line as a user meets it: one process a question, exit codes, JSON for programs, errors in one line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest
from command_line import muniment

from muniment.api import Muniment
from muniment.home import Home
from muniment.store.changes import Upsert
from muniment.store.current import read_current, warehouse_folder
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES

pytestmark = [pytest.mark.integration, pytest.mark.timeout(540)]

NOTE = "# Pumps\n\nAnna Berg owns the Main Pump. The Main Pump feeds the Harbour Archive.\n"


def answer(home: Path, *arguments: str) -> Any:
    """The JSON of a command that succeeds."""
    done = muniment(home, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """The command ended with exit code 1 and one line that says all the words."""
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 1 and lines[0].startswith("muniment: "), done.stderr
    assert not done.stdout and [word for word in words if word not in lines[0]] == [], done.stderr


def rows(home: Path, table: str) -> pl.DataFrame:
    with Muniment.open(home) as opened:
        return opened.table(table)


@pytest.fixture(scope="module")
def small_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one clean note, ingested from `papers` beside it."""
    base = tmp_path_factory.mktemp("small")
    (base / "papers").mkdir()
    (base / "papers" / "a.md").write_text(NOTE)
    done = muniment(base / "home", "ingest", str(base / "papers"))
    assert done.returncode == 0, done.stderr
    assert "3 runs: intake 1, process_batch 1, publish 1" in done.stdout
    assert "1 received, 1 indexed, 0 in part, 0 not indexed" in done.stdout
    assert "structured_extraction: 1 of 1" in done.stderr
    return base / "home"


def test_init_may_be_repeated_and_takes_nothing_away(small_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for _ in range(2):
        done = muniment(home, "init")
        assert done.returncode == 0 and done.stdout.startswith(f"home {home} is ready")
    assert answer(home, "status")["generation_id"] is None
    refused(muniment(home, "search", "pump"), "muniment ingest")
    before = read_current(Home(small_home))
    assert muniment(small_home, "init").returncode == 0
    assert read_current(Home(small_home)) == before


def test_a_second_ingest_of_the_same_files_launches_no_run(small_home: Path) -> None:
    def runs() -> int:
        with dg.DagsterInstance.from_config(str(small_home / "dagster")) as instance:
            return instance.get_runs_count()

    before, published = runs(), read_current(Home(small_home))
    done = muniment(small_home, "ingest", str(small_home.parent / "papers"))
    assert done.returncode == 0 and done.stdout.startswith("nothing new: no run launched\n")
    assert (runs(), read_current(Home(small_home))) == (before, published) and before == 3


def test_ingest_of_a_missing_path_is_one_line_however_long_it_is(small_home: Path) -> None:
    missing = small_home / ("very long name " * 10)
    refused(muniment(small_home, "ingest", str(missing)), f"{missing}: no such file or folder")


def test_usage_errors_have_exit_code_2(small_home: Path) -> None:
    for arguments in (("ingest", "--nope"), ("search",), ("slice", "poetry", "x"), ("search", "x", "--as-of", "today")):
        done = muniment(small_home, *arguments)
        assert done.returncode == 2 and "Usage: muniment" in done.stderr, arguments
    assert "'today' is not a day; write YYYY-MM-DD" in done.stderr


def test_a_failing_check_stops_publication_with_exit_code_3(small_home: Path, tmp_path: Path) -> None:
    """The home is moved first: it opens for reading and writing elsewhere."""
    home = tmp_path / "moved"
    shutil.copytree(small_home, home, symlinks=True)
    published = read_current(Home(home))
    warehouse = Warehouse.open(warehouse_folder(Home(home)))
    chunk = warehouse.latest().table("chunks").head(1).with_columns(pl.lit("poem").alias("kind"))
    warehouse.commit([Upsert("chunks", chunk.cast(TABLES["chunks"].schema))])
    warehouse.close()
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "b.txt").write_text("Carl Dunn audits the Harbour Archive.\n")
    done = muniment(home, "ingest", str(tmp_path / "more"), "--quiet")
    assert done.returncode == 3, done.stderr
    assert "of publish failed" in done.stderr and "check loss_report_expectations" in done.stderr
    assert read_current(Home(home)) == published
    found = answer(home, "search", "who audits the archive")["hits"]
    assert [hit["path"] for hit in found] == ["a.md"]


def test_status_adds_up_to_everything_received(ingested_home: Path, example_corpus: Path) -> None:
    status = answer(ingested_home, "status")
    assert set(status) >= {
        "home", "generation_id", "content_digest", "published_at", "manifest", "tables", "batches", "stages",
    }  # fmt: skip
    files = sum(path.is_file() for path in example_corpus.rglob("*"))
    assert sum(sum(types.values()) for types in status["manifest"].values()) == status["tables"]["captures"] == files
    assert {state: sum(types.values()) for state, types in status["manifest"].items()} == {
        "indexed": 27, "partial": 2, "not_indexed": 7,
    }  # fmt: skip
    assert set(status["tables"]) == set(TABLES)
    assert status["batches"] == {"done": 1}


def test_search_gives_for_each_hit_what_a_citation_needs(ingested_home: Path) -> None:
    found = answer(ingested_home, "search", "How long does the Gateway retain access logs?", "--limit", "3")
    assert len(found["hits"]) == 3
    for hit in found["hits"]:
        assert set(hit) >= {
            "document_id", "version_id", "family_id", "chunk_id", "source_locator", "valid_from", "validity_status",
            "original_text", "generated_context", "access_policy_id", "score",
        }  # fmt: skip
    assert any("access logs for 30 days" in hit["original_text"] for hit in found["hits"])
    chunks = rows(ingested_home, "chunks")
    texts = dict(chunks.select("chunk_id", "text").rows())
    assert all(texts[hit["chunk_id"]] == hit["original_text"] for hit in found["hits"])
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)


def test_search_prints_passages_with_their_place(ingested_home: Path) -> None:
    done = muniment(ingested_home, "search", "Who owns the Plant Data Archive?", "--source", "examples", "--limit", "2")
    assert done.returncode == 0
    assert done.stdout.startswith("2 passages for 'Who owns the Plant Data Archive?' in ")
    assert "Margit Osei owns the Plant Data Archive." in " ".join(done.stdout.split())
    assert "examples: architecture/plant-data-archive-design.md" in done.stdout


def test_questions_that_cannot_be_asked_are_refused_in_one_line(ingested_home: Path) -> None:
    refused(muniment(ingested_home, "search", "  "), "empty")
    refused(muniment(ingested_home, "search", "pump", "--source", "nosuch"), "nosuch")
    refused(muniment(ingested_home, "trace", "0000"), "0000", "no chunk, claim")


def test_slices_as_json(ingested_home: Path) -> None:
    passages = answer(ingested_home, "slice", "passages", "Who approves a change?", "--budget", "600")
    assert passages["operation"] == "passages" and 0 < passages["used_tokens"] <= passages["budget_tokens"] == 600
    assert {item["kind"] for item in passages["items"]} == {"excerpt"}
    edges = answer(ingested_home, "slice", "dependencies", "What depends on the Telemetry Gateway?")
    found = [item for item in edges["items"] if item["kind"] == "relationship"]
    denied = [
        item
        for item in found
        if (item["subject"], item["predicate"], item["object"], item["polarity"])
        == ("Customer Billing System", "depends_on", "Telemetry Gateway", "negative")
    ]
    quotes = {evidence["quote"] for item in denied for claim in item["claims"] for evidence in claim["evidence"]}
    assert quotes == {"The Customer Billing System does not depend on the Telemetry Gateway."}


def test_a_trace_leads_from_anything_back_to_the_originals_digest(ingested_home: Path) -> None:
    wanted = (
        rows(ingested_home, "document_versions").filter(name="telemetry-gateway-architecture.docx").row(0, named=True)
    )
    version = pl.col("version_id") == wanted["version_id"]
    claim = rows(ingested_home, "claims").filter(version).sort("claim_id")["claim_id"][0]
    ids = {
        "chunk": rows(ingested_home, "chunks").filter(version).sort("ordinal")["chunk_id"][0],
        "claim": claim,
        "version": wanted["version_id"],
        "document": wanted["document_id"],
        "original": wanted["sha256"],
    }
    for kind, any_id in ids.items():
        found = answer(ingested_home, "trace", any_id)
        assert (found["kind"], found["id"]) == (kind, any_id)
        steps = {step["table"]: step for step in found["back"]}
        sha256 = steps["originals"]["id"] if kind == "original" else steps["document_versions"]["facts"]["sha256"]
        assert sha256 == wanted["sha256"], kind
        assert steps["captures"]["facts"]["path"] == "architecture/telemetry-gateway-architecture.docx"
        assert steps["extractions"]["facts"]["reader"] and steps["batches"]["facts"]["run_id"]
        if kind in ("version", "document"):
            assert found["forward"]["chunks"] > 0 and found["forward"]["claims"] > 0


def test_an_entity_leads_to_its_mentions_and_they_to_the_original(ingested_home: Path) -> None:
    entity = rows(ingested_home, "canonical_entities").filter(name="Telemetry Gateway").row(0, named=True)
    found = answer(ingested_home, "trace", entity["entity_id"])
    assert found["kind"] == "entity" and found["forward"]["relationships"] > 0
    mention = next(step for step in found["back"] if step["table"] == "mentions")
    deeper = answer(ingested_home, "trace", mention["id"])
    assert deeper["text"] == mention["facts"]["text"]
    assert "sha256" in next(step for step in deeper["back"] if step["table"] == "document_versions")["facts"]


def test_show_prints_the_text_of_an_id(ingested_home: Path) -> None:
    chunk = rows(ingested_home, "chunks").sort("chunk_id").row(0, named=True)
    done = muniment(ingested_home, "show", chunk["chunk_id"])
    assert done.returncode == 0 and done.stdout.startswith(f"chunk {chunk['chunk_id']}\n")
    assert chunk["text"] in done.stdout


def test_losses_count_every_file_and_name_the_reasons(ingested_home: Path, example_corpus: Path) -> None:
    report = answer(ingested_home, "losses")
    files = sum(path.is_file() for path in example_corpus.rglob("*"))
    assert sum(row["received"] for row in report["by_type"]) == files
    for row in report["by_type"]:
        assert row["received"] == row["indexed"] + row["partial"] + row["not_indexed"]
    mail = next(row for row in report["by_type"] if row["doc_type"] == "eml")
    assert any(reason.startswith("alternative_body=") for reason in mail["top_reasons"])
    assert report["review_items"] == rows(ingested_home, "review_items").height > 0


def test_rebuild_from_the_recorded_tables_is_equal(small_home: Path) -> None:
    published = read_current(Home(small_home))
    checked = answer(small_home, "rebuild", "--check")
    assert checked["equal"] is True and checked["differing"] == []
    assert checked["digest"] == answer(small_home, "status")["content_digest"]
    assert read_current(Home(small_home)) == published


def test_doctor_names_what_it_looked_at(small_home: Path) -> None:
    done = muniment(small_home, "doctor", "--json")
    checks = {check["name"]: check["state"] for check in json.loads(done.stdout)}
    assert {"python", "embedder", "warehouse", "originals", "index", "generation"} <= set(checks)
    assert done.returncode == (1 if "error" in checks.values() else 0)
    assert [checks[name] for name in ("warehouse", "originals", "index", "generation")] == ["ok"] * 4


def test_without_the_entity_layer_search_works_and_no_entity_is_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "muniment.toml").write_text("[pipeline]\nentity_layer = false\n")
    (tmp_path / "a.md").write_text(NOTE)
    done = muniment(home, "ingest", str(tmp_path / "a.md"), "--source", "notes", "--json")
    outcome = json.loads(done.stdout)
    assert done.returncode == 0 and outcome["indexed"] == 1, done.stderr
    assert outcome["runs"] == ["intake", "process_batch", "publish"]
    (hit,) = answer(home, "search", "who owns the pump")["hits"]
    assert "Anna Berg owns the Main Pump." in hit["original_text"]
    with Muniment.open(home) as opened:
        tables = opened.status().tables
    assert {name: tables[name] for name in ("chunks", "chunk_contexts")} == {"chunks": 1, "chunk_contexts": 1}
    assert [tables[name] for name in ("mentions", "claims", "canonical_entities", "relationships")] == [0, 0, 0, 0]


class TestSettings:
    """`muniment config show` and what is said about settings that cannot be used."""

    @staticmethod
    def run(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
        return subprocess.run(
            [str(Path(sys.executable).parent / "muniment"), *arguments],
            env={**clean, **environment}, cwd=home, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    def test_options_beat_the_environment_and_it_beats_the_file(self, tmp_path: Path) -> None:
        (tmp_path / "muniment.toml").write_text(
            'home = "from-file"\n[search]\nlimit = 3\nrrf_k = 11\n[[sources]]\nname = "papers"\npath = "papers"\n'
        )
        secret = "a-very-secret-key"
        environment = {"MUNIMENT_SEARCH__LIMIT": "5", "MUNIMENT_ENDPOINT__API_KEY": secret}
        done = self.run(tmp_path, "config", "show", "--json", **environment)
        found = json.loads(done.stdout)
        assert (found["home"], found["search"]["limit"], found["search"]["rrf_k"]) == ("from-file", 5, 11)
        assert found["sources"][0]["path"] == str(tmp_path / "papers")
        assert secret not in done.stdout + done.stderr and set(found["endpoint"]["api_key"]) == {"*"}
        environment["MUNIMENT_HOME"] = "from-environment"
        assert json.loads(self.run(tmp_path, "config", "show", **environment).stdout)["home"] == "from-environment"
        option = self.run(tmp_path, "--home", "from-option", "config", "show", **environment)
        assert json.loads(option.stdout)["home"] == "from-option"

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ('[search]\nlimit = "many"\n', ["search.limit", "integer"]),
            ("[serch]\nlimit = 3\n", ["serch"]),
            ("[search\n", ["not valid TOML"]),
        ],
    )
    def test_settings_that_cannot_be_used_name_file_and_field(
        self, tmp_path: Path, content: str, words: list[str]
    ) -> None:
        (tmp_path / "muniment.toml").write_text(content)
        refused(self.run(tmp_path, "--home", str(tmp_path), "status"), str(tmp_path / "muniment.toml"), *words)


def test_review_names_each_file_with_a_reason_and_advice(ingested_home: Path) -> None:
    done = muniment(ingested_home, "review", "--json")
    items = json.loads(done.stdout)["items"]
    reasons = {item["path"]: item["reason_code"] for item in items if item["kind"] == "failed_document"}
    assert reasons["unreadable/damaged-notice.pdf"] == "corrupt_file"
    assert reasons["unreadable/empty.txt"] == "empty_file"
    assert all(item["advice"] and item["detail"] for item in items)
    assert "unreadable/damaged-notice.pdf" in muniment(ingested_home, "review").stdout


def test_search_prints_chunk_ids_and_explains_in_words(ingested_home: Path) -> None:
    hit = json.loads(muniment(ingested_home, "search", "Telemetry Gateway", "--limit", "1", "--json").stdout)["hits"][0]
    shown = muniment(ingested_home, "search", "Telemetry Gateway", "--limit", "1", "--explain").stdout
    assert f"chunk {hit['chunk_id']}" in shown
    assert "dense: rank" in shown and "lexical: rank" in shown


def test_a_known_source_name_is_not_taken_for_another_folder(home_copy: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    done = muniment(home_copy, "ingest", str(tmp_path / "other"), "--source", "examples")
    assert done.returncode == 1 and "--moved" in done.stderr
    status = json.loads(muniment(home_copy, "status", "--json").stdout)
    assert sum(status["manifest"]["indexed"].values()) == 27
