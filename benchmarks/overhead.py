"""What a whole ingest costs over its bare engines, on the same files with as many processes.

Usage: python benchmarks/overhead.py [FOLDER] [--count 300] [--processes N]
FOLDER holds documents (default: `files` under MUNIMENT_DATA). `--count` of them are chosen, text-heavy
types in turn, distinct by content. Measured, each in processes of its own with model load included:

  ingest    `muniment ingest` of the files into an empty home, by step of the Dagster runs
  (a) read  every file by the same readers and counters, in a plain process pool
  (b) nlp   spaCy's nlp.pipe over the same canonical texts
  (c) embed the texts of the index by the same model

Prints wall and CPU seconds of each, and the ratio of the ingest to the sum of (a), (b) and (c). On a
machine with other work CPU seconds are the steadier figure.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from muniment import telemetry
from muniment.home import Home
from muniment.publication.reader import Generation, GenerationReader
from muniment.settings import Settings, load_settings

#: Suffixes taken in turn, and the largest file taken of each.
SUFFIXES = {
    ".md": 60_000,
    ".txt": 60_000,
    ".html": 120_000,
    ".docx": 200_000,
    ".pdf": 400_000,
    ".eml": 200_000,
}
#: Smaller files hold little text.
SMALLEST = 1_500
#: Inert attacks and damaged files: what they cost is limits, not overhead.
LEFT_OUT = "E_robustness"


@dataclass(frozen=True)
class Spent:
    """Seconds of one phase: by the clock, and of CPU in its processes."""

    wall: float
    cpu: float


def choose(folder: Path, count: int) -> list[Path]:
    """Files of the suffixes in turn, in an order that their paths alone decide; no content twice."""
    by_suffix: dict[str, list[Path]] = {suffix: [] for suffix in SUFFIXES}
    for path in folder.rglob("*"):
        if path.suffix.lower() in SUFFIXES and path.is_file() and LEFT_OUT not in path.parts:
            by_suffix[path.suffix.lower()].append(path)
    waiting = {
        suffix: sorted(paths, key=lambda path: hashlib.sha256(str(path.relative_to(folder)).encode()).digest())
        for suffix, paths in by_suffix.items()
    }
    chosen: list[Path] = []
    seen: set[bytes] = set()
    while len(chosen) < count and any(waiting.values()):
        for suffix, paths in waiting.items():
            path = _next_new(paths, SUFFIXES[suffix], seen)
            if path is not None and len(chosen) < count:
                chosen.append(path)
    return chosen


def _next_new(paths: list[Path], largest: int, seen: set[bytes]) -> Path | None:
    while paths:
        path = paths.pop(0)
        if not SMALLEST <= path.stat().st_size <= largest:
            continue
        content = hashlib.sha256(path.read_bytes()).digest()
        if content not in seen:
            seen.add(content)
            return path
    return None


def measured(work: Callable[[], Any]) -> tuple[Any, Spent]:
    """Result of `work` and what it took, its ended child processes included."""
    started, before = time.perf_counter(), _cpu()
    result = work()
    return result, Spent(time.perf_counter() - started, _cpu() - before)


def _cpu() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def ingest(home: Path, source: Path, processes: int) -> None:
    """The command line on an empty home; losses to review are expected."""
    done = subprocess.run(
        [str(Path(sys.executable).parent / "muniment"), "--home", str(home), "ingest", str(source), "--quiet"],
        env={**os.environ, "MUNIMENT_WORKERS__PROCESSES": str(processes)},
    )
    if done.returncode not in (0, 3, 4):
        sys.exit(f"ingest ended with {done.returncode}")


def steps(home: Home) -> list[tuple[str, float]]:
    """Seconds of each step of the home's runs in order of start, checks added to what they check."""
    from pipelines.instance import prepare_instance

    instance = prepare_instance(home)
    found: dict[str, float] = defaultdict(float)
    for record in reversed(instance.get_run_records()):
        spent = 0.0
        stats = instance.get_run_step_stats(record.dagster_run.run_id)
        for step in sorted(stats, key=lambda step: step.start_time or 0.0):
            seconds = (step.end_time or 0.0) - (step.start_time or 0.0) if step.end_time else 0.0
            found[step.step_key] += seconds
            spent += seconds
        whole = (record.end_time or 0.0) - (record.start_time or 0.0)
        found[f"({record.dagster_run.job_name}: between steps)"] += whole - spent
    instance.dispose()
    return list(found.items())


def read_file(payload: dict[str, Any]) -> int:
    """(a): read and count one file; returns the size of the result, 0 when the reader refuses it."""
    from muniment.extraction.entry import read_document
    from muniment.extraction.model import ReadError

    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "read"
        try:
            read_document(payload, output)
        except ReadError:
            return 0
        return output.stat().st_size


def read_texts(payload: tuple[str | None, str, list[str]]) -> int:
    """(b): nlp.pipe over texts; returns the number of sentences."""
    from muniment.nlp import pipelines

    package, language, texts = payload
    nlp = pipelines.load(package) if package else pipelines.load_blank(language)
    nlp.max_length = max(nlp.max_length, *(len(text) + 1 for text in texts))
    return sum(sum(1 for _ in doc.sents) for doc in nlp.pipe(texts))


def embed(payload: tuple[str, list[str]]) -> int:
    """(c): vectors of texts; returns their number."""
    from muniment.index.embedder import open_embedder

    name, texts = payload
    return len(open_embedder(name).embed(texts))


