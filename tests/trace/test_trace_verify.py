"""`trace --verify`: chunks, elements and mentions of an ingested home stand in their originals; altered ones do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from home_lab import HomeLab
from trace_files import MAKERS

from muniment.api import Muniment
from muniment.store.originals import OriginalStore

SUFFIXES = {"text": "txt", "markdown": "md"}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HomeLab]:
    folder = tmp_path_factory.mktemp("trace")
    source = folder / "source"
    source.mkdir()
    for doc_type, make in MAKERS.items():
        make(source / f"terms.{SUFFIXES.get(doc_type, doc_type)}", "1250")
    lab = HomeLab(folder / "home", {"workers": {"backend": "inline"}})
    lab.ingest(source)
    yield lab
    lab.close()


def test_every_chunk_and_element_of_every_format_is_verified(lab: HomeLab) -> None:
    with Muniment.open(lab.home.root) as opened:
        types = opened.table("document_versions").select("version_id", "doc_type")
        for table, column in (("chunks", "chunk_id"), ("elements", "element_id")):
            rows = opened.table(table).join(types, on="version_id")
            assert set(rows["doc_type"]) == set(MAKERS)
            answers = {
                (doc_type, any_id): opened.trace(any_id, verify=True).verification
                for doc_type, any_id in rows.select("doc_type", column).iter_rows()
            }
            assert set(answers.values()) <= {"exact", "normalised"}, answers


def test_edits_of_the_reader_are_undone_before_a_text_is_looked_up(lab: HomeLab) -> None:
    with Muniment.open(lab.home.root) as opened:
        chunks = opened.table("chunks")
        for words in ("1. First step", "under this agreement is due"):
            (chunk_id,) = chunks.filter(pl.col("text").str.contains(words, literal=True))["chunk_id"]
            answer = opened.trace(chunk_id, verify=True)
            assert answer.verification == "normalised" and answer.verified_by


def test_an_original_that_says_something_else_is_not_found(lab: HomeLab) -> None:
    with Muniment.open(lab.home.root) as opened:
        versions = opened.table("document_versions")
        (sha256,) = versions.filter(pl.col("name") == "terms.md")["sha256"]
        chunks = opened.table("chunks").join(versions.select("version_id", "name"), on="version_id")
        chunk_id = chunks.filter((pl.col("name") == "terms.md") & pl.col("text").str.contains("1250"))["chunk_id"][0]
        path: Path = OriginalStore(lab.home.originals).path(sha256)
        content = path.read_bytes()
        path.chmod(0o600)
        path.write_bytes(content.replace(b"1250", b"1350"))
        try:
            assert opened.trace(chunk_id, verify=True).verification == "not_found"
        finally:
            path.write_bytes(content)
        assert opened.trace(chunk_id, verify=True).verification in ("exact", "normalised")


def test_a_thing_without_text_is_not_checked(lab: HomeLab) -> None:
    with Muniment.open(lab.home.root) as opened:
        document_id = opened.table("documents")["document_id"][0]
        assert opened.trace(document_id, verify=True).verification == "not_checked"
