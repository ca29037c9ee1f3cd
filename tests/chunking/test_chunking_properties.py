"""What holds for every document: all text once, verbatim, within the maximum, inside its unit, equal rows each time."""

from __future__ import annotations

import random
from typing import Any

from chunking_documents import Doc, count_tokens, cut, locator, rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.chunking.protected import Guard, protected_spans

# sizes, scripts and marks that tokenizers and offsets are known to get wrong
AWKWARD = [
    "e\u0301tat",
    "水道局",
    "🚰👩\u200d🔧",
    "x" * 130,
    "antidisestablishmentarianism",
    "…",
    "-6.5 °C",
    "a\u00a0b",
]
USUAL = ["the", "Gateway", "must", "not", "retain", "90 days", "4.2 %", "£186,400", "Article 5(2)", "However,"]
WORDS = st.sampled_from([*USUAL, *AWKWARD, "Brightwell Systems Limited"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=25).map(lambda words: " ".join(words) + ".")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=5).map(" ".join)
CELLS = st.one_of(st.just(""), WORDS, SENTENCES)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    columns = draw(st.integers(1, 4))
    body = draw(st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=1, max_size=12))
    hidden = draw(st.lists(st.integers(0, len(body) - 1), max_size=2))
    columns_hidden = draw(st.lists(st.integers(0, columns - 1), max_size=1))
    return {"rows": body, "hidden_rows": tuple(hidden), "hidden_columns": tuple(columns_hidden)}


ELEMENTS = st.one_of(
    st.tuples(st.just("heading"), SENTENCES, st.integers(1, 4)),
    st.tuples(st.sampled_from(["paragraph", "list_item", "caption", "figure", "title", "code"]), PARAGRAPHS, st.none()),
    st.tuples(st.just("table"), tables(), st.none()),
)
PLACES = st.sampled_from([{}, {}, {"slide": 1}, {"slide": 2}, {"sheet": "Systems"}, {"mail_part": "1.2"}])


@st.composite
def documents(draw: st.DrawFn) -> Doc:
    doc = Doc()
    content: Any
    for kind, content, level in draw(st.lists(ELEMENTS, min_size=1, max_size=14)):
        more: dict[str, Any] = {
            **draw(PLACES),
            "hidden": draw(st.sampled_from([False] * 5 + [True])),
            "page": draw(st.integers(1, 3)),
        }
        if kind == "table":
            doc.table(
                content["rows"], hidden_rows=content["hidden_rows"], hidden_columns=content["hidden_columns"], **more
            )
        else:
            doc.add(kind, content, level=level, **more)
    if draw(st.booleans()):
        spans = [(row["start"], row["end"]) for row in doc.elements if row["end"] > row["start"]]
        doc.annotate([part for span in spans for part in halves(doc.text, *span)], ["Brightwell Systems Limited"])
    return doc


def halves(text: str, start: int, end: int) -> list[tuple[int, int]]:
    at = text.find(". ", start, end)
    return [(start, end)] if at < 0 else [(start, at + 1), (at + 2, end)]


LIMITS = st.sampled_from([(180, 240), (40, 60), (16, 18), (60, 20)])
CHECKS = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@CHECKS
@given(documents(), LIMITS)
def test_every_character_is_in_exactly_one_verbatim_chunk_of_allowed_size(doc: Doc, limits: tuple[int, int]) -> None:
    output = cut(doc, target=limits[0], maximum=limits[1])
    made = rows(output, "chunks")
    if not doc.text.strip():
        assert output.outcomes[0].reason_code == "empty_result"
        return
    covered = [0] * len(doc.text)
    for row in made:
        assert row["text"] == doc.text[row["start"] : row["end"]]
        assert row["text"].strip() == row["text"] != ""
        for position in range(row["start"], row["end"]):
            covered[position] += 1
    assert all(times == 1 or (times == 0 and doc.text[at].isspace()) for at, times in enumerate(covered))
    assert [row["tokens"] for row in made] == count_tokens([row["text"] for row in made])
    assert max(row["tokens"] for row in made) <= limits[1]
    assert output.outcomes[0].state == "ok"