def pooled(function: Callable[[Any], int], payloads: Sequence[Any], processes: int) -> int:
    """Sum of the results; processes start and load what they need within."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return sum(pool.map(function, payloads))


def file_payloads(generation: Generation, home: Home, settings: Settings) -> list[dict[str, Any]]:
    """What the readers were given: every version with a reader."""
    from muniment.extraction.formats import MODULES
    from muniment.store.originals import OriginalStore

    versions = generation.rows.read("SELECT sha256, name, doc_type FROM document_versions ORDER BY size DESC, sha256")
    originals = OriginalStore(home.originals)
    return [
        {
            "path": str(originals.path(row["sha256"])),
            "name": row["name"],
            "doc_type": row["doc_type"],
            "options": settings.extraction.model_dump(mode="json"),
        }
        for row in versions.iter_rows(named=True)
        if row["doc_type"] in MODULES
    ]


def text_payloads(generation: Generation, settings: Settings) -> list[tuple[str | None, str, list[str]]]:
    """Canonical texts with the pipeline of their language, a few documents together."""
    from muniment.nlp import pipelines

    rows = generation.rows.read(
        "SELECT DISTINCT e.language, t.text FROM canonical_texts t "
        "JOIN extractions e USING (extraction_id) ORDER BY ALL"
    )
    groups: dict[tuple[str | None, str], list[str]] = defaultdict(list)
    for language, text in rows.iter_rows():
        known = language not in ("und", "")
        base = pipelines.base_language(language if known else settings.nlp.default_language)
        found = pipelines.resolve(base, settings.nlp)
        groups[found.package if found else None, base].append(text)
    return [
        (package, language, texts[start : start + 4])
        for (package, language), texts in sorted(groups.items(), key=lambda group: -len(group[1]))
        for start in range(0, len(texts), 4)
    ]


def embedding_payloads(generation: Generation, settings: Settings) -> list[tuple[str, list[str]]]:
    """The texts that the index embeds, sorted by length as it does."""
    from muniment.index.embedder import PAYLOAD_TEXTS, open_embedder
    from muniment.index.points import OPERATOR, make_points

    made = make_points(generation.rows, OPERATOR, settings.index, open_embedder(settings.index.embedder), None)
    texts = sorted({text for _, text in made.texts.iter_rows()}, key=lambda text: (len(text), text))
    groups = [texts[start : start + PAYLOAD_TEXTS] for start in range(0, len(texts), PAYLOAD_TEXTS)]
    return [(settings.index.embedder, group) for group in groups]


def compare(folder: Path, count: int, processes: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / "source"
        source.mkdir()
        chosen = choose(folder, count)
        for number, path in enumerate(chosen):
            shutil.copyfile(path, source / f"{number:04d}-{path.name}")
        size = sum(path.stat().st_size for path in chosen)
        home = Home(Path(temporary) / "home")
        settings = load_settings({"home": home.root})
        _, whole = measured(lambda: ingest(home.root, source, processes))
        reader = GenerationReader(home, settings)
        files, texts, chunks = reader.with_generation(
            lambda generation: (
                file_payloads(generation, home, settings),
                text_payloads(generation, settings),
                embedding_payloads(generation, settings),
            )
        )
        reader.close()
        characters = sum(len(text) for _, _, group in texts for text in group)
        print(
            f"{len(chosen)} files, {size:,} bytes, {characters:,} characters of canonical text, {processes} processes"
        )
        phases = {
            f"(a) read {len(files)} files": measured(lambda: pooled(read_file, files, processes))[1],
            f"(b) nlp.pipe {sum(len(group) for *_, group in texts)} texts": measured(
                lambda: pooled(read_texts, texts, processes)
            )[1],
            f"(c) embed {sum(len(group) for _, group in chunks)} texts": measured(
                lambda: pooled(embed, chunks, processes)
            )[1],
        }
        report(phases, whole, steps(home))


def report(phases: dict[str, Spent], whole: Spent, by_step: list[tuple[str, float]]) -> None:
    """The table."""
    bare = Spent(sum(phase.wall for phase in phases.values()), sum(phase.cpu for phase in phases.values()))
    print(f"{'':44}{'wall s':>9}{'CPU s':>9}   (model load included everywhere)")
    for name, spent in {**phases, "sum of the engines": bare, "muniment ingest": whole}.items():
        print(f"{name:44}{spent.wall:9.1f}{spent.cpu:9.1f}")
    print(f"{'ratio':44}{whole.wall / bare.wall:9.2f}{whole.cpu / bare.cpu:9.2f}")
    print("steps of the ingest, by the clock:")
    for name, seconds in by_step:
        if seconds >= 0.05:
            print(f"  {name:42}{seconds:9.2f}")
    rest = whole.wall - sum(seconds for _, seconds in by_step)
    print(f"  {'start, imports, planning, end':42}{rest:9.2f}")


def main() -> None:
    """Parse and run."""
    telemetry.switch_off()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    data = os.environ.pop("MUNIMENT_DATA", None)
    folder = given.folder or (Path(data) / "files" if data else None)
    if folder is None or not folder.is_dir():
        parser.error("give a folder of documents, or set MUNIMENT_DATA")
    compare(folder, given.count, given.processes)


if __name__ == "__main__":
    main()
