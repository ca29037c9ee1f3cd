"""Headers and parts of a mail as text: what the standard library's parser gives, made safe to read.

Headers are taken raw and decoded here: the strict header parsers raise on real mail.
"""

from __future__ import annotations

import re
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message

from muniment.extraction.decoding import Decoded, decode

#: Headers that become elements, in the order they are written.
SHOWN = ("From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Date", "Subject")

_FOLD = re.compile(r"\r?\n[ \t]*")


def header_values(message: Message, name: str) -> list[str]:
    """All values of a header, unfolded and decoded, in order."""
    values = [raw for key, raw in message.raw_items() if key.lower() == name.lower()]
    return [value for value in (decode_words(str(raw)) for raw in values) if value]


def decode_words(raw: str) -> str:
    """A header value with encoded words (RFC 2047) decoded; what cannot be decoded stays as written."""
    unfolded = _FOLD.sub(" ", raw).strip()
    try:
        pieces = decode_header(_as_text(unfolded))
    except (HeaderParseError, ValueError):
        return _as_text(unfolded)
    return "".join(_piece(content, charset) for content, charset in pieces).strip()


def payload_bytes(part: Message) -> bytes:
    """Content of a leaf part after its transfer encoding; what cannot be decoded as it stands."""
    payload = part.get_payload()
    if isinstance(payload, list):
        return "\n\n".join(_header_block(item) for item in payload if isinstance(item, Message)).encode(
            "utf-8", "replace"
        )
    try:
        content = part.get_payload(decode=True)
    except (ValueError, LookupError, MessageError):
        content = None
    if isinstance(content, bytes):
        return content
    return str(payload or "").encode("utf-8", "surrogateescape")


def body_text(part: Message) -> Decoded:
    """Text of a leaf part in its stated charset, or by detection."""
    return decode(payload_bytes(part), _charset(part))


def disposition(part: Message) -> str:
    """attachment, inline or "" (lower case)."""
    raw = str(part.get("content-disposition") or "")
    return raw.split(";")[0].strip().lower()


def file_name(part: Message) -> str:
    """Stated name of a part, decoded, or ""."""
    try:
        return decode_words(part.get_filename() or "")
    except (ValueError, LookupError, UnicodeError):
        return ""


def _charset(part: Message) -> str | None:
    try:
        charset = part.get_param("charset")
    except (ValueError, UnicodeError):
        return None
    if isinstance(charset, tuple):  # RFC 2231: charset, language, value
        charset = charset[2]
    return str(charset).strip("'\" ").lower() if charset else None


def _piece(content: bytes | str, charset: str | None) -> str:
    if isinstance(content, str):
        return content
    if charset is None:  # plain text between encoded words, as the library returns it
        return content.decode("raw_unicode_escape")
    return decode(content, charset.split("*")[0]).text


def _as_text(value: str) -> str:
    """Raw bytes beyond ASCII stand as surrogates: decode them; the library wants text."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return decode(value.encode("utf-8", "surrogateescape")).text
    return value


def _header_block(message: Message) -> str:
    """A block of a delivery status: its fields, and what stands there without being a field."""
    fields = [f"{name}: {_FOLD.sub(' ', str(value))}" for name, value in message.raw_items()]
    rest = message.get_payload()
    return "\n".join([*fields, rest] if isinstance(rest, str) and rest.strip() else fields)
