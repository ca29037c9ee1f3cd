"""A change of the schema makes exactly what reads the changed part stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from domain_packs import own_file
from home_lab import HomeLab

from muniment.processing.local_stages import STAGES, StageKeys
from muniment.processing.status import stale_versions
from muniment.publication.pending import pending_publication
from muniment.settings import load_settings

_BASE = [
    "types:",
    "  - {name: pump, parent: system, heads: [pump]}",
    "relations:",
    "  - {name: overseen_by, inverse: oversees, inverse_verbs: [oversee]}",
    "patterns:",
    "  - {name: pump_id, type: pump, regex: 'PU-\\d+', examples: [PU-1]}",
]


def _keys(folder: Path, lines: list[str]) -> dict[str, str]:
    settings = load_settings({"home": folder, "domain": {"file": own_file(folder, *lines)}})
    keys = StageKeys(settings)
    return {stage: keys.key(stage, ["upstream"], "text") for stage in STAGES}


def _changed(folder: Path, old: str, new: str) -> set[str]:
    before = _keys(folder, _BASE)
    assert any(old in line for line in _BASE)
    after = _keys(folder, [line.replace(old, new) for line in _BASE])
    return {stage for stage in STAGES if before[stage] != after[stage]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("heads: [pump]", "heads: [pump, compressor]"),
        ("parent: system", "parent: component"),
        ("PU-\\d+", "PU-\\d+[a-z]?"),
        ("inverse_verbs: [oversee]", "inverse_verbs: [oversee, coach]"),
        ("inverse_verbs: [oversee]", "inverse_verbs: [oversee], range: [person]"),
        ("inverse_verbs: [oversee]", "inverse_verbs: [oversee], nouns: [overseer]"),
    ],
)
def test_a_changed_type_pattern_or_word_makes_entities_stale_and_nothing_else(
    tmp_path: Path, old: str, new: str
) -> None:
    assert _changed(tmp_path, old, new) == {"entities"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("inverse_verbs:", "functional: true, inverse_verbs:"),
        ("inverse_verbs:", "inverse_functional: true, inverse_verbs:"),
        ("inverse_verbs:", "dependency: object, inverse_verbs:"),
        ("inverse_verbs:", "temporal: false, inverse_verbs:"),
        ("inverse_verbs:", "description: who teaches whom, inverse_verbs:"),
        ("examples: [PU-1]", "examples: [PU-2, PU-3]"),
    ],
)
def test_what_only_the_graph_or_a_reader_of_the_file_sees_makes_no_document_stale(
    tmp_path: Path, old: str, new: str
) -> None:
    assert _changed(tmp_path, old, new) == set()


def test_the_order_of_definitions_means_nothing(tmp_path: Path) -> None:
    types = ["types:", "  - {name: pump, parent: system}", "  - {name: valve, parent: system}"]
    assert _keys(tmp_path, types) == _keys(tmp_path, [types[0], types[2], types[1]])


def test_a_changed_graph_part_is_published_anew_although_no_document_is_processed(tmp_path: Path) -> None:
    """`functional` turns two overseers of one system, stated in two documents, from a list into a conflict."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("Anna Weber oversees the Billing System.\n", "utf-8")
    (corpus / "b.txt").write_text("Peter Novak oversees the Billing System.\n", "utf-8")
    own = own_file(tmp_path, *_BASE)
    lab = HomeLab(tmp_path / "home", {"domain": {"file": own}, "workers": {"backend": "inline"}})
    try:
        first = lab.ingest(corpus)
        rows = lab.warehouse.latest()
        assert (
            rows.read("SELECT DISTINCT predicate FROM relationships WHERE predicate LIKE 'oversee%'").item()
            == "overseen_by"
        )
        assert rows.table("conflicts").is_empty()
        assert pending_publication(rows, lab.home, lab.settings) is None

        own_file(tmp_path, *[line.replace("inverse_verbs:", "functional: true, inverse_verbs:") for line in _BASE])
        assert stale_versions(rows, lab.settings).is_empty()
        assert pending_publication(rows, lab.home, lab.settings) is not None
        second = lab.publish()
        assert second.new
        assert second.current.generation_id != first.current.generation_id
        assert lab.warehouse.latest().table("conflicts")["predicate"].to_list() == ["overseen_by"]
        assert pending_publication(lab.warehouse.latest(), lab.home, lab.settings) is None
    finally:
        lab.close()
