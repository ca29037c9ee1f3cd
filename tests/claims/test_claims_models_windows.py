"""The parts of a document that a model is shown: visible text once, nothing hidden, of about the size set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.claims.model_windows import Element, Part, parts_of

Sample = tuple[str, list[Element], list[tuple[int, int]]]


@st.composite
def documents(draw: st.DrawFn) -> Sample:
    """A canonical text with its elements, some hidden, and hidden spans inside them."""
    words = st.text("abcdefg .?\n", min_size=1, max_size=120)
    kinds = st.sampled_from(["paragraph", "heading", "table", "page_header"])
    text, elements, hidden = "", [], []
    for content in draw(st.lists(words, max_size=8)):
        start = len(text) + (2 if text else 0)
        text = f"{text}\n\n{content}" if text else content
        elements.append(Element(start, len(text), draw(kinds), draw(st.booleans()), (content[:3],)))
        if draw(st.booleans()):
            first = draw(st.integers(start, len(text)))
            hidden.append((first, draw(st.integers(first, len(text)))))
    return text, elements, hidden


def shown_places(parts: list[Part]) -> list[int]:
    return [place for part in parts for start, end in part.stretches for place in range(start, end)]


@given(documents(), st.integers(20, 200))
def test_visible_text_is_shown_once_and_in_order_and_hidden_text_never(sample: Sample, characters: int) -> None:
    text, elements, hidden = sample
    parts = parts_of(text, elements, hidden, characters)
    places = shown_places(parts)
    assert places == sorted(set(places))
    kept_back = {
        place
        for start, end in [*hidden, *((item.start, item.end) for item in elements if item.hidden)]
        for place in range(start, end)
    }
    assert not kept_back & {place for place in places if not text[place].isspace()}
    wanted = {
        place
        for item in elements
        if not item.hidden and item.kind != "page_header"
        for place in range(item.start, item.end)
        if text[place].isalnum() and place not in kept_back
    }
    assert wanted <= set(places)


@given(documents(), st.integers(20, 200))
def test_a_part_is_longer_than_set_only_where_one_sentence_is(sample: Sample, characters: int) -> None:
    text, elements, hidden = sample
    for part in parts_of(text, elements, hidden, characters):
        if sum(end - start for start, end in part.stretches) > characters + 2 * len(elements):
            assert len(part.stretches) == 1 and "\n" not in text[part.start : part.end].strip("\n")


def test_paragraphs_are_grouped_and_a_part_knows_its_headings() -> None:
    text = "Scope\n\nOne two three.\n\nFour five six.\n\nSeven eight nine."
    cuts = [(0, 5, "heading"), (7, 21, "paragraph"), (23, 37, "paragraph"), (39, 56, "paragraph")]
    elements = [Element(start, end, kind, False, ("Policy", "Scope")) for start, end, kind in cuts]
    first, second = parts_of(text, elements, [], 40)
    assert (first.text(text), first.section_path) == ("Scope\n\nOne two three.\n\nFour five six.", ("Policy", "Scope"))
    assert second.text(text) == "Seven eight nine."


def test_a_hidden_cell_inside_a_table_leaves_two_stretches() -> None:
    text = "Owner\tPassword\tSite"
    (part,) = parts_of(text, [Element(0, 19, "table", False)], [(6, 14)], 100)
    assert part.stretches == ((0, 5), (15, 19)) and "Password" not in part.text(text)
