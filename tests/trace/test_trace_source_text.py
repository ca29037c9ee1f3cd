"""The text of an original by the counter's engine: what a reader made of a file is found there, altered text is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import trace_files
from trace_files import MAKERS, OPTIONS, elements

from muniment.extraction.formats import MODULES, module_of
from muniment.trace.verify import verify_texts


def verified(path: Path, doc_type: str, text: str, locator: dict[str, object]) -> str:
    return verify_texts([text], path, doc_type, locator, OPTIONS)[0]


def test_every_format_has_a_file_here() -> None:
    assert set(MAKERS) == set(MODULES)


@pytest.mark.parametrize("doc_type", sorted(MAKERS))
def test_what_the_reader_made_of_a_file_stands_in_it_and_altered_amounts_do_not(doc_type: str, tmp_path: Path) -> None:
    path, altered = tmp_path / "file", tmp_path / "altered"
    MAKERS[doc_type](path, "1250")
    MAKERS[doc_type](altered, "1350")

    made = elements(path, doc_type)
    answers = {text: verified(path, doc_type, text, locator) for text, locator in made}
    # a list number that the program prints, and the hyphen joined at a line's end, are undone by text_edits
    edited = {text for text in answers if text.startswith("1. First step") or "this agreement" in text}
    assert {answers[text] for text in answers if text not in edited} <= {"exact", "normalised"}

    with_amount = [(text, locator) for text, locator in made if "1250" in text or "1,250.00" in text]
    assert with_amount
    assert [verified(altered, doc_type, text, locator) for text, locator in with_amount] == ["not_found"] * len(
        with_amount
    )


@pytest.mark.parametrize(
    ("doc_type", "here", "elsewhere"),
    [
        ("pdf", {"page": 2}, {"page": 1}),
        ("pdf", {"page": 1, "last_page": 2}, {"page": 1}),
        ("pptx", {"slide": 2}, {"slide": 1}),
        ("xlsx", {"sheet": "Other"}, {"sheet": "Fees"}),
        ("xlsx", {"sheet": "Other", "range": "A1:B1"}, {"sheet": "Other", "range": "A2:B9"}),
    ],
)
def test_only_the_place_of_the_locator_is_looked_at(
    doc_type: str, here: dict[str, object], elsewhere: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    MAKERS[doc_type](path, "1250")
    assert verified(path, doc_type, "elsewhere", here) == "exact"
    assert verified(path, doc_type, "elsewhere", elsewhere) == "not_found"


def test_only_the_mail_part_of_the_locator_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "file"
    trace_files.eml(path, "1250")
    assert verified(path, "eml", "Subject: Größe of the fee", {"mail_part": "0"}) == "exact"
    assert verified(path, "eml", "The fee is 1250 euro — as agreed.", {"mail_part": "1"}) == "exact"
    assert verified(path, "eml", "The fee is 1250 euro — as agreed.", {"mail_part": "0"}) == "not_found"


def test_parts_of_nested_mail_are_named_as_the_reader_names_them(tmp_path: Path) -> None:
    path = tmp_path / "file"
    inner = "From: bob@example.org\nSubject: inner\n\ninner words\n"
    path.write_text(
        "From: ann@example.org\nSubject: outer\nContent-Type: multipart/mixed; boundary=b\n\n"
        f"--b\nContent-Type: text/plain\n\nouter words\n--b\nContent-Type: message/rfc822\n\n{inner}\n--b--\n"
    )
    made = elements(path, "eml")
    assert {locator["mail_part"] for _, locator in made} == {"0", "1", "2", "2.1"}
    assert {verified(path, "eml", text, locator) for text, locator in made} <= {"exact", "normalised"}


def test_hidden_and_deleted_text_stands_apart_from_the_text_around_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    trace_files.html(path, "1250")
    assert verified(path, "html", "The fee is 1250 euro.", {}) == "exact"
    assert verified(path, "html", "or not", {}) == "exact"
    assert verified(path, "html", "A gate", {}) == "exact"


def test_a_file_that_the_engine_cannot_open_is_not_checked(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"PK\x03\x04 nothing")
    assert verify_texts(["words"], path, "docx", {}, OPTIONS) == ("not_checked", "corrupt_file")


def test_a_table_of_a_chart_reads_row_by_row(tmp_path: Path) -> None:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck, data = Presentation(), CategoryChartData()
    data.categories = ["north", "south"]
    data.add_series("first", (3, 5))
    data.add_series("second", (7, 11))
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(3), data)  # type: ignore[arg-type]
    path = tmp_path / "file"
    deck.save(str(path))
    source = module_of("pptx").source_text(path, {}, OPTIONS)
    assert "north\t3\t7\nsouth\t5\t11" in source
