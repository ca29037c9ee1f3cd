"""Where in a YAML file something stands: so that an error names a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml

#: Keys and list positions from the top of a file: ("relations", 3, "verbs").
Place = tuple[str | int, ...]


class DuplicateKey(ValueError):
    """A key that a mapping has twice; YAML readers silently keep the last one."""


def lines_of(content: str) -> dict[Place, int]:
    """Line (from 1) of every key and list item of a YAML text.

    Raises DuplicateKey, with the line, for a key given twice; yaml.YAMLError for what is no YAML.
    """
    root = yaml.compose(content, Loader=yaml.SafeLoader)
    return dict(_walk(root, ())) if root is not None else {}


def _walk(node: yaml.Node, place: Place) -> Iterator[tuple[Place, int]]:
    yield place, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise DuplicateKey(f"line {key.start_mark.line + 1}: {key.value!r} is given twice")
            seen.add(key.value)
            yield from _walk(value, (*place, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _walk(item, (*place, index))


def line_of(lines: Mapping[Place, int], place: Place) -> int | None:
    """Line of a place, or of the nearest one above it that the file has."""
    while place:
        if place in lines:
            return lines[place]
        place = place[:-1]
    return lines.get(())
