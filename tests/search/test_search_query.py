"""Searching passages: what is found, what is hidden, what the answer says of itself."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from index_corpus import Doc, Inline, frames  # pyright: ignore[reportMissingImports]

from muniment.index.build import build, verify
from muniment.index.embedder import open_embedder
from muniment.index.folder import open_index
from muniment.index.port import IndexReader
from muniment.search.filters import SearchError
from muniment.search.hits import SearchResult
from muniment.search.query import search_passages
from muniment.settings import IndexSettings, SearchSettings
from muniment.store.changes import Append, ReplaceAll
from muniment.store.rows import FrameRows, Rows
from muniment.store.warehouse import Warehouse
from muniment.tables.registry import TABLES

EMBEDDER = open_embedder("minilm-int8")
NOTICE = "Notice of termination must be given 30 days before the end of the lease."
DOCS = [
    Doc(
        "lease.txt",
        ["The tenant shall pay a rent of 1,250.50 EUR under clause 4.2(a).", NOTICE],
        policy="public",
        context="Lease of 2024",
        hidden=["Secretly the rent is zero."],
        valid_from=date(2024, 1, 1),
        valid_to=date(2025, 1, 1),
        family="lease-family",
    ),
    Doc("renewal.txt", [NOTICE, "The tenant shall not sublet."], policy="board", doc_type="docx"),
    Doc("minutes.txt", ["The board approved the merger with Acme."], policy="board", source="board papers"),
    Doc("old.txt", ["The rent was 900 EUR in former times."], policy="public", held=False, valid_to=date(2020, 1, 1)),
    Doc("private.txt", ["The rent of the secret flat is 77 EUR."]),
    Doc("cafe.txt", ["A naïve café owner met the tenant."], policy="public"),
]


@dataclass
class Home:
    """An index and its rows."""

    rows: Rows
    index: IndexReader
    folder: Path

    def ask(self, query: str, settings: SearchSettings | None = None, **options: Any) -> SearchResult:
        return search_passages(self.rows, self.index, EMBEDDER, settings or SearchSettings(), query, **options)


def make_home(folder: Path, docs: list[Doc]) -> Home:
    tables: dict[str, pl.DataFrame] = frames(docs)
    built = build(FrameRows(tables), folder / "indexes", None, IndexSettings(), Inline(), work=folder / "work")
    index = open_index(built.folder, folder / "work", IndexSettings(), EMBEDDER.digest)
    return Home(FrameRows(tables | built.frames), index, built.folder)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    made = make_home(tmp_path_factory.mktemp("search"), DOCS)
    yield made
    made.index.close()


def paths(result: SearchResult) -> list[str]:
    return [hit.path for hit in result.hits]


def test_a_hit_says_what_and_where(home: Home) -> None:
    hit = home.ask("what rent does the tenant pay under clause 4.2(a)?", limit=1, explain=True).hits[0]
    lease = DOCS[0]
    assert hit.original_text == lease.passages[0]
    assert hit.generated_context == "Lease of 2024"
    assert (hit.document_id, hit.version_id, hit.chunk_id) == (lease.document_id, lease.version_id, lease.chunk_id(0))
    assert (hit.family_id, hit.access_policy_id, hit.doc_type, hit.held) == ("lease-family", "public", "txt", True)
    assert (hit.source_name, hit.path, hit.title) == ("contracts", "now/lease.txt", "Title of lease.txt")
    assert (hit.valid_from, hit.valid_to, hit.validity_status) == (date(2024, 1, 1), date(2025, 1, 1), "stated")
    assert hit.source_locator == {"page": 1}
    assert hit.section_path == ("Terms",)
    assert hit.place() == "contracts: now/lease.txt, page 1, Terms"
    assert hit.explain is not None
    assert hit.explain.dense is not None
    assert hit.explain.lexical is not None
    assert hit.explain.lexical.rank == 1
    total = hit.explain.dense.contribution + hit.explain.lexical.contribution
    assert hit.score == hit.explain.fused == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("4.2(a)", "now/lease.txt"),
        ("1250.50", "now/lease.txt"),
        ("naive cafe", "now/cafe.txt"),
        ("not", "now/renewal.txt"),
    ],
)
def test_exact_words_are_found(home: Home, query: str, path: str) -> None:
    assert paths(home.ask(query, SearchSettings(dense_weight=0.1), limit=1)) == [path]


def test_hidden_text_is_not_found(home: Home) -> None:
    hits = home.ask("Secretly the rent is zero", limit=50, all_versions=True).hits
    assert not any("Secretly" in hit.original_text for hit in hits)
    assert len(hits) == 7


def test_only_held_versions_by_default_and_the_answer_says_so(home: Home) -> None:
    now, always = home.ask("rent", limit=50), home.ask("rent", limit=50, all_versions=True)
    assert "now/old.txt" not in paths(now)
    assert "now/old.txt" in paths(always)
    assert (now.scope, always.scope) == ("versions held by their source", "all versions")
    assert "no longer held" in str(always)


def test_as_of_takes_what_was_valid_or_may_have_been(home: Home) -> None:
    then = home.ask("rent of the tenant", limit=50, as_of=date(2019, 12, 31))
    assert "now/old.txt" in paths(then)
    assert DOCS[0].passages[0] not in [hit.original_text for hit in then.hits]  # valid from 2024
    later = home.ask("rent of the tenant", limit=50, as_of=date(2025, 1, 1))
    assert "now/old.txt" not in paths(later)
    assert "2025-01-01" in later.scope


def test_narrowing_by_source_type_document_and_family(home: Home) -> None:
    assert paths(home.ask("anything", source="board papers")) == ["now/minutes.txt"]
    assert set(paths(home.ask("anything", doc_type="docx"))) == {"now/renewal.txt"}
    assert set(paths(home.ask("anything", document_id=[DOCS[5].document_id]))) == {"now/cafe.txt"}
    assert set(paths(home.ask("anything", family_id="lease-family"))) == {"now/lease.txt"}
    assert home.ask("anything", doc_type="xlsx").hits == ()


def test_equal_texts_are_one_hit_that_names_every_place(home: Home) -> None:
    result = home.ask("notice of termination", limit=50)
    (hit,) = [hit for hit in result.hits if hit.original_text == NOTICE]
    assert {hit.path, *(other.path for other in hit.also_in)} == {"now/lease.txt", "now/renewal.txt"}
    (public,) = [
        hit for hit in home.ask("notice of termination", limit=50, policies=["public"]).hits
        if hit.original_text == NOTICE
    ]  # fmt: skip
    assert (public.path, public.also_in) == ("now/lease.txt", ())


def test_many_equal_passages_do_not_crowd_out_others(tmp_path: Path) -> None:
    docs = [Doc(f"copy{number}.txt", ["The rent is due on the first day."]) for number in range(40)]
    crowded = make_home(tmp_path, [*docs, Doc("other.txt", ["Rent may be paid late."])])
    result = crowded.ask("the rent is due on the first day", SearchSettings(candidates=10), limit=2)
    assert paths(result)[1] == "now/other.txt"
    assert len(result.hits[0].also_in) == 39
    crowded.index.close()


@pytest.mark.parametrize("policies", [["public"], ["board"], ["public", "board"], [], ["nobody"]])
def test_what_a_principal_may_not_see_changes_nothing(home: Home, tmp_path: Path, policies: list[str]) -> None:
    alone = make_home(tmp_path, [doc for doc in DOCS if doc.policy in policies])
    for query in ("rent of the tenant", "merger with Acme", "notice", "not", "the"):
        for fusion, options in (("normalised", {}), ("rrf", {"all_versions": True, "limit": 50})):
            asked = (query, SearchSettings(fusion=fusion))
            mine = home.ask(*asked, policies=policies, explain=True, **options)
            assert mine == alone.ask(*asked, policies=policies, explain=True, **options)
            assert {hit.access_policy_id for hit in mine.hits} <= set(policies)
    alone.index.close()


def test_a_source_that_one_may_not_see_does_not_exist(home: Home) -> None:
    with pytest.raises(SearchError) as forbidden:
        home.ask("merger", source="board papers", policies=["public"])
    with pytest.raises(SearchError) as absent:
        home.ask("merger", source="nowhere", policies=["public"])
    assert str(forbidden.value).replace("board papers", "nowhere") == str(absent.value)


def test_the_rows_are_the_gate_and_not_the_payload(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """A policy revoked after publication: the index still has the old one."""
    tables = {name: home.rows.table(name) for name in ("documents", "chunks", "index_points")}
    revoked = tables["documents"].with_columns(
        access_policy_id=pl.when(pl.col("document_id") == DOCS[0].document_id)
        .then(pl.lit("board"))
        .otherwise(pl.col("access_policy_id"))
    )
    everything = {name: home.rows.table(name) for name in TABLES}
    changed = Home(FrameRows(everything | {"documents": revoked}), home.index, home.folder)
    with caplog.at_level(logging.WARNING):
        result = changed.ask("rent", policies=["public"], limit=50)
    assert "now/lease.txt" not in paths(result)
    assert result.dropped is None
    assert "2" in caplog.text
    assert "present policy" in caplog.text


def test_a_point_without_its_rows_is_dropped_and_counted(home: Home) -> None:
    everything = {name: home.rows.table(name) for name in TABLES}
    fewer = everything["generation_versions"].filter(pl.col("document_id") != DOCS[2].document_id)
    changed = Home(FrameRows(everything | {"generation_versions": fewer}), home.index, home.folder)
    result = changed.ask("merger", limit=50)
    assert "now/minutes.txt" not in paths(result)
    assert result.dropped == {"no row in this generation": 1}
    assert "dropped 1 points" in str(result)


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\0"])
def test_an_empty_question_is_refused(home: Home, query: str) -> None:
    with pytest.raises(SearchError, match="empty"):
        home.ask(query)


def test_a_limit_below_one_is_refused(home: Home) -> None:
    with pytest.raises(SearchError, match="limit"):
        home.ask("rent", limit=0)


@pytest.mark.parametrize("query", ["what is it of the", "???", "🙂"])
def test_a_question_without_words_is_answered_by_meaning_and_says_so(home: Home, query: str) -> None:
    result = home.ask(query, explain=True)
    assert result.hits
    assert all(hit.explain is not None and hit.explain.lexical is None for hit in result.hits)
    assert "meaning alone" in result.notes[0]


def test_odd_questions_are_answered(home: Home) -> None:
    assert home.ask("rent \ud800 \0 tenant").hits
    assert "too long" in home.ask("rent " * 2_000).notes[0]
    assert home.ask("zzzunknownword").hits


def test_limit_is_kept_and_order_is_by_score(home: Home) -> None:
    hits = home.ask("rent of the tenant", limit=3).hits
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_answers_print_without_running_what_documents_say(tmp_path: Path) -> None:
    made = make_home(tmp_path, [Doc("<b>.txt", ["<script>alert('x')</script> rent " + "word " * 200])])
    result = made.ask("<i>rent</i>")
    page = result._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<i>rent" not in page.replace("<i>&lt;i&gt;rent", "")
    assert "[…]" in str(result)
    assert "now/<b>.txt" in str(result)
    made.index.close()


def test_a_warehouse_answers_like_frames(home: Home, tmp_path: Path) -> None:
    warehouse = Warehouse.create(tmp_path / "warehouse")
    warehouse.commit([Append(name, frame) for name, frame in frames(DOCS).items()])
    work = tmp_path / "work"
    built = build(warehouse.latest(), tmp_path / "indexes", None, IndexSettings(), Inline(), work=work)
    verify(built, warehouse.latest(), IndexSettings(), work=work)
    warehouse.commit([ReplaceAll(name, frame) for name, frame in built.frames.items()])
    pool = Inline()
    again = build(warehouse.latest(), tmp_path / "indexes", built.folder, IndexSettings(), pool, work=work)
    assert (again.folder, pool.seen) == (built.folder, [])
    index = open_index(built.folder, work, IndexSettings(), built.embedder_digest)
    stored = Home(warehouse.latest(), index, built.folder)
    for query in ("rent of the tenant", "notice"):
        assert stored.ask(query, policies=["public"]) == home.ask(query, policies=["public"])
    index.close()
    warehouse.close()


ASK = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3:5]
from test_search_query import DOCS, EMBEDDER, FrameRows, IndexSettings, SearchSettings, frames, open_index
from muniment.search.query import search_passages
import polars as pl
rows = FrameRows(frames(DOCS) | {"index_points": pl.read_parquet(sys.argv[2])})
index = open_index(Path(sys.argv[1]), Path(sys.argv[1]).parent, IndexSettings(), EMBEDDER.digest)
for query in ("rent of the tenant", "notice", "not"):
    print(search_passages(rows, index, EMBEDDER, SearchSettings(), query, explain=True).model_dump_json())
index.close()
"""


def test_two_processes_give_equal_ids_and_scores(home: Home, tmp_path: Path) -> None:
    points = tmp_path / "points.parquet"
    home.rows.table("index_points").write_parquet(points)
    here = Path(__file__).parent
    command = [sys.executable, "-c", ASK, str(home.folder), str(points), str(here), str(here.parent / "index")]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert first == second
    mine = [home.ask(query, explain=True) for query in ("rent of the tenant", "notice", "not")]
    assert [json.loads(line) for line in first.splitlines()] == [json.loads(item.model_dump_json()) for item in mine]
