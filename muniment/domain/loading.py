"""Reading packs and a user's own file into one checked schema, with errors that name the file and the line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from muniment.domain.checking import Problem, problems
from muniment.domain.model import DomainSchema, Pack
from muniment.domain.places import DuplicateKey, Place, line_of, lines_of
from muniment.settings import DomainSettings

SECTIONS = ("types", "relations", "attributes", "patterns")


class DomainError(ValueError):
    """A schema that cannot be used: the message names the file, the line and what to do."""


@dataclass(frozen=True)
class ReadPack:
    """A pack with where it came from, so that a problem can say where it stands."""

    pack: Pack
    where: str
    lines: Mapping[Place, int] = field(default_factory=dict)

    def place(self, section: str, name: str, key: str) -> str | None:
        """`file, line n` of a field of a definition; None where this pack does not define the name."""
        names = [item.name for item in getattr(self.pack, section)]
        if name not in names:
            return None
        line = line_of(self.lines, (section, names.index(name), key))
        return f"{self.where}, line {line}" if line is not None else self.where


def load_domain(settings: DomainSettings) -> DomainSchema:
    """The schema that the settings name: shipped packs in order, then the user's own file.

    Read again when the file has changed. Raises DomainError for an unknown pack, an unreadable file, and
    whatever `checking.problems` finds.
    """
    own = settings.file
    if own is None or not own.is_file():
        return _load(settings.packs, own, (0, 0))
    state = own.stat()
    return _load(settings.packs, own, (state.st_mtime_ns, state.st_size))


def shipped_packs() -> tuple[str, ...]:
    """Names of the packs that come with Muniment."""
    folder = files("muniment.domain") / "packs"
    return tuple(sorted(item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml")))


@lru_cache(maxsize=8)
def _load(names: tuple[str, ...], own: Path | None, _changed: tuple[int, int]) -> DomainSchema:
    packs = [_shipped(name) for name in names]
    if own is not None:
        packs.append(read_file(own))
    return join(packs)


def _shipped(name: str) -> ReadPack:
    known = shipped_packs()
    if name not in known:
        raise DomainError(f"domain.packs names {name!r}, which is not shipped; choose among {', '.join(known)}")
    return read_pack((files("muniment.domain") / "packs" / f"{name}.yaml").read_text("utf-8"), f"pack {name}")


def read_file(path: Path) -> ReadPack:
    """The pack in a file. Raises DomainError."""
    if not path.is_file():
        raise DomainError(f"{path}: no such file; correct domain.file in the settings")
    try:
        return read_pack(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise DomainError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8") from error


def read_pack(content: str, where: str) -> ReadPack:
    """The pack that a YAML text holds. Raises DomainError naming `where` and the line."""
    try:
        lines = lines_of(content)
        data: Any = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise DomainError(f"{where}: not valid YAML ({_yaml_problem(error)})") from error
    except DuplicateKey as error:
        raise DomainError(f"{where}, {error}; keep one") from error
    if not isinstance(data, dict):
        raise DomainError(f"{where}: a pack is a mapping with name, version, {', '.join(SECTIONS)}")
    try:
        pack = Pack.model_validate(data)
    except ValidationError as error:
        found = [_misshapen(problem, data, lines, where) for problem in error.errors()]
        raise DomainError("\n".join(found)) from error
    read = ReadPack(pack, where, lines)
    _refuse_twice(read)
    return read


def _yaml_problem(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    said = str(getattr(error, "problem", None) or error)
    return f"line {mark.line + 1}: {said}" if mark is not None else said


def _misshapen(problem: Any, data: dict[str, Any], lines: Mapping[Place, int], where: str) -> str:
    place: Place = problem["loc"]
    said = problem["msg"]
    if problem["type"] == "extra_forbidden":
        said = "is no key of this place: correct the spelling or take it out"
    elif problem["type"] == "string_pattern_mismatch" and place[-1] == "name":
        said = "must be lower case, with words joined by underscores"
    elif problem["type"] == "missing":
        said = "is missing"
    line = line_of(lines, place)
    return f"{where}, line {line}: {_named(place, data)} {said[:1].lower() + said[1:]}"


def _named(place: Place, data: Any) -> str:
    """relations.3.verbs → relations.owned_by.verbs."""
    parts = []
    for key in place:
        item = data[key] if isinstance(data, list) and isinstance(key, int) and key < len(data) else None
        parts.append(str(item["name"]) if isinstance(item, dict) and "name" in item else str(key))
        data = item if item is not None else data.get(key) if isinstance(data, dict) else None
    return ".".join(parts)


def _refuse_twice(read: ReadPack) -> None:
    found = []
    for section in SECTIONS:
        names = [item.name for item in getattr(read.pack, section)]
        for name in sorted(name for name, count in Counter(names).items() if count > 1):
            places = [line_of(read.lines, (section, index)) for index, other in enumerate(names) if other == name]
            found.append(
                f"{read.where}: {section}.{name} is defined on lines {' and '.join(map(str, places))}; keep one"
            )
    if found:
        raise DomainError("\n".join(found))


def join(packs: Sequence[ReadPack]) -> DomainSchema:
    """One checked schema of packs in order; a later definition of a name replaces the earlier one whole.

    Raises DomainError with a line for each problem.
    """
    if not packs:
        raise DomainError("domain.packs names no pack: a schema needs at least the pack default")
    schema = DomainSchema(
        packs=tuple(f"{read.pack.name} {read.pack.version}" for read in packs),
        types={item.name: item for read in packs for item in read.pack.types},
        relations={item.name: item for read in packs for item in read.pack.relations},
        attributes={item.name: item for read in packs for item in read.pack.attributes},
        patterns={item.name: item for read in packs for item in read.pack.patterns},
    )
    found = problems(schema)
    if found:
        raise DomainError("\n".join(_placed(problem, packs) for problem in found))
    return schema


def _placed(problem: Problem, packs: Sequence[ReadPack]) -> str:
    places = [read.place(problem.section, problem.name, problem.field) for read in packs]
    where = next((place for place in reversed(places) if place is not None), "domain schema")
    name = ".".join(part for part in (problem.section, problem.name, problem.field) if part)
    return f"{where}: {name} {problem.text}"
