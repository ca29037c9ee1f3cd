"""What every index adapter must do. One suite over all adapters: an adapter is a name and two functions."""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.index.edge import EdgeReader, build_edge_index
from muniment.index.port import Filter, IndexFolderError, IndexReader, Point

POLICIES = ["", "public", "board", "legal"]
TYPES = ["pdf", "docx"]
DAYS = [None, date(1, 1, 1), date(2020, 1, 1), date(2020, 6, 1), date(2021, 1, 1), date(9999, 12, 31)]


@dataclass(frozen=True)
class Adapter:
    build: Callable[..., None]
    open: Callable[[Path, Path], IndexReader]


ADAPTERS = {"edge": Adapter(build_edge_index, lambda folder, views: EdgeReader(folder, views, exact_limit=20_000))}


@pytest.fixture(params=sorted(ADAPTERS), scope="module")
def adapter(request: pytest.FixtureRequest) -> Adapter:
    return ADAPTERS[request.param]


def make_points(count: int, seed: int = 1) -> list[Point]:
    generator = random.Random(seed)
    return [one_point(generator) for _ in range(count)]


def one_point(generator: random.Random, view_id: str = "operator") -> Point:
    vector = np.array([generator.gauss(0, 1) for _ in range(4)])
    terms = {int(min(generator.expovariate(0.2), 40)): generator.uniform(0.2, 2.0) for _ in range(8)}
    start, end = sorted((generator.choice(DAYS), generator.choice(DAYS)), key=lambda day: day or date(1, 1, 1))
    payload: dict[str, object] = {
        "view_id": view_id,
        "kind": generator.choice(["chunk", "chunk", "entity"]),
        "access_policy_id": generator.choice(POLICIES),
        "source_id": generator.choice(["s1", "s2"]),
        "doc_type": generator.choice(TYPES),
        "document_id": f"d{generator.randrange(9)}",
        "family_id": f"f{generator.randrange(3)}",
        "language": generator.choice(["en", "fr"]),
        "held": generator.random() < 0.7,
        "valid_from": start,
        "valid_to": end,
    }
    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    point_id = str(uuid.UUID(int=generator.getrandbits(128)))
    return Point(point_id, unit, sorted(terms), [terms[term] for term in sorted(terms)], payload)


def passes(point: Point, condition: Filter) -> bool:
    """The filter's meaning, written a second time."""
    payload = point.payload
    sets = {
        "kind": condition.kinds,
        "source_id": condition.source_ids,
        "doc_type": condition.doc_types,
        "document_id": condition.document_ids,
        "family_id": condition.family_ids,
        "language": condition.languages,
    }
    policy = payload["access_policy_id"]
    day, start, end = condition.valid_on, payload["valid_from"], payload["valid_to"]
    return (
        payload["view_id"] == condition.view_id
        and all(allowed is None or payload[key] in allowed for key, allowed in sets.items())
        and (condition.policies is None or (policy != "" and policy in condition.policies))
        and (condition.held is None or payload["held"] == condition.held)
        and (day is None or start is None or (isinstance(start, date) and start <= day))
        and (day is None or end is None or (isinstance(end, date) and day < end))
    )


def bm25(points: Iterable[Point], terms: list[int]) -> dict[str, float]:
    """Scores by the formula, over exactly these points."""
    corpus = [dict(zip(point.token_ids, point.token_weights, strict=True)) for point in points]
    scores: dict[str, float] = {}
    for point, own in zip(points, corpus, strict=True):
        found = [term for term in terms if term in own]
        for term in found:
            frequency = sum(term in other for other in corpus)
            idf = math.log((len(corpus) - frequency + 0.5) / (frequency + 0.5) + 1)
            scores[point.point_id] = scores.get(point.point_id, 0.0) + own[term] * idf
    return scores


POINTS = [*make_points(300), *(one_point(random.Random(900 + number), "other") for number in range(20))]


