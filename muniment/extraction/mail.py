"""Mail (RFC 5322, MIME): headers, bodies and nested messages; nothing is chosen silently.

The standard library's parser is used instead of unstructured's partition_email, which reads one of two
bodies, merges nested mail into its parent and raises on unknown charsets. Of two alternative bodies the
plain one is read; the other is dropped only when the plain one says all of it, and kept beside it
otherwise. Attachments are named in the attributes of the message's first header element and entered
as attachment_skipped.
"""

from __future__ import annotations

import email
import email.policy
import re
from collections import Counter
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

from muniment.extraction import counting, html, mail_counter, text
from muniment.extraction.formats import engine_versions
from muniment.extraction.mail_parts import SHOWN, body_text, disposition, file_name, header_values, payload_bytes
from muniment.extraction.model import Adjustment, Element, ReadError, Reading, ReadOptions, Stated

COUNTER = mail_counter.COUNTER

_WORD = re.compile(r"\w+")
_URL = re.compile(r"(?:https?://|www\.|mailto:)\S+")
#: A body that lacks one of these words, or a number, of the other does not say the same.
_CRITICAL = frozenset(
    (  # noqa: SIM905
        "not no never none without except nicht kein keine nie ohne ne pas jamais sans"
    ).split()
)
_COVERED = 0.97
_MAX_DEPTH = 50


@dataclass(slots=True)
class _Found:
    """What a part, or a group of parts, gave."""

    elements: list[Element] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)
    attachments: list[dict[str, object]] = field(default_factory=list)
    leaves: int = 0
    plain: bool = False

    def extend(self, other: _Found) -> None:
        """Append what another part gave."""
        self.elements += other.elements
        self.adjustments += other.adjustments
        self.attachments += other.attachments
        self.leaves += other.leaves

    def visible_text(self) -> str:
        """Text of visible elements that comes from the source."""
        return "\n".join(
            "\n".join(cell.text for cell in element.grid.cells) if element.grid else element.text
            for element in self.elements
            if not element.hidden and not element.attributes.get("alternative_text")
        )


