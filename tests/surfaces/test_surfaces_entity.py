"""Deciding which entities are one: from the command to the published rows, and back again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from home_lab import HomeLab
from typer.testing import CliRunner

from muniment.api import Muniment
from muniment.cli import app
from muniment.home import Home
from muniment.publication.rebuild import rebuild
from muniment.resolution.judgements import JudgementError
from muniment.store.current import read_current
from muniment.store.digests import content_digests
from muniment.trace.entity import AmbiguousName
from muniment.trace.walk import UnknownId

pytestmark = pytest.mark.integration

INLINE: dict[str, Any] = {"workers": {"backend": "inline"}}

PAPERS = {
    "a-gateway.md": (
        "# Systems\n\nAnna Berg owns the Harbour Gateway. The Harbour Gateway depends on the Tide Archive.\n"
    ),
    "b-relay.md": "# Plants\n\nThe Mooring Relay depends on the Main Pump. Carl Dunn operates the Mooring Relay.\n",
    "c-note.md": "# Notes\n\nDana Reed approves the Quay Ledger. Erik Holm audits the Quay Ledger.\n",
}


@dataclass
class Desk:
    """A home, its sources, and what a person does with the command line on it."""

    lab: HomeLab
    papers: Path

    @property
    def home(self) -> Path:
        return self.lab.home.root

    def run(self, *arguments: str) -> Any:
        """The JSON of a command of `muniment entity` that succeeds."""
        done = CliRunner().invoke(app, ["--home", str(self.home), "entity", *arguments, "--json"])
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout.strip().splitlines()[-1])

    def judge(self, *arguments: str) -> str:
        """Id of the judgement that a command records; it waits to be published."""
        (made,) = self.run(*arguments, "--by", "Ann", "--no-publish")
        return made["judgement_id"]

    def card(self, named: str) -> Any:
        return self.run("show", named)

    def ids(self) -> dict[str, str]:
        """Entity id by name; names of several entities are left out."""
        found = self.table("canonical_entities").select("name", "entity_id")
        return dict(found.filter(pl.col("name").is_unique()).iter_rows())

    def table(self, name: str) -> pl.DataFrame:
        with Muniment.open(self.home) as opened:
            return opened.table(name)

    def state(self, judgement_id: str) -> str:
        listed = self.run("list-judgements")["judgements"]
        return next(one["state"] for one in listed if one["judgement_id"] == judgement_id)

    def write(self, name: str, text: str) -> None:
        (self.papers / name).write_text(text)
        self.lab.ingest(self.papers)

    def derived(self) -> dict[str, str]:
        """Digests of all that is published but the judgements themselves."""
        current = read_current(self.lab.home)
        assert current is not None
        found = content_digests(self.lab.warehouse.at(current.snapshot_id))
        del found["judgements"]
        return found

    def reasons(self) -> set[str]:
        return set(self.table("review_items")["reason_code"])


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with papers and a home that holds them, made once; read only."""
    base = tmp_path_factory.mktemp("entities")
    (base / "papers").mkdir()
    for name, text in PAPERS.items():
        (base / "papers" / name).write_text(text)
    lab = HomeLab(base / "home", INLINE)
    lab.ingest(base / "papers")
    lab.close()
    return base


@pytest.fixture(scope="module")
def reading(published: Path) -> Iterator[Desk]:
    """The home that all tests share: nothing may change it."""
    lab = HomeLab(published / "home", INLINE)
    yield Desk(lab, published / "papers")
    lab.close()


@pytest.fixture
def desk(published: Path, tmp_path: Path) -> Iterator[Desk]:
    """A copy of it."""
    shutil.copytree(published, tmp_path / "desk", symlinks=True)
    lab = HomeLab(tmp_path / "desk" / "home", INLINE)
    lab.now += timedelta(hours=3)  # scans of the copy come later than those of the original
    yield Desk(lab, tmp_path / "desk" / "papers")
    lab.close()


def neighbours(card: Any) -> set[tuple[str, str, str]]:
    return {(one["direction"], one["predicate"], one["other"]) for one in card["relationships"]}


