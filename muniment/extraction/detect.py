"""The document type of a file, from its first bytes, its name and the members of its zip.

Content decides. The name only chooses among text formats, which all are text; where it promises what the
content is not, `mismatch` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from muniment.extraction.formats import UNSUPPORTED, promised_type

#: Bytes of the head that are looked at.
HEAD_BYTES = 64 * 1024

_TEXT_FORMATS = frozenset({"text", "markdown", "html", "csv", "eml"})
_OOXML = frozenset({"docx", "xlsx", "pptx"})
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PART_OF = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))
_OLE_STREAMS = (
    ("WordDocument", "legacy Word document (.doc)"),
    ("PowerPoint Document", "legacy PowerPoint presentation (.ppt)"),
    ("Workbook", "legacy Excel workbook (.xls)"),
    ("__substg1.0_", "Outlook message (.msg)"),
)
#: Signatures that the library for media types does not know, or that come before text is considered.
_SIGNATURES = (
    (b"{\\rtf", "RTF document"),
    (b"%!PS", "PostScript document"),
    (b"ITSF", "compiled help (.chm)"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"!<arch>", "ar archive"),
    (b"\x04\x22\x4d\x18", "LZ4 archive"),
    (b"-----BEGIN ", "PEM certificate or key"),
)
_HTML_START = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_XML_START = re.compile(rb"\s*<(?:\?xml\b|!DOCTYPE\s)", re.IGNORECASE)
_HEADER_LINE = re.compile(rb"[!-9;-~]{1,76}:[ \t]?")
_MAIL_SIGNS = re.compile(
    rb"^(?:received|return-path|message-id|mime-version|delivered-to|x-mailer)[ \t]*:", re.I | re.M
)
_MAIL_FIELDS = re.compile(rb"^(?:from|to|subject|date)[ \t]*:", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Detected:
    """A document type, whether the name promises another, and what a person should know."""

    doc_type: str
    mismatch: bool
    detail: str


def detect(head: bytes, name: str, size: int, zip_members: Callable[[], Iterable[str]] | None = None) -> Detected:
    """Type by content and name.

    `head` holds the first bytes (64 KB are looked at), `size` is the file's; `zip_members` lists the
    member names of the file as a zip and is asked only when it begins like one. An empty file has the type
    that its name promises. `doc_type` is `unsupported` when no reader handles the content; `detail`
    then names it.
    """
    promised = promised_type(name)
    if size == 0:
        return Detected(promised or "text", mismatch=False, detail="empty file")
    sample = head[:HEAD_BYTES]
    found, detail = _binary(sample, promised, zip_members) or _text(sample, promised, name)
    mismatch = promised is not None and promised != found
    if mismatch:
        what = detail or found
        detail = f"named as {promised}, but the content is {what}"
    return Detected(found, mismatch, detail)


def _binary(
    sample: bytes, promised: str | None, zip_members: Callable[[], Iterable[str]] | None
) -> tuple[str, str] | None:
    """Type and detail of a format with a signature; None for what may be text."""
    pdf = sample.find(b"%PDF-")
    if pdf == 0 or (pdf > 0 and (promised == "pdf" or (pdf < 1024 and not _is_text(sample)))):
        return "pdf", ""
    if sample.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zip(zip_members, promised)
    if sample.startswith(_OLE):
        return _ole(sample, promised)
    for signature, kind in _SIGNATURES:
        if sample.startswith(signature):
            return UNSUPPORTED, kind
    if _is_text(sample):
        return None
    import filetype  # lazily: only files that are no text need it

    guess = filetype.guess(sample)
    return UNSUPPORTED, f"{guess.mime} (.{guess.extension})" if guess else "unknown binary format"


def _zip(zip_members: Callable[[], Iterable[str]] | None, promised: str | None) -> tuple[str, str]:
    members = set(zip_members()) if zip_members else set()
    if not members:
        # a damaged directory: the reader of the promised type says what is wrong with it
        return (promised, "") if promised in _OOXML else (UNSUPPORTED, "damaged or empty zip archive")
    if "[Content_Types].xml" in members:
        for folder, doc_type in _PART_OF:
            if any(member.startswith(folder) for member in members):
                return doc_type, ""
        return UNSUPPORTED, "Office Open XML package of another kind"
    if "mimetype" in members and ("content.xml" in members or "META-INF/container.xml" in members):
        return UNSUPPORTED, "OpenDocument file" if "content.xml" in members else "EPUB book"
    return UNSUPPORTED, "zip archive"


def _ole(sample: bytes, promised: str | None) -> tuple[str, str]:
    """Legacy Office formats, and encrypted modern ones, which stand in the same container."""
    for stream, kind in _OLE_STREAMS:
        if stream.encode("utf-16-le") in sample:
            return UNSUPPORTED, kind
    if promised in _OOXML:
        return promised, ""  # most likely encrypted: the reader says so
    encrypted = "EncryptedPackage".encode("utf-16-le") in sample
    return UNSUPPORTED, "encrypted Office file" if encrypted else "legacy Office or other OLE file"


def _text(sample: bytes, promised: str | None, name: str) -> tuple[str, str]:
    plain = _as_ascii(sample)
    if _HTML_START.match(_without_prolog(plain)):
        return "html", ""
    if _is_mail(plain, promised):
        return "eml", ""
    if promised in ("html", "markdown", "csv", "text"):
        if _XML_START.match(plain) and promised == "text":
            return UNSUPPORTED, "XML document"
        return promised, ""
    if _XML_START.match(plain) or (name.lower().endswith((".xml", ".svg")) and plain.lstrip().startswith(b"<")):
        return UNSUPPORTED, "XML document"
    return "text", ""


def _is_mail(plain: bytes, promised: str | None) -> bool:
    """Whether a text begins with the header block of a mail; the suffix .eml needs less proof."""
    block = re.split(rb"\r?\n\r?\n", plain, maxsplit=1)[0]
    first = block.split(b"\n", 1)[0]
    begins = _HEADER_LINE.match(first) is not None or first.startswith(b"From ")
    signs, fields = len(_MAIL_SIGNS.findall(block)), len(_MAIL_FIELDS.findall(block))
    if promised == "eml":
        return signs + fields > 0 or begins
    if promised in ("html", "markdown", "csv"):
        return False
    return begins and signs >= 1 and fields >= 2


def _without_prolog(plain: bytes) -> bytes:
    """The text after an XML declaration and leading comments."""
    rest = plain.lstrip()
    while rest.startswith((b"<?xml", b"<!--")):
        end = b"?>" if rest.startswith(b"<?") else b"-->"
        _, closed, rest = rest.partition(end)
        rest = rest.lstrip() if closed else b""
    return rest


def _as_ascii(sample: bytes) -> bytes:
    """The sample without marks and zero bytes: enough to see ASCII words in UTF-8, -16 and -32."""
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
        sample = sample.removeprefix(mark)
    return sample.replace(b"\x00", b"")


def _is_text(sample: bytes) -> bool:
    """Text in some encoding: hardly any control bytes, or the zero bytes of UTF-16 and UTF-32."""
    if sample.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return True
    zeros = sample.count(0)
    if zeros > len(sample) * 0.2:
        kept = sample.replace(b"\x00", b"")
        wide = sample[0::2].count(0) < zeros * 0.1 or sample[1::2].count(0) < zeros * 0.1 or zeros > len(sample) * 0.7
        return wide and bool(kept) and _control_share(kept) < 0.02
    return _control_share(sample) < 0.02


def _control_share(sample: bytes) -> float:
    controls = sum(sample.count(code) for code in range(32) if code not in (9, 10, 12, 13, 14, 15, 27))
    return controls / max(len(sample), 1)
