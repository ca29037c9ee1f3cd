"""Real files of every format, damaged ones among them: what became of each, how fast, what was lost, what verifies.

Usage: python benchmarks/real_files.py [DATA] [NUMBER] [HOME]; defaults: MUNIMENT_DATA, 300, a temporary home.
Files are drawn by the hash of their path, evenly over the nine formats and files of no supported format, in each
group evenly over the folders of DATA (hostile and damaged files have folders of their own). They are copied beside
HOME, which must not exist yet, and ingested by `muniment ingest`. Prints the manifest by type and
state, documents per second, the loss report, the ten worst versions, the verbatim check over all rows, and what
`trace --verify` says of up to 200 chunks of each format.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from muniment.api import Muniment
from muniment.extraction.formats import MODULES, promised_type
from muniment.home import Home
from muniment.loss.reconciliation import reconcile
from muniment.loss.verbatim import check_verbatim
from muniment.processing.local_stages import STAGES
from muniment.store.current import read_current
from muniment.store.rows import Rows
from muniment.store.warehouse import Warehouse

VERIFIED_CHUNKS = 200


def sample(data: Path, number: int) -> list[Path]:
    """Paths relative to `data`, sorted: groups (formats and `other`) in turn, in each group folders in turn."""
    groups: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for path in data.rglob("*"):
        if path.is_file() and not path.is_symlink():
            relative = path.relative_to(data)
            groups[promised_type(path.name) or "other"]["/".join(relative.parts[:2])].append(relative)
    queues = [_in_turn(folders) for _, folders in sorted(groups.items())]
    return sorted(itertools.islice(_round_robin(queues), number))


def _in_turn(folders: dict[str, list[Path]]) -> Iterator[Path]:
    return _round_robin([iter(sorted(files, key=_by_hash)) for _, files in sorted(folders.items())])


def _round_robin(queues: list[Iterator[Path]]) -> Iterator[Path]:
    waiting = queues
    while waiting:
        left = []
        for queue in waiting:
            item = next(queue, None)
            if item is not None:
                yield item
                left.append(queue)
        waiting = left


def _by_hash(path: Path) -> str:
    return hashlib.sha256(path.as_posix().encode("utf-8", "surrogateescape")).hexdigest()


def ingest_files(files: list[Path], data: Path, home: Path) -> None:
    """Copy the files beside the home and ingest them by the command line, which prints progress and losses."""
    source = home.with_name(f"{home.name}-files")
    for relative in files:
        target = source / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(data / relative, target)
    program = Path(sys.executable).with_name("muniment")
    started, spent = time.monotonic(), _cpu_seconds()
    done = subprocess.run([program, "--home", home, "ingest", source, "--source", "real files"])
    seconds, spent = time.monotonic() - started, _cpu_seconds() - spent
    rate = f"{len(files) / seconds:.2f} documents a second, {spent:.1f} CPU s"
    print(f"\n{len(files)} files in {seconds:.1f} s: {rate}; exit code {done.returncode}")


def _cpu_seconds() -> float:
    """CPU seconds of this process and of the children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def show_manifest(rows: Rows) -> None:
    """States by type, reasons of what is not indexed in full, and rows without state or reason."""
    table = rows.read("SELECT coalesce(doc_type, 'refused') AS doc_type, state, reason_code FROM manifest")
    print(f"\nmanifest: {table.height} rows")
    print(_plain(table.pivot("state", index="doc_type", values="reason_code", aggregate_function="len").fill_null(0)))
    silent = table.filter(
        pl.col("state").is_null() | ((pl.col("state") != "indexed") & pl.col("reason_code").is_null())
    )
    print(f"rows without state, or not indexed in full and without reason: {silent.height}")
    print(_plain(table.group_by("state", "reason_code").len().sort("state", "len", descending=[False, True])))


def show_worst(rows: Rows, number: int = 10) -> None:
    """Versions with the largest share of visible text lost, and those with the most severe losses."""
    worst = rows.read(
        "SELECT v.name, v.doc_type, b.expected, b.additions, b.actual, b.explained, b.unexplained, "
        "round((b.explained + abs(b.unexplained)) / greatest(b.expected + b.additions, 1), 4) AS share, b.version_id "
        "FROM stage_books b JOIN document_versions v USING (version_id) "
        "WHERE b.stage = 'structured_extraction' AND b.unit = 'chars_visible' "
        "ORDER BY abs(b.unexplained) / greatest(b.expected, 1) DESC, share DESC, b.version_id LIMIT ?",
        [number],
    )
    print(f"\nthe {number} worst versions, by visible text without a reason\n{_plain(worst)}")


def show_checks(rows: Rows) -> None:
    """The verbatim invariant over all rows, and the reconciliation of each local stage."""
    print("\nverbatim check")
    for result in check_verbatim(rows):
        print(f"  {result.table}: {result.checked} checked, {result.failures} failed")
    for stage in STAGES:
        found = reconcile(rows, stage)
        print(f"reconciliation of {stage}: {found.books} books, {'passed' if found.passed else found}")


def show_home(home: Path) -> None:
    """Everything that is printed of an ingested home."""
    current = read_current(Home(home))
    if current is None:
        sys.exit("nothing was published")
    warehouse = Warehouse.open(Home(home).warehouses / current.warehouse)
    try:
        rows = warehouse.at(current.snapshot_id)
        show_manifest(rows)
        show_worst(rows)
        show_checks(rows)
    finally:
        warehouse.close()
    show_verified(home)


def show_verified(home: Path, number: int = VERIFIED_CHUNKS) -> None:
    """What `trace --verify` says of up to `number` chunks of each format, in the order of their ids."""
    print(f"\ntrace --verify on up to {number} chunks of a format")
    with Muniment.open(home) as opened:
        chunks = opened.table("chunks").join(opened.table("document_versions"), on="version_id")
        for doc_type in MODULES:
            ids = chunks.filter(pl.col("doc_type") == doc_type).sort("chunk_id")["chunk_id"].head(number)
            started = time.monotonic()
            answers = {chunk_id: opened.trace(chunk_id, verify=True).verification or "none" for chunk_id in ids}
            seconds = time.monotonic() - started
            counts = ", ".join(f"{name} {count}" for name, count in sorted(Counter(answers.values()).items()))
            print(f"  {doc_type}: {counts or 'no chunk'} ({seconds:.1f} s)")
            missing = [chunk_id for chunk_id, answer in answers.items() if answer not in ("exact", "normalised")]
            if missing:
                print(f"    e.g. {' '.join(missing[:5])}")


def _plain(frame: pl.DataFrame) -> str:
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True,
                   tbl_formatting="ASCII_MARKDOWN", fmt_str_lengths=60, tbl_width_chars=220):  # fmt: skip
        return str(frame)


def main() -> None:
    """Draw, ingest, and print what became of the files."""
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MUNIMENT_DATA")
    if not given:
        sys.exit(__doc__)
    data = Path(given)
    data = data / "files" if (data / "files").is_dir() else data
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    with tempfile.TemporaryDirectory() as folder:
        home = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else Path(folder) / "home"
        if home.exists():
            sys.exit(f"{home} exists; give a home that does not exist yet")
        home.parent.mkdir(parents=True, exist_ok=True)
        ingest_files(sample(data, number), data, home)
        show_home(home)


if __name__ == "__main__":
    main()
