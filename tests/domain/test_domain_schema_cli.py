"""`muniment schema` as a user runs it: show, check with faults named by line, suggest from a home."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from domain_packs import own_file
from home_lab import HomeLab
from typer.testing import CliRunner

from muniment.cli import app
from muniment.domain.loading import DomainError

_RUN = CliRunner()


def _output(home: Path, *arguments: str) -> str:
    result = _RUN.invoke(app, ["--home", str(home), "schema", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_show_lists_every_definition_and_gives_one_as_yaml_to_copy(tmp_path: Path) -> None:
    text = _output(tmp_path, "show")
    assert "packs       default 2, legal 2, technical 2" in text
    assert "  standard                   policy < document" in text
    assert "  depends_on                 subject depends on object" in text
    copied = yaml.safe_load(_output(tmp_path, "show", "owned_by"))
    assert copied["relations"][0]["functional"] is True
    assert "own" in copied["relations"][0]["inverse_verbs"]
    assert set(json.loads(_output(tmp_path, "show", "--json"))) >= {
        "packs",
        "types",
        "relations",
        "attributes",
        "patterns",
    }


def test_show_names_what_the_schema_does_not_define(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"nothing_such: the schema defines no such name; `muniment schema show` lists all"
    ):
        _output(tmp_path, "show", "nothing_such")


def test_check_takes_a_sound_file_and_names_the_line_of_a_fault(tmp_path: Path) -> None:
    good = own_file(tmp_path, "types:", "  - {name: pump, parent: system}")
    assert _output(tmp_path, "check", str(good)).startswith("sound: default 2, legal 2, technical 2, own 7; 59 types")
    bad = own_file(tmp_path, "types:", "  - {name: pump, parent: sistem}")
    with pytest.raises(DomainError, match=r"own\.yaml, line 4: types\.pump\.parent names the unknown type 'sistem'"):
        _output(tmp_path, "check", str(bad))


def test_suggest_reads_the_published_documents_and_the_file_closes_the_gap(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text(
        "The Inlet Valve throttles the Main Pump. The Main Pump is owned by Anna Weber.\n", "utf-8"
    )
    (corpus / "b.txt").write_text("The Outlet Valve throttles the Main Pump.\n", "utf-8")
    home = tmp_path / "home"
    lab = HomeLab(home, {"workers": {"backend": "inline"}})
    lab.ingest(corpus)
    lab.close()
    found = json.loads(_output(home, "suggest", "--json"))
    (throttle,) = [item for item in found["predicates"] if item["raw"] == "throttle"]
    assert (throttle["claims"], throttle["documents"], throttle["kind"]) == (2, 2, "relation")
    assert throttle["example"].endswith("throttles the Main Pump.")
    assert all(item["raw"] not in ("own", "owned_by") for item in found["predicates"])
    (home / "own.yaml").write_text(found["yaml"], "utf-8")
    assert "own 1" in _output(home, "check", str(home / "own.yaml"))