@pytest.fixture(scope="module")
def reader(adapter: Adapter, tmp_path_factory: pytest.TempPathFactory) -> Iterable[IndexReader]:
    home = tmp_path_factory.mktemp("contract")
    adapter.build(home / "published", POINTS, dimension=4, previous=None, removed=())
    opened = adapter.open(home / "published", home / "views")
    yield opened
    opened.close()


def subsets(values: list[str]) -> st.SearchStrategy[frozenset[str] | None]:
    return st.none() | st.frozensets(st.sampled_from(values))


CONDITIONS = st.builds(
    Filter,
    view_id=st.sampled_from(["operator", "operator", "other", "unknown"]),
    kinds=subsets(["chunk", "entity"]),
    policies=subsets(POLICIES),
    source_ids=subsets(["s1", "s2"]),
    doc_types=subsets(TYPES),
    family_ids=subsets(["f0", "f1", "f2"]),
    held=st.sampled_from([None, True, False]),
    valid_on=st.sampled_from([None, date(1, 1, 1), date(2019, 12, 31), date(2020, 1, 1), date(2020, 6, 1), date.max]),
)
QUIET = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUIET
@given(condition=CONDITIONS)
def test_a_filter_passes_what_it_says(reader: IndexReader, condition: Filter) -> None:
    assert reader.count(condition) == sum(passes(point, condition) for point in POINTS)


@QUIET
@given(condition=CONDITIONS, limit=st.integers(1, 40), seed=st.integers(0, 99))
def test_dense_gives_the_nearest_that_pass(reader: IndexReader, condition: Filter, limit: int, seed: int) -> None:
    query = make_points(1, seed + 5_000)[0].vector
    scores = {point.point_id: float(point.vector @ query) for point in POINTS if passes(point, condition)}
    found = reader.dense(query, condition, limit)
    assert [score for _, score in found] == pytest.approx(sorted(scores.values(), reverse=True)[:limit], abs=1e-4)
    assert [score for _, score in found] == pytest.approx([scores[point_id] for point_id, _ in found], abs=1e-4)


@QUIET
@given(condition=CONDITIONS, limit=st.integers(1, 40), terms=st.lists(st.integers(0, 45), max_size=6))
def test_sparse_is_bm25_among_what_passes(reader: IndexReader, condition: Filter, limit: int, terms: list[int]) -> None:
    scores = bm25([point for point in POINTS if passes(point, condition)], sorted(set(terms)))
    found = reader.sparse(terms, condition, limit)
    assert [score for _, score in found] == pytest.approx(sorted(scores.values(), reverse=True)[:limit], abs=2e-4)
    assert [score for _, score in found] == pytest.approx([scores[point_id] for point_id, _ in found], abs=2e-4)


def test_what_a_reader_may_not_see_changes_no_bit_of_the_answer(adapter: Adapter, tmp_path: Path) -> None:
    """The index of everything, filtered to a policy, against an index of that policy's points alone."""
    for policy in ("public", "board"):
        condition = Filter(policies=frozenset([policy]))
        alone = [point for point in POINTS if passes(point, condition)]
        adapter.build(tmp_path / policy, alone, dimension=4, previous=None, removed=())
    adapter.build(tmp_path / "all", POINTS, dimension=4, previous=None, removed=())
    everything = adapter.open(tmp_path / "all", tmp_path / "views")
    for policy in ("public", "board"):
        condition = Filter(policies=frozenset([policy]))
        only = adapter.open(tmp_path / policy, tmp_path / "views")
        for seed in range(40):
            question = make_points(1, 7_000 + seed)[0]
            assert everything.dense(question.vector, condition, 15) == only.dense(question.vector, condition, 15)
            assert everything.sparse(question.token_ids, condition, 15) == only.sparse(
                question.token_ids, condition, 15
            )
        only.close()
    everything.close()


def test_ties_are_ordered_by_id_across_the_cut(adapter: Adapter, tmp_path: Path) -> None:
    generator = random.Random(4)
    vector = np.array([1, 0, 0, 0], dtype=np.float32)
    ids = [str(uuid.UUID(int=generator.getrandbits(128))) for _ in range(200)]
    points = [Point(point_id, vector, [7], [1.0], {"view_id": "operator", "kind": "chunk"}) for point_id in ids]
    adapter.build(tmp_path / "ties", points, dimension=4, previous=None, removed=())
    opened = adapter.open(tmp_path / "ties", tmp_path / "views")
    assert [point_id for point_id, _ in opened.dense(vector, Filter(), 10)] == sorted(ids)[:10]
    assert [point_id for point_id, _ in opened.sparse([7], Filter(), 10)] == sorted(ids)[:10]
    opened.close()


