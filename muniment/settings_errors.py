"""What is wrong with settings, in words a person can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

#: Variables that begin with the prefix and are no setting.
NO_SETTINGS = frozenset({"MUNIMENT_CONFIG", "MUNIMENT_WRITE_GOLDEN", "MUNIMENT_DATA"})
PREFIX = "MUNIMENT_"


def problems(error: ValidationError, model: type[BaseModel]) -> str:
    """Every problem with its setting: unknown names with the known ones beside them."""
    return "; ".join(_problem(each["loc"], each["type"], each["msg"], model) for each in error.errors())


def _problem(place: tuple[int | str, ...], kind: str, message: str, model: type[BaseModel]) -> str:
    name = ".".join(str(part) for part in place)
    if kind != "extra_forbidden":
        return f"{name}: {message[:1].lower()}{message[1:]}"
    known = sorted(_fields(model, place[:-1]))
    return f"{name}: no such setting{_meant(str(place[-1]), known)}; known here: {', '.join(known) or 'nothing'}"


def _fields(model: type[BaseModel], place: Iterable[int | str]) -> list[str]:
    for part in place:
        field = model.model_fields.get(str(part))
        inner = field.annotation if field is not None else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        model = inner
    return list(model.model_fields)


def _meant(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def unknown_variables(environment: Mapping[str, str], model: type[BaseModel]) -> list[str]:
    """A line for each variable of our prefix that sets nothing: a misspelt one would be ignored in silence."""
    names = sorted(_variables(model, PREFIX))
    lines = []
    for given in sorted(environment):
        upper = given.upper()
        if upper.startswith(PREFIX) and upper not in NO_SETTINGS and not _sets(upper, names):
            near = [name for name in names if name.replace("__", "_") == upper.replace("__", "_")]
            near = near or difflib.get_close_matches(upper, names, 1)
            lines.append(f"{given} sets nothing" + (f" (did you mean {near[0]}?)" if near else "; remove it"))
    return lines


def _sets(given: str, names: list[str]) -> bool:
    """A variable of a setting, of a whole section as JSON, or of an entry of a mapping."""
    return any(given == name or name.startswith(f"{given}__") or given.startswith(f"{name}__") for name in names)


def _variables(model: type[BaseModel], prefix: str) -> list[str]:
    found: list[str] = []
    for name, field in model.model_fields.items():
        inner: Any = field.annotation
        variable = f"{prefix}{name.upper()}"
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            found += _variables(inner, f"{variable}__")
        else:
            found.append(variable)
    return found
