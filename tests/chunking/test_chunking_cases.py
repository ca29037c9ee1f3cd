"""What becomes of particular documents: which text stands together, where it is cut, and what is said about it."""

from __future__ import annotations

from chunking_documents import Doc, count_tokens, cut, locator, rows, texts

WORDS = "The operator inspects the pumps of the northern works every morning"


def sentences_of(doc: Doc) -> list[tuple[int, int]]:
    import re

    return [match.span() for match in re.finditer(r"[^.\n]+\.|[^.\n]+$", doc.text, re.MULTILINE)]


def test_a_section_that_fits_is_one_chunk_with_its_heading() -> None:
    doc = Doc().add("heading", "1 Purpose", level=1).add("paragraph", "It says why.").add("paragraph", "It says how.")
    assert texts(cut(doc)) == ["1 Purpose\n\nIt says why.\n\nIt says how."]


def test_a_cut_falls_between_sections_even_if_both_would_fit_one_chunk() -> None:
    body = f"{WORDS}. " * 3
    doc = Doc()
    for number in (1, 2):
        doc.add("heading", f"{number} Part", level=1).add("paragraph", body.strip())
    output = cut(doc)
    assert texts(output) == [f"{number} Part\n\n{body.strip()}" for number in (1, 2)]
    assert [row["section_path"] for row in rows(output, "chunks")] == [["1 Part"], ["2 Part"]]


def test_tiny_neighbouring_sections_of_one_parent_are_joined() -> None:
    doc = Doc().add("heading", "Terms", level=1).add("paragraph", "These terms are used.")
    for name in ("Pump", "Valve", "Tank"):
        doc.add("heading", name, level=2).add("paragraph", f"A {name.lower()} is a part.")
    doc.add("heading", "Scope", level=1).add("paragraph", "All works.")
    output = cut(doc)
    joined = "\n\n".join(f"{name}\n\nA {name.lower()} is a part." for name in ("Pump", "Valve", "Tank"))
    assert texts(output) == ["Terms\n\nThese terms are used.", joined, "Scope\n\nAll works."]
    middle = rows(output, "chunks")[1]
    parent = next(row for row in rows(output, "parent_units") if row["parent_unit_id"] == middle["parent_unit_id"])
    assert (parent["kind"], parent["heading"]) == ("section", "Terms")


def test_a_chain_of_headings_goes_with_the_text_below_and_keeps_the_deepest_path() -> None:
    doc = Doc().add("heading", "3 Duties", level=1).add("heading", "3.1 Payment", level=2)
    doc.add("paragraph", "The Company pays.").add("heading", "3.2 Access", level=2).add("paragraph", f"{WORDS}. " * 4)
    output = cut(doc)
    assert texts(output)[0] == "3 Duties\n\n3.1 Payment\n\nThe Company pays."
    first = rows(output, "chunks")[0]
    assert first["section_path"] == ["3 Duties", "3.1 Payment"]
    assert locator(first)["section"] == "3 Duties › 3.1 Payment"


def test_a_long_section_is_cut_between_sentences_and_its_chunks_are_balanced() -> None:
    doc = Doc().add("heading", "Rounds", level=1).add("paragraph", " ".join([f"{WORDS}."] * 30))
    output = cut(doc, target=60, maximum=80)
    made = rows(output, "chunks")
    assert made[0]["text"].startswith("Rounds\n\nThe operator")
    assert all(row["text"].endswith("morning.") for row in made)
    assert not any(row["forced_cut"] for row in made)
    # a sentence has 12 tokens: 5 make the target, 6 would still be allowed
    assert all(48 <= row["tokens"] <= 66 for row in made)


