"""Which type a file has, whatever its name says."""

from __future__ import annotations

import io
import zipfile

import pytest
from docx import Document
from openpyxl import Workbook
from pptx import Presentation

from muniment.extraction.detect import detect


def saved(thing: object) -> bytes:
    buffer = io.BytesIO()
    thing.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def look(data: bytes, name: str) -> tuple[str, bool]:
    def members() -> list[str]:
        return zipfile.ZipFile(io.BytesIO(data)).namelist()

    found = detect(data[: 64 * 1024], name, len(data), members)
    return found.doc_type, found.mismatch


OFFICE = {"docx": saved(Document()), "xlsx": saved(Workbook()), "pptx": saved(Presentation())}
PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n\xff\xfe\x00"


@pytest.mark.parametrize("kind", OFFICE)
@pytest.mark.parametrize("suffix", [*OFFICE, "pdf", "txt", "bin"])
def test_an_office_file_is_known_under_every_name(kind: str, suffix: str) -> None:
    expected_mismatch = suffix not in (kind, "bin")
    assert look(OFFICE[kind], f"a.{suffix}") == (kind, expected_mismatch)


@pytest.mark.parametrize(
    ("data", "name", "doc_type", "mismatch"),
    [
        (PDF, "a.txt", "pdf", True),
        (b"Plain words.\n", "a.pdf", "text", True),
        (b"# Title\n", "a.md", "markdown", False),
        (b"a;b\n1;2\n", "a.csv", "csv", False),
        ("a\tb\n".encode("utf-16"), "a.tsv", "csv", False),
        (b"<!-- x --><!DOCTYPE html><p>x", "page", "html", False),
        (b"<p>fragment</p>", "a.html", "html", False),
        (b"<html><body>x", "a.txt", "html", True),
        (b"Received: by x\r\nFrom: a@b\r\nSubject: s\r\n\r\nx", "message", "eml", False),
        (b"Subject: s\r\n\r\nx", "a.eml", "eml", False),
        (b"PEP: 8\nTitle: Style\n\nText", "pep-0008.rst", "text", False),
        (b"\xe4\xf6\xfc words in Latin-1\n", "a.log", "text", False),
        (b"<?xml version='1.0'?><law/>", "law.xml", "unsupported", False),
        (b"{\\rtf1 x}", "a.rtf", "unsupported", False),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "a.txt", "unsupported", True),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "a.docx", "docx", False),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "a.docx", "unsupported", True),
    ],
)
def test_content_decides_and_a_wrong_name_is_said(data: bytes, name: str, doc_type: str, mismatch: bool) -> None:
    assert look(data, name) == (doc_type, mismatch)


def test_the_detail_names_an_unsupported_type() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le")
    assert "legacy Word" in detect(ole, "a.doc", 60).detail
    assert "image/png" in detect(b"\x89PNG\r\n\x1a\n" + bytes(40), "a.png", 60).detail


def test_an_empty_file_has_the_type_of_its_name() -> None:
    assert detect(b"", "a.docx", 0).doc_type == "docx"
