"""The index in this process: Qdrant's engine as a library (qdrant-edge), one shard a folder.

The rules are measured ones. No write-ahead log: a shard is built beside the published one, flushed,
loaded once (which rewrites its configuration) and synced. Readers work on hard-linked views and have
no write method. Each branch is asked alone and fetched past ties, because the engine orders ties by
hash; sums over several terms vary in the last bit from process to process, so the scores of the
sparse candidates are summed here, term by term.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from muniment.index.files import copy_tree, folder_digest, sync_tree
from muniment.index.port import DATES, FLAGS, KEYWORDS, SCORE_DECIMALS, Filter, IndexFolderError, Point
from muniment.index.view import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

DENSE = "dense"
LEXICAL = "lexical"
_BATCH = 500
_PAGE = 1_000
#: Far above what sums of the engine vary by (1e-6), far below what tells two passages apart.
_MARGIN = 1e-3


def build_edge_index(
    folder: Path,
    points: Iterable[Point],
    *,
    dimension: int,
    previous: Path | None = None,
    removed: Iterable[str] = (),
) -> None:
    """Build a shard in `folder`, which must not exist: see IndexBuilder.

    `previous` is copied, never linked: the engine maps its files for writing. Raises IndexFolderError
    when the engine refuses.
    """
    import qdrant_edge

    if folder.exists():
        raise IndexFolderError(f"{folder} exists already; an index is built into a new folder")
    try:
        if previous is not None:
            copy_tree(previous, folder)
            shard = qdrant_edge.EdgeShard.load(str(folder))
        else:
            folder.mkdir(parents=True, mode=0o700)
            shard = _create(folder, dimension)
        for group in _groups(removed):
            shard.update(qdrant_edge.UpdateOperation.delete_points(group))
        for group in _groups(points):
            shard.update(qdrant_edge.UpdateOperation.upsert_points([_engine_point(point) for point in group]))
        shard.optimize()
        shard.flush()
        shard.close()
        qdrant_edge.EdgeShard.load(str(folder)).close()
    except Exception as error:  # the engine raises bare Exception
        raise IndexFolderError(
            f"{folder}: the index engine refused ({error}); remove the folder and publish again"
        ) from error
    sync_tree(folder)


def index_digest(folder: Path) -> str:
    """Digest of the folder's files: what `doctor` compares to notice a write into a published index."""
    return folder_digest(folder)


class EdgeReader:
    """See IndexReader. Opens its own view of `folder` under `views`; has no write method."""

    def __init__(self, folder: Path, views: Path, *, exact_limit: int) -> None:
        import qdrant_edge

        if not folder.is_dir():
            raise IndexFolderError(f"index folder {folder} does not exist; publish again")
        self._engine = qdrant_edge
        self._exact_limit = exact_limit
        self._view = View(folder, views)
        try:
            self._shard = qdrant_edge.EdgeShard.load(str(self._view.folder))
        except Exception as error:  # the engine raises bare Exception
            self._view.close()
            raise IndexFolderError(
                f"{folder}: cannot be loaded ({error}); publish again, or restore a backup"
            ) from error
        self._open = True

    def __enter__(self) -> EdgeReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def dense(self, vector: NDArray[np.float32], condition: Filter, limit: int) -> list[tuple[str, float]]:
        """See IndexReader. Exact as long as at most `exact_limit` points pass the condition."""
        passing = self.count(condition)
        parameters = self._engine.SearchParams(exact=passing <= self._exact_limit)
        query = self._engine.Query.Nearest(vector.tolist(), using=DENSE)
        found = self._past_ties(query, self._filter(condition), parameters, limit, passing)
        return _ranked(found, limit)

    def sparse(self, token_ids: list[int], condition: Filter, limit: int) -> list[tuple[str, float]]:
        """See IndexReader. Document frequencies are counted among the points that pass."""
        terms = sorted(set(token_ids))
        passing = self.count(condition)
        if not terms or not passing:
            return []
        limits = self._filter(condition)
        parameters = self._engine.SearchParams(idf=self._engine.IdfParams(corpus=limits))
        query = self._terms_query(terms)
        found = self._past_ties(query, limits, parameters, limit, passing)
        return _ranked(self._summed(terms, [point for point, _ in found], limits, parameters), limit)

    def count(self, condition: Filter) -> int:
        """See IndexReader."""
        return self._shard.count(self._engine.CountRequest(exact=True, filter=self._filter(condition)))

    def total(self) -> int:
        """See IndexReader."""
        return self._shard.count(self._engine.CountRequest(exact=True))

    def payloads(self) -> dict[str, dict[str, object]]:
        """See IndexReader."""
        return {str(record.id): _port_payload(record.payload or {}) for record in self._scroll()}

    def vectors(self, point_ids: list[str]) -> dict[str, NDArray[np.float32]]:
        """See IndexReader."""
        records = self._shard.retrieve(list(point_ids), with_payload=False, with_vector=[DENSE])
        return {str(record.id): np.asarray(_named(record.vector, DENSE), dtype=np.float32) for record in records}

    def close(self) -> None:
        """See IndexReader."""
        if self._open:
            self._open = False
            self._shard.close()
            self._view.close()

    def _terms_query(self, terms: list[int]) -> Any:
        vector = self._engine.SparseVector(terms, [1.0] * len(terms))
        return self._engine.Query.Nearest(vector, using=LEXICAL)

    def _past_ties(self, query: Any, limits: Any, parameters: Any, limit: int, passing: int) -> list[tuple[str, float]]:
        """At least everything that scores within a margin of the last of the best `limit`."""
        wanted = limit + 16
        while True:
            request = self._engine.QueryRequest(limit=wanted, query=query, filter=limits, params=parameters)
            found = [(str(point.id), point.score) for point in self._shard.query(request)]
            complete = len(found) < wanted or wanted >= passing
            if complete or found[-1][1] < found[limit - 1][1] - _MARGIN:
                return found
            wanted *= 2

    def _summed(self, terms: list[int], candidates: list[str], limits: Any, parameters: Any) -> list[tuple[str, float]]:
        """Scores of the candidates summed in 64 bits in order of the terms: equal in every process."""
        if not candidates:
            return []
        among = self._engine.Filter(must=[limits, self._engine.HasIdCondition(set(candidates))])
        requests = [
            self._engine.QueryRequest(
                limit=len(candidates), query=self._terms_query([term]), filter=among, params=parameters
            )
            for term in terms
        ]
        totals = dict.fromkeys(candidates, 0.0)
        for answers in self._shard.query_batch(self._engine.QueryBatchRequest(requests)):
            for point in answers:
                totals[str(point.id)] += point.score
        return list(totals.items())

    def _filter(self, condition: Filter) -> Any:
        engine = self._engine
        must: list[Any] = [
            engine.FieldCondition(key, match=engine.MatchAny(values))
            for key, values in condition.keyword_conditions().items()
        ]
        if condition.held is not None:
            must.append(engine.FieldCondition("held", match=engine.MatchValue(_flag(condition.held))))
        if condition.valid_on is not None:
            day = _day(condition.valid_on)
            must.append(self._known_or("valid_from", engine.RangeDateTime(lte=day)))
            must.append(self._known_or("valid_to", engine.RangeDateTime(gt=day)))
        return engine.Filter(must=must)

    def _known_or(self, key: str, bounds: Any) -> Any:
        engine = self._engine
        return engine.Filter(should=[engine.FieldCondition(key, range=bounds), engine.IsEmptyCondition(key)])

    def _scroll(self) -> Iterator[Any]:
        offset = None
        while True:
            request = self._engine.ScrollRequest(offset=offset, limit=_PAGE, with_payload=True, with_vector=False)
            records, offset = self._shard.scroll(request)
            yield from records
            if offset is None:
                return