def test_a_long_heading_or_caption_is_not_left_alone_where_both_fit_the_maximum() -> None:
    title = " ".join(["Rules for the inspection of pumps"] * 6)
    sentence = " ".join(["the men look at pumps again"] * 5).capitalize() + "."
    doc = Doc().add("heading", title, level=1).add("paragraph", " ".join([sentence] * 4))
    assert texts(cut(doc, target=40, maximum=80))[0] == f"{title}\n\n{sentence}"
    table = Doc().add("caption", title).table([[sentence], [sentence], [sentence]])
    assert texts(cut(table, target=40, maximum=80))[0] == f"{title}\n\n{sentence}"


def test_the_tokens_said_are_those_of_the_tokenizer() -> None:
    doc = Doc().add("paragraph", "Überlauf, 4.2(a) & Co. — non-standard tokenisation!").add("list_item", "café ☂")
    made = rows(cut(doc), "chunks")
    assert [row["tokens"] for row in made] == count_tokens([row["text"] for row in made])


def test_the_exception_stays_with_its_rule_where_there_is_room() -> None:
    filler = [f"{WORDS}." for _ in range(4)]
    pair = ["Suppliers must not connect to the gateway.", "However, they may do so in an emergency."]
    doc = Doc().add("paragraph", " ".join([*filler, *pair, *filler]))
    doc.annotate(sentences_of(doc))
    # a cut in the middle, between rule and exception, would make the most equal halves
    made = texts(cut(doc, target=65, maximum=95))
    assert len(made) > 1
    assert any(" ".join(pair) in text for text in made)


def test_a_named_entity_is_not_cut_where_a_sentence_boundary_lies_inside_it() -> None:
    # a wrong sentence end after "St." inside the name of a works
    name = "St. Aldhelm Water Treatment Works"
    doc = Doc().add("paragraph", f"{WORDS} near {name}, where {WORDS.lower()} again.")
    middle = doc.text.index("Aldhelm")
    doc.annotate([(0, len(doc.text))], [name])
    sentence = doc.annotations[0]
    sentence["end"] = middle - 1
    second = dict(
        sentence, ordinal=1, start=middle, end=len(doc.text), entity_starts=[], entity_ends=[], entity_labels=[]
    )
    doc.annotations.append(second)
    output = cut(doc, target=16, maximum=22)
    assert any(name in text for text in texts(output))
    assert [row["text"] for row in rows(output, "chunk_mentions")] == [name]
    assert "entity_span_cut" not in output.tables["losses"]["reason_code"].to_list()


def test_an_entity_longer_than_the_maximum_is_cut_and_the_loss_is_said() -> None:
    name = " ".join(["Regional Association of Municipal Water Suppliers"] * 6)
    doc = Doc().add("paragraph", f"We met the {name} today.")
    doc.annotate([(0, len(doc.text))], [name])
    output = cut(doc, target=16, maximum=20)
    losses = {row["reason_code"]: row["amount"] for row in rows(output, "losses")}
    assert losses["entity_span_cut"] == 1
    assert losses["forced_cut"] >= 1
    assert any(row["forced_cut"] for row in rows(output, "chunks"))
    assert rows(output, "chunk_mentions") == []
    assert output.outcomes[0].state == "ok"


def test_a_table_that_fits_is_whole_and_its_parent_is_the_table() -> None:
    doc = Doc().add("paragraph", "See the table.").table([["Name", "Owner"], ["Gateway", "Osei"]], cell_range="B2:C3")
    output = cut(doc)
    assert texts(output) == ["See the table.", "Name\tOwner\nGateway\tOsei"]
    table = rows(output, "chunks")[1]
    assert table["kind"] == "table"
    unit = next(row for row in rows(output, "parent_units") if row["parent_unit_id"] == table["parent_unit_id"])
    assert (unit["kind"], unit["start"], unit["end"]) == ("table", table["start"], table["end"])
    assert locator(table)["range"] == "B2:C3"


