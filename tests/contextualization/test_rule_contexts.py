"""Generated contexts: what they say, what they never hold, and that every chunk is accounted for."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.contextualization.rule import DocumentFacts, rule_context, shortened
from muniment.contextualization.stage import contextualize
from muniment.settings import ContextSettings
from muniment.stages import StageOutput
from muniment.tables.registry import TABLES, check_frame

Row = dict[str, Any]


def extraction(**more: Any) -> Row:
    row = dict.fromkeys(TABLES["extractions"].schema)
    row |= {"extraction_id": "x", "version_id": "v", "document_id": "d", "doc_type": "pdf", "reader": "r"}
    row |= {"reader_version": "1", "config_digest": "c", "canonical_sha256": "s", "characters": 9, "elements": 1}
    row |= {"title_basis": "explicit", "validity_status": "stated", "language": "en", "language_basis": "rule"}
    return row | more


def a_chunk(number: int, kind: str = "text", **more: Any) -> Row:
    place = {"characters": [number * 100, number * 100 + 50], **more.pop("place", {})}
    row = dict.fromkeys(TABLES["chunks"].schema)
    row |= {"chunk_id": f"c{number}", "extraction_id": "x", "version_id": "v", "document_id": "d", "ordinal": number}
    row |= {"kind": kind, "start": number * 100, "end": number * 100 + 50, "text": "words", "tokens": 1}
    row |= {"parent_unit_id": "u", "section_path": [], "source_locator": json.dumps(place), "strategy": "structural"}
    row |= {"forced_cut": False, "hidden": False, "index_state": "indexed"}
    return row | more


def meta(field: str, value: str, ordinal: int = 0, basis: str = "explicit") -> Row:
    return {"version_id": "v", "field": field, "ordinal": ordinal, "value": value, "basis": basis, "evidence": "{}"}


def table(
    rows: list[list[str]], start: int, *, header_rows: int = 1, hidden_columns: tuple[int, ...] = ()
) -> list[Row]:
    cells: list[Row] = []
    for number, texts in enumerate(rows):
        for column, text in enumerate(texts):
            cells.append(
                {
                    "table_id": "t", "extraction_id": "x", "version_id": "v", "row": number, "column": column,
                    "row_span": 1, "column_span": 1, "is_header": number < header_rows, "start": start,
                    "end": start + len(text), "text": text, "raw_value": None, "hidden": column in hidden_columns,
                }
            )  # fmt: skip
            start += len(text) + 1
    return cells


def run(
    chunks: list[Row],
    *,
    metadata: list[Row] | None = None,
    cells: list[Row] | None = None,
    header_rows: int = 1,
    max_characters: int = 400,
    **stated: Any,
) -> StageOutput:
    held = {"table_id": "t", "extraction_id": "x", "version_id": "v", "element_id": "e", "ordinal": 0, "rows": 2}
    held |= {"columns": 2, "header_rows": header_rows, "caption": None}
    output = contextualize(
        TABLES["extractions"].frame([extraction(**stated)]),
        TABLES["extracted_metadata"].frame(metadata or []),
        TABLES["chunks"].frame(chunks),
        TABLES["document_tables"].frame([held] if cells else []),
        TABLES["table_cells"].frame(cells or []),
        ContextSettings(max_characters=max_characters),
    )
    for name, frame in output.tables.items():
        check_frame(TABLES[name], frame)
    return output


def contexts(output: StageOutput) -> list[str]:
    return output.tables["chunk_contexts"].sort("chunk_id")["generated_context"].to_list()


def test_title_section_dates_and_parties_in_this_order() -> None:
    output = run(
        [a_chunk(0, section_path=["2 Retention", "2.1 Access logs"])],
        metadata=[meta("to", "Helen Abara"), meta("from", "Priya Raman"), meta("author", "P. Raman")],
        title="Log Retention Policy",
        published_on=date(2025, 6, 20),
        valid_from=date(2025, 7, 1),
        valid_to=date(2026, 7, 1),
    )
    assert contexts(output) == [
        "Log Retention Policy › 2 Retention › 2.1 Access logs › published 2025-06-20; valid from 2025-07-01; "
        "valid until 2026-07-01 (exclusive); author P. Raman; from Priya Raman; to Helen Abara"
    ]


def test_a_document_without_title_is_named_by_its_type() -> None:
    assert contexts(run([a_chunk(0, section_path=["Scope"])])) == ["Untitled pdf document › Scope"]


def test_headings_that_repeat_the_title_or_the_sheet_are_said_once() -> None:
    output = run(
        [
            a_chunk(0, section_path=["Register", "Owners"]),
            a_chunk(1, section_path=["Systems"], place={"sheet": "Systems"}),
        ],
        title="Register",
    )
    assert contexts(output) == ["Register › Owners", "Register › Systems"]


def test_figures_get_no_context_and_the_books_say_so() -> None:
    output = run([a_chunk(0), a_chunk(1, "figure", place={"page": 3}), a_chunk(2, "table")], title="T")
    assert output.tables["chunk_contexts"]["chunk_id"].sort().to_list() == ["c0", "c2"]
    book = output.tables["stage_books"].row(0, named=True)
    assert [book[name] for name in ("unit", "expected", "actual", "explained", "unexplained")] == ["rows", 3, 2, 1, 0]
    loss = output.tables["losses"].row(0, named=True)
    assert (loss["reason_code"], loss["amount"], json.loads(loss["locator"])["page"]) == ("figure_skipped", 1, 3)


def test_every_part_of_a_table_names_the_columns() -> None:
    cells = table([["System", "Owner"], ["Gateway", "Osei"], ["x" * 90, "Pell"]], 100)
    output = run([a_chunk(1, "table"), a_chunk(2, "table"), a_chunk(3)], cells=cells, title="Register")
    assert contexts(output) == [
        "Register › columns: System, Owner",
        "Register › columns: System, Owner",
        "Register",
    ]


def test_two_header_rows_are_read_together() -> None:
    cells = table([["Year", "Loss"], ["2025", "%"], ["a", "b"]], 100, header_rows=2)
    output = run([a_chunk(1, "table")], cells=cells, header_rows=2, title="T")
    assert contexts(output) == ["T › columns: Year / 2025, Loss / %"]


def test_hidden_columns_and_hidden_chunks_lend_no_text() -> None:
    cells = table([["System", "Secret owner"], ["Gateway", "Pell"]], 100, hidden_columns=(1,))
    visible = run([a_chunk(1, "table")], cells=cells, title="T")
    assert contexts(visible) == ["T › columns: System"]
    hidden = run([a_chunk(1, "table", hidden=True)], cells=cells, title="T")
    assert contexts(hidden) == ["T"]


def test_only_what_is_stated_is_used() -> None:
    assert contexts(run([a_chunk(0)], metadata=[meta("author", "Guessed", basis="rule")], title="T")) == ["T"]
    assert contexts(run([a_chunk(0)], author="Ines Calloway", title="T")) == ["T › author Ines Calloway"]


def test_many_recipients_are_counted_not_listed() -> None:
    to = [meta("to", f"Person {number}", number) for number in range(1, 11)]
    assert contexts(run([a_chunk(0)], metadata=to, title="T")) == ["T › to Person 1, Person 2, Person 3 and 7 more"]


def test_a_party_is_named_once_and_without_its_address() -> None:
    stated = [meta("author", "Tomas Lindqvist <t@water.example>"), meta("from", "Tomas Lindqvist <t@water.example>")]
    stated.append(meta("to", "Helen Abara <h@water.example>, board@water.example"))
    output = run([a_chunk(0)], metadata=stated, title="Outage")
    assert contexts(output) == ["Outage › author Tomas Lindqvist; to Helen Abara, board@water.example"]


def test_a_long_context_is_cut_at_a_word() -> None:
    context = contexts(run([a_chunk(0)], title="Regional water supply in dry summers", max_characters=30))
    assert context == ["Regional water supply in dry…"]


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=80), st.integers(21, 60))
def test_no_context_is_longer_than_allowed_or_empty(title: str, limit: int) -> None:
    context = rule_context(DocumentFacts("pdf", title=title), ["Scope", title], ["A", "B"], limit, None)
    assert 0 < len(context) <= limit
    short = shortened(title, limit)
    assert short == title or title.startswith(short.removesuffix("…"))


def test_a_version_without_chunks_is_a_failure() -> None:
    output = run([])
    assert [(item.state, item.reason_code) for item in output.outcomes] == [("failed", "upstream_failed")]
    assert output.tables["chunk_contexts"].is_empty()


def test_rows_do_not_depend_on_the_order_of_input() -> None:
    chunks = [a_chunk(number, section_path=[f"S{number}"]) for number in range(5)]
    first, second = run(chunks, title="T"), run(chunks[::-1], title="T")
    order = pl.col("chunk_id")
    assert first.tables["chunk_contexts"].sort(order).equals(second.tables["chunk_contexts"].sort(order))
    assert first.outcomes == second.outcomes