def _create(folder: Path, dimension: int) -> Any:
    import qdrant_edge

    configuration = qdrant_edge.EdgeConfig(
        # inner product: unit vectors are stored as they are, not normalised once more
        vectors={DENSE: qdrant_edge.EdgeVectorParams(size=dimension, distance=qdrant_edge.Distance.Dot)},
        sparse_vectors={LEXICAL: qdrant_edge.EdgeSparseVectorParams(modifier=qdrant_edge.Modifier.Idf)},
        wal_enabled=False,
        max_search_threads=1,
    )
    shard = qdrant_edge.EdgeShard.create(str(folder), configuration)
    schemas: list[tuple[tuple[str, ...], Any]] = [
        (KEYWORDS + FLAGS, qdrant_edge.PayloadSchemaType.Keyword),
        (DATES, qdrant_edge.PayloadSchemaType.Datetime),
    ]
    for keys, schema in schemas:
        for key in keys:
            shard.update(qdrant_edge.UpdateOperation.create_field_index(key, schema))
    return shard


def _engine_point(point: Point) -> Any:
    import qdrant_edge

    terms = qdrant_edge.SparseVector(point.token_ids, point.token_weights)
    payload = {key: _engine_value(value) for key, value in point.payload.items() if value is not None}
    return qdrant_edge.Point(point.point_id, {DENSE: point.vector.tolist(), LEXICAL: terms}, payload)


def _engine_value(value: object) -> object:
    if isinstance(value, bool):
        return _flag(value)
    return _day(value) if isinstance(value, date) else value


def _flag(value: bool) -> str:
    """Flags are kept as words: the engine's Python binding reads True as 1 and then matches nothing."""
    return "true" if value else "false"


def _port_payload(payload: dict[str, object]) -> dict[str, object]:
    return {key: value == "true" if key in FLAGS else value for key, value in payload.items()}


def _groups(items: Iterable[Any]) -> Iterator[list[Any]]:
    remaining = iter(items)
    while group := list(islice(remaining, _BATCH)):
        yield group


def _day(day: date) -> str:
    return datetime.combine(day, time.min, UTC).isoformat().replace("+00:00", "Z")


def _named(vectors: Any, name: str) -> Any:
    return vectors[name]


def _ranked(found: list[tuple[str, float]], limit: int) -> list[tuple[str, float]]:
    rounded = [(point_id, round(score, SCORE_DECIMALS)) for point_id, score in found]
    return sorted(rounded, key=lambda item: (-item[1], item[0]))[:limit]
