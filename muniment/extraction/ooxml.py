"""What the readers of office files share: a guarded package, safe XML, relationships, core properties.

An OOXML file is a zip of XML parts. Before any part is parsed the package is checked: sizes, ratio and
number of members against the limits, overlapping members (zip bombs), encryption, and a DOCTYPE in any part
(the format forbids it, and entities are how XML attacks work). Counters use the check only; they read and
parse parts with code of their own (`ooxml_counter`).
"""

from __future__ import annotations

import functools
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

from muniment.extraction.model import ReadError, ReadOptions, Stated

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_XML_NAMES = (".xml", ".rels", ".vml")
_DENSE_FROM = 1024 * 1024  # a small member may be dense: nothing is gained by packing it

_TRANSITIONAL = "http://schemas.openxmlformats.org/"
_NAMESPACES = {
    _TRANSITIONAL + "wordprocessingml/2006/main": "w",
    _TRANSITIONAL + "drawingml/2006/main": "a",
    _TRANSITIONAL + "drawingml/2006/chart": "c",
    _TRANSITIONAL + "drawingml/2006/diagram": "dgm",
    _TRANSITIONAL + "drawingml/2006/picture": "pic",
    _TRANSITIONAL + "drawingml/2006/wordprocessingDrawing": "wp",
    _TRANSITIONAL + "drawingml/2006/spreadsheetDrawing": "xdr",
    _TRANSITIONAL + "officeDocument/2006/math": "m",
    _TRANSITIONAL + "officeDocument/2006/relationships": "r",
    _TRANSITIONAL + "presentationml/2006/main": "p",
    _TRANSITIONAL + "spreadsheetml/2006/main": "x",
    _TRANSITIONAL + "markup-compatibility/2006": "mc",
    "urn:schemas-microsoft-com:vml": "v",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
}
#: Strict OOXML names the same things in another namespace (ISO/IEC 29500-1 against -4).
_STRICT = {
    "http://purl.oclc.org/ooxml/" + uri.removeprefix(_TRANSITIONAL).replace("2006/", ""): prefix
    for uri, prefix in _NAMESPACES.items()
    if uri.startswith(_TRANSITIONAL)
}
_PREFIXES = _NAMESPACES | _STRICT


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship of a part: id, last word of its type, resolved target (a part name or an address)."""

    id: str
    kind: str
    target: str
    external: bool


def short_name(element: Any) -> str:
    """`w:p` for a qualified name, whichever flavour of OOXML; empty for comments and instructions."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return short_tag(tag)


@functools.cache
def short_tag(tag: str) -> str:
    """`w:p` for `{namespace}p`; `?:p` for an unknown namespace."""
    if not tag.startswith("{"):
        return tag
    namespace, _, local = tag[1:].partition("}")
    return f"{_PREFIXES.get(namespace, '?')}:{local}"


def attribute(element: Any, name: str) -> str | None:
    """Value of an attribute such as `w:val`, whichever flavour; a name without prefix matches itself only."""
    for tag, value in element.attrib.items():
        if short_tag(tag) == name:
            return value
    return None


def child(element: Any, name: str) -> Any | None:
    """First child of a short name."""
    return next((item for item in element if short_name(item) == name), None)


def descendants(element: Any, *names: str) -> Iterator[Any]:
    """Descendants of the short names in document order; alternatives that are not shown are passed over."""
    wanted = set(names)
    for item in shown_children(element):
        if short_name(item) in wanted:
            yield item
        yield from descendants(item, *names)


def shown_children(element: Any) -> Iterator[Any]:
    """Children; of an `mc:AlternateContent` only its first choice, or the fallback without a choice."""
    for item in element:
        if short_name(item) != "mc:AlternateContent":
            yield item
            continue
        chosen = child(item, "mc:Choice")
        chosen = chosen if chosen is not None else child(item, "mc:Fallback")
        if chosen is not None:
            yield from shown_children(chosen)


def check_package(path: Path, options: ReadOptions) -> None:
    """Refuse what must not be opened.

    Raises ReadError: password_protected, corrupt_file, archive_limit, xml_dtd_forbidden, empty_file.
    """
    head = _head(path)
    if not head:
        raise ReadError("empty_file", "the file has no bytes")
    if head == _OLE_MAGIC:
        _refuse_ole(path)
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive.infolist(), options)
            for member in archive.infolist():
                _check_member(archive, member)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise ReadError("corrupt_file", f"not a readable zip archive ({type(error).__name__})") from error
    except RuntimeError as error:  # zipfile's way to say that a member is encrypted
        raise ReadError("password_protected", "a member of the archive is encrypted") from error


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_OLE_MAGIC))


def _refuse_ole(path: Path) -> None:
    data = path.read_bytes()
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise ReadError("password_protected", "the package is encrypted")
    raise ReadError("type_mismatch", "an OLE file of the old binary formats, not OOXML")


