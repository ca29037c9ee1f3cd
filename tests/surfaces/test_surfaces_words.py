"""What the command line says of changes, of what is no longer held, and of what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import muniment
from home_lab import HomeLab

from muniment.ingestion import outcome_of
from muniment.status import read_status


def _folder(place: Path) -> Path:
    place.mkdir()
    for name, text in (
        ("one.md", "# Gate\n\nThe Gate System depends on the Lock Service.\n"),
        ("two.md", "# Lock\n\nThe Lock Service stores keys.\n"),
        ("three.md", "# Third\n\nNothing depends on this.\n"),
    ):
        (place / name).write_text(text, encoding="utf-8")
    return place


def test_an_ingest_says_what_changed_and_status_what_is_no_longer_held(tmp_path: Path) -> None:
    place = _folder(tmp_path / "documents")
    lab = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    lab.ingest(place)
    assert outcome_of(lab.home, lab.settings, ["intake"], 0).changes == {"new": 3}
    (place / "one.md").write_text("# Gate\n\nThe Gate System depends on the Key Store.\n", encoding="utf-8")
    (place / "two.md").rename(place / "renamed.md")
    (place / "three.md").unlink()
    lab.ingest(place)
    changed = outcome_of(lab.home, lab.settings, ["intake"], 1)
    assert "in the sources: 1 changed, 1 gone, 1 renamed" in str(changed)
    assert outcome_of(lab.home, lab.settings, [], 2).changes == {}
    # captures: one.md twice, two.md and renamed.md, three.md: of five, two are held
    status = read_status(lab.home, lab.settings)
    lab.close()
    assert (sum(status.manifest["indexed"].values()), status.held) == (5, {"indexed": 2})
    assert "5, 3 no longer held by their source (markdown 5)" in str(status)


def test_a_declared_source_that_is_not_there_makes_no_home(tmp_path: Path) -> None:
    settings, home = tmp_path / "own.toml", tmp_path / "home"
    settings.write_text(f"[[sources]]\nname = 'gone'\npath = '{tmp_path / 'nowhere'}'\n", encoding="utf-8")
    refused = muniment(home, "ingest", environment={"MUNIMENT_CONFIG": str(settings)})
    assert refused.returncode == 1 and "nowhere" in refused.stderr and "gone" in refused.stderr
    assert not home.exists()


def test_an_unknown_document_type_is_refused_with_the_known_ones(ingested_home: Path) -> None:
    refused = muniment(ingested_home, "search", "gateway", "--type", "papyrus")
    assert refused.returncode == 1 and "papyrus" in refused.stderr and "markdown" in refused.stderr
    by_suffix = json.loads(muniment(ingested_home, "search", "logs", "--type", "md", "--json").stdout)
    assert by_suffix["hits"] and {hit["doc_type"] for hit in by_suffix["hits"]} == {"markdown"}


def test_show_of_a_document_tells_its_versions_and_what_hangs_on_it(ingested_home: Path) -> None:
    hit = json.loads(muniment(ingested_home, "search", "log retention", "--json").stdout)["hits"][0]
    shown = muniment(ingested_home, "show", hit["document_id"]).stdout
    assert hit["path"] in shown and hit["version_id"] in shown and "chunks" in shown
