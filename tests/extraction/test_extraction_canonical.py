"""The canonical text: joining, spans, edits and section paths."""

from __future__ import annotations

import tempfile
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from muniment.extraction import serial
from muniment.extraction.canonical import assemble
from muniment.extraction.model import Adjustment, Cell, Element, Grid, Reading, Stated, TextEdit


def reading(*elements: Element) -> Reading:
    return Reading("test", "1", list(elements))


def test_elements_are_joined_by_a_blank_line_and_cells_by_tab_and_newline() -> None:
    grid = Grid([Cell(0, 0, "a", column_span=2), Cell(1, 0, "b"), Cell(1, 1, "c")])
    placed = assemble(reading(Element("paragraph", "One"), Element("paragraph", " \n"), Element("table", grid=grid)))
    assert placed.text == "One\n\na\nb\tc"
    assert [(e.start, e.end) for e in placed.elements] == [(0, 3), (5, 10)]
    assert [(c.start, c.end) for c in placed.elements[1].cells] == [(5, 6), (7, 8), (9, 10)]


def test_a_line_break_in_a_cell_is_a_space_and_the_change_is_recorded() -> None:
    placed = assemble(reading(Element("table", grid=Grid([Cell(0, 0, "net\n\tprice"), Cell(0, 1, "5")]))))
    assert placed.text == "net price\t5"
    (edit,) = placed.elements[0].edits
    assert (edit.start, edit.end, edit.kind, edit.canonical_text) == (3, 4, "cell_whitespace", " ")
    assert edit.source_text == "U+000AU+0009"


def test_a_control_character_is_removed_and_the_readers_edits_move_with_the_text() -> None:
    element = Element("paragraph", "a\x00bc5 %", edits=[TextEdit(4, 7, "number_as_shown", "0.05")])
    (placed,) = assemble(reading(Element("paragraph", "first"), element)).elements[1:]
    kinds = {edit.kind: edit for edit in placed.edits}
    assert kinds["control_character"].source_text == "U+0000"
    shown = kinds["number_as_shown"]
    assert (shown.start, shown.end, shown.canonical_text, shown.source_text) == (10, 13, "5 %", "0.05")


def test_section_paths_follow_heading_levels() -> None:
    placed = assemble(
        reading(
            Element("title", "Law", level=1),
            Element("paragraph", "preamble"),
            Element("heading", "Part  1", level=1),
            Element("heading", "Article 1", level=2),
            Element("paragraph", "text"),
            Element("heading", "Part 2", level=1),
            Element("paragraph", "more"),
        )
    )
    assert [e.section_path for e in placed.elements] == [
        (), (), (), ("Part 1",), ("Part 1", "Article 1"), (), ("Part 2",),
    ]  # fmt: skip


def test_titles_open_sections_where_nothing_else_does_and_slides_begin_anew() -> None:
    placed = assemble(
        reading(
            Element("title", "Plan", slide=1),
            Element("paragraph", "a", slide=1),
            Element("paragraph", "b", slide=2),
        )
    )
    assert [e.section_path for e in placed.elements] == [(), ("Plan",), ()]


texts = st.text(st.characters(exclude_categories=[]), max_size=30)
cells = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), texts), max_size=8, unique_by=lambda cell: (cell[0], cell[1])
).map(lambda items: Grid([Cell(*item) for item in items]))
elements = st.lists(
    st.one_of(
        st.builds(Element, st.sampled_from(["paragraph", "heading", "title"]), texts),
        st.builds(Element, st.just("table"), grid=cells),
    ),
    max_size=6,
)


def letters(text: str) -> list[str]:
    """What no reading may lose: all but white space, control characters and what stands for lone surrogates."""
    return [c for c in text if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cs") and c != "\ufffd"]


@given(elements)
def test_every_span_is_its_text_and_no_text_is_lost(items: list[Element]) -> None:
    placed = assemble(reading(*items))
    spans = [(e.start, e.end) for e in placed.elements]
    assert spans == sorted(spans)
    assert placed.text == "\n\n".join(placed.text[start:end] for start, end in spans)
    placed.text.encode("utf-8")  # no lone surrogate is left
    assert not any(ord(c) < 32 and c not in "\t\n" for c in placed.text)
    for element in placed.elements:
        if element.element.grid is None:
            assert letters(placed.text[element.start : element.end]) == letters(element.element.text)
        for cell in element.cells:
            assert placed.text[cell.start : cell.end] == cell.text
        for edit in element.edits:
            assert placed.text[edit.start : edit.end] == edit.canonical_text


@given(elements, texts)
def test_a_reading_survives_the_file_between_processes(items: list[Element], value: str) -> None:
    whole = Reading("r", "1", items, [Stated("title", value, {"x": [1, value]})], [Adjustment("u", "c", 3)], 2)
    document = serial.ReadDocument(whole, "counter", {"digits": 4}, None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "o"
        serial.dump(document, path)
        assert serial.load(path) == document
