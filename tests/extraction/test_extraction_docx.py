"""Word-processing files: nothing that a reader of the document sees is lost, and the books say so."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.shared import Inches
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from office_files import OPTIONS, amounts, put_in, rewrite, table, texts, unbalanced

from muniment.extraction import docx
from muniment.extraction.model import ReadError, ReadOptions

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
DOC = "word/document.xml"
VANISH = "<w:rPr><w:vanish/></w:rPr>"
SHOWN = '<w:rPr><w:vanish w:val="0"/></w:rPr>'
MARK = "<w:p><w:r><w:t>MARK</w:t></w:r></w:p>"


def saved(document: object, tmp_path: Path) -> Path:
    path = tmp_path / "file.docx"
    document.save(str(path))  # type: ignore[attr-defined]
    return path


def with_body(tmp_path: Path, xml: str) -> Path:
    """A document whose one paragraph is replaced by raw XML."""
    document = Document()
    document.add_paragraph("MARK")
    return put_in(saved(document, tmp_path), DOC, MARK, xml)


def related(path: Path, part: str, kind: str, data: str) -> Path:
    """Adds a part and its relationship (id rIdX) to the main document."""
    link = (
        f'<Relationship Id="rId{kind}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"'
        f' Target="{part}"/></Relationships>'
    )
    put_in(path, "word/_rels/document.xml.rels", "</Relationships>", link)
    return rewrite(path, lambda _, content: content, **{f"word__{part}": data.encode()})


def run(text: str, properties: str = "") -> str:
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def test_headings_paragraphs_lists_and_properties_keep_kind_level_and_order(tmp_path: Path) -> None:
    document = Document()
    document.core_properties.title = "Supply agreement"
    document.core_properties.author = "Anna Berg"
    document.add_heading("Agreement", 0)
    document.add_heading("Prices", 1)
    document.add_paragraph("The price is 100 EUR, less 5%.")
    document.add_heading("Discounts", 2)
    document.add_paragraph("Bulk", style="List Bullet")
    path = saved(document, tmp_path)

    reading = docx.read(path, OPTIONS)

    assert [(e.kind, e.level, e.text) for e in reading.elements] == [
        ("title", None, "Agreement"),
        ("heading", 1, "Prices"),
        ("paragraph", None, "The price is 100 EUR, less 5%."),
        ("heading", 2, "Discounts"),
        ("list_item", None, "Bulk"),
    ]
    stated = {item.field: item.value for item in reading.metadata}
    assert stated["title"] == "Supply agreement"
    assert stated["author"] == "Anna Berg"
    assert "created" in stated
    # 9 + 6 + 24 + 9 + 4 characters that are not blank, counted by hand
    assert docx.count(path, OPTIONS)["chars_visible"] == 52
    assert docx.count(path, OPTIONS) | {"digits": 4, "percents": 1} == docx.count(path, OPTIONS)
    assert unbalanced(docx, path) == {}


def test_tracked_changes_give_the_accepted_text_and_account_for_the_deletion(tmp_path: Path) -> None:
    path = with_body(
        tmp_path,
        "<w:p>" + run("Fee is ") + '<w:del w:id="1" w:author="Bo"><w:r><w:delText>100</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="Bo">' + run("250") + "</w:ins>" + run(" EUR") + "</w:p>",
    )  # fmt: skip

    reading = docx.read(path, OPTIONS)

    (element,) = reading.elements
    assert element.text == "Fee is 250 EUR"
    assert element.attributes["deletions"] == [{"start": 7, "text": "100", "author": "Bo"}]
    assert element.attributes["insertions"] == [{"start": 7, "end": 10, "author": "Bo"}]
    assert amounts(reading, "tracked_deletion") == {"chars_visible": 3, "digits": 3}
    assert docx.count(path, OPTIONS)["chars_visible"] == 14  # Fee is 100 250 EUR
    assert unbalanced(docx, path, reading) == {}


def test_a_deleted_paragraph_end_joins_the_paragraphs(tmp_path: Path) -> None:
    deleted_mark = '<w:pPr><w:rPr><w:del w:id="1" w:author="Bo"/></w:rPr></w:pPr>'
    path = with_body(tmp_path, f"<w:p>{deleted_mark}{run('Payment ')}</w:p><w:p>{run('is due.')}</w:p>")
    assert texts(docx.read(path, OPTIONS)) == ["Payment is due."]
    assert unbalanced(docx, path) == {}


def test_moved_text_stands_once_at_its_new_place(tmp_path: Path) -> None:
    path = with_body(
        tmp_path,
        f'<w:p>{run("A ")}<w:moveFrom w:id="1">{run("moved")}</w:moveFrom></w:p>'
        f'<w:p>{run("B ")}<w:moveTo w:id="2">{run("moved")}</w:moveTo></w:p>',
    )
    assert texts(docx.read(path, OPTIONS)) == ["A", "B moved"]
    assert unbalanced(docx, path) == {}


def test_footnotes_follow_their_paragraph_and_unreferenced_ones_are_hidden(tmp_path: Path) -> None:
    path = with_body(
        tmp_path,
        f'<w:p>{run("Price 10")}<w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:p>{run("After")}</w:p>',
    )
    notes = (
        f"<w:footnotes {W}>"
        '<w:footnote w:id="0" w:type="separator"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="2"><w:p>{run("excl. VAT")}</w:p></w:footnote>'
        f'<w:footnote w:id="3"><w:p>{run("secret")}</w:p></w:footnote></w:footnotes>'
    )
    related(path, "footnotes.xml", "footnotes", notes)

    reading = docx.read(path, OPTIONS)

    assert [(e.kind, e.text, e.hidden) for e in reading.elements] == [
        ("paragraph", "Price 10", False),
        ("footnote", "excl. VAT", False),
        ("paragraph", "After", False),
        ("footnote", "secret", True),
    ]
    assert reading.elements[0].attributes["notes"] == ["2"]
    counts = docx.count(path, OPTIONS)
    assert (counts["chars_visible"], counts["chars_hidden"]) == (7 + 8 + 5, 6)
    assert unbalanced(docx, path, reading) == {}


def test_comments_are_visible_elements_of_their_own_kind_with_author(tmp_path: Path) -> None:
    document = Document()
    paragraph = document.add_paragraph("Delivery in May")
    document.add_comment(paragraph.runs, text="too late?", author="Cid", initials="C")
    path = saved(document, tmp_path)

    reading = docx.read(path, OPTIONS)

    assert texts(reading) == ["Delivery in May", "too late?"]
    assert (reading.elements[1].kind, reading.elements[1].attributes["author"]) == ("comment", "Cid")
    assert unbalanced(docx, path, reading) == {}


def test_hidden_text_is_kept_apart_whether_the_run_or_its_style_hides_it(tmp_path: Path) -> None:
    document = Document()
    style: Any = document.styles.add_style("Ghost", 1)
    style.font.hidden = True
    document.add_paragraph("MARK")
    document.add_paragraph("by style 7", style="Ghost")
    path = put_in(
        saved(document, tmp_path),
        DOC,
        MARK,
        f"<w:p>{run('seen')}{run('unseen', VANISH)}{run('again', SHOWN)}</w:p>",
    )

    reading = docx.read(path, OPTIONS)

    assert texts(reading, hidden=False) == ["seenagain"]
    assert texts(reading, hidden=True) == ["unseen", "by style 7"]
    assert docx.count(path, OPTIONS) == {
        "chars_visible": 9, "chars_hidden": 14, "digits": 0, "percents": 0, "tables": 0,
    }  # fmt: skip
    assert unbalanced(docx, path, reading) == {}


@pytest.mark.parametrize(
    "box",
    [
        '<w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>{}</w:txbxContent>'
        "</v:textbox></v:shape></w:pict>",
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice Requires="wps"><w:drawing><wps:wsp '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:txbx>'
        "<w:txbxContent>{}</w:txbxContent></wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict>"
        '<v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox>'
        "</v:shape></w:pict></mc:Fallback></mc:AlternateContent>",
    ],
    ids=["vml", "wps with fallback"],
)
def test_text_boxes_are_read_once_after_their_paragraph(tmp_path: Path, box: str) -> None:
    inner = f"<w:p>{run('in the box 9%')}</w:p>"
    path = with_body(tmp_path, f"<w:p>{run('outside')}<w:r>{box.replace('{}', inner)}</w:r></w:p>")
    reading = docx.read(path, OPTIONS)
    assert texts(reading) == ["outside", "in the box 9%"]
    assert reading.elements[1].attributes["text_box"] is True
    assert docx.count(path, OPTIONS)["percents"] == 1
    assert unbalanced(docx, path, reading) == {}


def test_content_controls_keep_paragraphs_runs_rows_and_cells(tmp_path: Path) -> None:
    cell = "<w:tc><w:p>{}</w:p></w:tc>"
    path = with_body(
        tmp_path,
        f"<w:sdt><w:sdtPr/><w:sdtContent><w:p>{run('block control')}</w:p></w:sdtContent></w:sdt>"
        f"<w:p>{run('before ')}<w:sdt><w:sdtContent>{run('inline')}</w:sdtContent></w:sdt></w:p>"
        f"<w:tbl><w:tr>{cell.format(run('a'))}<w:sdt><w:sdtContent>{cell.format(run('b'))}</w:sdtContent></w:sdt></w:tr>"
        f"<w:sdt><w:sdtContent><w:tr>{cell.format(run('c'))}</w:tr></w:sdtContent></w:sdt></w:tbl>",
    )
    reading = docx.read(path, OPTIONS)
    assert texts(reading)[:2] == ["block control", "before inline"]
    assert table(reading.elements[2]) == [(0, 0, "a"), (0, 1, "b"), (1, 0, "c")]
    assert unbalanced(docx, path, reading) == {}


def test_tables_have_spans_header_rows_and_keep_nested_tables_in_the_cell(tmp_path: Path) -> None:
    document = Document()
    grid = document.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            grid.cell(row, column).text = f"r{row}c{column}"
    grid.cell(0, 0).merge(grid.cell(0, 1))
    grid.cell(1, 2).merge(grid.cell(2, 2))
    nested = grid.cell(1, 0).add_table(1, 2)
    nested.cell(0, 0).text, nested.cell(0, 1).text = "inner 1", "inner 2"
    header = grid.rows[0]._tr.get_or_add_trPr()
    header.append(header.makeelement("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}tblHeader", {}))
    path = saved(document, tmp_path)

    reading = docx.read(path, OPTIONS)

    (element,) = [e for e in reading.elements if e.grid is not None]
    assert element.grid is not None
    cells = {(c.row, c.column): c for c in element.grid.cells}
    assert (cells[0, 0].text, cells[0, 0].column_span, cells[0, 0].is_header) == ("r0c0\nr0c1", 2, True)
    assert (cells[1, 2].text, cells[1, 2].row_span) == ("r1c2\nr2c2", 2)
    assert (2, 2) not in cells
    assert cells[1, 0].text == "r1c0\ninner 1\ninner 2"
    assert element.grid.header_rows == 1
    assert amounts(reading, "nested_table_flattened") == {"tables": 1}
    assert unbalanced(docx, path, reading) == {}


def test_heads_and_feet_of_each_section_with_a_table_in_the_head(tmp_path: Path) -> None:
    document = Document()
    first = document.sections[0]
    first.header.paragraphs[0].text = "Head one"
    first.footer.paragraphs[0].text = "Foot one"
    first.header.add_table(1, 1, Inches(2)).cell(0, 0).text = "in head"
    document.add_paragraph("Body")
    second = document.add_section()
    second.header.is_linked_to_previous = False
    second.header.paragraphs[0].text = "Head two"
    path = saved(document, tmp_path)

    reading = docx.read(path, OPTIONS)

    assert texts(reading, "page_header") == ["Head one", "Head two"]
    assert texts(reading, "page_footer") == ["Foot one"]
    assert [table(e) for e in reading.elements if e.grid] == [[(0, 0, "in head")]]
    assert "Body" in texts(reading, "paragraph")
    assert unbalanced(docx, path, reading) == {}


def test_list_numbers_are_printed_as_the_program_prints_them(tmp_path: Path) -> None:
    def level(index: int, form: str, pattern: str) -> str:
        form = f'<w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        return f'<w:lvl w:ilvl="{index}">{form}<w:lvlText w:val="{pattern}"/></w:lvl>'

    def item(text: str, at: int, number: int = 77) -> str:
        return (
            f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr></w:pPr>{run(text)}</w:p>'
        )

    path = with_body(
        tmp_path,
        item("Scope", 0) + item("Terms", 1) + item("first", 2) + item("second", 2) + f"<w:p>{run('plain')}</w:p>"
        + item("Fees", 1) + item("End", 0) + item("again", 1) + item("dot", 0, 78),
    )  # fmt: skip
    levels = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)")
    bullet = level(0, "bullet", "•")

    def change(name: str, data: bytes) -> bytes:
        if name != "word/numbering.xml":
            return data
        text = data.decode()
        extra = "".join(
            f'<w:abstractNum w:abstractNumId="{n}">{inner}</w:abstractNum>' for n, inner in ((77, levels), (78, bullet))
        )
        first = re.search(r"<w:num [^>]*>", text)
        assert first is not None
        text = text[: first.start()] + extra + text[first.start() :]
        numbers = "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in (77, 78))
        return text.replace("</w:numbering>", numbers + "</w:numbering>").encode()

    rewrite(path, change)
    reading = docx.read(path, OPTIONS)

    assert texts(reading) == [
        "1. Scope", "1.1 Terms", "(a) first", "(b) second", "plain", "1.2 Fees", "2. End", "2.1 again", "dot",
    ]  # fmt: skip
    (edit,) = reading.elements[1].edits
    assert (edit.start, edit.end, edit.kind, edit.source_text) == (0, 4, "list_number", "")
    # 1. 1.1 (a) (b) 1.2 2. 2.1
    assert amounts(reading, "list_number_added") == {"chars_visible": 2 + 3 + 3 + 3 + 3 + 2 + 3, "digits": 8}
    assert unbalanced(docx, path, reading) == {}


def test_pictures_give_their_alternative_text_or_a_loss(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (4, 4), "red").save(tmp_path / "a.png")
    document = Document()
    document.add_picture(str(tmp_path / "a.png"))
    document.add_picture(str(tmp_path / "a.png"))
    path = saved(document, tmp_path)
    put_in(
        path,
        DOC,
        '<wp:docPr id="1" name="Picture 1"/>',
        '<wp:docPr id="1" name="Picture 1" descr="A chart of 3 bars"/>',
    )

    reading = docx.read(path, OPTIONS)

    assert texts(reading, "figure") == ["A chart of 3 bars"]
    assert amounts(reading, "alternative_text_added") == {"chars_visible": 13, "digits": 1}
    assert amounts(reading, "image_not_read") == {"figures": 1}
    assert unbalanced(docx, path, reading) == {}


def test_formulas_symbols_and_hyphens_stay_as_text(tmp_path: Path) -> None:
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    path = with_body(
        tmp_path,
        f'<w:p>{run("E=")}<m:oMath xmlns:m="{math}"><m:r><m:t>mc</m:t></m:r><m:sSup><m:e><m:r><m:t>2</m:t></m:r></m:e>'
        '</m:sSup></m:oMath><w:r><w:sym w:font="Symbol" w:char="00B1"/><w:noBreakHyphen/><w:tab/>'
        "<w:t>end</w:t></w:r></w:p>",
    )
    reading = docx.read(path, OPTIONS)
    assert texts(reading) == ["E=mc2±\u2011\tend"]
    assert amounts(reading, "math_flattened") == {"formulas": 1}
    assert unbalanced(docx, path, reading) == {}


def test_links_keep_span_and_target(tmp_path: Path) -> None:
    path = with_body(
        tmp_path, f'<w:p>{run("See ")}<w:hyperlink w:anchor="clause4">{run("clause 4")}</w:hyperlink>.</w:p>'
    )
    (element,) = docx.read(path, OPTIONS).elements
    assert element.attributes["links"] == [{"start": 4, "end": 12, "target": "#clause4"}]


LAUGHS = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("member", [DOC, "word/styles.xml", "docProps/core.xml"])
@pytest.mark.parametrize(
    "declaration", [LAUGHS, '<!DOCTYPE w SYSTEM "file:///etc/passwd">'], ids=["entities", "external"]
)
def test_a_document_type_in_any_part_is_refused(tmp_path: Path, member: str, declaration: str) -> None:
    path = saved(Document(), tmp_path)
    put_in(path, member, "standalone='yes'?>", f"standalone='yes'?>{declaration}")
    for call in (docx.read, docx.count):
        with pytest.raises(ReadError) as caught:
            call(path, OPTIONS)
        assert caught.value.reason_code == "xml_dtd_forbidden"


def test_archives_over_the_limits_are_refused(tmp_path: Path) -> None:
    path = rewrite(saved(Document(), tmp_path), lambda _, data: data, word__bomb=b"0" * 5_000_000)
    for options in (
        OPTIONS,
        ReadOptions(max_archive_ratio=1e9, max_archive_bytes=1_000_000),
        ReadOptions(max_archive_members=3),
    ):
        with pytest.raises(ReadError) as caught:
            docx.read(path, options)
        assert caught.value.reason_code == "archive_limit"


def test_encrypted_truncated_empty_and_foreign_files_say_what_they_are(tmp_path: Path) -> None:
    good = saved(Document(), tmp_path).read_bytes()
    workbook = tmp_path / "other.docx"
    from openpyxl import Workbook

    Workbook().save(workbook)
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    for content, code in (
        (ole + "EncryptedPackage".encode("utf-16-le"), "password_protected"),
        (ole, "type_mismatch"),
        (good[: len(good) // 2], "corrupt_file"),
        (b"", "empty_file"),
        (b"plain text", "corrupt_file"),
        (workbook.read_bytes(), "type_mismatch"),
    ):
        path = tmp_path / "bad.docx"
        path.write_bytes(content)
        with pytest.raises(ReadError) as caught:
            docx.read(path, OPTIONS)
        assert caught.value.reason_code == code


def test_broken_xml_is_corrupt(tmp_path: Path) -> None:
    path = put_in(saved(Document(), tmp_path), DOC, "</w:body>", "</w:bodies>")
    with pytest.raises(ReadError, match="corrupt_file"):
        docx.read(path, OPTIONS)
    with zipfile.ZipFile(path) as archive:
        assert DOC in archive.namelist()


words = st.text(st.characters(blacklist_categories=("Cs", "Cc"), max_codepoint=0x2FFFF), max_size=12)
pieces = st.lists(st.tuples(words, st.sampled_from(["plain", "hidden", "del", "ins"])), max_size=6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(pieces, min_size=1, max_size=4))
def test_any_mixture_of_plain_hidden_inserted_and_deleted_runs_adds_up(
    tmp_path: Path, content: list[list[tuple[str, str]]]
) -> None:
    from xml.sax.saxutils import escape

    forms = {
        "plain": lambda t: run(t),
        "hidden": lambda t: run(t, VANISH),
        "del": lambda t: f'<w:del w:id="1"><w:r><w:delText xml:space="preserve">{t}</w:delText></w:r></w:del>',
        "ins": lambda t: f'<w:ins w:id="1">{run(t)}</w:ins>',
    }
    clean = [[(re.sub("[\ufffe\uffff]", "", text), form) for text, form in paragraph] for paragraph in content]
    body = "".join("<w:p>" + "".join(forms[form](escape(text)) for text, form in p) + "</w:p>" for p in clean)
    path = with_body(tmp_path, body)
    reading = docx.read(path, OPTIONS)
    assert unbalanced(docx, path, reading) == {}
    visible = "".join("".join(texts(reading, hidden=False)).split())
    assert visible == "".join("".join(t for p in clean for t, form in p if form in ("plain", "ins")).split())
