"""Building the next index beside the published one, and proving it against the rows.

The next index is a copy of the published folder plus the difference when both have one
configuration; the answers equal those of an index built from scratch.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from muniment.ids import digest
from muniment.index.edge import EdgeReader, build_edge_index, index_digest
from muniment.index.embedder import MapPool, embed_texts, open_embedder
from muniment.index.folder import (
    Manifest,
    check_folder,
    configuration_digest,
    shard_folder,
    views_folder,
    write_manifest,
)
from muniment.index.lexical import document_terms
from muniment.index.points import OPERATOR, PAYLOAD, PointSet, make_points
from muniment.index.port import NO_POLICY, Filter, IndexFolderError, Point
from muniment.settings import IndexSettings
from muniment.store.files import sync_folder
from muniment.store.rows import Rows

_SAMPLE = 64
_QUESTIONS = 8
_POLICIES = """
SELECT c.chunk_id AS ref_id, coalesce(d.access_policy_id, '') AS policy
FROM chunks c
JOIN generation_versions g ON g.version_id = c.version_id AND g.extraction_id = c.extraction_id
JOIN documents d ON d.document_id = c.document_id
"""


class IndexMismatch(RuntimeError):
    """A built index that is not what the rows say; it must not be published."""


@dataclass(frozen=True)
class BuiltIndex:
    """A finished, unpublished index: its folder, the frames to commit with it, and counts.

    Frames: embeddings, index_points, chunk_states, stage_books and losses (stage `indexes`).
    """

    folder: Path
    embedder_digest: str
    frames: dict[str, pl.DataFrame]
    counts: dict[str, int]
    notes: tuple[str, ...] = ()

    @property
    def folder_name(self) -> str:
        """What CURRENT names."""
        return self.folder.name


def build(
    rows: Rows,
    indexes: Path,
    previous: Path | None,
    settings: IndexSettings,
    pool: MapPool,
    *,
    work: Path,
    views: Mapping[str, Iterable[str] | None] | None = None,
) -> BuiltIndex:
    """Build the index of `rows` under `indexes` (`home.indexes`), beside `previous` (its published folder).

    `views` names each view's policies, None for all; by default the operator's view alone. Vectors of
    texts that `rows` has embeddings of are reused. An equal index that is there already is used as it
    is. Raises IndexFolderError when the engine refuses, PointsError when rows are missing.
    """
    embedder = open_embedder(settings.embedder)
    declared: Mapping[str, Iterable[str] | None] = views if views is not None else {OPERATOR: None}
    sets = [make_points(rows, view_id, settings, embedder, declared[view_id]) for view_id in sorted(declared)]
    points, texts = _together(sets)
    embeddings, made = _embeddings(rows, texts, embedder.digest, settings, pool)
    configuration = configuration_digest(embedder.digest, settings)
    content = points.select("point_id", "text_digest", "payload_digest").sort("point_id").rows()
    folder = indexes / f"index-{digest(configuration, content)[:20]}"
    counts = _summed(part.counts for part in sets) | {"points": points.height, "embedded": made}
    frames = {
        "embeddings": embeddings,
        "index_points": pl.concat([part.index_points for part in sets]).sort("point_id"),
        "chunk_states": pl.concat([part.chunk_states for part in sets]).sort("view_id", "chunk_id"),
        "stage_books": pl.concat([part.books["stage_books"] for part in sets]),
        "losses": pl.concat([part.books["losses"] for part in sets]),
    }
    notes: list[str] = []
    if not _usable(folder, notes):
        base = _base(previous, configuration, notes)
        changes = _write(folder, base, points, texts, embeddings, configuration, embedder.dimension, settings, work)
        counts |= changes
    return BuiltIndex(folder, embedder.digest, frames, counts, tuple(notes))


def verify(built: BuiltIndex, rows: Rows, settings: IndexSettings, *, work: Path) -> None:
    """Compare a built index with the rows it was built from; raises IndexMismatch naming what differs.

    Compares the set of ids and every payload with `index_points`, every policy with `documents`, the
    number of chunk points with `chunk_states`, and the vectors of a sample with `embeddings`. A few points
    are asked for by their own vectors: nothing may answer better than the point itself.
    """
    try:
        check_folder(built.folder)
    except IndexFolderError as error:
        raise IndexMismatch(str(error)) from error
    reader = EdgeReader(shard_folder(built.folder), views_folder(work), exact_limit=settings.exact_limit)
    try:
        expected = built.frames["index_points"]
        stored = reader.payloads()
        _same("points", expected.height, reader.total())
        _same("ids of points", digest(sorted(expected["point_id"])), digest(sorted(stored)))
        _verify_payloads(expected, stored)
        _verify_policies(rows, stored)
        states = built.frames["chunk_states"].filter(pl.col("index_state") == "indexed")
        _same("chunk points", states.height, expected.filter(pl.col("kind") == "chunk").height)
        _verify_vectors(reader, expected, built.frames["embeddings"])
        verify_answers(reader, expected, built.frames["embeddings"])
    finally:
        reader.close()


def _together(sets: list[PointSet]) -> tuple[pl.DataFrame, dict[str, str]]:
    """All points with their payloads, and texts by digest."""
    frames = [
        part.index_points.select("point_id", "text_digest", "payload_digest").join(part.payloads, on="point_id")
        for part in sets
    ]
    texts = {text_id: text for part in sets for text_id, text in part.texts.iter_rows()}
    return pl.concat(frames).sort("point_id"), texts


def _embeddings(
    rows: Rows, texts: dict[str, str], embedder_digest: str, settings: IndexSettings, pool: MapPool
) -> tuple[pl.DataFrame, int]:
    """Rows of exactly the texts in use; how many were made now."""
    wanted = pl.DataFrame(
        {"text_digest": list(texts), "text": list(texts.values())},
        schema={"text_digest": pl.String(), "text": pl.String()},
    )
    known = rows.table("embeddings").filter(pl.col("embedder_digest") == embedder_digest)
    kept = known.join(wanted, on="text_digest", how="semi")
    made = embed_texts(wanted.join(kept, on="text_digest", how="anti"), settings, pool)
    return pl.concat([kept, made]).sort("text_digest"), made.height


def _usable(folder: Path, notes: list[str]) -> bool:
    """An index of this content may have been built by a run that did not get to publish it."""
    if not folder.exists():
        return False
    try:
        check_folder(folder)
    except IndexFolderError as error:
        notes.append(f"rebuilt: {error}")
        return False
    return True


def _base(previous: Path | None, configuration: str, notes: list[str]) -> Path | None:
    if previous is None:
        return None
    try:
        manifest = check_folder(previous)
    except IndexFolderError as error:
        notes.append(f"built from scratch: {error}")
        return None
    if manifest.configuration != configuration:
        notes.append("built from scratch: index settings or versions changed")
        return None
    return previous


def _write(
    folder: Path,
    base: Path | None,
    points: pl.DataFrame,
    texts: dict[str, str],
    embeddings: pl.DataFrame,
    configuration: str,
    dimension: int,
    settings: IndexSettings,
    work: Path,
) -> dict[str, int]:
    """Write the folder under another name, then rename it: a folder of its name is always complete."""
    stored = _stored_digests(base, settings, work)
    current = {
        point_id: _point_digest(text_id, payload)
        for point_id, text_id, payload in points.select("point_id", "text_digest", "payload_digest").iter_rows()
    }
    changed = {point_id for point_id, value in current.items() if stored.get(point_id) != value}
    removed = sorted(stored.keys() - current.keys())
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True, mode=0o700)
    build_edge_index(
        shard_folder(partial),
        _points(points.filter(pl.col("point_id").is_in(sorted(changed))), texts, embeddings, settings),
        dimension=dimension,
        previous=None if base is None else shard_folder(base),
        removed=removed,
    )
    manifest = Manifest(
        configuration=configuration,
        embedder_digest=embeddings["embedder_digest"][0]
        if embeddings.height
        else open_embedder(settings.embedder).digest,
        dimension=dimension,
        points=points.height,
        shard_digest=index_digest(shard_folder(partial)),
    )
    write_manifest(partial, manifest)
    if folder.exists():  # damaged: it stays until its successor is complete
        shutil.rmtree(folder)
    partial.rename(folder)
    sync_folder(folder.parent)
    return {"written": len(changed), "removed": len(removed), "kept": len(current) - len(changed)}


def _stored_digests(base: Path | None, settings: IndexSettings, work: Path) -> dict[str, str]:
    if base is None:
        return {}
    reader = EdgeReader(shard_folder(base), views_folder(work), exact_limit=settings.exact_limit)
    try:
        return {point_id: str(payload.get("digest")) for point_id, payload in reader.payloads().items()}
    finally:
        reader.close()


def _points(
    points: pl.DataFrame, texts: dict[str, str], embeddings: pl.DataFrame, settings: IndexSettings
) -> Iterator[Point]:
    vectors = points.join(embeddings, on="text_digest", how="left", maintain_order="left")
    for row in vectors.iter_rows(named=True):
        payload = {name: row[name] for name in PAYLOAD}
        payload["digest"] = _point_digest(row["text_digest"], row["payload_digest"])
        ids, weights = document_terms(texts[row["text_digest"]], settings.average_tokens)
        yield Point(row["point_id"], np.asarray(row["vector"], dtype=np.float32), ids, weights, payload)


def _point_digest(text_id: str, payload: str) -> str:
    return digest(text_id, payload)


def _summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in counts:
        for name, value in part.items():
            total[name] = total.get(name, 0) + value
    return total


def _same(what: str, expected: object, actual: object) -> None:
    if expected != actual:
        raise IndexMismatch(f"{what}: the rows say {expected}, the index has {actual}; publish again")


def _verify_payloads(expected: pl.DataFrame, stored: dict[str, dict[str, object]]) -> None:
    wanted = {
        point_id: _point_digest(text_id, payload)
        for point_id, text_id, payload in expected.select("point_id", "text_digest", "payload_digest").iter_rows()
    }
    for point_id, payload in sorted(stored.items()):
        _same(f"digest of point {point_id}", wanted[point_id], payload.get("digest"))
        if "access_policy_id" not in payload:
            raise IndexMismatch(f"point {point_id} has no access policy in its payload; publish again")


def _verify_policies(rows: Rows, stored: dict[str, dict[str, object]]) -> None:
    policies = dict(rows.read(_POLICIES).iter_rows())
    for point_id, payload in sorted(stored.items()):
        expected = policies.get(payload["ref_id"]) if payload["kind"] == "chunk" else NO_POLICY
        _same(f"access policy of point {point_id}", expected, payload["access_policy_id"])


def _verify_vectors(reader: EdgeReader, expected: pl.DataFrame, embeddings: pl.DataFrame) -> None:
    step = max(1, expected.height // _SAMPLE)
    sample = expected.sort("point_id").gather_every(step).join(embeddings, on="text_digest", how="left")
    vectors = reader.vectors(sample["point_id"].to_list())
    for point_id, vector in sample.select("point_id", "vector").iter_rows():
        if point_id not in vectors or not np.array_equal(vectors[point_id], np.asarray(vector, dtype=np.float32)):
            raise IndexMismatch(f"vector of point {point_id} is not the one in embeddings; publish again")


def verify_answers(reader: EdgeReader, expected: pl.DataFrame, embeddings: pl.DataFrame) -> None:
    """Questions with a known answer: the vector of a point must find a text that is at least as near as itself."""
    step = max(1, expected.height // _QUESTIONS)
    asked = expected.sort("point_id").gather_every(step).join(embeddings, on="text_digest")
    for point_id, view_id, kind, vector in asked.select("point_id", "view_id", "kind", "vector").iter_rows():
        question = np.asarray(vector, dtype=np.float32)
        answers = reader.dense(question, Filter(view_id=view_id, kinds=frozenset({kind})), 1)
        if not answers or answers[0][1] < round(float(question @ question), 4):
            raise IndexMismatch(f"point {point_id} is not found by its own vector; publish again")
