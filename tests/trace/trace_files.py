"""One small file of each format with the same facts; `amount` is what a test alters."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas

from muniment.extraction.canonical import assemble
from muniment.extraction.formats import module_of
from muniment.extraction.model import ReadOptions

OPTIONS = ReadOptions()


def text(path: Path, amount: str) -> None:
    path.write_bytes(f"Terms\r\n=====\r\n\r\nThe fee is {amount} euro.\r\n\r\n- first\r\n- second\r\n".encode())


def markdown(path: Path, amount: str) -> None:
    path.write_text(f"# Terms\n\nThe *fee* is {amount} euro.\n\n| item | fee |\n|---|---|\n| gate | {amount} |\n")


def html(path: Path, amount: str) -> None:
    path.write_text(
        f"<h1>Terms</h1><p>The <b>fee</b>\n is {amount} euro<span hidden> or not</span>.</p>"
        f"<table><tr><th>item<th>fee<tr><td>gate<td>{amount}</table><img alt='A gate'>"
    )


def csv(path: Path, amount: str) -> None:
    path.write_text(f'item;note;fee\ngate;"a ""big"" one; new";{amount}\nwall;none;7\n')


def eml(path: Path, amount: str) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "Ann <ann@example.org>", "Größe of the fee"
    message.set_content(f"The fee is {amount} euro — as agreed.\n")
    path.write_bytes(message.as_bytes())


def docx(path: Path, amount: str) -> None:
    document = Document()
    document.add_heading("Terms", 1)
    paragraph = document.add_paragraph("The fee ")
    paragraph.add_run("is ").bold = True
    paragraph.add_run(f"{amount} euro.")
    document.add_paragraph("First step", style="List Number")
    table = document.add_table(2, 2)
    for cell, value in zip(table._cells, ("item", "fee", "gate", amount), strict=True):
        cell.text = value
    document.save(str(path))


def xlsx(path: Path, amount: str) -> None:
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "Fees"
    sheet.append(["item", "fee", "share", "since"])
    sheet.append(["gate", float(amount), 0.075, datetime.date(2024, 1, 31)])
    sheet["B2"].number_format, sheet["C2"].number_format, sheet["D2"].number_format = "#,##0.00", "0.0%", "dd/mm/yyyy"
    other = workbook.create_sheet("Other")
    other.append(["elsewhere", 99])
    workbook.save(path)


def pptx(path: Path, amount: str) -> None:
    deck = Presentation()
    for title, line in (("Terms", f"The fee is {amount} euro."), ("Other", "elsewhere")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title  # type: ignore[union-attr]
        slide.placeholders[1].text_frame.text = line  # type: ignore[attr-defined]
    table = deck.slides[0].shapes.add_table(1, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "gate", amount
    deck.slides[0].notes_slide.notes_text_frame.text = "Say it slowly"  # type: ignore[union-attr]
    deck.save(str(path))


def pdf(path: Path, amount: str) -> None:
    canvas = Canvas(str(path), invariant=1)
    canvas.drawString(72, 700, f"The fee of {amount} euro under this agree-")
    canvas.drawString(72, 686, "ment is due when the agreement ends.")
    canvas.showPage()
    canvas.drawString(72, 700, "elsewhere there is another page.")
    canvas.save()


MAKERS: dict[str, Callable[[Path, str], None]] = {
    "text": text, "markdown": markdown, "html": html, "csv": csv, "eml": eml, "docx": docx, "xlsx": xlsx,
    "pptx": pptx, "pdf": pdf,
}  # fmt: skip


def elements(path: Path, doc_type: str) -> list[tuple[str, dict[str, object]]]:
    """Canonical text and locator of every element that the reader makes of a file."""
    placed = assemble(module_of(doc_type).read(path, OPTIONS))
    found = []
    for item in placed.elements:
        place = {name: getattr(item.element, name) for name in ("page", "slide", "sheet", "cell_range", "mail_part")}
        locator = {name: value for name, value in place.items() if value is not None}
        found.append((placed.text[item.start : item.end], locator))
    return found
