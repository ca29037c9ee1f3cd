"""PDF files: text with page and box in reading order, tables, hidden text, and books by a second engine."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from office_files import OPTIONS, amounts, table, texts, unbalanced
from reportlab.lib import pdfencrypt
from reportlab.lib.colors import black, white
from reportlab.pdfgen.canvas import Canvas

from muniment.extraction import pdf
from muniment.extraction.model import ReadError

WIDTH, HEIGHT = 595.0, 842.0
LEFT = (
    "The first column begins here and goes on",
    "with prose that fills the whole width of",
    "the column, as a report would do it, and",
    "every line is about as long as the next",
    "so that no table could be meant by it at",
    "all. It ends with the word alpha.",
)
RIGHT = (
    "The second column must be read after the",
    "first one has ended, line after line, and",
    "not across the gutter, which would mix",
    "the two stories into one that nobody has",
    "written. A reader of the page knows that",
    "and so it ends with the word omega.",
)


class Page:
    """A PDF under construction; places are from the top left."""

    def __init__(self, path: Path, **options: object) -> None:
        self.path = path
        self.canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), invariant=1, **options)  # type: ignore[arg-type]

    def text(self, text: str, x: float = 72, top: float = 100, size: float = 11, font: str = "Helvetica") -> Page:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, HEIGHT - top, text)
        return self

    def lines(self, lines: tuple[str, ...] | list[str], x: float = 72, top: float = 100, size: float = 11) -> Page:
        for index, line in enumerate(lines):
            self.text(line, x, top + index * size * 1.25, size)
        return self

    def next(self) -> Page:
        self.canvas.showPage()
        return self

    def done(self) -> Path:
        self.canvas.save()
        return self.path


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(tmp_path / "file.pdf")


def test_lines_become_a_paragraph_with_page_and_box(page: Page) -> None:
    path = page.lines(["The price is 100 EUR, less 5%, and it is", "due within 30 days."], top=100).done()

    reading = pdf.read(path, OPTIONS)

    (element,) = reading.elements
    assert element.text == "The price is 100 EUR, less 5%, and it is due within 30 days."
    assert (element.kind, element.page, reading.pages) == ("paragraph", 1, 1)
    assert element.box is not None
    x0, top, x1, bottom = element.box
    assert x0 == pytest.approx(72, abs=2)
    assert 85 < top < 95
    assert 113 < bottom < 120
    assert 250 < x1 < 300
    assert pdf.count(path, OPTIONS) == {
        "chars_visible": 47, "chars_hidden": 0, "digits": 6, "percents": 1, "pages": 1,
    }  # fmt: skip
    assert unbalanced(pdf, path, reading) == {}


def test_headings_by_size_and_weight_get_levels_and_the_largest_is_the_title(page: Page) -> None:
    page.text("Annual report", top=80, size=24)
    page.text("1 Overview", top=130, size=16)
    page.lines(LEFT, top=160)
    page.text("1.1 Costs", top=260, size=11, font="Helvetica-Bold")
    page.lines(RIGHT, top=285)
    page.text("2 Outlook", top=400, size=16)
    path = page.lines(LEFT[:2], top=430).done()

    reading = pdf.read(path, OPTIONS)

    assert [(e.kind, e.level, e.text) for e in reading.elements if e.kind in ("title", "heading")] == [
        ("title", None, "Annual report"),
        ("heading", 1, "1 Overview"),
        ("heading", 2, "1.1 Costs"),
        ("heading", 1, "2 Outlook"),
    ]
    assert texts(reading, "paragraph")[0] == " ".join(LEFT)
    assert unbalanced(pdf, path, reading) == {}


def test_two_columns_are_read_one_after_the_other_below_a_title_that_spans_them(page: Page) -> None:
    page.text("A title that stands above and across both of the columns here", x=72, top=80, size=15)
    for row in range(6):  # drawn line by line across the page, as some programs do
        page.text(LEFT[row], 60, 120 + row * 13, 10).text(RIGHT[row], 320, 120 + row * 13, 10)
    path = page.done()
    joined = " ".join(texts(pdf.read(path, OPTIONS)))
    assert joined == f"A title that stands above and across both of the columns here {' '.join(LEFT)} {' '.join(RIGHT)}"
    assert unbalanced(pdf, path) == {}


def test_rows_without_rules_keep_each_value_on_its_row(page: Page) -> None:
    rows = [("Region", "2024", "2025"), ("North", "19.5", "21.4"), ("South", "-3", "4"), ("East", "(350)", "8%")]
    for column in range(3):  # drawn column by column
        for row in range(4):
            page.text(rows[row][column], 72 + 130 * column, 100 + 15 * row)
    path = page.done()
    joined = "\n".join(texts(pdf.read(path, OPTIONS)))
    assert joined.split("\n") == ["\t".join(row) for row in rows]
    assert unbalanced(pdf, path) == {}


def test_ruled_tables_become_grids_and_leave_the_flow(page: Page) -> None:
    page.text("Before the table.", top=80)
    canvas = page.canvas
    for x in (72, 172, 272, 372):
        canvas.line(x, HEIGHT - 100, x, HEIGHT - 160)
    for top in (100, 120, 140, 160):
        canvas.line(72, HEIGHT - top, 372, HEIGHT - top)
    for column, head in enumerate(("Item", "Net", "Tax")):
        page.text(head, 78 + 100 * column, 114, 10, "Helvetica-Bold")
    for row, values in enumerate((("Paper", "10", "7.5%"), ("Ink", "-4", ""))):
        for column, value in enumerate(values):
            page.text(value, 78 + 100 * column, 134 + 20 * row, 10)
    path = page.text("After the table.", top=190).done()

    reading = pdf.read(path, OPTIONS)

    assert [e.kind for e in reading.elements] == ["paragraph", "table", "paragraph"]
    element = reading.elements[1]
    assert table(element) == [
        (0, 0, "Item"), (0, 1, "Net"), (0, 2, "Tax"),
        (1, 0, "Paper"), (1, 1, "10"), (1, 2, "7.5%"),
        (2, 0, "Ink"), (2, 1, "-4"), (2, 2, ""),
    ]  # fmt: skip
    assert element.grid is not None
    assert element.grid.header_rows == 1
    assert element.box == (72, 100, 372, 160)
    assert unbalanced(pdf, path, reading) == {}


def test_a_merged_cell_of_a_ruled_table_is_a_span(page: Page) -> None:
    canvas = page.canvas
    for top in (100, 120, 140):
        canvas.line(72, HEIGHT - top, 272, HEIGHT - top)
    canvas.line(72, HEIGHT - 100, 72, HEIGHT - 140)
    canvas.line(272, HEIGHT - 100, 272, HEIGHT - 140)
    canvas.line(172, HEIGHT - 120, 172, HEIGHT - 140)
    canvas.line(72, HEIGHT - 160, 272, HEIGHT - 160)
    for x in (72, 172, 272):
        canvas.line(x, HEIGHT - 140, x, HEIGHT - 160)
    page.text("Year 2025", 78, 114, 10).text("Q1", 78, 134, 10).text("Q2", 178, 134, 10)
    path = page.text("1", 78, 154, 10).text("2", 178, 154, 10).done()
    (element,) = pdf.read(path, OPTIONS).elements
    assert element.grid is not None
    spans = {cell.text: (cell.row, cell.column, cell.row_span, cell.column_span) for cell in element.grid.cells}
    assert spans["Year 2025"] == (0, 0, 1, 2)
    assert spans["Q2"] == (1, 1, 1, 1)


def test_running_heads_and_page_numbers_are_elements_of_their_own_kind(page: Page) -> None:
    for number in range(1, 5):
        page.text("Internal report", top=40, size=9)
        page.lines([f"{line} {number}" for line in LEFT], top=120)
        page.text(f"Page {number} of 4", x=280, top=810, size=9).next()
    path = page.done()
    reading = pdf.read(path, OPTIONS)
    assert texts(reading, "page_header") == ["Internal report"] * 4
    assert texts(reading, "page_footer") == [f"Page {number} of 4" for number in range(1, 5)]
    assert all("Internal" not in text and "Page" not in text for text in texts(reading, "paragraph"))
    assert [e.page for e in reading.elements if e.kind == "page_footer"] == [1, 2, 3, 4]
    assert unbalanced(pdf, path, reading) == {}


def test_a_word_cut_at_the_line_end_is_joined_only_if_the_document_has_it_whole(page: Page) -> None:
    page.lines(["The contractor delivers. The other contrac-", "tor pays for a well-", "known thing."], top=100)
    path = page.text("Nothing else is well-known here, but this is.", top=200).done()

    reading = pdf.read(path, OPTIONS)

    element = reading.elements[0]
    assert element.text == "The contractor delivers. The other contractor pays for a well-known thing."
    (edit,) = element.edits
    assert (edit.kind, edit.source_text) == ("joined_hyphen", "contrac-\ntor")
    assert element.text[edit.start : edit.end] == "contractor"
    assert amounts(reading, "hyphen_joined") == {"chars_visible": 1}
    assert unbalanced(pdf, path, reading) == {}


def test_list_items_keep_their_marks_and_minus_signs_stay(page: Page) -> None:
    page.lines(["The following holds for each party:", "(a) payment in 30 days", "(b) delivery by truck"], top=100)
    path = page.text("-4,391,082,054.12", top=200).done()
    reading = pdf.read(path, OPTIONS)
    assert texts(reading, "list_item") == ["(a) payment in 30 days", "(b) delivery by truck"]
    assert "-4,391,082,054.12" in texts(reading)
    assert unbalanced(pdf, path, reading) == {}


def test_a_superscript_stays_with_its_number(page: Page) -> None:
    page.text("The area is 10", x=72, top=100, size=12)
    width = page.canvas.stringWidth("The area is 10", "Helvetica", 12)
    page.text("6", x=72 + width, top=95, size=7)
    path = page.text(" m in all.", x=72 + width + 4, top=100, size=12).done()
    assert texts(pdf.read(path, OPTIONS)) == ["The area is 106 m in all."]


def test_text_that_cannot_be_seen_is_kept_hidden_and_text_on_a_dark_ground_is_not(page: Page) -> None:
    canvas = page.canvas
    page.text("Seen text", top=100)
    canvas.saveState()
    invisible = canvas.beginText(72, HEIGHT - 130)
    invisible.setTextRenderMode(3)
    invisible.textOut("invisible 42")
    canvas.drawText(invisible)
    canvas.restoreState()
    canvas.saveState()
    canvas.setFillColor(white)
    page.text("white text", top=160)
    canvas.restoreState()
    page.text("tiny text", top=190, size=0.5)
    page.text("off the page", x=-300, top=220)
    canvas.setFillColor(black)
    canvas.rect(60, HEIGHT - 260, 300, 30, stroke=0, fill=1)
    canvas.setFillColor(white)
    path = page.text("white on black", top=250).done()

    reading = pdf.read(path, OPTIONS)

    assert texts(reading, hidden=False) == ["Seen text", "white on black"]
    hidden = {e.attributes["reason"]: e.text for e in reading.elements if e.hidden}
    assert hidden == {
        "invisible": "invisible 42", "white": "white text", "tiny": "tiny text", "off_page": "off the page",
    }  # fmt: skip
    counts = pdf.count(path, OPTIONS)
    assert (counts["chars_visible"], counts["chars_hidden"], counts["digits"]) == (8 + 12, 11 + 9 + 8 + 10, 0)
    assert unbalanced(pdf, path, reading) == {}


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_rotated_pages_are_read_upright(tmp_path: Path, angle: int) -> None:
    page = Page(tmp_path / "file.pdf")
    canvas = page.canvas
    canvas.setPageRotation(angle)  # swaps the sides of the media box for a quarter turn
    canvas.translate(*{90: (HEIGHT, 0), 180: (WIDTH, HEIGHT), 270: (0, WIDTH)}[angle])
    canvas.rotate(angle)
    canvas.setFont("Helvetica", 11)
    for index, line in enumerate(("The first line of the page is here", "and the second line ends it.")):
        canvas.drawString(72, HEIGHT - 100 - 14 * index, line)
    path = page.done()
    (element,) = pdf.read(path, OPTIONS).elements
    assert element.text == "The first line of the page is here and the second line ends it."
    assert element.box is not None
    assert element.box[0] == pytest.approx(72, abs=2)
    assert 85 < element.box[1] < 95
    assert unbalanced(pdf, path) == {}


def test_text_drawn_twice_to_look_bold_stands_once(page: Page) -> None:
    path = page.text("BOLD", top=100).text("BOLD", x=72.3, top=100).done()
    assert texts(pdf.read(path, OPTIONS)) == ["BOLD"]
    assert unbalanced(pdf, path) == {}


def test_form_fields_notes_links_and_metadata(page: Page) -> None:
    canvas = page.canvas
    canvas.setTitle("Order form")
    canvas.setAuthor("Eva Holm")
    page.text("Read the terms on the site", top=100)
    canvas.linkURL("https://example.org/terms", (72, HEIGHT - 105, 200, HEIGHT - 90))
    canvas.acroForm.textfield(name="amount", value="250 EUR", x=72, y=500, width=100, height=20)
    canvas.acroForm.textfield(name="empty", value="", x=72, y=450, width=100, height=20)
    canvas.textAnnotation("Check 7 items", (300, 300, 320, 320))
    path = page.done()

    reading = pdf.read(path, OPTIONS)

    (element,) = [e for e in reading.elements if e.kind == "form_field"]
    assert (element.text, element.page, element.attributes["field"]) == ("amount: 250 EUR", 1, "amount")
    assert amounts(reading, "header_as_text") == {"chars_visible": 7}
    assert texts(reading, "comment") == ["Check 7 items"]
    assert reading.elements[0].attributes["links"] == [{"target": "https://example.org/terms"}]
    stated = {item.field: item.value for item in reading.metadata}
    assert (stated["title"], stated["author"]) == ("Order form", "Eva Holm")
    assert stated["created"].startswith("2000-01-01")
    assert unbalanced(pdf, path, reading) == {}


def test_pages_without_text_are_losses_and_a_scan_has_no_elements(tmp_path: Path) -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    image = io.BytesIO()
    Image.new("L", (40, 40), 128).save(image, "PNG")
    page = Page(tmp_path / "file.pdf")
    for _ in range(2):
        page.canvas.drawImage(ImageReader(image), 0, 0, WIDTH, HEIGHT)
        page.next()
    page.canvas.showPage()
    path = page.done()
    reading = pdf.read(path, OPTIONS)
    assert (reading.elements, reading.pages) == ([], 3)
    assert amounts(reading, "page_without_text") == {"pages_with_text": 2}
    assert amounts(reading, "blank_page") == {"pages_with_text": 1}
    assert unbalanced(pdf, path, reading) == {}


def test_a_password_is_named_as_the_reason(tmp_path: Path) -> None:
    path = Page(tmp_path / "file.pdf", encrypt=pdfencrypt.StandardEncryption("secret")).text("x").done()
    for call in (pdf.read, pdf.count):
        with pytest.raises(ReadError, match="password_protected"):
            call(path, OPTIONS)


def objects(*bodies: str) -> bytes:
    """A PDF of raw objects; the first is the catalog."""
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table_start = len(data)
    data += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode()
    data += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    return data + f"trailer\n<</Size {len(bodies) + 1}/Root 1 0 R>>\nstartxref\n{table_start}\n%%EOF\n".encode()


def test_damaged_and_lying_files_are_corrupt_not_empty(tmp_path: Path) -> None:
    endless = objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 999999999>>")
    for content, code in (
        (b"", "empty_file"),
        (b"not a pdf", "corrupt_file"),
        (b"%PDF-1.4\n%%EOF", "corrupt_file"),
        (endless, "corrupt_file"),
    ):
        path = tmp_path / "bad.pdf"
        path.write_bytes(content)
        with pytest.raises(ReadError) as caught:
            pdf.read(path, OPTIONS)
        assert caught.value.reason_code == code


def test_reading_twice_gives_the_same(page: Page) -> None:
    path = page.text("Title here", top=60, size=20).lines(LEFT, top=100).lines(RIGHT, 320, 100).done()
    assert pdf.read(path, OPTIONS) == pdf.read(path, OPTIONS)


def test_a_large_page_whose_size_is_inherited_hides_nothing(tmp_path: Path) -> None:
    content = "BT /F 12 Tf 1500 1800 Td (far to the right) Tj ET"
    path = tmp_path / "file.pdf"
    path.write_bytes(
        objects(
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 2000 2000]>>",
            "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        )
    )
    (element,) = pdf.read(path, OPTIONS).elements
    assert (element.text, element.hidden) == ("far to the right", False)
    assert unbalanced(pdf, path) == {}
