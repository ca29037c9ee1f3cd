"""HTML: text as a browser shows it, hidden text apart, tables with spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from books_of import amounts, read, shape

from muniment.extraction import html_counter
from muniment.extraction.model import ReadError, ReadOptions


def test_details_noscript_and_text_after_the_end_are_kept_and_scripts_are_not(tmp_path: Path) -> None:
    page = (
        "<html><head><title>T</title><style>p{}</style></head><body><details><summary>Sum</summary>Body</details>"
        "<script>var x = '<p>no</p>'</script><noscript>Without script</noscript></body></html>After"
    )
    reading = read(tmp_path, "html", page)
    assert [text for _, text in shape(reading)] == ["Sum", "Body", "Without scriptAfter"]
    assert reading.metadata[0].value == "T"


def test_hidden_and_deleted_text_is_kept_apart(tmp_path: Path) -> None:
    page = "<p>Fee is <del>100</del><ins>250</ins> EUR<span style='display: none'>secret</span></p><p hidden>gone</p>"
    reading = read(tmp_path, "html", page)
    assert [(e.text, e.hidden) for e in reading.elements] == [
        ("Fee is 250 EUR", False),
        ("100secret", True),
        ("gone", True),
    ]


def test_tables_keep_spans_headers_and_caption(tmp_path: Path) -> None:
    page = (
        "<table><caption>Rates</caption><thead><tr><th rowspan=2>Item</th><th colspan=2>Year</th></tr>"
        "<tr><th>2023</th><th>2024</th></tr></thead><tr><td>a</td><td>−1.5%</td><td>10<sup>7</sup></td></tr></table>"
    )
    reading = read(tmp_path, "html", page)
    assert shape(reading) == [("caption", "Rates"), ("table", "Item|Year/2023|2024/a|−1.5%|107")]
    grid = reading.elements[1].grid
    assert grid is not None and grid.header_rows == 2 and grid.caption == "Rates"
    assert [(c.row, c.column, c.row_span, c.column_span) for c in grid.cells] == [
        (0, 0, 2, 1), (0, 1, 1, 2), (1, 1, 1, 1), (1, 2, 1, 1), (2, 0, 1, 1), (2, 1, 1, 1), (2, 2, 1, 1),
    ]  # fmt: skip


def test_layout_tables_are_read_in_order_and_nested_data_tables_are_grids(tmp_path: Path) -> None:
    page = "<table><tr><td>Menu</td><td><table><tr><td>1</td><td>2</td></tr></table></td></tr></table>"
    reading = read(tmp_path, "html", page)
    assert shape(reading) == [("paragraph", "Menu"), ("table", "1|2")]
    assert amounts(reading, "layout_table") == {"tables": 1}


def test_blocks_lists_and_regions(tmp_path: Path) -> None:
    page = (
        "<nav>Home</nav><header>Site</header><main><h2>Part</h2><ol start=4><li>four<ul><li>sub</li></ul></li>"
        "<li>five</li></ol><pre>a\n  b</pre><blockquote>said</blockquote><figure><img src=x alt='A chart of 5 bars'>"
        "<figcaption>Figure 1</figcaption></figure><p>x<br>y</p></main><footer>Imprint</footer>"
    )
    reading = read(tmp_path, "html", page)
    assert shape(reading) == [
        ("page_header", "Home"),
        ("page_header", "Site"),
        ("heading", "Part"),
        ("list_item", "four"),
        ("list_item", "sub"),
        ("list_item", "five"),
        ("code", "a\n  b"),
        ("quote", "said"),
        ("figure", "A chart of 5 bars"),
        ("caption", "Figure 1"),
        ("paragraph", "x\ny"),
        ("page_footer", "Imprint"),
    ]
    assert [e.attributes.get("number") for e in reading.elements[3:6]] == [4, None, 5]
    assert amounts(reading, "alternative_text_added") == {"chars_visible": 13, "digits": 1}


def test_raised_digits_stay_recognisable(tmp_path: Path) -> None:
    (element,) = read(tmp_path, "html", "<p>about 10<sup>7</sup> cells</p>").elements
    assert element.text == "about 107 cells"
    assert element.attributes["raised"] == [{"start": 8, "end": 9, "kind": "sup"}]


def test_stated_charset_author_and_date_are_read(tmp_path: Path) -> None:
    page = (
        "<html lang='de'><meta charset='iso-8859-1'><meta name=author content='Ä. Maier'>"
        "<meta property='article:published_time' content='2024-05-06T10:00:00Z'><p>Gebühr</p>"
    )
    reading = read(tmp_path, "html", page.encode("latin-1"))
    assert {s.field: s.value for s in reading.metadata} == {
        "author": "Ä. Maier",
        "article:published_time": "2024-05-06T10:00:00Z",
        "language": "de",
    }


def test_a_page_too_deep_to_parse_is_refused_and_not_cut(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as caught:
        read(tmp_path, "html", "<div>" * 60_000 + "text")
    assert caught.value.reason_code == "corrupt_file"


def test_cells_beyond_the_limit_are_entered(tmp_path: Path) -> None:
    page = "<table><tr><th>a<th>b</tr><tr><td>1<td>22</tr></table>"
    reading = read(tmp_path, "html", page, ReadOptions(max_cells=3))
    assert amounts(reading, "far_cells_skipped") == {"chars_visible": 2, "digits": 2}


@pytest.mark.parametrize(
    ("page", "visible"),
    [
        ("<p>seen<a href='never closed</p>", 4),
        ("<p>a < b", 3),
        ("<!-- gone --!><p>seen", 4),
        ("<script>gone</script lang><p>seen", 4),
    ],
)
def test_the_counter_ends_tags_comments_and_scripts_where_a_browser_does(page: str, visible: int) -> None:
    assert html_counter.count_html(page)["chars_visible"] == visible
