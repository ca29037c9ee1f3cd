"""Independent counter of mail: splits headers and boundaries by itself, decodes, counts text parts."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field

from muniment.extraction import counting
from muniment.extraction.flow import joined
from muniment.extraction.html_counter import count_html, flow_text

COUNTER: str = "eml: boundary splitter and html.parser 2"

_HEADER = re.compile(rb"[\x21-\x39\x3b-\x7e]+[ \t]*:")
_SHOWN = {b"from", b"sender", b"reply-to", b"to", b"cc", b"bcc", b"date", b"subject"}
_BOUNDARY = re.compile(rb"boundary\s*\*?=\s*(?:\"([^\"]*)\"|([^;\s]+))", re.I)
_CHARSET = re.compile(rb"charset\s*\*?=\s*(?:\"([^\"]*)\"|([^;\s]+))", re.I)
_ENCODED = re.compile(rb"=\?([^?\s]+)\?([bBqQ])\?([^?]*)\?=")
_MAX_DEPTH = 60


@dataclass(slots=True)
class _Totals:
    counts: dict[str, int] = field(default_factory=dict)
    texts: list[tuple[str, str]] = field(default_factory=list)  # part and text, in order

    def add(self, counts: dict[str, int]) -> None:
        for unit, amount in counts.items():
            self.counts[unit] = self.counts.get(unit, 0) + amount


def count_mail(data: bytes) -> dict[str, int]:
    """Counts over headers shown and text parts; `mail_parts` are leaf parts of all messages."""
    totals = _Totals({"chars_visible": 0, "chars_hidden": 0, "digits": 0, "percents": 0, "tables": 0, "mail_parts": 0})
    _message(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), totals, 0)
    return totals.counts


def source_text(data: bytes, part: str | None = None) -> str:
    """Headers shown ("Subject: …") and text parts in order; only those of one part where it is named.

    Parts are named as the reader names them: 1, 2, 2.1, …; the headers of the outermost message are part 0.
    """
    totals = _Totals({})
    _message(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), totals, 0)
    return joined(*(text for name, text in totals.texts if part in (None, name)))


def _message(data: bytes, totals: _Totals, depth: int, path: str = "") -> None:
    headers, body = _split(data)
    for name, value in headers:
        if name in _SHOWN:
            text = _decode_header(value)
            totals.add(counting.count_visible(text))
            totals.texts.append((path or "0", f"{name.decode('ascii').title()}: {' '.join(text.split())}"))
    _part(headers, body, totals, depth, path, outermost=True)


def _child(path: str, number: int) -> str:
    return f"{path}.{number}" if path else str(number)


def _part(
    headers: list[tuple[bytes, bytes]], body: bytes, totals: _Totals, depth: int, path: str, *, outermost: bool = False
) -> None:
    values = dict(reversed(headers))
    content_type = values.get(b"content-type", b"text/plain")
    kind = content_type.split(b";")[0].strip().lower()
    kind = kind if kind.count(b"/") == 1 else b"text/plain"
    boundary = _BOUNDARY.search(content_type)
    if kind.startswith(b"multipart/") and boundary and depth < _MAX_DEPTH:
        pieces = _pieces(body, (boundary.group(1) or boundary.group(2) or b"").rstrip())
        if pieces:
            default = b"message/rfc822" if kind == b"multipart/digest" else b"text/plain"
            for number, piece in enumerate(pieces, 1):
                inner, content = _split(piece)
                if not any(name == b"content-type" for name, _ in inner):
                    inner.append((b"content-type", default))
                _part(inner, content, totals, depth + 1, _child(path, number))
            return
    path = _child(path, 1) if outermost else path
    if kind == b"message/rfc822" and depth < _MAX_DEPTH:
        _message(body.lstrip(b"\n"), totals, depth + 1, path)
        return
    totals.add({"mail_parts": 1})
    attached = values.get(b"content-disposition", b"").split(b";")[0].strip().lower() == b"attachment"
    as_text = kind == b"text/plain" or kind.startswith(b"multipart/")
    if (attached or not (as_text or kind == b"text/html")) and kind != b"message/delivery-status":
        return
    charset = _CHARSET.search(content_type)
    stated = (charset.group(1) or charset.group(2) or b"").decode("ascii", "replace").strip("'") if charset else None
    encoding = values.get(b"content-transfer-encoding", b"")
    content = body if kind == b"message/delivery-status" else _transfer_decoded(body, encoding)
    text = counting.plain_decode(content, stated)
    totals.add(count_html(text) if kind == b"text/html" else counting.count_visible(text))
    totals.texts.append((path, flow_text(text) if kind == b"text/html" else text))


def _split(data: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers (lower-case name, unfolded value) and the body."""
    lines = data.split(b"\n")
    headers: list[tuple[bytes, bytes]] = []
    position = 0
    for position, line in enumerate(lines):
        if not line:
            return headers, b"\n".join(lines[position + 1 :])
        if line[:1] in (b" ", b"\t") and headers:
            name, value = headers[-1]
            headers[-1] = (name, value + b"\n" + line)
        elif _HEADER.match(line):
            name, _, value = line.partition(b":")
            headers.append((name.strip().lower(), value.strip()))
        elif not (position == 0 and line.startswith((b"From ", b">From "))):
            return headers, b"\n".join(lines[position:])
    return headers, b""


def _pieces(body: bytes, boundary: bytes) -> list[bytes]:
    """Parts between boundary lines; empty when the boundary does not occur."""
    mark = b"--" + boundary
    pieces: list[list[bytes]] = []
    for line in body.split(b"\n"):
        tail = line[len(mark) :].rstrip() if line.startswith(mark) else None
        if tail == b"--":
            break
        if tail == b"":
            pieces.append([])
        elif pieces:
            pieces[-1].append(line)
    return [b"\n".join(piece) for piece in pieces]


def _transfer_decoded(body: bytes, encoding: bytes) -> bytes:
    name = encoding.strip().lower()
    if name == b"quoted-printable":
        return binascii.a2b_qp(body)
    if name == b"base64":
        letters = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
        try:
            return binascii.a2b_base64(letters[: len(letters) - (len(letters) % 4 == 1)] + b"===")
        except binascii.Error:
            return body
    return body


def _decode_header(value: bytes) -> str:
    position, text = 0, ""
    for match in _ENCODED.finditer(value):
        between = value[position : match.start()]
        text += counting.plain_decode(between)
        charset = match.group(1).split(b"*")[0].decode("ascii", "replace")
        raw = match.group(3)
        content = _transfer_decoded(raw, b"base64") if match.group(2) in b"bB" else _underscored(raw)
        text += counting.plain_decode(content, charset)
        position = match.end()
    return text + counting.plain_decode(value[position:])


def _underscored(raw: bytes) -> bytes:
    return binascii.a2b_qp(raw.replace(b"_", b"=20"))
