"""Plain hybrid search on a multi-hop set: are all gold passages of a question within the first 8?

Usage: python benchmarks/wiki2.py FOLDER, or MUNIMENT_DATA=DATA python benchmarks/wiki2.py. FOLDER
holds corpus.jsonl (id, title, text) and dev.jsonl (question, gold). Prints a row a way of ranking:
the share of questions whose gold passages are all among the first 8 (all questions, and those of type
multihop), the mean share of gold passages among the first 5, and CPU times.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from muniment.ids import make_id
from muniment.index.build import build, verify
from muniment.index.embedder import open_embedder
from muniment.index.folder import open_index
from muniment.search.query import search_passages
from muniment.settings import IndexSettings, SearchSettings
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

WAYS = {
    "dense only": SearchSettings(dense_weight=1.0),
    "BM25 only": SearchSettings(dense_weight=0.0),
    "score-normalised": SearchSettings(),
    "RRF, k = 60": SearchSettings(fusion="rrf"),
}


class Inline:
    """A pool of no processes."""

    def map(self, function: Callable[[Any], Any], payloads: Sequence[Any]) -> Iterator[Any]:
        """See MapPool."""
        return map(function, payloads)


def passage_frames(passages: list[dict[str, str]], contexts: bool) -> dict[str, pl.DataFrame]:
    """One document, version and chunk a passage; its title as generated context if `contexts`."""
    embedder = open_embedder("minilm-int8")
    sizes = embedder.count_tokens([passage["text"] for passage in passages])
    frames: dict[str, list[dict[str, object]]] = {
        name: [] for name in ("documents", "extractions", "generation_versions", "chunks", "chunk_contexts")
    }
    for passage, tokens in zip(passages, sizes, strict=True):
        document, version = passage["id"], f"v-{passage['id']}"
        shared: dict[str, object] = {"document_id": document, "version_id": version, "extraction_id": f"x-{document}"}
        frames["documents"].append({"document_id": document, "source_id": "s", "first_path": passage["title"]})
        extraction: dict[str, object] = {
            "doc_type": "txt",
            "title": passage["title"],
            "validity_status": "unverified",
            "language": "en",
        }
        frames["extractions"].append(shared | extraction)
        frames["generation_versions"].append(shared | {"held": True, "stage_keys": []})
        chunk: dict[str, object] = {"chunk_id": make_id("chunk", document), "text": passage["text"], "tokens": tokens}
        chunk |= {"section_path": [], "source_locator": "{}", "hidden": False, "index_state": "indexed"}
        frames["chunks"].append(shared | chunk)
        if contexts:
            context: dict[str, object] = {
                "chunk_id": chunk["chunk_id"],
                "version_id": version,
                "generated_context": passage["title"],
            }
            frames["chunk_contexts"].append(context)
    sources: list[dict[str, object]] = [{"source_id": "s", "name": "passages"}]
    tables = {name: TABLES[name].frame(rows) for name, rows in frames.items()}
    return tables | {"sources": TABLES["sources"].frame(sources)}


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Objects of a file with one JSON text a line."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def measure(folder: Path, *, contexts: bool) -> None:
    """Build the index of the set's passages and print the table."""
    passages = [passage for passage in read_lines(folder / "corpus.jsonl") if passage.get("in_101", True)]
    questions = read_lines(folder / "dev.jsonl")
    frames = passage_frames(passages, contexts)
    settings = IndexSettings()
    with tempfile.TemporaryDirectory() as home:
        work = Path(home) / "work"
        started = time.process_time()
        built = build(FrameRows(frames), Path(home) / "indexes", None, settings, Inline(), work=work)
        spent = time.process_time() - started
        rows = FrameRows(frames | built.frames)
        verify(built, rows, settings, work=work)
        print(f"{len(passages)} passages, titles {'as context' if contexts else 'not indexed'}: {spent:.1f} CPU s")
        embedder = open_embedder(settings.embedder)
        index = open_index(built.folder, work, settings, embedder.digest)
        for name, way in WAYS.items():
            started = time.process_time()
            found = [
                [hit.document_id for hit in search_passages(rows, index, embedder, way, item["question"]).hits]
                for item in questions
            ]
            spent = (time.process_time() - started) / len(questions)
            print(f"  {name:18} {_scores(questions, found)}  {spent * 1000:.0f} CPU ms a question")
        index.close()


def _scores(questions: list[dict[str, Any]], found: list[list[str]]) -> str:
    gold = [{item["doc"] for item in question["gold"]} for question in questions]
    whole = [float(wanted <= set(ids[:8])) for wanted, ids in zip(gold, found, strict=True)]
    hops = [value for value, question in zip(whole, questions, strict=True) if question["type"] == "multihop"]
    recall = [len(wanted & set(ids[:5])) / len(wanted) for wanted, ids in zip(gold, found, strict=True)]
    return (
        f"all gold in 8: {sum(whole) / len(whole):.3f} (multihop {sum(hops) / max(len(hops), 1):.3f} of {len(hops)}), "
        f"recall@5 {sum(recall) / len(recall):.3f}, n = {len(questions)}"
    )


def main() -> None:
    """Run with titles and without."""
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MUNIMENT_DATA")
    if not given:
        sys.exit(__doc__)
    folder = Path(given)
    if (folder / "gold" / "wiki2_101").is_dir():
        folder = folder / "gold" / "wiki2_101"
    for contexts in (True, False):
        measure(folder, contexts=contexts)


if __name__ == "__main__":
    main()