def test_nothing_to_look_for_finds_nothing(reader: IndexReader) -> None:
    assert reader.sparse([], Filter(), 5) == []
    assert reader.sparse([99_999], Filter(), 5) == []
    assert reader.dense(POINTS[0].vector, Filter(policies=frozenset()), 5) == []
    assert reader.count(Filter(policies=frozenset([""]))) == 0


def test_stored_points_come_back_as_they_were(reader: IndexReader) -> None:
    assert reader.total() == len(POINTS)
    payloads = reader.payloads()
    assert set(payloads) == {point.point_id for point in POINTS}
    assert payloads[POINTS[0].point_id]["held"] == POINTS[0].payload["held"]
    vectors = reader.vectors([POINTS[0].point_id, POINTS[5].point_id, str(uuid.UUID(int=1))])
    assert set(vectors) == {POINTS[0].point_id, POINTS[5].point_id}
    assert np.array_equal(vectors[POINTS[5].point_id], POINTS[5].vector)


def test_a_copy_with_the_difference_answers_like_one_from_scratch(adapter: Adapter, tmp_path: Path) -> None:
    old, new = POINTS[:200], POINTS[150:]
    changed = [
        Point(point.point_id, point.vector[::-1].copy(), [1, 2], [0.5, 0.7], {**point.payload, "doc_type": "pdf"})
        for point in new[:20]
    ]
    final = [*changed, *new[20:]]
    adapter.build(tmp_path / "old", old, dimension=4, previous=None, removed=())
    removed = [point.point_id for point in old[:150]]
    adapter.build(tmp_path / "next", [*changed, *POINTS[200:]], dimension=4, previous=tmp_path / "old", removed=removed)
    adapter.build(tmp_path / "scratch", final, dimension=4, previous=None, removed=())
    step, scratch = (adapter.open(tmp_path / name, tmp_path / "views") for name in ("next", "scratch"))
    assert step.total() == scratch.total() == len(final)
    assert step.payloads() == scratch.payloads()
    for seed in range(30):
        question = make_points(1, 8_000 + seed)[0]
        for condition in (Filter(), Filter(policies=frozenset(["legal", "board"]), held=True)):
            assert step.dense(question.vector, condition, 20) == scratch.dense(question.vector, condition, 20)
            assert step.sparse(question.token_ids, condition, 20) == scratch.sparse(question.token_ids, condition, 20)
    step.close()
    scratch.close()


def test_an_empty_index_answers_nothing(adapter: Adapter, tmp_path: Path) -> None:
    adapter.build(tmp_path / "empty", [], dimension=4, previous=None, removed=())
    opened = adapter.open(tmp_path / "empty", tmp_path / "views")
    assert opened.total() == 0
    assert opened.dense(POINTS[0].vector, Filter(), 5) == []
    assert opened.sparse([1, 2], Filter(), 5) == []
    opened.close()
    opened.close()


def test_no_folder_and_a_taken_folder_are_refused(adapter: Adapter, tmp_path: Path) -> None:
    with pytest.raises(IndexFolderError, match=r"absent.*publish again"):
        adapter.open(tmp_path / "absent", tmp_path / "views")
    adapter.build(tmp_path / "taken", POINTS[:2], dimension=4, previous=None, removed=())
    with pytest.raises(IndexFolderError, match="exists already"):
        adapter.build(tmp_path / "taken", POINTS[:2], dimension=4, previous=None, removed=())


def test_a_reader_has_no_way_to_write(reader: IndexReader) -> None:
    public = {name for name in dir(reader) if not name.startswith("_")}
    assert public == {"dense", "sparse", "count", "total", "payloads", "vectors", "close"}
