"""Publishing: a crash between any two steps leaves the old generation served, and the next run repairs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from home_lab import HomeLab

from muniment.api import Muniment
from muniment.publication.publish import PublicationConflict, publish
from muniment.store.current import read_current

STEPS = ("digest", "record", "merge", "swap", "clean")


class Crash(BaseException):
    """The process ends here."""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with one generation, and a source that has changed since and is processed."""
    base = tmp_path_factory.mktemp("published")
    folder = base / "papers"
    folder.mkdir()
    (folder / "a.md").write_text("# Pumps\n\nAnna Berg owns the Main Pump. The Main Pump feeds the Archive.\n")
    lab = HomeLab(base / "home", {"workers": {"backend": "inline"}})
    lab.ingest(folder)
    (folder / "b.md").write_text("# Valves\n\nCarl Dunn owns the Main Valve. The Main Valve feeds the Archive.\n")
    lab.scan(folder)
    lab.process()
    lab.close()
    yield base


@pytest.fixture
def lab(published: Path, tmp_path: Path) -> Iterator[HomeLab]:
    shutil.copytree(published / "home", tmp_path / "home")
    made = HomeLab(tmp_path / "home", {"workers": {"backend": "inline"}})
    yield made
    made.close()


@pytest.mark.integration
@pytest.mark.parametrize("crash_before", STEPS)
def test_a_crash_before_any_step_leaves_one_whole_generation_served(lab: HomeLab, crash_before: str) -> None:
    old = read_current(lab.home)

    def step(name: str) -> None:
        if name == crash_before:
            raise Crash

    with pytest.raises(Crash):
        lab.publish(step)
    with Muniment.open(lab.home.root) as opened:
        valves = [hit for hit in opened.search("Who owns the Main Valve?").hits if "Valve" in hit.original_text]
        pumps = [hit for hit in opened.search("Who owns the Main Pump?").hits if "Pump" in hit.original_text]
    assert pumps
    if crash_before == "clean":  # the swap had happened
        assert valves and read_current(lab.home) != old
    else:
        assert not valves and read_current(lab.home) == old
    again = lab.publish()
    with Muniment.open(lab.home.root) as opened:
        assert any("Valve" in hit.original_text for hit in opened.search("Who owns the Main Valve?").hits)
    assert read_current(lab.home) == again.current


@pytest.mark.integration
def test_versions_that_change_while_a_generation_is_computed_are_not_published_half(
    lab: HomeLab, tmp_path: Path
) -> None:
    old = read_current(lab.home)
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "c.md").write_text("# Tanks\n\nEve Falk owns the Main Tank.\n")
    with lab.run() as context:
        lab.compute(context)
        lab.scan(folder, "late")
        lab.process()
        with pytest.raises(PublicationConflict):
            publish(context)
    assert read_current(lab.home) == old


@pytest.mark.integration
def test_an_open_reader_keeps_its_answers_and_then_sees_the_new_generation(lab: HomeLab) -> None:
    with Muniment.open(lab.home.root) as opened:
        assert not any("Valve" in hit.original_text for hit in opened.search("Main Valve").hits)
        for _ in range(3):  # more generations than are kept: the reader's first snapshot expires
            lab.publish()
            lab.settings = lab.settings.model_copy(
                update={
                    "communities": lab.settings.communities.model_copy(
                        update={"report_entities": lab.settings.communities.report_entities + 1}
                    )
                }
            )
        assert any("Valve" in hit.original_text for hit in opened.search("Main Valve").hits)


@pytest.mark.integration
def test_old_generations_go_and_the_kept_ones_can_still_be_read(lab: HomeLab) -> None:
    lab.publish()
    current = read_current(lab.home)
    assert current is not None
    assert current.snapshot_id in lab.warehouse.snapshots()
    assert (lab.home.indexes / current.index).is_dir()
    named = {path.name for path in lab.home.indexes.iterdir() if path.is_dir()}
    assert len(named) <= lab.settings.pipeline.keep_generations
