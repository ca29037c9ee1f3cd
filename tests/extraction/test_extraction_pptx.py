"""Presentations: slides with titles, text, tables, charts, notes and comments, in a sensible order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from office_files import OPTIONS, amounts, put_in, rewrite, table, texts, unbalanced
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from muniment.extraction import pptx
from muniment.extraction.model import ReadError

BLANK, TITLE_AND_BODY = 6, 1


def saved(presentation: object, tmp_path: Path) -> Path:
    path = tmp_path / "file.pptx"
    presentation.save(str(path))  # type: ignore[attr-defined]
    return path


def box(shapes: object, text: str, left: float, top: float) -> None:
    shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1)).text_frame.text = text  # type: ignore[attr-defined]


def test_title_bullets_with_levels_and_notes_stand_on_their_slide(tmp_path: Path) -> None:
    deck: Any = Presentation()
    for title in ("Plan 2026", "Costs"):
        slide = deck.slides.add_slide(deck.slide_layouts[TITLE_AND_BODY])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = f"{title} first"
        second = slide.placeholders[1].text_frame.add_paragraph()
        second.text, second.level = "deeper 5%", 1
    deck.slides[1].notes_slide.notes_text_frame.text = "Say it slowly"
    path = saved(deck, tmp_path)

    reading = pptx.read(path, OPTIONS)

    assert [(e.slide, e.kind, e.text) for e in reading.elements] == [
        (1, "heading", "Plan 2026"),
        (1, "list_item", "Plan 2026 first"),
        (1, "list_item", "deeper 5%"),
        (2, "heading", "Costs"),
        (2, "list_item", "Costs first"),
        (2, "list_item", "deeper 5%"),
        (2, "note", "Say it slowly"),
    ]
    assert reading.elements[2].attributes["list_level"] == 1
    assert reading.pages == 2
    counts = pptx.count(path, OPTIONS)
    assert (counts["slides"], counts["digits"], counts["percents"]) == (2, 10, 2)
    assert counts["chars_visible"] == 8 + 13 + 8 + 5 + 10 + 8 + 11
    assert unbalanced(pptx, path, reading) == {}


def test_shapes_are_read_from_top_to_bottom_and_groups_stay_together(tmp_path: Path) -> None:
    deck: Any = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes
    box(shapes, "low", 1, 5)
    group = shapes.add_group_shape()
    box(group.shapes, "group right", 4, 2)
    box(group.shapes, "group left", 1, 2)
    inner = group.shapes.add_group_shape()
    box(inner.shapes, "group in group", 1, 3)
    box(shapes, "top right", 5, 0.5)
    box(shapes, "top left", 1, 0.55)
    path = saved(deck, tmp_path)
    assert texts(pptx.read(path, OPTIONS)) == [
        "top left", "top right", "group left", "group right", "group in group", "low",
    ]  # fmt: skip
    assert unbalanced(pptx, path) == {}


def test_tables_keep_cells_spans_and_header(tmp_path: Path) -> None:
    deck: Any = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes
    grid = shapes.add_table(2, 3, Inches(1), Inches(1), Inches(6), Inches(2)).table
    for row in range(2):
        for column in range(3):
            grid.cell(row, column).text = f"{row}{column}"
    grid.cell(0, 1).merge(grid.cell(0, 2))
    path = saved(deck, tmp_path)

    (element,) = pptx.read(path, OPTIONS).elements

    assert table(element) == [(0, 0, "00"), (0, 1, "01\n02"), (1, 0, "10"), (1, 1, "11"), (1, 2, "12")]
    assert element.grid is not None
    assert [c.column_span for c in element.grid.cells] == [1, 2, 1, 1, 1]
    assert element.grid.header_rows == 1
    assert unbalanced(pptx, path) == {}


def test_a_chart_becomes_a_table_of_its_values_with_its_title(tmp_path: Path) -> None:
    deck: Any = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes
    data = CategoryChartData()
    data.categories = ["2024", "2025"]
    data.add_series("North", (19.5, 21.4))
    data.add_series("South", (-3, 4))
    chart = shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(5), Inches(4), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sales by region"
    path = saved(deck, tmp_path)

    caption, element = pptx.read(path, OPTIONS).elements

    assert (caption.kind, caption.text) == ("caption", "Sales by region")
    assert table(element) == [
        (0, 1, "North"), (0, 2, "South"), (1, 0, "2024"), (1, 1, "19.5"), (1, 2, "-3"),
        (2, 0, "2025"), (2, 1, "21.4"), (2, 2, "4"),
    ]  # fmt: skip
    assert unbalanced(pptx, path) == {}


def test_a_chart_without_stored_values_is_a_loss(tmp_path: Path) -> None:
    import re

    deck: Any = Presentation()
    data = CategoryChartData()
    data.categories = ["x"]
    data.add_series("s", (1,))
    deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes.add_chart(
        XL_CHART_TYPE.PIE, 0, 0, Inches(5), Inches(4), data
    )

    def change(name: str, content: bytes) -> bytes:
        return re.sub(rb"<c:ser>.*</c:ser>", b"", content, flags=re.S) if name.startswith("ppt/charts/") else content

    reading = pptx.read(rewrite(saved(deck, tmp_path), change), OPTIONS)
    assert amounts(reading, "chart_not_read") == {"charts": 1}


def test_hidden_slides_and_hidden_shapes_are_marked(tmp_path: Path) -> None:
    deck: Any = Presentation()
    for text in ("seen", "on a hidden slide 7"):
        box(deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes, text, 1, 1)
    box(deck.slides[0].shapes, "hidden shape", 1, 3)
    deck.slides[1]._element.set("show", "0")
    deck.slides[0].shapes[1]._element.nvSpPr.cNvPr.set("hidden", "1")
    path = saved(deck, tmp_path)
    reading = pptx.read(path, OPTIONS)
    assert texts(reading, hidden=False) == ["seen"]
    assert texts(reading, hidden=True) == ["hidden shape", "on a hidden slide 7"]
    counts = pptx.count(path, OPTIONS)
    assert (counts["chars_visible"], counts["chars_hidden"], counts["digits"]) == (4, 11 + 15, 0)
    assert unbalanced(pptx, path, reading) == {}


def test_pictures_links_and_comments(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (4, 4), "red").save(tmp_path / "a.png")
    deck: Any = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[BLANK]).shapes
    picture = shapes.add_picture(str(tmp_path / "a.png"), 0, 0)
    picture._element.nvPicPr.cNvPr.set("descr", "Map of 4 sites")
    shapes.add_picture(str(tmp_path / "a.png"), 0, 0)._element.nvPicPr.cNvPr.set("descr", "")
    frame = shapes.add_textbox(0, Inches(3), Inches(2), Inches(1)).text_frame
    linked = frame.paragraphs[0].add_run()
    linked.text, linked.hyperlink.address = "site", "https://example.org/a"
    path = saved(deck, tmp_path)
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
    link = f'<Relationship Id="rId99" Type="{kind}" Target="../comments/comment1.xml"/></Relationships>'
    put_in(path, "ppt/slides/_rels/slide1.xml.rels", "</Relationships>", link)
    main = "http://schemas.openxmlformats.org/presentationml/2006/main"
    comment = f'<p:cmLst xmlns:p="{main}"><p:cm authorId="0" idx="1"><p:text>Is it 8?</p:text></p:cm></p:cmLst>'
    rewrite(path, lambda _, data: data, **{"ppt__comments__comment1.xml": comment.encode()})
    reading = pptx.read(path, OPTIONS)

    assert texts(reading, "figure") == ["Map of 4 sites"]
    assert texts(reading, "comment") == ["Is it 8?"]
    (text,) = [e for e in reading.elements if e.text == "site"]
    assert text.attributes["links"] == [{"target": "https://example.org/a"}]
    assert amounts(reading, "image_not_read") == {"figures": 1}
    assert amounts(reading, "alternative_text_added") == {"chars_visible": 11, "digits": 1}
    assert unbalanced(pptx, path, reading) == {}


def test_a_word_file_named_pptx_and_a_dtd_are_refused(tmp_path: Path) -> None:
    from docx import Document

    path = tmp_path / "other.pptx"
    Document().save(str(path))
    with pytest.raises(ReadError, match="type_mismatch"):
        pptx.read(path, OPTIONS)
    deck: Any = Presentation()
    deck.slides.add_slide(deck.slide_layouts[BLANK])
    path = saved(deck, tmp_path)
    put_in(path, "ppt/slides/slide1.xml", "?>", '?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>')
    with pytest.raises(ReadError, match="xml_dtd_forbidden"):
        pptx.read(path, OPTIONS)


def test_an_empty_presentation_has_no_elements(tmp_path: Path) -> None:
    path = saved(Presentation(), tmp_path)
    reading = pptx.read(path, OPTIONS)
    assert (reading.elements, reading.pages) == ([], 0)
    assert unbalanced(pptx, path, reading) == {}
