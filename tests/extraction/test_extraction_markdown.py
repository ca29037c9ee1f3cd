"""Markdown: structure, front matter, raw HTML; nothing lost."""

from __future__ import annotations

from pathlib import Path

from books_of import amounts, read, shape

from muniment.extraction.metadata import normalise


def test_headings_lists_quotes_and_code(tmp_path: Path) -> None:
    text = (
        "# Law\n\nSee [Annex II](annex.md#two) - 5 apples.\n\n* one\n  * inner\n* two\n\n"
        "> quoted\n\n```sh\n# not a heading\nls  -l\n```\n\nSub\n---\n\n3. third\n"
    )
    reading = read(tmp_path, "markdown", text)
    assert shape(reading) == [
        ("heading", "Law"),
        ("paragraph", "See Annex II - 5 apples."),
        ("list_item", "one"),
        ("list_item", "inner"),
        ("list_item", "two"),
        ("quote", "quoted"),
        ("code", "# not a heading\nls  -l"),
        ("heading", "Sub"),
        ("list_item", "third"),
    ]
    elements = reading.elements
    assert [e.level for e in elements] == [1, None, 1, 2, 1, None, None, 2, 1]
    assert elements[1].attributes["links"] == [{"text": "Annex II", "href": "annex.md#two"}]
    assert elements[6].attributes["language"] == "sh"
    assert elements[8].attributes["number"] == 3


def test_pipe_tables_are_grids_even_without_a_last_pipe(tmp_path: Path) -> None:
    reading = read(tmp_path, "markdown", "Text before\n| Fee | Rate |\n|---|---:|\n| a | 7.5% |\n| b | -3\n")
    assert shape(reading) == [("paragraph", "Text before"), ("table", "Fee|Rate/a|7.5%/b|-3")]
    grid = reading.elements[1].grid
    assert grid is not None and grid.header_rows == 1


def test_raw_html_tables_and_details_are_kept(tmp_path: Path) -> None:
    text = (
        "Before.\n\n<table><tr><td>1</td><td>2</td></tr></table>\n\n"
        "<details><summary>More</summary>\n\nInside.\n\n</details>\n"
    )
    assert shape(read(tmp_path, "markdown", text)) == [
        ("paragraph", "Before."),
        ("table", "1|2"),
        ("paragraph", "More"),
        ("paragraph", "Inside."),
    ]


def test_front_matter_is_metadata_and_no_text(tmp_path: Path) -> None:
    text = (
        "---\ntitle: Privacy\neffective_date: 2020-01-02\nexpires: 05/06/2023\nversion: 1.10\n"
        "tags: [a, b]\nproduct:\n  free: '*'\n---\nBody text.\n"
    )
    reading = read(tmp_path, "markdown", text)
    assert shape(reading) == [("paragraph", "Body text.")]
    assert [(s.field, s.value) for s in reading.metadata] == [
        ("title", "Privacy"),
        ("effective_date", "2020-01-02"),
        ("expires", "05/06/2023"),
        ("version", "1.10"),
        ("tags", "a"),
        ("tags", "b"),
        ("product.free", "*"),
    ]
    found = normalise(reading, "Body text.")
    assert (str(found.valid_from), found.valid_to, found.title) == ("2020-01-02", None, "Privacy")
    assert [p.locator for p in found.problems] == [{"field": "expires"}]


def test_front_matter_that_is_no_yaml_stays_as_text_and_is_entered(tmp_path: Path) -> None:
    reading = read(tmp_path, "markdown", "---\ntitle: 'it's broken'\n---\nBody.\n")
    assert shape(reading) == [("code", "title: 'it's broken'"), ("paragraph", "Body.")]
    assert amounts(reading, "metadata_invalid") == {"metadata": 1}


def test_an_alias_bomb_in_front_matter_is_cut(tmp_path: Path) -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9))
    reading = read(tmp_path, "markdown", f"---\nl0: &l0 [x]\n{levels}\n---\nBody.\n")
    assert amounts(reading, "metadata_invalid")["metadata"] >= 1
    assert len(reading.metadata) < 10_000


def test_footnotes_keep_their_text(tmp_path: Path) -> None:
    reading = read(tmp_path, "markdown", "Fee.[^1]\n\n[^1]: https://example.org/fee\n")
    assert shape(reading) == [("paragraph", "Fee.[^1]"), ("footnote", "[^1]: https://example.org/fee")]
