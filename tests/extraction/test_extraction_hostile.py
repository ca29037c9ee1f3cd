"""Whatever the bytes are, a text reader gives elements or a ReadError, and its counter gives counts."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.extraction.canonical import assemble
from muniment.extraction.formats import TEXT_TYPES, module_of
from muniment.extraction.model import ReadError, ReadOptions

PIECES = b"<table> <td_rowspan=9> </p> <!-- |a|b|\n|-|-|\n ---\n x:_[\n ; From:_=?x?b?/?=\n - ``` \x00 \xff".split(b" ")
pieces = st.sampled_from([*(piece.replace(b"_", b" ") for piece in PIECES), b'"', b"\t", b"\n\n", b"- 5"])
contents = st.lists(st.one_of(pieces, st.binary(max_size=12)), max_size=12).map(b"".join)


def attempt(doc_type: str, data: bytes) -> str:
    """Canonical text of a file with this content, or the reason it was refused for."""
    module = module_of(doc_type)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        try:
            counts = module.count(path, ReadOptions())
            assert counts["chars_visible"] >= 0
            return assemble(module.read(path, ReadOptions())).text
        except ReadError as error:
            return error.reason_code


@pytest.mark.parametrize("doc_type", sorted(TEXT_TYPES))
@given(data=contents)
@settings(max_examples=25, deadline=None)
def test_no_content_crashes_a_reader(doc_type: str, data: bytes) -> None:
    attempt(doc_type, data).encode()


@pytest.mark.parametrize(
    ("doc_type", "data"),
    [
        (
            "eml",
            b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\nContent-Type: message/rfc822\n\n" * 300 + b"x",
        ),
        ("markdown", b"> " * 3000 + b"word"),
        ("html", b"<table>" * 500 + b"<tr><td>1<td>2"),
        ("html", b"<b>" * 1500 + b"word"),
        ("csv", b'"' * 9999),
    ],
)
def test_deep_nesting_is_read_or_refused(doc_type: str, data: bytes) -> None:
    attempt(doc_type, data)
