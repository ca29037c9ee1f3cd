"""Golden digests of chunks, contexts, mentions, claims and the graph, from annotations that were recorded once.

What the language pipeline says may differ in places between processors, so its rows are input here and not output.
To accept a change: raise the stage's CODE_VERSION (publication.scope's for the graph), run this file with
MUNIMENT_WRITE_GOLDEN=1, and read the diff.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from home_lab import HomeLab

from muniment.chunking import stage as chunking
from muniment.claims import stage as claims
from muniment.contextualization import stage as contexts
from muniment.domain.loading import load_domain
from muniment.graph.assembly import assemble
from muniment.graph.communities import detect
from muniment.publication import scope
from muniment.resolution.resolve import resolve
from muniment.settings import Settings
from muniment.store.digests import table_digest
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES
from muniment.workers.pool import open_pool

GOLDEN = Path(__file__).with_name("golden_language_digests.json")
ANNOTATIONS = Path(__file__).with_name("golden_annotations.json.gz")
WRITE = os.environ.get("MUNIMENT_WRITE_GOLDEN") == "1"
VIEW = "golden"

PAPERS = {
    "gateway.md": (
        "---\nowner: Anna Berg\neffective_date: 2026-01-01\n---\n\n# Gateway Policy\n\nAnna Berg owns the Telemetry "
        "Gateway (TGW). The Gateway depends on the Archive and does not use the Billing System.\n\nThe Operator shall "
        "notify the Water Board unless the Water Board waives it. It keeps access logs for 30 days.\n\n"
        "| System | Owner | Retention |\n|---|---|---|\n| Archive | Carl Dunn | 90 days |\n"
        "| Billing System | | 7 years |\n"
    ),
    "change.txt": (
        "Carl Dunn owns the Telemetry Gateway from 1 March 2026. TGW keeps access logs for 90 days.\n\n"
        "Control AC-04 applies to the Billing System.\n"
    ),
}
LOCAL = (
    "extractions", "canonical_texts", "elements", "document_tables", "table_cells", "extracted_metadata", "annotations",
)  # fmt: skip


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """What extraction makes of the papers, with the recorded annotations."""
    base = tmp_path_factory.mktemp("golden")
    folder = base / "papers"
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    lab = HomeLab(base / "home", {"workers": {"backend": "inline"}})
    lab.scan(folder)
    lab.process()
    rows = lab.warehouse.latest()
    frames = {name: rows.table(name).sort(TABLES[name].key) for name in LOCAL}
    frames["documents"] = rows.table("documents", ["document_id", "first_scan"])
    lab.close()
    if WRITE:
        with gzip.GzipFile(ANNOTATIONS, "wb", mtime=0) as file:
            file.write(json.dumps(frames["annotations"].to_dicts(), ensure_ascii=False).encode())
    recorded: list[dict[str, Any]] = json.loads(gzip.decompress(ANNOTATIONS.read_bytes()))
    frames["annotations"] = TABLES["annotations"].frame(recorded)
    return frames


def _words(texts: list[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def _made(read: dict[str, pl.DataFrame]) -> dict[str, tuple[str, dict[str, pl.DataFrame]]]:
    """Stage → (code version, tables)."""
    settings = Settings()
    domain = load_domain(settings.domain)
    extractions, texts, elements = read["extractions"], read["canonical_texts"], read["elements"]
    tables, cells = read["document_tables"], read["table_cells"]
    annotations, metadata = read["annotations"], read["extracted_metadata"]
    chunked = chunking.chunk(
        extractions, texts, elements, tables, cells, annotations, settings.chunking, settings.index, _words
    ).tables
    situated = contexts.contextualize(extractions, metadata, chunked["chunks"], tables, cells, settings.contexts).tables
    with open_pool(0) as pool:
        found = claims.extract_entities(
            extractions, texts, elements, annotations, metadata, tables, cells, settings.entities, domain, pool
        ).tables
    resolved = resolve(found["mentions"], read["documents"], VIEW, settings.resolution)
    graph, _ = assemble(
        found["claims"], found["claim_evidence"], found["mentions"], extractions, resolved, VIEW, domain
    )
    communities = detect(graph["relationships"], resolved["canonical_entities"], VIEW, settings.communities)
    return {
        "chunks": (chunking.CODE_VERSION, chunked),
        "contextualized_chunks": (contexts.CODE_VERSION, situated),
        "entities": (claims.CODE_VERSION, found),
        "graph": (scope.CODE_VERSION, {**resolved, **graph, **communities}),
    }


def _digests(tables: dict[str, pl.DataFrame]) -> dict[str, str]:
    return {name: table_digest(FrameRows({name: frame}), TABLES[name]) for name, frame in sorted(tables.items())}


@pytest.mark.integration
def test_what_stages_make_of_recorded_annotations_changes_only_with_their_code_version(
    read: dict[str, pl.DataFrame],
) -> None:
    found = {
        stage: {"code_version": version, "tables": _digests(tables)} for stage, (version, tables) in _made(read).items()
    }
    if WRITE:
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    known = json.loads(GOLDEN.read_text())
    changed = [
        f"{stage}.{name}"
        for stage, now in found.items()
        for name, digest in now["tables"].items()
        if known[stage]["code_version"] == now["code_version"] and known[stage]["tables"].get(name) != digest
    ]
    assert not changed, f"{changed} differ under the code version that they had: raise it"
    assert known == found, "a code version was raised: write the golden digests anew (see the top of this file)"


def test_the_papers_exercise_what_the_digests_guard(read: dict[str, pl.DataFrame]) -> None:
    made = {name: frame for _, tables in _made(read).values() for name, frame in tables.items()}
    rules = set(made["claims"]["rule"])
    assert {"T", "M"} <= rules and made["claims"].filter(polarity="negative").height
    assert made["claims"]["condition_text"].drop_nulls().len() and made["conflicts"].height
    assert made["relationships"].height and made["communities"].height and made["aliases"].height
