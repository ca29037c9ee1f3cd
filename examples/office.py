"""Writers of Word, Excel and PowerPoint files, with every time stamp fixed so that bytes repeat."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from dataclasses import dataclass, field
from typing import Any

from blocks import CHANGE, Block, blocks

#: One moment for every property and archive member.
MOMENT = datetime.datetime(2025, 11, 3, 9, 0, 0)
CHANGED_BY = {"w:author": "Ines Calloway", "w:date": "2025-09-22T08:30:00Z"}


def repeatable(content: bytes) -> bytes:
    """The same archive with fixed member times and a fixed date of last change."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for member in source.infolist():
            data = source.read(member)
            if member.filename == "docProps/core.xml":
                stamp = MOMENT.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + stamp, data)
            info = zipfile.ZipInfo(member.filename, MOMENT.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            target.writestr(info, data)
    return out.getvalue()


def _properties(properties: Any, title: str, author: str) -> None:
    properties.title, properties.author, properties.last_modified_by = title, author, author
    properties.created = properties.modified = MOMENT


def word(name: str, *, title: str, author: str, header: str = "") -> bytes:
    """A Word file with real headings, lists, tables, hidden paragraphs and tracked changes."""
    import docx

    document = docx.Document()
    _properties(document.core_properties, title, author)
    if header:
        document.sections[0].header.paragraphs[0].text = header
    for block in blocks(name):
        _word_block(document, block)
    out = io.BytesIO()
    document.save(out)
    return repeatable(out.getvalue())


def _word_block(document: Any, block: Block) -> None:
    if block.kind == "heading":
        document.add_heading(block.text, 0 if block.level == 1 else block.level - 1)
    elif block.kind == "table":
        table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
        for row, cells in zip(table.rows, block.rows, strict=True):
            for cell, value in zip(row.cells, cells, strict=True):
                cell.text = value
        _repeat_header(table.rows[0])
    elif block.kind == "hidden":
        document.add_paragraph().add_run(block.text).font.hidden = True
    elif block.kind == "item":
        document.add_paragraph(block.text, style="List Bullet")
    else:
        _word_runs(document.add_paragraph(), block.text)


def _repeat_header(row: Any) -> None:
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _word_runs(paragraph: Any, text: str) -> None:
    position = 0
    for number, change in enumerate(CHANGE.finditer(text)):
        paragraph.add_run(text[position : change.start()])
        _tracked(paragraph, change, number)
        position = change.end()
    paragraph.add_run(text[position:])


def _tracked(paragraph: Any, change: re.Match[str], number: int) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    deleted = change.group("old") is not None
    mark = OxmlElement("w:del" if deleted else "w:ins")
    for key, value in {"w:id": str(900 + number), **CHANGED_BY}.items():
        mark.set(qn(key), value)
    run = paragraph.add_run(change.group("old" if deleted else "new"))
    if deleted:
        for node in run._r.findall(qn("w:t")):
            node.tag = qn("w:delText")
    mark.append(run._r)
    paragraph._p.append(mark)


@dataclass
class Sheet:
    """A sheet: rows of values (the first is the header), number formats by column letter, visibility."""

    title: str
    rows: list[list[Any]]
    formats: dict[str, str] = field(default_factory=dict)
    hidden: bool = False


def excel(sheets: list[Sheet], *, title: str, author: str) -> bytes:
    """A workbook with number formats and, where asked, hidden sheets."""
    import openpyxl
    from openpyxl.styles import Font

    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    book.properties.title, book.properties.creator = title, author
    book.properties.created = book.properties.modified = MOMENT
    for sheet in sheets:
        page = book.create_sheet(sheet.title)
        for row in sheet.rows:
            page.append(row)
        for cell in page[1]:
            cell.font = Font(bold=True)
        for letter, number_format in sheet.formats.items():
            for cell in page[letter][1:]:
                cell.number_format = number_format
        page.freeze_panes = "A2"
        page.sheet_state = "hidden" if sheet.hidden else "visible"
    out = io.BytesIO()
    book.save(out)
    return repeatable(out.getvalue())


def slides(name: str, *, title: str, author: str) -> bytes:
    """A deck: a slide per heading, its items or table, and its notes."""
    import pptx

    deck = pptx.Presentation()
    _properties(deck.core_properties, title, author)
    slide: Any = None
    for block in blocks(name):
        if block.kind == "heading":
            first = not len(deck.slides)
            slide = deck.slides.add_slide(deck.slide_layouts[0 if first else 1])
            slide.shapes.title.text = block.text
        else:
            _slide_block(slide, block)
    out = io.BytesIO()
    deck.save(out)
    return repeatable(out.getvalue())


def _slide_block(slide: Any, block: Block) -> None:
    from pptx.util import Inches

    if block.kind == "note":
        slide.notes_slide.notes_text_frame.text = block.text
    elif block.kind == "table":
        body = slide.placeholders[1]
        body._element.getparent().remove(body._element)
        size = (len(block.rows), len(block.rows[0]))
        shape = slide.shapes.add_table(*size, Inches(0.8), Inches(1.8), Inches(8.4), Inches(2.5))
        for y, cells in enumerate(block.rows):
            for x, value in enumerate(cells):
                shape.table.cell(y, x).text = value
    else:
        frame = slide.placeholders[1].text_frame
        paragraph = frame.paragraphs[0] if not frame.text else frame.add_paragraph()
        paragraph.text = block.text