def test_a_long_table_is_cut_between_rows_and_each_chunk_names_its_cells() -> None:
    body = [[f"OS-{number:03}", "Marrow Hill Booster", f"{number}.5"] for number in range(1, 31)]
    doc = Doc().table([["Number", "Site", "Power"], *body], sheet="Outstations", cell_range="A1:C31")
    output = cut(doc, target=60, maximum=80)
    made = rows(output, "chunks")
    assert len(made) > 3
    assert "\n".join(row["text"] for row in made) == doc.text
    assert not any(row["forced_cut"] for row in made)
    ranges = [locator(row)["range"] for row in made]
    sizes = [row["text"].count("\n") + 1 for row in made]
    first = 1
    for found, size in zip(ranges, sizes, strict=True):
        assert found == f"A{first}:C{first + size - 1}"
        first += size
    assert all(locator(row)["sheet"] == "Outstations" for row in made)


def test_a_row_longer_than_the_maximum_is_cut_between_cells_first() -> None:
    doc = Doc().table([["Name", "Remark", "More"], ["Gateway", f"{WORDS} at six", f"{WORDS} at seven"]])
    made = texts(cut(doc, target=16, maximum=20))
    assert f"{WORDS} at six" in [text.split("\t")[-1] for text in made]
    assert not any("six\tThe" in text for text in made)


def test_a_figure_is_a_chunk_of_its_own_with_its_caption() -> None:
    doc = Doc().add("paragraph", "The plan shows it.").add("figure", "Map of the six districts")
    doc.add("caption", "Figure 1: districts").add("paragraph", "Then we go on.")
    output = cut(doc)
    assert [(row["kind"], row["text"]) for row in rows(output, "chunks")] == [
        ("text", "The plan shows it."),
        ("figure", "Map of the six districts\n\nFigure 1: districts"),
        ("text", "Then we go on."),
    ]


def test_hidden_text_is_apart_and_not_indexed_unless_asked_for() -> None:
    doc = (
        Doc()
        .add("paragraph", "Seen.")
        .add("paragraph", "The password is old.", hidden=True)
        .add("paragraph", "Seen too.")
    )
    output = cut(doc)
    assert [(row["text"], row["hidden"], row["index_state"]) for row in rows(output, "chunks")] == [
        ("Seen.", False, "indexed"),
        ("The password is old.", True, "excluded_hidden"),
        ("Seen too.", False, "indexed"),
    ]
    assert [row["reason_code"] for row in rows(output, "losses")] == ["excluded_hidden"]
    shown = cut(doc, include_hidden=True)
    assert {row["index_state"] for row in rows(shown, "chunks")} == {"indexed"}
    assert [row["hidden"] for row in rows(shown, "chunks")] == [False, True, False]


def test_hidden_rows_and_columns_of_a_visible_table_are_apart() -> None:
    table = [["System", "Owner"], ["Gateway", "Osei"], ["Archive", "Secret Pell"], ["Hub", "Ferreira"]]
    by_row = cut(Doc().table(table, hidden_rows=(2,)))
    assert [(row["text"], row["hidden"]) for row in rows(by_row, "chunks")] == [
        ("System\tOwner\nGateway\tOsei", False),
        ("Archive\tSecret Pell", True),
        ("Hub\tFerreira", False),
    ]
    by_column = cut(Doc().table(table, hidden_columns=(1,)))
    visible = [row["text"] for row in rows(by_column, "chunks") if not row["hidden"]]
    assert visible == ["System", "Gateway", "Archive", "Hub"]


def test_slides_and_sheets_are_units_and_never_mixed() -> None:
    doc = Doc()
    for slide in (1, 2):
        doc.add("title", f"Slide {slide}", slide=slide).add("list_item", "A point.", slide=slide)
        doc.add("note", "Said aloud.", slide=slide)
    output = cut(doc)
    assert texts(output) == [f"Slide {slide}\n\nA point.\n\nSaid aloud." for slide in (1, 2)]
    assert [locator(row)["slide"] for row in rows(output, "chunks")] == [1, 2]
    slides = [row for row in rows(output, "parent_units") if row["kind"] == "slide"]
    assert [(row["heading"], row["level"]) for row in slides] == [("Slide 1", 1), ("Slide 2", 1)]


