"""The stage: rows that fit, books that close, and one outcome a version."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
import pytest

from muniment.extraction import stage
from muniment.extraction.books import close_books
from muniment.extraction.canonical import assemble
from muniment.extraction.model import Adjustment, Element, Reading
from muniment.extraction.serial import ReadDocument
from muniment.loss.ledger import Ledger
from muniment.settings import LossSettings, Settings
from muniment.stages import StageOutput
from muniment.tables.registry import TABLES, check_frame
from muniment.workers.executor import InlineExecutor
from muniment.workers.tasks import DocumentTask, Failure, Result

MARKDOWN = b"---\ntitle: Terms\nvalid_from: 2024-01-01\n---\n# One\n\nPay 5%.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


class Recording:
    """An executor that notes its tasks and hands them to another."""

    def __init__(self, inner: InlineExecutor) -> None:
        self.inner = inner
        self.tasks: list[DocumentTask] = []
        self.isolation = inner.isolation

    def start(self) -> None:
        self.inner.start()

    def map(self, tasks: Iterable[DocumentTask]) -> Iterator[tuple[str, Result | Failure]]:
        self.tasks = list(tasks)
        return self.inner.map(self.tasks)


@pytest.fixture
def run(tmp_path: Path):  # noqa: ANN201
    originals, work = tmp_path / "originals", tmp_path / "work"
    originals.mkdir()
    work.mkdir()
    executor = Recording(InlineExecutor(work))

    def extract(files: list[tuple[str, str, str, bytes]]) -> StageOutput:
        rows = []
        for version_id, name, doc_type, content in files:
            sha256 = f"sha-{hash(content)}"
            (originals / sha256).write_bytes(content)
            rows.append((version_id, f"d-{version_id}", sha256, len(content), name, doc_type))
        columns = ["version_id", "document_id", "sha256", "size", "name", "doc_type"]
        frame = pl.DataFrame(rows, schema=columns, orient="row")
        output = stage.extract(frame, Settings(), executor, lambda sha256: originals / sha256)
        for name, rows_of in output.tables.items():
            check_frame(TABLES[name], rows_of)
        return output

    return extract, executor


def test_a_document_becomes_rows_that_fit(run) -> None:  # noqa: ANN001
    extract, _ = run
    output = extract([("v1", "terms.md", "markdown", MARKDOWN)])
    (outcome,) = output.outcomes
    assert (outcome.state, outcome.reason_code) == ("ok", None)
    (row,) = output.tables["extractions"].to_dicts()
    assert (row["title"], row["title_basis"], row["validity_status"]) == ("Terms", "explicit", "stated_open")
    assert row["valid_from"] == datetime.date(2024, 1, 1)
    text = output.tables["canonical_texts"]["text"][0]
    assert text == "One\n\nPay 5%.\n\na\tb\n1\t2"
    cells = output.tables["table_cells"].to_dicts()
    assert [text[c["start"] : c["end"]] for c in cells] == ["a", "b", "1", "2"]
    assert output.tables["elements"]["section_path"].to_list() == [[], ["One"], ["One"]]
    books = {b["unit"]: b for b in output.tables["stage_books"].to_dicts()}
    assert (books["documents"]["expected"], books["documents"]["actual"]) == (1, 1)
    assert books["chars_visible"]["expected"] == 13 and books["digits"]["actual"] == 3
    assert output.tables["stage_books"]["unexplained"].sum() == 0
    assert set(stage.STAGE_TABLES) <= set(output.tables)


def test_equal_bytes_are_read_once_and_give_equal_content_under_other_ids(run) -> None:  # noqa: ANN001
    extract, executor = run
    files = [
        ("v1", "a.md", "markdown", MARKDOWN),
        ("v2", "b.md", "markdown", MARKDOWN),
        ("v3", "c.txt", "text", MARKDOWN),
    ]
    output = extract(files)
    assert len(executor.tasks) == 2 and all(task.packable for task in executor.tasks)
    digests = {o.version_id: o.output_digest for o in output.outcomes}
    assert digests["v1"] == digests["v2"] != digests["v3"]
    assert output.tables["extractions"]["extraction_id"].n_unique() == 3
    again = extract(list(reversed(files)))
    for name, frame in output.tables.items():
        columns = list(TABLES[name].key)
        assert frame.sort(columns).equals(again.tables[name].sort(columns)), name


@pytest.mark.parametrize(
    ("name", "doc_type", "content", "reason_code"),
    [
        ("a.doc", "unsupported", b"\xd0\xcf", "unsupported_type"),
        ("a.txt", "text", b"", "empty_file"),
        ("a.txt", "text", b" \n\t\n", "empty_result"),
        ("a.html", "html", b"<div>" * 60_000, "corrupt_file"),
    ],
)
def test_what_gives_no_text_fails_with_a_reason_and_a_loss(run, name, doc_type, content, reason_code) -> None:  # noqa: ANN001
    extract, _ = run
    output = extract([("v1", name, doc_type, content)])
    (outcome,) = output.outcomes
    assert (outcome.state, outcome.reason_code, outcome.output_digest) == ("failed", reason_code, None)
    assert output.tables["extractions"].is_empty()
    assert reason_code in output.tables["losses"]["reason_code"].to_list()
    (book,) = output.tables["stage_books"].to_dicts()
    assert (book["unit"], book["expected"], book["actual"], book["explained"]) == ("documents", 1, 0, 1)


def test_the_counts_of_an_empty_result_are_kept(run) -> None:  # noqa: ANN001
    extract, _ = run
    counts = extract([("v1", "a.txt", "text", b"  \n")]).tables["source_counts"]
    assert dict(zip(counts["unit"], counts["value"], strict=True)) == {"chars_visible": 0, "digits": 0, "percents": 0}


def test_a_name_that_says_another_type_is_noted(run) -> None:  # noqa: ANN001
    extract, _ = run
    losses = extract([("v1", "a.md", "text", b"Some words here.\n")]).tables["losses"].to_dicts()
    assert [(loss["reason_code"], loss["severity"]) for loss in losses] == [("type_mismatch", "minor")]


def closed(expected: dict[str, int], text: str, adjustments: list[Adjustment]) -> tuple[bool, dict[str, str]]:
    document = ReadDocument(Reading("r", "1", [Element("paragraph", text)], [], adjustments), "c", expected)
    ledger = Ledger("structured_extraction")
    critical = close_books(ledger, "v", document, assemble(document.reading), LossSettings())
    losses = ledger.frames()["losses"]
    return critical, dict(zip(losses["reason_code"], losses["severity"], strict=True))


@pytest.mark.parametrize(
    ("counted", "critical", "losses"),
    [
        (1000, False, {}),
        (1005, False, {"text_missing": "minor"}),
        (1020, False, {"text_missing": "major"}),
        (1100, True, {"text_missing": "critical"}),
        (990, False, {"text_invented": "major"}),
    ],
)
def test_unexplained_text_is_judged_by_its_share(counted: int, critical: bool, losses: dict[str, str]) -> None:
    assert closed({"chars_visible": counted}, "x" * 1000, []) == (critical, losses)


def test_an_explained_loss_is_no_unexplained_one_and_lost_digits_are_major() -> None:
    explained = [Adjustment("chars_visible", "boilerplate_removed", 100)]
    assert closed({"chars_visible": 1100}, "x" * 1000, explained) == (False, {"boilerplate_removed": "info"})
    assert closed({"digits": 3}, "x 12", []) == (False, {"text_missing": "major"})


def test_a_failing_counter_is_recorded_and_the_reading_stays(run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN001
    from muniment.extraction import text

    def broken(path: Path, options: object) -> dict[str, int]:
        raise ValueError("secret words of the document")

    monkeypatch.setattr(text, "count", broken)
    extract, _ = run
    output = extract([("v1", "a.txt", "text", b"Some words here.\n")])
    (loss,) = output.tables["losses"].to_dicts()
    assert loss["reason_code"] == "counter_failed" and "secret" not in loss["detail"]
    assert output.outcomes[0].state == "ok"


def test_the_producer_names_code_and_engines() -> None:
    assert "lxml" in stage.producer("html") and stage.CODE_VERSION in stage.producer("unsupported")
