"""Delimited text: dialects, encodings and limits; cells as written."""

from __future__ import annotations

from pathlib import Path

import pytest
from books_of import amounts, read, shape

from muniment.extraction.model import ReadOptions


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("städte;wert\nKöln;1,5\nAachen;-2,0\n".encode("cp1252"), "städte|wert/Köln|1,5/Aachen|-2,0"),
        ("name\tvalue\na\t7.5%\n", "name|value/a|7.5%"),
        ('name,note\nx,"two\nlines, one cell"\ny,"say ""hi"""\n', "name|note/x|two\nlines, one cell/y|say \"hi\""),
        ("a|b|c\n1|2|3\n4|5|6\n", "a|b|c/1|2|3/4|5|6"),
        ("sep=;\na;b\n1;2\n", "a|b/1|2"),
        ("Stadt\tWert\r\nKöln\t3\r\n".encode("utf-16"), "Stadt|Wert/Köln|3"),
        ("Stadt\tWert\r\nAachen\t3\r\n".encode("utf-16-le"), "Stadt|Wert/Aachen|3"),
        ("id,amount\n1,-0.50\n2,\n", "id|amount/1|-0.50/2|"),
    ],
)  # fmt: skip
def test_dialects_and_encodings_are_found_and_values_stay_as_written(
    tmp_path: Path, data: bytes | str, rows: str
) -> None:
    (table,) = shape(read(tmp_path, "csv", data))
    assert table == ("table", rows)


def test_the_header_is_known_and_numbers_are_no_header(tmp_path: Path) -> None:
    with_header = read(tmp_path, "csv", "name,price\na,1\nb,2\n").elements[0].grid
    without = read(tmp_path, "csv", "1,2\n3,4\n").elements[0].grid
    assert with_header is not None and without is not None
    assert with_header.header_rows == 1 and [c.is_header for c in with_header.cells[:3]] == [True, True, False]
    assert without.header_rows == 0


def test_lines_above_the_table_are_paragraphs(tmp_path: Path) -> None:
    reading = read(tmp_path, "csv", "Sales by quarter;;\n\nregion;q1;q2\nnorth;1;2\nsouth;3;4\n")
    assert shape(reading) == [("paragraph", "Sales by quarter"), ("table", "region|q1|q2/north|1|2/south|3|4")]


def test_rows_beyond_the_limit_are_entered(tmp_path: Path) -> None:
    reading = read(tmp_path, "csv", "a,b\n1,2\n3,4\n5,66\n", ReadOptions(max_cells=4))
    assert shape(reading) == [("table", "a|b/1|2")]
    assert amounts(reading, "far_cells_skipped") == {"chars_visible": 5, "digits": 5}


def test_delimiters_and_quotes_are_marks(tmp_path: Path) -> None:
    reading = read(tmp_path, "csv", 'a,b\n"1","2"\n')
    assert amounts(reading, "markup_removed") == {"chars_visible": 6}
