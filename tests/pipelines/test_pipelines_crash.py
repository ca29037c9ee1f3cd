"""An ingest that is killed anywhere and run again ends as if nothing had happened; readers never notice a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import muniment
from crash_lab import MOMENTS, Ingest, moments, small_corpus
from service_lab import poll, processes_of

from muniment.api import Muniment
from muniment.home import Home
from muniment.store.current import read_current

pytestmark = [pytest.mark.integration, pytest.mark.timeout(540)]


@pytest.fixture(scope="module")
def corpus(example_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_corpus(example_corpus, tmp_path_factory.mktemp("crash") / "papers")


@pytest.fixture(scope="module")
def undisturbed(corpus: Path) -> dict[str, object]:
    """What an ingest of the corpus says of itself."""
    done = muniment(corpus.parent / "undisturbed", "ingest", str(corpus), "--source", "papers", "--json")
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)


def test_an_ingest_killed_at_several_moments_ends_with_the_same_content(
    corpus: Path, undisturbed: dict[str, object], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for moment in moments(20261130, MOMENTS[:3], MOMENTS[3:7], MOMENTS[7:]):
        ingest = Ingest(home, corpus)
        assert ingest.kill_at(moment), (moment, ingest.lines)
        poll(lambda: processes_of(home) == {}, 15, "the end of every process of a killed run")
        assert read_current(Home(home)) is None, f"published before {moment}"
    done = muniment(home, "ingest", str(corpus), "--source", "papers", "--json")
    outcome = json.loads(done.stdout)
    assert done.returncode in (0, 4), done.stderr
    same = ("content_digest", "received", "indexed", "partial", "not_indexed", "review_items", "losses")
    assert {name: outcome[name] for name in same} == {name: undisturbed[name] for name in same}
    assert outcome["content_digest"] and processes_of(home) == {}
    with Muniment.open(home) as opened:
        assert opened.status().batches == {"done": 1}


OLD, NEW = "The Harbour Pump is inspected every 30 days.", "The Harbour Pump is inspected every 90 days."


def test_a_reader_sees_the_old_generation_during_an_ingest_and_the_new_one_after_it(
    corpus: Path, undisturbed: dict[str, object], tmp_path: Path
) -> None:
    home, folder = corpus.parent / "undisturbed", tmp_path / "notes"
    folder.mkdir()
    (folder / "pump.md").write_text(f"# Inspection\n\n{OLD} Anna Berg owns the Harbour Pump.\n")
    assert muniment(home, "ingest", str(folder), "--source", "notes").returncode in (0, 4)
    before = read_current(Home(home))
    assert before is not None and before.generation_id != undisturbed["generation_id"]
    (folder / "pump.md").write_text(f"# Inspection\n\n{NEW} Carl Dunn owns the Harbour Pump.\n")
    seen: list[tuple[str, bool, bool, str]] = []

    def look(reader: Muniment, running: bool) -> None:
        text = "\n".join(hit.original_text for hit in reader.search("How often is the Harbour Pump inspected?").hits)
        edges = reader.slice("dependencies", "Harbour Pump")
        owner = "Anna Berg" if "Anna Berg" in edges.text else "Carl Dunn" if "Carl Dunn" in edges.text else "nobody"
        seen.append((edges.scope.generation_id, OLD in text, NEW in text, owner))
        assert running or seen[-1][0] != before.generation_id

    with Muniment.open(home) as reader:
        ingest = Ingest(home, folder, "notes")
        assert ingest.reached("batch")
        while ingest.process.poll() is None:
            look(reader, running=True)
        assert ingest.process.wait() in (0, 4), ingest.lines
        look(reader, running=False)
    old = (before.generation_id, True, False, "Anna Berg")
    assert seen[0] == old and len(seen) > 3
    assert seen[-1][1:] == (False, True, "Carl Dunn")
    # nothing in between but these two: search and slice of one look may fall on either side of the swap
    generations = [generation for generation, *_ in seen]
    assert generations == sorted(generations) and len(set(generations)) == 2
    assert {look for look in seen if look[0] == before.generation_id} == {old}
