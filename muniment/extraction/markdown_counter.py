"""Independent counter of Markdown: another library (mistune) renders, html.parser counts."""

from __future__ import annotations

import re

from muniment.extraction import counting
from muniment.extraction.flow import joined
from muniment.extraction.html_counter import count_html, flow_text

_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")

COUNTER: str = "markdown: mistune and html.parser 2"


def count_markdown(data: bytes) -> dict[str, int]:
    """Counts of a Markdown file without its front matter."""
    return count_html(_rendered(counting.plain_decode(data)))


def source_text(data: bytes) -> str:
    """Text of the rendered file in document order, and the file itself."""
    text = counting.plain_decode(data)
    return joined(flow_text(_rendered(text)), text.replace("\r\n", "\n").replace("\r", "\n"))


def _rendered(decoded: str) -> str:
    import mistune

    text = "\n".join(decoded.splitlines())
    # a footnote's definition is text, not the target of a link
    text = re.sub(r"(?m)^( {0,3})\[(\^[^\]\s]+\]:)", r"\1\[\2", text)
    render = mistune.create_markdown(escape=False, plugins=["table", "strikethrough"])
    if render.renderer is not None:  # as <s>: struck out, and still shown
        render.renderer.register("strikethrough", lambda _, inner: f"<s>{inner}</s>")
    return str(render(_plain_tables(_without_front_matter(text))))


def _without_front_matter(text: str) -> str:
    lines = text.split("\n")
    if not lines or lines[0].rstrip() != "---":
        return text
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return "\n".join(lines[number + 1 :])
    return text


def _plain_tables(text: str) -> str:
    """Pipe tables as mistune wants them, which is stricter than GFM.

    A blank line before, pipes at both ends of each row, and as many cells as the header has (GFM, section
    4.10: missing cells are empty, excess cells ignored).
    """
    lines = text.split("\n")
    plain: list[str] = []
    columns = fence = 0
    for number, line in enumerate(lines):
        fence ^= line.lstrip().startswith(("```", "~~~"))
        below = lines[number + 1] if number + 1 < len(lines) else ""
        begins = "|" in line and "|" in below and _DELIMITERS.fullmatch(below) is not None
        if begins and not columns and not fence and len(_cells(line)) == len(_cells(below)):
            columns = len(_cells(line))
            plain.append("")
        elif not line.strip() or fence:
            columns = 0
        plain.append(_row(line, columns) if columns else line)
    return "\n".join(plain)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return re.split(r"(?<!\\)\|", inner)


def _row(line: str, columns: int) -> str:
    if _DELIMITERS.fullmatch(line):
        return "|" + " --- |" * columns
    cells = (_cells(line) + [" "] * columns)[:columns]
    return "|" + "|".join(cells) + "|"
