"""HTML: elements by lxml's parser, verbatim, with what is hidden marked and nothing dropped but scripts.

unstructured's partition_html is not used: it drops details, noscript, deletions and navigation without a
record and does not tell hidden text from visible text. White space is collapsed as a browser does.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from muniment.extraction import html_counter
from muniment.extraction.decoding import decode
from muniment.extraction.formats import engine_versions
from muniment.extraction.html_blocks import Blocks, to_blocks
from muniment.extraction.metadata import field_of
from muniment.extraction.model import ReadError, Reading, ReadOptions, Stated

COUNTER = "html: html.parser 2"

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.I)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,100}encoding\s*=\s*[\"']([A-Za-z0-9_.-]+)", re.I)
_CLOSING = re.compile(r"</(?:body|html)\s*>", re.I)
_KEPT_META = {"description", "keywords", "generator"}
#: libxml2 stops at this depth; deeper text would be lost without a word.
_MAX_DEPTH = 2000


def read(path: Path, options: ReadOptions) -> Reading:
    """Elements and stated metadata of a page. ReadError("corrupt_file") when it nests too deep to parse."""
    data = path.read_bytes()
    decoded = decode(data, _stated_charset(data))
    root = parse(decoded.text)
    reading = Reading("html", engine_versions("html"), [], adjustments=list(decoded.adjustments))
    if root is None:
        return reading
    found = to_blocks(root, options.max_cells)
    reading.elements = found.elements
    reading.adjustments += found.adjustments
    reading.metadata = _metadata(root)
    return reading


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """Text nodes by the standard library's tokenizer."""
    return html_counter.count_html(html_counter.decode(path.read_bytes()))


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """Text nodes by the standard library's tokenizer, visible, hidden, and alternative texts."""
    return html_counter.flow_text(html_counter.decode(path.read_bytes()))


def fragment_blocks(text: str, max_cells: int) -> Blocks:
    """Elements of an HTML text that comes from elsewhere: a mail body, rendered Markdown."""
    root = parse(text)
    return to_blocks(root, max_cells) if root is not None else Blocks()


def parse(text: str) -> Any:
    """lxml tree of an HTML text, or None when it has no element at all; no network, no entities."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    if not text.strip("\x00 \t\r\n\f\ufeff"):
        return None
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True, recover=True
    )
    # text after </html> is shown by browsers, and would be outside the tree
    encoded = _CLOSING.sub("", text.replace("\x00", "")).encode("utf-8", "replace")
    try:
        root = etree.fromstring(encoded, parser)
    except etree.XMLSyntaxError:
        return None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise ReadError("corrupt_file", f"the page nests deeper than {_MAX_DEPTH} tags or breaks off; simplify it")
    return root


def _stated_charset(data: bytes) -> str | None:
    found = _XML_ENCODING.search(data[:512]) or _CHARSET.search(data[:4096])
    return found.group(1).decode("ascii") if found else None


def _metadata(root: Any) -> list[Stated]:
    """What the head states: title, meta elements that name a field we know, the language."""
    stated: list[Stated] = []
    title = next((t for t in root.iter("title") if next(t.iterancestors("svg"), None) is None), None)
    if title is not None and "".join(title.itertext()).strip():
        stated.append(Stated("title", " ".join("".join(title.itertext()).split()), {"element": "title"}))
    seen: set[tuple[str, str]] = set()
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").strip()
        value = (meta.get("content") or "").strip()
        if not value or not (field_of(name) or name.lower() in _KEPT_META) or (name, value) in seen:
            continue
        seen.add((name, value))
        stated.append(Stated(name.lower(), value, {"element": "meta", "name": name}))
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang")
    if language and language.strip():
        stated.append(Stated("language", language.strip(), {"element": "html", "attribute": "lang"}))
    return stated