def test_what_was_merged_and_split_is_as_before_when_both_are_undone(desk: Desk) -> None:
    before, ids = desk.derived(), desk.ids()
    gateway, relay = ids["Harbour Gateway"], ids["Mooring Relay"]
    apart = neighbours(desk.card("Harbour Gateway")), neighbours(desk.card("Mooring Relay"))
    ledger = desk.card("Quay Ledger")
    first, second = [one["mention_id"] for one in ledger["documents"][0]["mentions"]]
    merged = desk.judge("merge", "Mooring Relay", "Harbour Gateway")
    split = desk.judge("split", ledger["entity_id"], "--mention", second)
    assert desk.state(merged) == desk.state(split) == "waiting" and desk.ids() == ids
    desk.lab.publish()
    assert desk.state(merged) == desk.state(split) == "applied"

    # the one mentioned first keeps its id; what was said of either is said of it
    card = desk.card(relay)
    assert card["entity_id"] == gateway and relay in card["redirects"]
    assert relay in card["moved"] and gateway in card["moved"]
    assert {one["alias"] for one in card["aliases"]} >= {"Harbour Gateway", "Mooring Relay"}
    assert neighbours(card) == apart[0] | apart[1]
    assert {document["path"] for document in card["documents"]} == {"a-gateway.md", "b-relay.md"}
    assert ("merged_into", relay) in {(one["change"], one["entity_id"]) for one in card["history"]}
    assert desk.card("Harbour Gateway")["moved"] is None
    _old_id_leads_on(desk, relay, gateway)

    # the mention split off is an entity of its own, with what was said of it
    entity = dict(desk.table("entity_mentions").select("mention_id", "entity_id").iter_rows())
    assert entity[first] == ledger["entity_id"] != entity[second]
    kept, new = desk.card(entity[first]), desk.card(entity[second])
    assert neighbours(kept).isdisjoint(neighbours(new)) and neighbours(kept) | neighbours(new) == neighbours(ledger)
    assert ("split_from", ledger["entity_id"]) in {(one["change"], one["other_entity_id"]) for one in new["history"]}
    # its name is that of two entities now: it is asked which one is meant
    with Muniment.open(desk.home) as opened, pytest.raises(AmbiguousName) as raised:
        opened.entity("Quay Ledger")
    assert entity[first] in str(raised.value) and entity[second] in str(raised.value)

    # undone, every id and every row is what it was; the command publishes, and looks at no source
    (desk.papers / "new.md").write_text("# New\n\nAnna Berg owns the Fresh System.\n")
    desk.run("undo", split[:8], "--no-publish")
    done = CliRunner().invoke(app, ["--home", str(desk.home), "entity", "undo", merged, "--by", "Bob"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert done.stdout.startswith("undone: ") and merged in done.stdout
    assert desk.state(merged) == desk.state(split) == "undone"
    assert desk.ids() == ids and desk.derived() == before
    assert ("split_from", relay) in {(one["change"], one["entity_id"]) for one in desk.card(relay)["history"]}


def _old_id_leads_on(desk: Desk, old: str, present: str) -> None:
    with Muniment.open(desk.home, options=INLINE) as opened:
        trace = opened.trace(old)
        assert trace.id == present and trace.back[0].table == "published_ids" and trace.back[0].id == old
        by_old_id = opened.slice("dependencies", f"What depends on {old}?")
        by_name = opened.slice("dependencies", "What depends on the Harbour Gateway?")
        assert by_old_id.entities[0].chosen == (present,)
        assert any(old in question and present in question for question in by_old_id.open_questions)
        assert [item for item in by_old_id.items if item.kind == "relationship"] == [
            item for item in by_name.items if item.kind == "relationship"
        ]


def test_a_judgement_outlives_new_versions_and_returns_with_its_words(desk: Desk) -> None:
    ids = desk.ids()
    undone = desk.judge("merge", "Quay Ledger", "Tide Archive")
    desk.run("undo", undone, "--no-publish")
    judgement = desk.judge("merge", "Mooring Relay", "Harbour Gateway")

    # other parts of the document change, these sentences stay word for word in a paragraph of their own
    desk.write("b-relay.md", f"# Plants\n\nAll pumps are new.\n\n{PAPERS['b-relay.md'].splitlines()[2]}\n\nOld.\n")
    assert desk.state(judgement) == "applied" and "judgement_unanchored" not in desk.reasons()
    assert desk.card("Mooring Relay")["entity_id"] == ids["Harbour Gateway"]

    # the words are gone: no effect, and a person is told
    desk.write("b-relay.md", "# Plants\n\nSince May Carl Dunn operates the Mooring Relay. It is blue.\n")
    assert desk.state(judgement) == "unanchored" and "judgement_unanchored" in desk.reasons()
    assert desk.card("Mooring Relay")["entity_id"] != desk.card("Harbour Gateway")["entity_id"]
    item = desk.table("review_items").filter(pl.col("reason_code") == "judgement_unanchored").row(0, named=True)
    assert judgement in item["detail"] and "muniment entity" in item["advice"]
    with Muniment.open(desk.home) as opened:
        said = str(opened.review())
        assert judgement in said and "b-relay.md" in said

    # they come back, and so does the judgement; an unrelated document beside it changes no id
    before = set(desk.table("canonical_entities")["entity_id"])
    (desk.papers / "z-other.md").write_text("# Weather\n\nFiona Gray reads the Cloud Register.\n")
    desk.write("b-relay.md", PAPERS["b-relay.md"])
    assert desk.state(judgement) == "applied" and "judgement_unanchored" not in desk.reasons()
    assert desk.card("Mooring Relay")["entity_id"] == ids["Harbour Gateway"]
    after = desk.table("canonical_entities")
    present = dict(after.select("name", "entity_id").iter_rows())
    assert {name: present.get(name) for name in ids if name != "Mooring Relay"} == {
        name: entity_id for name, entity_id in ids.items() if name != "Mooring Relay"
    }
    current = read_current(Home(desk.home))
    assert current is not None
    log = desk.run("changes", "--generation", current.generation_id)
    assert {one["after"] for one in log if one["change"] == "minted"} >= {"Fiona Gray", "Cloud Register"}
    assert [one["entities"] for one in log if one["change"] == "kept"] == [len(before & set(after["entity_id"]))]

    # computed anew from the recorded tables, judgements and their undoing replay to the same rows
    assert rebuild(desk.lab.home, desk.lab.settings, keep=False).differing == []


def test_what_a_person_asks_for_in_vain_is_refused_in_words(reading: Desk) -> None:
    def refused(error: type[Exception], *arguments: str) -> str:
        done = CliRunner().invoke(app, ["--home", str(reading.home), "entity", *arguments])
        assert isinstance(done.exception, error), (done.output, done.exception)
        return str(done.exception)

    assert "Unknown Thing" in refused(UnknownId, "show", "Unknown Thing")
    assert "one entity already" in refused(JudgementError, "merge", "Tide Archive", "the Tide Archive")
    note = reading.table("documents").filter(pl.col("first_path") == "c-note.md")["document_id"].item()
    assert "nothing to split off" in refused(JudgementError, "split", "Quay Ledger", "--document", note)
    assert "say what to split off" in refused(JudgementError, "split", "Quay Ledger")
    assert "no mention" in refused(JudgementError, "split", "Quay Ledger", "--mention", "m-none")
    assert "no judgement has this id" in refused(JudgementError, "undo", "0123456789")
    assert "no open pair has this id" in refused(JudgementError, "review", "--accept", "0123456789")
    assert reading.lab.warehouse.latest().table("judgements").is_empty()


def test_show_prints_the_card_of_an_entity(reading: Desk) -> None:
    entity_id = reading.ids()["Harbour Gateway"]
    done = CliRunner().invoke(app, ["--home", str(reading.home), "show", entity_id])
    assert done.exit_code == 0
    for words in (entity_id, "Harbour Gateway", "Anna Berg owns the Harbour Gateway.", "a-gateway.md", "2 mentions"):
        assert words in done.stdout, words
