"""Spreadsheets: numbers as shown with the stored value beside, formulas, merges, hidden things, blocks."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import OPTIONS, amounts, put_in, rewrite, table, texts, unbalanced
from openpyxl import Workbook
from openpyxl.comments import Comment

from muniment.extraction import xlsx
from muniment.extraction.books import actual_counts
from muniment.extraction.canonical import assemble
from muniment.extraction.model import Cell, ReadError, Reading, ReadOptions
from muniment.extraction.number_formats import shown


def saved(workbook: Workbook, tmp_path: Path) -> Path:
    path = tmp_path / "file.xlsx"
    workbook.save(path)
    return path


def sheet_of(workbook: Workbook):  # noqa: ANN201 - openpyxl has no types
    sheet = workbook.active
    assert sheet is not None
    return sheet


def cells(reading: Reading) -> dict[str, Cell]:
    """Cells of the first table by their place in the block."""
    grid = next(e.grid for e in reading.elements if e.grid is not None)
    return {f"{cell.row},{cell.column}": cell for cell in grid.cells}


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (0.075, "0.0%", "7.5%"),
        (-0.1, "0%", "-10%"),
        (-350, "#,##0;(#,##0)", "(350)"),
        (-350, "#,##0_);[Red](#,##0)", "(350)"),
        (1234567.5, "#,##0.00", "1,234,567.50"),
        (1234.5, '"$"#,##0.00', "$1,234.50"),
        (1234.5, "#,##0.00\\ [$€-407]", "1,234.50 €"),
        (-4391082054.12, "#,##0.00", "-4,391,082,054.12"),
        (1500000, '0.0,,"M"', "1.5M"),
        (12, "000", "012"),
        (0, '0;-0;"-"', "-"),
        (0, "#,##0", "0"),
        (5, '0 "kg"', "5 kg"),
        (0.5, "#.##", ".5"),
        (2.5, "0", "3"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (-0.001, "0.0", "0.0"),
        (0.1 + 0.2, "General", "0.3"),
        (1e15, "General", "1E+15"),
        (7, "General", "7"),
        (True, "General", "TRUE"),
        (5000, '[>1000]0.0,"k";0', "5.0k"),
        (datetime.datetime(2026, 3, 5, 14, 7), "dd/mm/yyyy hh:mm", "05/03/2026 14:07"),
        (datetime.datetime(2026, 3, 5, 14, 7), "d mmm yy h:mm AM/PM", "5 Mar 26 2:07 PM"),
        (datetime.date(2024, 1, 2), "yyyy\\-mm\\-dd;@", "2024-01-02"),
        (datetime.timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
    ],
)
def test_numbers_look_as_a_spreadsheet_program_shows_them(value: object, code: str, expected: str) -> None:
    assert shown(value, code) == expected


@given(st.integers(-(10**9), 10**9))
def test_thousands_and_percent_keep_the_number(number: int) -> None:
    assert int(shown(number, "#,##0").replace(",", "")) == number
    assert int(shown(number, "0%").rstrip("%")) == number * 100


def test_cells_show_the_format_and_keep_the_stored_value(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet.title = "Prices"
    sheet.append(["Item", "Rate", "Day"])
    sheet.append(["Tax 19", 0.075, datetime.date(2026, 3, 5)])
    sheet["B2"].number_format = "0.0%"
    sheet["C2"].number_format = "dd.mm.yyyy"
    path = saved(workbook, tmp_path)

    reading = xlsx.read(path, OPTIONS)

    heading, block = reading.elements
    assert (heading.kind, heading.text, heading.sheet) == ("heading", "Prices", "Prices")
    assert (block.cell_range, block.sheet) == ("A1:C2", "Prices")
    assert [text for _, _, text in table(block)] == ["Item", "Rate", "Day", "Tax 19", "7.5%", "05.03.2026"]
    found = cells(reading)
    assert (found["1,1"].raw_value, found["1,2"].raw_value) == ("0.075", "46086")
    assert found["0,0"].is_header
    assert block.grid is not None
    assert block.grid.header_rows == 1
    # Prices Item Rate Day Tax 19 by the counter, the rest as shown
    counts = xlsx.count(path, OPTIONS)
    assert (counts["chars_visible"], counts["cells"], counts["sheets"]) == (22, 6, 1)
    assert amounts(reading, "number_as_shown") == {"chars_visible": 14, "digits": 10, "percents": 1}
    assert unbalanced(xlsx, path, reading) == {}


def test_formulas_keep_text_and_cached_value_and_a_missing_value_is_a_loss(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet["A1"], sheet["A2"], sheet["A3"] = 2, "=A1*2", "=A1*3"
    path = saved(workbook, tmp_path)
    put_in(path, "xl/worksheets/sheet1.xml", "<f>A1*2</f><v></v>", "<f>A1*2</f><v>4</v>")

    reading = xlsx.read(path, OPTIONS)

    found = cells(reading)
    assert (found["1,0"].text, found["1,0"].raw_value) == ("4", "=A1*2")
    assert (found["2,0"].text, found["2,0"].raw_value) == ("", "=A1*3")
    assert amounts(reading, "formula_without_value") == {"cells": 1}
    assert unbalanced(xlsx, path, reading) == {}


def test_merged_cells_are_spans(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet["A1"], sheet["A2"], sheet["B2"] = "Year 2025", "Q1", "Q2"
    sheet["A3"], sheet["B3"] = 1, 2
    sheet.merge_cells("A1:B1")
    path = saved(workbook, tmp_path)
    reading = xlsx.read(path, OPTIONS)
    assert cells(reading)["0,0"].column_span == 2
    grid = reading.elements[1].grid
    assert grid is not None
    assert grid.header_rows == 2
    assert unbalanced(xlsx, path, reading) == {}


def test_hidden_sheets_rows_columns_and_formats_are_marked(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet.title = "S"
    sheet.append(["seen", "col", 5])
    sheet.append(["row", "both", 6])
    sheet["C1"].number_format = ";;;"
    sheet.row_dimensions[2].hidden = True
    sheet.column_dimensions["B"].hidden = True
    secret = workbook.create_sheet("Secret")
    secret["A1"], secret["A2"] = "salary", 99
    secret.sheet_state = "veryHidden"
    path = saved(workbook, tmp_path)

    reading = xlsx.read(path, OPTIONS)

    assert {key for key, cell in cells(reading).items() if not cell.hidden} == {"0,0"}
    assert [e.hidden for e in reading.elements] == [False, False, True, True]
    counts = xlsx.count(path, OPTIONS)
    assert (counts["chars_visible"], counts["chars_hidden"]) == (1 + 4, 3 + 3 + 4 + 6 + 6)
    assert amounts(reading, "number_as_shown") == {"chars_hidden": 1 + 1 + 2}
    assert unbalanced(xlsx, path, reading) == {}


def test_blocks_apart_are_tables_of_their_own_even_in_the_last_cell(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet["B2"], sheet["C3"] = "a", "b"
    sheet["B7"], sheet["H2"] = "below", "right"
    sheet["XFD1048576"] = "far"
    path = saved(workbook, tmp_path)
    reading = xlsx.read(path, OPTIONS)
    ranges = {e.cell_range: [text for _, _, text in table(e)] for e in reading.elements if e.grid}
    assert ranges == {
        "B2:C3": ["a", "b"], "H2:H2": ["right"], "B7:B7": ["below"], "XFD1048576:XFD1048576": ["far"],
    }  # fmt: skip
    assert unbalanced(xlsx, path, reading) == {}


def test_cells_over_the_limit_are_left_out_and_counted(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    for row in range(5):
        sheet.append([f"text {row}", row])
    path = saved(workbook, tmp_path)
    options = ReadOptions(max_cells=4)
    reading = xlsx.read(path, options)
    assert [text for _, _, text in table(reading.elements[1])] == ["text 0", "0", "text 1", "1"]
    assert amounts(reading, "far_cells_skipped") == {"cells": 6, "chars_visible": 15, "digits": 3}
    assert unbalanced(xlsx, path, reading) == {}


def test_comments_are_elements_at_their_cell(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet["B2"] = "x"
    sheet["B2"].comment = Comment("Check 3 times", "Dora")
    path = saved(workbook, tmp_path)
    reading = xlsx.read(path, OPTIONS)
    (comment,) = [e for e in reading.elements if e.kind == "comment"]
    assert (comment.text, comment.cell_range, comment.attributes["author"]) == ("Check 3 times", "B2", "Dora")
    assert unbalanced(xlsx, path, reading) == {}


def test_errors_booleans_and_inline_strings_are_read(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet["A1"], sheet["A2"], sheet["A3"] = True, "#DIV/0!", "plain"
    path = saved(workbook, tmp_path)
    reading = xlsx.read(path, OPTIONS)
    assert [cell.text for cell in cells(reading).values()] == ["TRUE", "#DIV/0!", "plain"]
    assert unbalanced(xlsx, path, reading) == {}


def test_a_strict_workbook_is_read_like_any_other(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet_of(workbook)["A1"] = "strict text"
    path = saved(workbook, tmp_path)

    def strict(_: str, data: bytes) -> bytes:
        return data.replace(
            b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
            b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        ).replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )

    reading = xlsx.read(rewrite(path, strict), OPTIONS)
    assert [cell.text for cell in cells(reading).values()] == ["strict text"]
    assert unbalanced(xlsx, path, reading) == {}


def test_an_empty_workbook_has_only_its_sheet_name(tmp_path: Path) -> None:
    path = saved(Workbook(), tmp_path)
    assert texts(xlsx.read(path, OPTIONS)) == ["Sheet"]
    assert unbalanced(xlsx, path) == {}


@pytest.mark.parametrize("member", ["xl/workbook.xml", "xl/styles.xml", "xl/worksheets/sheet1.xml"])
def test_entities_are_refused(tmp_path: Path, member: str) -> None:
    workbook = Workbook()
    sheet_of(workbook)["A1"] = "x"
    path = saved(workbook, tmp_path)

    def change(name: str, data: bytes) -> bytes:
        return b'<!DOCTYPE a [<!ENTITY b "ha">]>' + data if name == member else data

    rewrite(path, change)
    for call in (xlsx.read, xlsx.count):
        with pytest.raises(ReadError, match="xml_dtd_forbidden"):
            call(path, OPTIONS)


def test_an_encrypted_workbook_says_so(tmp_path: Path) -> None:
    path = tmp_path / "file.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(ReadError, match="password_protected"):
        xlsx.read(path, OPTIONS)


def test_cells_are_a_book_and_a_place_named_twice_is_a_loss(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet_of(workbook).append(["first", 2, "=A1"])
    path = put_in(saved(workbook, tmp_path), "xl/worksheets/sheet1.xml", 'r="B1"', 'r="A1"')
    reading = xlsx.read(path, OPTIONS)
    assert xlsx.count(path, OPTIONS)["cells"] == 3
    assert actual_counts(reading, assemble(reading))["cells"] == 1
    assert amounts(reading, "formula_without_value") == {"cells": 1}
    assert amounts(reading, "cell_overwritten") == {"cells": 1, "chars_visible": 5}
    assert unbalanced(xlsx, path) == {}
