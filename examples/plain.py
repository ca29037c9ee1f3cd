"""Writers of the formats that are text: plain text, Markdown, HTML, CSV and mail."""

from __future__ import annotations

import csv
import io
from email.message import EmailMessage
from email.policy import SMTP
from html import escape

from blocks import Block, accepted, blocks, read


def text(name: str) -> bytes:
    """Plain text, exactly as written."""
    return read(name).encode()


def markdown(name: str, front_matter: dict[str, str] | None = None) -> bytes:
    """Markdown, with front matter where given."""
    parts = (
        ["---\n" + "".join(f"{key}: {value}\n" for key, value in front_matter.items()) + "---"] if front_matter else []
    )
    previous = ""
    for block in blocks(name):
        rendered = _markdown_block(block)
        if block.kind == "item" and previous == "item":
            parts[-1] += "\n" + rendered
        else:
            parts.append(rendered)
        previous = block.kind
    return ("\n\n".join(parts) + "\n").encode()


def _markdown_block(block: Block) -> str:
    if block.kind == "heading":
        return "#" * block.level + " " + block.text
    if block.kind == "table":
        head, *rows = block.rows
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    if block.kind == "code":
        return f"```\n{block.text}\n```"
    prefix = {"item": "- ", "note": "> "}.get(block.kind, "")
    return prefix + accepted(block.text)


def html(name: str, *, title: str, meta: dict[str, str], navigation: tuple[str, ...] = ()) -> bytes:
    """An intranet page with navigation, main part and foot; hidden blocks are not displayed."""
    body: list[str] = []
    in_list = False
    for block in blocks(name):
        if in_list != (block.kind == "item"):
            in_list = not in_list
            body.append("<ul>" if in_list else "</ul>")
        body.append(_html_block(block))
    if in_list:
        body.append("</ul>")
    metas = "\n".join(f'<meta name="{escape(key)}" content="{escape(value)}">' for key, value in meta.items())
    links = "".join(f'<li><a href="/{escape(label.lower())}">{escape(label)}</a></li>' for label in navigation)
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
{metas}
</head>
<body>
<nav><ul>{links}</ul></nav>
<main>
{chr(10).join(body)}
</main>
<footer><p>Aldermoor Water Company intranet. Internal use only.</p></footer>
</body>
</html>
"""
    return page.encode()


def _html_block(block: Block) -> str:
    if block.kind == "table":
        head, *rows = block.rows
        lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
        lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
        return "<table>\n" + "\n".join(lines) + "\n</table>"
    content = escape(accepted(block.text), quote=False)
    if block.kind == "heading":
        return f"<h{block.level}>{content}</h{block.level}>"
    if block.kind == "hidden":
        return f'<p style="display:none">{content}</p>'
    tag = {"item": "li", "note": "blockquote", "code": "pre"}.get(block.kind, "p")
    return f"<{tag}>{content}</{tag}>"


def table_csv(rows: list[list[str]]) -> bytes:
    """Comma-separated values."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode()


def mail(
    name: str,
    headers: dict[str, str],
    *,
    quoted: str | None = None,
    attachment: tuple[str, bytes] | None = None,
    with_html: bool = False,
) -> bytes:
    """A mail: text body, optionally what it answers, an HTML alternative and a CSV attachment."""
    message = EmailMessage(policy=SMTP)
    for key, value in headers.items():
        message[key] = value
    body = read(name)
    if quoted:
        body += "\n" + "\n".join(f"> {line}".rstrip() for line in read(quoted).splitlines()) + "\n"
    message.set_content(body, cte="quoted-printable")
    if with_html:
        paragraphs = "".join(f"<p>{escape(part, quote=False)}</p>\n" for part in body.strip().split("\n\n"))
        message.add_alternative(f"<html><body>\n{paragraphs}</body></html>\n", subtype="html", cte="quoted-printable")
    if attachment:
        file_name, content = attachment
        message.add_attachment(content, maintype="text", subtype="csv", filename=file_name)
    _fix_boundaries(message, name)
    return message.as_bytes()


def _fix_boundaries(message: EmailMessage, name: str) -> None:
    """Boundaries are random unless set."""
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"=-{name}-{number}")
