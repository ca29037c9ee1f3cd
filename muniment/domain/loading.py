"""Reading packs and a user's own file into one checked schema, with errors that name the file and the place."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from muniment.domain.model import DomainSchema, Pack
from muniment.settings import DomainSettings


class DomainError(ValueError):
    """A schema that cannot be used: the message names the file, the place and what to do."""


def load_domain(settings: DomainSettings) -> DomainSchema:
    """The schema that the settings name: shipped packs in order, then the user's own file.

    Raises DomainError for an unknown pack, an unreadable file, and anything that `check` refuses.
    """
    own = settings.file
    return _load(settings.packs, own, own.stat().st_mtime_ns if own is not None and own.is_file() else 0)


def shipped_packs() -> tuple[str, ...]:
    """Names of the packs that come with Muniment."""
    folder = files("muniment.domain") / "packs"
    return tuple(sorted(item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml")))


@lru_cache(maxsize=8)
def _load(names: tuple[str, ...], own: Path | None, _changed: int) -> DomainSchema:
    packs = [_shipped(name) for name in names]
    if own is not None:
        if not own.is_file():
            raise DomainError(f"{own}: no such file; correct domain.file in the settings")
        packs.append(_pack(own.read_text("utf-8"), str(own)))
    return join(packs)


def _shipped(name: str) -> Pack:
    known = shipped_packs()
    if name not in known:
        raise DomainError(f"domain.packs names {name!r}, which is not shipped; choose among {', '.join(known)}")
    return _pack((files("muniment.domain") / "packs" / f"{name}.yaml").read_text("utf-8"), f"pack {name}")


def _pack(content: str, where: str) -> Pack:
    try:
        data: Any = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise DomainError(f"{where}: not valid YAML ({error})") from error
    if not isinstance(data, dict):
        raise DomainError(f"{where}: a pack is a mapping with name, version, types, relations, attributes, patterns")
    try:
        return Pack.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()
        )
        raise DomainError(f"{where}: {problems}") from error


def join(packs: list[Pack]) -> DomainSchema:
    """One schema of packs in order; a later definition of a name replaces the earlier one."""
    schema = DomainSchema(
        packs=tuple(f"{pack.name} {pack.version}" for pack in packs),
        types={item.name: item for pack in packs for item in pack.types},
        relations={item.name: item for pack in packs for item in pack.relations},
        attributes={item.name: item for pack in packs for item in pack.attributes},
        patterns={item.name: item for pack in packs for item in pack.patterns},
    )
    check(schema)
    return schema


def check(schema: DomainSchema) -> None:
    """Raise DomainError for names that lead nowhere and expressions that do not compile."""
    problems = [*_unknown_types(schema), *_inverses(schema), *_expressions(schema)]
    if problems:
        raise DomainError(f"domain schema ({', '.join(schema.packs)}): " + "; ".join(sorted(problems)))


def _unknown_types(schema: DomainSchema) -> list[str]:
    used = [(f"types.{item.name}.parent", item.parent) for item in schema.types.values() if item.parent]
    for item in schema.relations.values():
        used += [(f"relations.{item.name}.domain", name) for name in item.domain]
        used += [(f"relations.{item.name}.range", name) for name in item.range]
    used += [(f"attributes.{item.name}.domain", name) for item in schema.attributes.values() for name in item.domain]
    used += [(f"patterns.{item.name}.type", item.type) for item in schema.patterns.values()]
    return [f"{place} names the unknown type {name!r}" for place, name in used if name not in schema.types]


def _inverses(schema: DomainSchema) -> list[str]:
    return [
        f"relations.{item.name}.inverse {item.inverse!r} is itself a relation: give its verbs as inverse_verbs instead"
        for item in schema.relations.values()
        if item.inverse in schema.relations
    ]


def _expressions(schema: DomainSchema) -> list[str]:
    problems = []
    for item in schema.patterns.values():
        try:
            re.compile(item.regex)
        except re.error as error:
            problems.append(f"patterns.{item.name}.regex: {error}")
    return problems