def read(path: Path, options: ReadOptions) -> Reading:
    """Elements of a mail. ReadError("archive_limit") when messages nest deeper than 50."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.compat32)
    found = _message(message, "", options, 0)
    return Reading("eml", engine_versions("eml"), found.elements, _metadata(message), found.adjustments)


def count(path: Path, options: ReadOptions) -> dict[str, int]:
    """Header values and text bodies by a splitter of our own that knows only boundaries."""
    return mail_counter.count_mail(path.read_bytes())


def source_text(path: Path, locator: dict[str, Any], options: ReadOptions) -> str:
    """Headers and bodies by the splitter; only those of `mail_part` where the locator names one."""
    return mail_counter.source_text(path.read_bytes(), locator.get("mail_part"))


def _metadata(message: Message) -> list[Stated]:
    stated: list[Stated] = []
    for header, name in (("Subject", "title"), ("From", "author"), ("Date", "published_on")):
        for value in header_values(message, header)[:1]:
            stated.append(Stated(name, value, {"header": header}))
    for header in ("From", "To", "Cc", "Message-ID", "In-Reply-To", "References"):
        for value in header_values(message, header):
            stated.append(Stated(header.lower(), value, {"header": header}))
    return stated


def _message(message: Message, path: str, options: ReadOptions, depth: int) -> _Found:
    if depth > _MAX_DEPTH:
        raise ReadError("archive_limit", f"messages nest deeper than {_MAX_DEPTH}; the file may be hostile")
    found = _headers(message, path or "0")
    first = len(found.elements)
    body = _part(message, _child(path, 1) if not _is_container(message) else path, options, depth)
    attachments, body.attachments = body.attachments, []
    found.extend(body)
    if attachments and first:
        found.elements[0].attributes["attachments"] = attachments
    return found


def _headers(message: Message, path: str) -> _Found:
    found = _Found()
    for header in SHOWN:
        for value in header_values(message, header):
            element = Element("mail_header", f"{header}: {value}", mail_part=path, attributes={"header": header})
            found.elements.append(element)
            found.adjustments += counting.adjustments(f"{header}:", "header_as_text", {"part": path})
    return found


def _is_container(part: Message) -> bool:
    return part.get_content_maintype() == "multipart" and isinstance(part.get_payload(), list)


def _child(path: str, number: int) -> str:
    return f"{path}.{number}" if path else str(number)


def _part(part: Message, path: str, options: ReadOptions, depth: int) -> _Found:
    if depth > _MAX_DEPTH:
        raise ReadError("archive_limit", f"parts nest deeper than {_MAX_DEPTH}; the file may be hostile")
    if _is_container(part):
        children = [item for item in part.get_payload() if isinstance(item, Message)]
        parts = [_part(child, _child(path, n), options, depth + 1) for n, child in enumerate(children, 1)]
        if part.get_content_subtype() == "alternative":
            return _alternative(parts)
        found = _Found()
        for item in parts:
            found.extend(item)
            found.plain = found.plain or item.plain
        return found
    return _leaf(part, path, options, depth)


def _leaf(part: Message, path: str, options: ReadOptions, depth: int) -> _Found:
    kind = part.get_content_type()
    if part.get_content_maintype() == "multipart":  # its boundary was never found: the content is text
        kind = "text/plain"
    payload = part.get_payload()
    if kind == "message/rfc822" and isinstance(payload, list) and payload and isinstance(payload[0], Message):
        return _message(payload[0], path, options, depth + 1)
    readable = kind in ("text/plain", "text/html") and disposition(part) != "attachment"
    if not readable and kind != "message/delivery-status":
        return _attachment(part, path, kind)
    return _body(part, path, options, is_html=kind == "text/html")


def _attachment(part: Message, path: str, kind: str) -> _Found:
    size = len(payload_bytes(part))
    entry: dict[str, object] = {"part": path, "name": file_name(part), "type": kind, "bytes": size}
    adjustment = Adjustment("mail_parts", "attachment_skipped", 1, {"part": path}, f"{kind}, {size} bytes")
    return _Found([], [adjustment], [entry], 1)


def _body(part: Message, path: str, options: ReadOptions, *, is_html: bool) -> _Found:
    decoded = body_text(part)
    found = _Found(adjustments=list(decoded.adjustments), leaves=1, plain=not is_html)
    if is_html:
        blocks = html.fragment_blocks(decoded.text, options.max_cells)
        found.elements, adjustments = blocks.elements, blocks.adjustments
    else:
        found.elements, adjustments = text.blocks(decoded.text, headings=False)
    found.adjustments += adjustments
    for element in found.elements:
        element.mail_part = path
        if element.kind == "title":  # the title of a mail is its subject
            element.kind = "heading"
    if not found.elements:
        found.adjustments.append(Adjustment("mail_parts", "markup_removed", 1, {"part": path}, "part without text"))
    return found


def _alternative(parts: list[_Found]) -> _Found:
    """The plain body, and the others where they say something that it does not."""
    with_text = [part for part in parts if part.visible_text().strip()]
    preferred = next((part for part in with_text if part.plain), with_text[-1] if with_text else None)
    found = _Found(plain=preferred.plain if preferred else False)
    for part in parts:
        if part is preferred or part not in with_text or preferred is None:
            found.extend(part)
        elif says_all(preferred.visible_text(), part.visible_text()):
            found.extend(_without_text(part))
        else:
            for element in part.elements:
                element.attributes["alternative"] = True
            place: dict[str, object] = {"part": part.elements[0].mail_part}
            found.extend(part)
            found.adjustments.append(Adjustment("bodies", "alternative_body_differs", 1, place, "both bodies are kept"))
    return found


def _without_text(part: _Found) -> _Found:
    """A body that was left out: its text, tables and leaves as adjustments."""
    place: dict[str, object] = {"part": part.elements[0].mail_part}
    kept = [a for a in part.adjustments if a.reason_code != "alternative_text_added"]
    kept += counting.adjustments(part.visible_text(), "alternative_body", place)
    hidden = sum(counting.characters(element.text) for element in part.elements if element.hidden)
    tables = sum(1 for element in part.elements if element.grid is not None)
    parts = {element.mail_part for element in part.elements}
    for unit, amount in (("chars_hidden", hidden), ("tables", tables), ("mail_parts", len(parts))):
        if amount:
            kept.append(Adjustment(unit, "alternative_body", amount, place))
    return _Found([], kept, part.attachments, part.leaves)


def says_all(kept: str, dropped: str) -> bool:
    """Whether a kept body has nearly all words of a dropped one, and all its numbers and negations."""
    have = Counter(word.casefold() for word in _WORD.findall(kept))
    want = Counter(word.casefold() for word in _WORD.findall(_URL.sub(" ", dropped)))
    missing = want - have
    if any(word in _CRITICAL or any(mark.isdigit() for mark in word) for word in missing):
        return False
    return sum(missing.values()) <= (1 - _COVERED) * max(sum(want.values()), 1)
