"""Plain text: every line verbatim, signs kept, encodings found."""

from __future__ import annotations

from pathlib import Path

import pytest
from books_of import amounts, read, shape

from muniment.extraction.canonical import assemble


def test_minus_signs_and_bullets_stay(tmp_path: Path) -> None:
    text = "- 5 apples\n\n– 5.2 million\n\n-4,391,082,054.12\n\n-10%\n\n- pears\n- plums\n"
    found = [line for _, line in shape(read(tmp_path, "text", text))]
    assert found == ["- 5 apples", "– 5.2 million", "-4,391,082,054.12", "-10%", "- pears", "- plums"]


def test_lines_of_a_paragraph_stay_as_they_are(tmp_path: Path) -> None:
    reading = read(
        tmp_path, "text", "The buyer shall pay\r\n  within 30 days - at the latest.\r\n\r\nNext one here.\r\n"
    )
    assert shape(reading) == [
        ("paragraph", "The buyer shall pay\n  within 30 days - at the latest."),
        ("paragraph", "Next one here."),
    ]


def test_headings_get_levels_from_numbers_underlines_and_capitals(tmp_path: Path) -> None:
    text = (
        "LICENCE\n\n1. Scope\n\nIt applies to all of them.\n\n1.2 Special Terms\n\nNone are agreed on.\n\n"
        "Notes\n-----\n\nSee above.\n"
    )
    reading = read(tmp_path, "text", text)
    assert [(e.kind, e.text, e.level) for e in reading.elements if e.kind in ("title", "heading")] == [
        ("title", "LICENCE", 1),
        ("heading", "1. Scope", 1),
        ("heading", "1.2 Special Terms", 2),
        ("heading", "Notes", 2),
    ]
    assert amounts(reading, "markup_removed") == {"chars_visible": 5}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encodings_are_found(tmp_path: Path, encoding: str) -> None:
    text = "Die Gebühr beträgt fünf Euro für jede Prüfung.\n"
    reading = read(tmp_path, "text", text.encode(encoding))
    assert assemble(reading).text == text.strip()


def test_a_guessed_encoding_and_broken_bytes_are_entered(tmp_path: Path) -> None:
    guessed = read(tmp_path, "text", "Die Gebühr für die Prüfung".encode("cp1252"))
    assert amounts(guessed, "encoding_guessed") == {"encodings": 1}
    broken = read(tmp_path, "text", "größer, schöner, über, müßig, Käufer, Verträge".encode() + b"\xff and more")
    assert amounts(broken, "encoding_replaced") == {"replaced_characters": 1}


def test_a_long_single_line_is_read_whole(tmp_path: Path) -> None:
    line = "word and number 12345 " * 100_000
    reading = read(tmp_path, "text", line)
    assert assemble(reading).text == line.strip()
