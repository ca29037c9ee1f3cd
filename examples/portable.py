"""Writers of PDF files: letters, a two-column report with a ruled table and footnotes, pages that are pictures."""

from __future__ import annotations

import io
from html import escape
from typing import Any

from blocks import Block, blocks

A4 = (595.27, 841.89)


def _styles() -> dict[str, Any]:
    from reportlab.lib.styles import ParagraphStyle

    body = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13, spaceAfter=6)
    return {
        "paragraph": body,
        "item": ParagraphStyle("item", parent=body, leftIndent=12, bulletIndent=2),
        "note": ParagraphStyle("note", parent=body, fontSize=8, leading=10),
        "h1": ParagraphStyle("h1", parent=body, fontName="Helvetica-Bold", fontSize=18, leading=22, spaceAfter=10),
        "h2": ParagraphStyle("h2", parent=body, fontName="Helvetica-Bold", fontSize=12, leading=15, spaceBefore=6),
    }


def _flow(block: Block, styles: dict[str, Any]) -> Any:
    from reportlab.platypus import Paragraph, Table, TableStyle

    if block.kind == "table":
        ruled = TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.6, "#333333"),
                ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9),
                ("FONT", (0, 1), (-1, -1), "Helvetica", 9),
                ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ]
        )
        return Table(block.rows, style=ruled, repeatRows=1)
    if block.kind == "heading":
        return Paragraph(escape(block.text), styles[f"h{min(block.level, 2)}"])
    if block.kind == "item":
        return Paragraph(escape(block.text), styles["item"], bulletText="•")
    return Paragraph(escape(block.text), styles[block.kind])


def _document(out: io.BytesIO, title: str, author: str, encrypt: Any = None) -> Any:
    from reportlab.platypus import BaseDocTemplate

    return BaseDocTemplate(out, pagesize=A4, title=title, author=author, invariant=1, encrypt=encrypt)


def letter(
    name: str, *, title: str, author: str, foot: str, password: str | None = None, picture: bool = False
) -> bytes:
    """One column with a running foot; with `picture` a last page that holds only a picture of text."""
    from reportlab.platypus import Frame, Image, PageBreak, PageTemplate

    out = io.BytesIO()
    document = _document(out, title, author, _encryption(password) if password else None)

    def draw_foot(canvas: Any, _document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 40, f"{foot} | page {canvas.getPageNumber()}")

    frame = Frame(60, 60, A4[0] - 120, A4[1] - 120, id="page")
    document.addPageTemplates([PageTemplate("page", [frame], onPage=draw_foot)])
    bare = Frame(60, 60, A4[0] - 120, A4[1] - 120, id="bare")
    document.addPageTemplates([PageTemplate("bare", [bare])])
    styles = _styles()
    flow: list[Any] = [_flow(block, styles) for block in blocks(name)]
    if picture:
        from reportlab.platypus import NextPageTemplate

        flow += [NextPageTemplate("bare"), PageBreak(), Image(_picture(), 450, 300)]
    document.build(flow)
    return out.getvalue()


def _encryption(password: str) -> Any:
    from reportlab.lib.pdfencrypt import StandardEncryption

    return StandardEncryption(password, ownerPassword=f"{password}-owner", strength=128)


def report(name: str, *, title: str, author: str) -> bytes:
    """Two columns under a title, then a full-width page with a ruled table and footnotes."""
    from reportlab.platypus import Frame, FrameBreak, NextPageTemplate, PageBreak, PageTemplate

    out = io.BytesIO()
    document = _document(out, title, author)
    width, gap = (A4[0] - 120 - 24) / 2, 24
    head = Frame(60, A4[1] - 150, A4[0] - 120, 90, id="head")
    left = Frame(60, 360, width, A4[1] - 520, id="left")
    right = Frame(60 + width + gap, 360, width, A4[1] - 520, id="right")
    full = Frame(60, 60, A4[0] - 120, A4[1] - 120, id="full")
    document.addPageTemplates([PageTemplate("columns", [head, left, right]), PageTemplate("full", [full])])
    styles = _styles()
    parts = blocks(name)
    first_section = next(index for index, block in enumerate(parts) if block.level == 2)
    last_page = next(index for index, block in enumerate(parts) if block.text == "Figures of the year")
    flow: list[Any] = [_flow(block, styles) for block in parts[:first_section]]
    flow.append(FrameBreak())
    flow += [_flow(block, styles) for block in parts[first_section:last_page]]
    flow += [NextPageTemplate("full"), PageBreak()]
    flow += [_flow(block, styles) for block in parts[last_page:]]
    document.build(flow)
    return out.getvalue()


def scan() -> bytes:
    """A page that is only a picture of a letter: no text layer."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.drawImage(ImageReader(_picture()), 60, 400, 450, 300)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def _picture() -> io.BytesIO:
    from PIL import Image, ImageDraw

    image = Image.new("L", (900, 600), 255)
    draw = ImageDraw.Draw(image)
    draw.rectangle((40, 40, 860, 560), outline=0, width=4)
    for number, line in enumerate(("Organisation chart 2019", "Head of Operations: R. Pell", "Telemetry: S. Wadi")):
        draw.text((80, 100 + 120 * number), line, fill=0)
    out = io.BytesIO()
    image.save(out, "PNG")
    out.seek(0)
    return out