@CHECKS
@given(documents(), LIMITS)
def test_chunks_lie_in_their_units_and_neighbours_and_books_agree(doc: Doc, limits: tuple[int, int]) -> None:
    output = cut(doc, target=limits[0], maximum=limits[1])
    made = rows(output, "chunks")
    units = {row["parent_unit_id"]: row for row in rows(output, "parent_units")}
    for row in made:
        unit = units[row["parent_unit_id"]]
        assert unit["start"] <= row["start"] < row["end"] <= unit["end"]
        assert locator(row)["characters"] == [row["start"], row["end"]]
    for unit in units.values():
        if unit["parent_id"] is not None:
            holder = units[unit["parent_id"]]
            assert holder["start"] <= unit["start"] <= unit["end"] <= holder["end"]
            assert unit["level"] == holder["level"] + 1
    ids = [row["chunk_id"] for row in made]
    assert [row["ordinal"] for row in made] == list(range(len(made)))
    assert [row["next_chunk_id"] for row in made] == [*ids[1:], None][: len(ids)]
    assert [row["previous_chunk_id"] for row in made] == [None, *ids[:-1]][: len(ids)]
    assert all(row["unexplained"] == 0 for row in rows(output, "stage_books"))


@CHECKS
@given(documents(), LIMITS)
def test_hidden_text_is_only_in_hidden_chunks(doc: Doc, limits: tuple[int, int]) -> None:
    output = cut(doc, target=limits[0], maximum=limits[1])
    spans = [(row["start"], row["end"], row["hidden"]) for row in rows(output, "chunks")]
    tables = {row["table_id"]: row["element_id"] for row in doc.tables}
    hidden_elements = {row["element_id"] for row in doc.elements if row["hidden"]}
    parts = [(row["start"], row["end"], row["hidden"]) for row in doc.elements if row["kind"] != "table"]
    parts += [
        (cell["start"], cell["end"], cell["hidden"] or tables[cell["table_id"]] in hidden_elements)
        for cell in doc.cells
    ]
    for start, end, hidden in parts:
        touched = [state for first, last, state in spans if first < end and last > start and start < end]
        assert all(state == hidden for state in touched)


@CHECKS
@given(documents(), LIMITS)
def test_entities_are_cut_only_when_the_maximum_forces_it(doc: Doc, limits: tuple[int, int]) -> None:
    output = cut(doc, target=limits[0], maximum=limits[1])
    entities = {
        (row["token_starts"][first], row["token_ends"][last - 1])
        for row in doc.annotations
        for first, last in zip(row["entity_starts"], row["entity_ends"], strict=True)
    }
    mentions = {(row["start"], row["end"]) for row in rows(output, "chunk_mentions")}
    # each name has 5 tokens at most, so it always fits; names cross no element
    assert mentions == entities
    assert all(doc.text[start:end] == "Brightwell Systems Limited" for start, end in mentions)


@settings(max_examples=15, deadline=None)
@given(documents(), st.integers(0, 2**16))
def test_equal_rows_in_any_order_of_input(doc: Doc, seed: int) -> None:
    other = Doc("other").add("heading", "Else", level=1).add("paragraph", "Something else.")
    first = cut(doc, other)
    shuffled = Doc(doc.name, doc.text)
    mix = random.Random(seed)
    for name in ("elements", "tables", "cells", "annotations"):
        mixed = list(getattr(doc, name))
        mix.shuffle(mixed)
        setattr(shuffled, name, mixed)
    second = cut(other, shuffled)
    for name, frame in first.tables.items():
        keys = frame.columns[: 4 if name != "chunk_mentions" else None]
        assert frame.sort(keys, nulls_last=True).equals(second.tables[name].sort(keys, nulls_last=True)), name
    assert sorted(item.output_digest or "" for item in first.outcomes) == sorted(
        item.output_digest or "" for item in second.outcomes
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), max_size=12), st.integers(0, 80))
def test_a_position_is_guarded_exactly_if_a_span_holds_it(spans: list[tuple[int, int]], position: int) -> None:
    entities = [(start, start + length) for start, length in spans]
    guard = Guard(protected_spans("", entities))
    assert guard.cuts(position) == any(start < position < end for start, end in entities)