def _check_members(members: list[zipfile.ZipInfo], options: ReadOptions) -> None:
    if len(members) > options.max_archive_members:
        raise ReadError("archive_limit", f"{len(members)} members, the limit is {options.max_archive_members}")
    total = sum(member.file_size for member in members)
    if total > options.max_archive_bytes:
        raise ReadError("archive_limit", f"{total} bytes unpacked, the limit is {options.max_archive_bytes}")
    end = 0
    for member in sorted(members, key=lambda item: item.header_offset):
        if member.header_offset < end:
            raise ReadError("archive_limit", "members overlap")
        end = member.header_offset + member.compress_size
        ratio = member.file_size / max(member.compress_size, 1)
        if member.file_size > _DENSE_FROM and ratio > options.max_archive_ratio:
            limit = options.max_archive_ratio
            raise ReadError("archive_limit", f"a member unpacks {ratio:.0f}-fold, the limit is {limit:g}")


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    if not member.filename.lower().endswith(_XML_NAMES):
        return
    if _declares_dtd(archive.read(member)):
        raise ReadError("xml_dtd_forbidden", f"a part declares a document type: {member.filename}")


def _declares_dtd(data: bytes) -> bool:
    mark = "<!DOCTYPE"
    return any(mark.encode(encoding) in data for encoding in ("utf-8", "utf-16-le", "utf-16-be"))


class Package:
    """An opened OOXML package that passed `check_package`."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        check_package(path, options)
        self._archive = zipfile.ZipFile(path)
        self.names = {name.lstrip("/"): name for name in self._archive.namelist()}
        self._lower = {name.lower(): name for name in self.names}
        self._relationships: dict[str, dict[str, Relationship]] = {}

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def has(self, name: str) -> bool:
        """Whether the package has the part (names are compared without case, as the standard says)."""
        return name.lower() in self._lower

    def read(self, name: str) -> bytes:
        """Bytes of a part. Raises ReadError corrupt_file when it is missing or damaged."""
        try:
            return self._archive.read(self.names[self._lower[name.lower()]])
        except (KeyError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ReadError("corrupt_file", f"part {name} is missing or damaged") from error

    def xml(self, name: str) -> Any:
        """Root element of a part, parsed without entities, network or huge nodes."""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(self.read(name), parser)
        except etree.XMLSyntaxError as error:
            raise ReadError("corrupt_file", f"part {name} is not well-formed XML") from error
        if root.getroottree().docinfo.doctype:
            raise ReadError("xml_dtd_forbidden", f"a part declares a document type: {name}")
        return root

    def relationships(self, part: str) -> dict[str, Relationship]:
        """Relationships of a part by id; `""` is the package itself."""
        if part not in self._relationships:
            self._relationships[part] = self._load_relationships(part)
        return self._relationships[part]

    def _load_relationships(self, part: str) -> dict[str, Relationship]:
        folder, base = posixpath.split(part)
        name = posixpath.join(folder, "_rels", f"{base}.rels")
        if not self.has(name):
            return {}
        found = {}
        for item in self.xml(name):
            identifier, kind = item.get("Id"), item.get("Type", "")
            if identifier is None:
                continue
            external = item.get("TargetMode") == "External"
            target = item.get("Target", "")
            resolved = target if external else resolve(folder, target)
            found[identifier] = Relationship(identifier, kind.rsplit("/", 1)[-1], resolved, external)
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """Parts that `part` points to with a kind of relationship, in the order of the file, each once."""
        targets = [r.target for r in self.relationships(part).values() if r.kind == kind and not r.external]
        return [name for name in dict.fromkeys(targets) if self.has(name)]

    def main_part(self, family: str) -> str:
        """Name of the main part. Raises ReadError type_mismatch when its type is not of `family`."""
        mains = self.related("", "officeDocument")
        if not mains:
            raise ReadError("corrupt_file", "the package names no main part")
        root = self.xml(mains[0])
        namespace = etree.QName(root).namespace or ""
        if family not in namespace:
            raise ReadError("type_mismatch", f"the main part is not {family}")
        return mains[0]


def resolve(folder: str, target: str) -> str:
    """Part name of a relationship's target, seen from a folder; never leaves the package."""
    target = unquote(target).replace("\\", "/")
    joined = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(joined).lstrip("/")


_CORE_FIELDS = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "language": "language",
    "created": "created",
    "modified": "modified",
}


def core_properties(package: Package) -> list[Stated]:
    """Title, author, subject, keywords, language, created and modified, as the package states them."""
    stated = []
    for part in package.related("", "core-properties"):
        for item in package.xml(part):
            local = etree.QName(item).localname if isinstance(item.tag, str) else ""
            value = " ".join("".join(item.itertext()).split())
            if local in _CORE_FIELDS and value:
                stated.append(Stated(_CORE_FIELDS[local], value, {"part": part, "property": local}))
    return sorted(stated, key=lambda item: item.field)


def embedded_files(package: Package, part: str) -> list[str]:
    """Files embedded in a part (spreadsheets, mails, OLE objects), which no reader opens."""
    return package.related(part, "package") + package.related(part, "oleObject") + package.related(part, "aFChunk")
