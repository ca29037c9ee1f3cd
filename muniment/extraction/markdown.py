"""Markdown: CommonMark with pipe tables and strike-through by markdown-it, then cut into elements as HTML.

Rendering first means that raw HTML (tables, details, hidden parts) inside the text is read like any
page. unstructured's partition_md is not used: it takes front matter for a title and drops raw tables.
Front matter is metadata and leaves the text; where it cannot be read, it stays as a code element.
Footnote definitions `[^1]: …` become footnotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muniment.extraction import counting, html, markdown_counter
from muniment.extraction.decoding import decode
from muniment.extraction.formats import engine_versions
from muniment.extraction.model import Adjustment, Element, Reading, ReadOptions, Stated

COUNTER = markdown_counter.COUNTER

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_DEFINITION = re.compile(r"^( {0,3})\[\^([^\]\s]+)\]:", re.MULTILINE)
_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]:\s*")
_MAX_FRONT_MATTER = 64 * 1024
_MAX_NESTING = 200
_MAX_VALUES = 500


@dataclass(slots=True)
class FrontMatter:
    """What the front matter states; `text` is the document without it, `unread` the part kept as text."""

    text: str
    metadata: list[Stated] = field(default_factory=list)
    unread: str = ""
    adjustments: list[Adjustment] = field(default_factory=list)


def read(path: Path, options: ReadOptions) -> Reading:
    """Elements of a Markdown file; fields of its front matter as stated metadata."""
    decoded = decode(path.read_bytes())
    front = front_matter(decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
    found = html.fragment_blocks(_render(front.text), options.max_cells)
    elements = [_footnote(element) for element in found.elements]
    if front.unread:
        elements.insert(0, Element("code", front.unread, attributes={"language": "yaml"}))
        detail = "the front matter is not valid YAML; it is kept as text"
        front.adjustments.append(Adjustment("metadata", "metadata_invalid", 1, {"field": "front matter"}, detail))
        front.adjustments += counting.adjustments(front.unread, "header_as_text", {}, detail)
    return Reading(
        "markdown",
        engine_versions("markdown"),
        elements,
        front.metadata,
        [*decoded.adjustments, *front.adjustments, *found.adjustments],
    )


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """Text of the page that another Markdown library renders, by the standard library's tokenizer."""
    return markdown_counter.count_markdown(path.read_bytes())


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """The page that another library renders, and the file as it stands."""
    return markdown_counter.source_text(path.read_bytes())


def front_matter(text: str) -> FrontMatter:
    """Split the front matter off. Its values become stated values, as they are written."""
    import yaml

    match = _FRONT_MATTER.match(text)
    if match is None or len(match.group(1)) > _MAX_FRONT_MATTER:
        return FrontMatter(text)
    rest = text[match.end() :]
    try:
        data = yaml.load(match.group(1), Loader=_plain_loader())  # noqa: S506 - a SafeLoader that keeps text as written
    except (yaml.YAMLError, ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        if not match.group(1).strip():
            return FrontMatter(rest)
        return FrontMatter(text if not _looks_like_fields(match.group(1)) else rest, unread=_unread(match, text))
    result = FrontMatter(rest)
    for key, value in data.items():
        _state(result, str(key), value)
    return result


def _looks_like_fields(block: str) -> bool:
    return re.match(r"\s*[\w-]+\s*:", block) is not None


def _unread(match: re.Match[str], text: str) -> str:
    """The block as text when it looks like fields; a thematic break at the start is no front matter."""
    return match.group(1).strip("\n") if _looks_like_fields(match.group(1)) else ""


def _state(result: FrontMatter, key: str, value: Any) -> None:
    """State a value; lists become values of one field, mappings fields of dotted names."""
    pending: list[tuple[str, Any]] = [(key, value)]
    stated = 0
    while pending:
        name, item = pending.pop()
        stated += 1
        if stated > _MAX_VALUES:  # aliases can make a short text huge
            detail = f"more than {_MAX_VALUES} values; the rest is not read"
            result.adjustments.append(Adjustment("metadata", "metadata_invalid", 1, {"field": key}, detail))
            return
        if isinstance(item, dict):
            pending += [(f"{name}.{inner}", content) for inner, content in reversed(item.items())]
        elif isinstance(item, list):
            pending += [(name, content) for content in reversed(item)]
        elif item is not None and str(item).strip():
            result.metadata.append(Stated(name, str(item), {"front_matter": name}))


def _plain_loader() -> type:
    """YAML's safe loader without tags for dates, numbers and truth: values stay as they are written."""
    import yaml

    return yaml.BaseLoader


def _render(text: str) -> str:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])
    return parser.render(_protect_footnotes(text))


def _protect_footnotes(text: str) -> str:
    """Keep `[^1]: word` from being read as a link definition, which has no text."""
    return _DEFINITION.sub(r"\1\\[^\2]:", text)


def _footnote(element: Element) -> Element:
    match = _FOOTNOTE.match(element.text) if element.kind == "paragraph" else None
    if match:
        element.kind = "footnote"
        element.attributes["label"] = match.group(1)
    return element
