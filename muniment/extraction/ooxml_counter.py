"""What the counters of office files share: a streaming walk over the parts of a package, by expat.

It has nothing in common with the readers but the definition of the units: no lxml, no document model, no
relationship code. A counter subclasses `Part` and gets every start, text and end with its short names.
"""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from urllib.parse import unquote
from xml.parsers import expat  # no entities: a DOCTYPE is refused below

from muniment.extraction.model import ReadError, ReadOptions
from muniment.extraction.ooxml import check_package

_FAMILIES = {
    "wordprocessingml": "w",
    "presentationml": "p",
    "spreadsheetml": "x",
    "math": "m",
    "markup-compatibility": "mc",
    "chart": "c",
    "diagram": "dgm",
    "picture": "pic",
    "wordprocessingDrawing": "wp",
    "spreadsheetDrawing": "xdr",
    "relationships": "r",
    "urn:schemas-microsoft-com:vml": "v",
}


def _prefix(namespace: str, cache: dict[str, str]) -> str:
    known = cache.get(namespace)
    if known is None:
        words = namespace.replace("http://", "").split("/")
        known = _FAMILIES.get(namespace) or next((_FAMILIES[word] for word in reversed(words) if word in _FAMILIES), "")
        if not known:
            known = "a" if words[-1] == "main" and "drawingml" in words else "?"
        cache[namespace] = known
    return known


class Part:
    """One part, walked from start to end. Alternatives that are not shown are never reported."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._prefixes: dict[str, str] = {}
        self._muted = 0
        self._chosen: list[bool] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; attribute names are short as well."""

    def text(self, text: str) -> None:
        """Characters, in pieces."""

    def end(self, name: str) -> None:
        """An element ends."""

    def walk(self, data: bytes, part: str) -> None:
        """Parse the part. Raises ReadError corrupt_file or xml_dtd_forbidden."""
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.CharacterDataHandler = self._text
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(data, True)
        except (expat.ExpatError, LookupError) as error:  # LookupError: an encoding that nobody knows
            raise ReadError("corrupt_file", f"part {part} is not well-formed XML") from error

    def _short(self, tag: str) -> str:
        namespace, separator, local = tag.rpartition("}")
        return f"{_prefix(namespace, self._prefixes)}:{local}" if separator else local

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = self._short(tag)
        if self._muted or self._is_muted(name):
            self._muted += 1
            return
        if name == "mc:AlternateContent":
            self._chosen.append(False)
        self._path.append(name)
        self.start(name, {self._short(key): value for key, value in attributes.items()})

    def _is_muted(self, name: str) -> bool:
        """A second choice, or the fallback beside a choice."""
        if name not in ("mc:Choice", "mc:Fallback") or not self._chosen:
            return False
        if self._chosen[-1]:
            return True
        self._chosen[-1] = True
        return False

    def _text(self, text: str) -> None:
        if not self._muted:
            self.text(text)

    def _end(self, tag: str) -> None:
        if self._muted:
            self._muted -= 1
            return
        name = self._path.pop()
        if name == "mc:AlternateContent":
            self._chosen.pop()
        self.end(name)

    def _doctype(self, *_: object) -> None:
        raise ReadError("xml_dtd_forbidden", "a part declares a document type")


class _Links(Part):
    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder
        self.found: dict[str, tuple[str, str]] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name.endswith("Relationship") and attributes.get("TargetMode") != "External" and "Id" in attributes:
            target = unquote(attributes.get("Target", "")).replace("\\", "/")
            joined = posixpath.normpath(posixpath.join("/", self.folder, target))
            self.found[attributes["Id"]] = (attributes.get("Type", "").split("/")[-1], joined.lstrip("/"))


class Members:
    """The members of a checked package, for counting."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        check_package(path, options)
        self._archive = zipfile.ZipFile(path)
        self._names = {name.lstrip("/").lower(): name for name in self._archive.namelist()}

    def __enter__(self) -> Members:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def has(self, name: str) -> bool:
        """Whether there is such a member."""
        return name.lower() in self._names

    def walk(self, name: str, part: Part) -> None:
        """Walk a member; a missing one is ReadError corrupt_file."""
        if not self.has(name):
            raise ReadError("corrupt_file", f"part {name} is missing")
        try:
            data = self._archive.read(self._names[name.lower()])
        except (zipfile.BadZipFile, EOFError) as error:
            raise ReadError("corrupt_file", f"part {name} is damaged") from error
        part.walk(data, name)

    def links(self, part: str) -> dict[str, tuple[str, str]]:
        """(kind, target) by relationship id."""
        folder, base = posixpath.split(part)
        name = f"{folder}/_rels/{base}.rels".lstrip("/")
        links = _Links(folder)
        if self.has(name):
            self.walk(name, links)
        return links.found

    def targets(self, part: str, kind: str) -> list[str]:
        """Existing members that a part points to with a kind of relationship, each once."""
        found = [target for link, target in self.links(part).values() if link == kind]
        return [target for target in dict.fromkeys(found) if self.has(target)]

    def main(self) -> str:
        """Name of the main part."""
        mains = self.targets("", "officeDocument")
        if not mains:
            raise ReadError("corrupt_file", "the package names no main part")
        return mains[0]
