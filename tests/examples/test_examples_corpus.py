"""The example corpus: equal bytes in every run, and it says what gold.json claims, read by independent libraries."""

from __future__ import annotations

import csv
import email
import email.policy
import hashlib
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from muniment.reason_codes import REASONS

ROOT = Path(__file__).resolve().parents[2]
GOLD: dict[str, Any] = json.loads((ROOT / "examples" / "gold.json").read_text(encoding="utf-8"))
READABLE = sorted(name for name, entry in GOLD["files"].items() if entry["state"] != "not_indexed")


def make(folder: Path) -> Path:
    subprocess.run([sys.executable, ROOT / "examples" / "make_corpus.py", folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("corpus"))


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text)


class PageText(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def read_docx(path: Path) -> str:
    import docx
    from docx.oxml.ns import qn

    body = docx.Document(str(path)).element.body
    paragraphs = body.iter(qn("w:p"))
    return "\n".join("".join(node.text or "" for node in paragraph.iter(qn("w:t"))) for paragraph in paragraphs)


def read_pptx(path: Path) -> str:
    import pptx

    parts: list[str] = []
    for slide in pptx.Presentation(str(path)).slides:
        for shape in slide.shapes:
            parts.append(getattr(shape, "text", ""))
            if getattr(shape, "has_table", False):
                parts += [cell.text for row in getattr(shape, "table").rows for cell in row.cells]  # noqa: B009
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame:
            parts.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(parts)


def read_pdf(path: Path) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def read_mail(path: Path) -> str:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    bodies = [part.get_content() for part in message.walk() if part.get_content_type() == "text/plain"]
    return "\n".join([str(message["Subject"]), *bodies])


def read_html(path: Path) -> str:
    page = PageText()
    page.feed(path.read_text(encoding="utf-8"))
    return "".join(page.parts)


READERS = {".docx": read_docx, ".pptx": read_pptx, ".pdf": read_pdf, ".eml": read_mail, ".html": read_html}


def text_of(path: Path) -> str:
    reader = READERS.get(path.suffix)
    return squeeze(reader(path) if reader else path.read_text(encoding="utf-8"))


def test_two_runs_give_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    assert digests(make(tmp_path)) == digests(corpus)


def test_every_file_has_a_gold_entry_and_all_formats_occur(corpus: Path) -> None:
    assert set(digests(corpus)) == set(GOLD["files"])
    suffixes = {Path(name).suffix for name in READABLE}
    assert suffixes == {".txt", ".md", ".html", ".csv", ".docx", ".xlsx", ".pptx", ".eml", ".pdf"}


@pytest.mark.parametrize("name", [name for name in READABLE if not name.endswith((".xlsx", ".csv"))])
def test_gold_sentences_stand_in_the_file(corpus: Path, name: str) -> None:
    entry = GOLD["files"][name]
    text = text_of(corpus / name)
    sentences = [fact["sentence"] for fact in entry["facts"]]
    quoted = sentences + [text for key in ("hidden", "notes", "footnotes") for text in entry.get(key, [])]
    assert [sentence for sentence in quoted if sentence not in text] == []
    assert sentences
    # deleted text is in no run of the accepted document
    assert [deleted for deleted in entry.get("deleted", []) if deleted in text] == []


@pytest.mark.parametrize("name", [name for name in READABLE if GOLD["files"][name].get("table_facts")])
def test_gold_rows_stand_in_the_tables(corpus: Path, name: str) -> None:
    rows = table_rows(corpus / name)
    for expected in GOLD["files"][name]["table_facts"]:
        assert any(row[: len(expected)] == expected for row in rows), expected


def table_rows(path: Path) -> list[list[str]]:
    if path.suffix == ".csv":
        return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
    if path.suffix == ".xlsx":
        return sheet_rows(path)
    if path.suffix == ".docx":
        import docx

        return [[cell.text for cell in row.cells] for table in docx.Document(str(path)).tables for row in table.rows]
    if path.suffix == ".pdf":
        import pdfplumber

        with pdfplumber.open(path) as document:
            tables = [table for page in document.pages for table in page.extract_tables()]
        return [[cell or "" for cell in row] for table in tables for row in table]
    if path.suffix == ".pptx":
        import pptx

        shapes = [shape for slide in pptx.Presentation(str(path)).slides for shape in slide.shapes]
        tables = [getattr(shape, "table") for shape in shapes if getattr(shape, "has_table", False)]  # noqa: B009
        return [[cell.text for cell in row.cells] for table in tables for row in table.rows]
    rows = re.findall(r"<tr>(.*?)</tr>", path.read_text(encoding="utf-8"))
    return [re.findall(r"<t[dh]>(.*?)</t[dh]>", row) for row in rows]


def sheet_rows(path: Path) -> list[list[str]]:
    import openpyxl

    rows: list[list[str]] = []
    for sheet in openpyxl.load_workbook(path).worksheets:
        for row in sheet.iter_rows():
            shown = [
                f"{cell.value:.1%}" if "%" in str(cell.number_format) and cell.value is not None else str(cell.value)
                for cell in row
            ]
            rows.append([text.removesuffix(".0") if text.endswith("24.0") else text for text in shown])
    return rows


def test_hidden_sheet_and_hidden_paragraphs_are_hidden_in_the_files(corpus: Path) -> None:
    import docx
    import openpyxl

    book = openpyxl.load_workbook(corpus / "governance/system-register.xlsx")
    assert [sheet.title for sheet in book.worksheets if sheet.sheet_state == "hidden"] == ["Former owners"]
    document = docx.Document(str(corpus / "architecture/telemetry-gateway-architecture.docx"))
    hidden = [run.text for paragraph in document.paragraphs for run in paragraph.runs if run.font.hidden]
    assert hidden == GOLD["files"]["architecture/telemetry-gateway-architecture.docx"]["hidden"]


def test_conflicts_quote_files_and_identical_copies_are_identical(corpus: Path) -> None:
    for conflict in GOLD["conflicts"]:
        assert len(conflict["sides"]) == 2
        for evidence in (item for side in conflict["sides"] for item in side["evidence"]):
            if "sentence" in evidence:
                assert evidence["sentence"] in text_of(corpus / evidence["file"])
            else:
                rows = table_rows(corpus / evidence["file"])
                assert any(row[: len(evidence["row"])] == evidence["row"] for row in rows)
    pairs = {link["kind"]: (corpus / link["from"], corpus / link["to"]) for link in GOLD["links"]}
    copy, original = pairs["identical"]
    assert copy.read_bytes() == original.read_bytes()
    first, second = pairs["next_version"]
    assert first.read_bytes() != second.read_bytes()


def test_unreadable_files_are_what_the_gold_says(corpus: Path) -> None:
    import zipfile

    import pypdfium2

    codes = {entry["reason_code"] for entry in GOLD["files"].values() if "reason_code" in entry}
    codes |= {code for entry in GOLD["files"].values() for code in entry.get("may_lose", [])}
    assert codes <= set(REASONS)
    assert (corpus / "unreadable/empty.txt").stat().st_size == 0
    assert not zipfile.is_zipfile(corpus / "unreadable/damaged-agreement.docx")
    assert (corpus / "unreadable/quarterly-figures.docx").read_bytes().startswith(b"\x89PNG")
    assert read_pdf(corpus / "unreadable/scanned-chart.pdf").strip() == ""
    for name in ("board-pack.pdf", "damaged-notice.pdf"):
        with pytest.raises(pypdfium2.PdfiumError):
            pypdfium2.PdfDocument(corpus / "unreadable" / name)


def test_board_paper_has_one_page_with_and_one_without_text(corpus: Path) -> None:
    import pypdfium2

    document = pypdfium2.PdfDocument(corpus / "minutes/2025-11-13-board-paper.pdf")
    lengths = [len(page.get_textpage().get_text_bounded().strip()) for page in document]
    assert len(lengths) == 2
    assert lengths[0] > 500
    assert lengths[1] == 0