def test_the_locator_has_page_and_box_of_the_elements() -> None:
    doc = Doc().add("heading", "Findings", level=1, page=2, x0=60.0, y0=70.0, x1=200.0, y1=90.0)
    doc.add("paragraph", "We found it.", page=2, x0=60.0, y0=100.0, x1=400.0, y1=130.0)
    doc.add("paragraph", "It went on.", page=3, x0=60.0, y0=50.0, x1=400.0, y1=80.0)
    found = locator(rows(cut(doc), "chunks")[0])
    assert found == {
        "page": 2,
        "last_page": 3,
        "box": [60.0, 70.0, 400.0, 130.0],
        "section": "Findings",
        "characters": [0, len(doc.text)],
    }


def test_without_annotations_sentences_are_found_by_rule() -> None:
    doc = Doc().add("paragraph", " ".join([f"{WORDS}!"] * 12))
    made = rows(cut(doc, target=30, maximum=40), "chunks")
    assert all(row["text"].endswith("!") for row in made)
    assert not any(row["forced_cut"] for row in made)


def test_a_text_without_spaces_is_cut_to_readable_sizes() -> None:
    # the tokenizer takes a word of more than 100 characters as one unknown token
    doc = Doc().add("code", "QUJD" * 5_000)
    made = rows(cut(doc), "chunks")
    assert "".join(row["text"] for row in made) == doc.text
    assert max(len(row["text"]) for row in made) <= 240 * 20
    assert all(row["forced_cut"] for row in made)


def test_a_combining_mark_is_never_parted_from_its_letter() -> None:
    # an odd start: every even place is before a mark
    doc = Doc().add("paragraph", "a" + "e\u0301" * 3_000)
    made = texts(cut(doc, target=16, maximum=20))
    assert "".join(made) == doc.text
    assert not any(text.startswith("\u0301") for text in made)


def test_a_blank_or_missing_text_is_a_failure() -> None:
    from chunking_documents import frames

    from muniment.chunking.stage import chunk
    from muniment.settings import ChunkingSettings, IndexSettings

    given = frames(Doc("blank").add("paragraph", " "), Doc("missing").add("paragraph", "Text."))
    given["canonical_texts"] = given["canonical_texts"].filter(given["canonical_texts"]["version_id"] == "v-blank")
    output = chunk(**given, settings=ChunkingSettings(), index_settings=IndexSettings(), count_tokens=count_tokens)
    assert [(item.version_id, item.state, item.reason_code) for item in output.outcomes] == [
        ("v-blank", "failed", "empty_result"),
        ("v-missing", "failed", "upstream_failed"),
    ]


def test_text_outside_every_element_is_unexplained_and_said() -> None:
    doc = Doc().add("paragraph", "Held.")
    doc.text += "\n\nLost words."
    output = cut(doc)
    book = next(row for row in rows(output, "stage_books") if row["unit"] == "chars")
    assert (book["expected"], book["actual"], book["unexplained"]) == (15, 5, 10)
    assert (output.outcomes[0].state, output.outcomes[0].reason_code) == ("partial", "text_missing")


def test_chunk_ids_depend_on_settings_and_versions_and_on_nothing_else() -> None:
    doc = Doc().add("paragraph", "Same words.")
    other = Doc("e").add("paragraph", "Same words.")
    ids = {row["version_id"]: row["chunk_id"] for row in rows(cut(doc, other), "chunks")}
    assert ids == {row["version_id"]: row["chunk_id"] for row in rows(cut(other, doc), "chunks")}
    assert len(set(ids.values())) == 2
    assert rows(cut(doc, target=100), "chunks")[0]["chunk_id"] != ids["v-d"]
