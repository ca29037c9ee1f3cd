"""The shape of a domain schema: what a pack or a user's own file may say, and the schema made of them.

A schema is data. Local stages read types, patterns, words and the types of a relation's ends
(`DomainSchema.local_digest`); what the graph alone reads (functional, symmetric, temporal, dependency) is in
`graph_digest` only, so that a change there reprocesses no document. Descriptions and examples are in neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from muniment.domain.expressions import needs_digit
from muniment.ids import digest

Name = str
#: Lower case, words joined by underscores: names of types, relations, attributes and patterns.
NAME_PATTERN = r"^[a-z][a-z0-9_]*$"

#: The type of what nothing names more closely; it fits every domain and range.
GENERIC_TYPE = "concept"

Datatype = Literal["text", "number", "quantity", "money", "percent", "date", "duration", "boolean"]


class Part(BaseModel):
    """A part of a schema: unknown keys are errors, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EntityType(Part):
    """A type of entity."""

    name: Name = Field(pattern=NAME_PATTERN)
    description: str = ""
    parent: Name | None = Field(default=None, description="a broader type")
    value: bool = Field(default=False, description="names a value (a date, an amount): never what a claim is about")
    labels: tuple[str, ...] = Field(default=(), description="labels of language pipelines that mean this type")
    heads: tuple[str, ...] = Field(
        default=(), description="last word or words of a noun phrase of this type, singular, lower case"
    )
    name_heads: tuple[str, ...] = Field(default=(), description="as heads, in capitalised names only")


class RelationType(Part):
    """A relation between two entities, read from subject to object."""

    name: Name = Field(pattern=NAME_PATTERN)
    description: str = ""
    domain: tuple[Name, ...] = Field(default=(), description="types of the subject; none: any")
    range: tuple[Name, ...] = Field(default=(), description="types of the object; none: any")
    strict: bool = Field(
        default=False, description="ends of other known types are never this relation; else types only choose"
    )
    inverse: Name | None = Field(default=None, description="the same relation read from object to subject")
    symmetric: bool = False
    functional: bool = Field(default=False, description="one object per subject at a time")
    inverse_functional: bool = Field(default=False, description="one subject per object at a time")
    temporal: bool = Field(default=True, description="holds in time: a later object may succeed an earlier one")
    dependency: Literal["object", "subject", "none"] = Field(
        default="none", description="object: the subject depends on the object; subject: the other way round"
    )
    verbs: tuple[str, ...] = Field(
        default=(), description="raw predicates (lemmas joined by _: depend_on, be_base_on) that say it"
    )
    inverse_verbs: tuple[str, ...] = Field(default=(), description="raw predicates that say it from object to subject")
    weak_verbs: tuple[str, ...] = Field(
        default=(), description="raw predicates that say it only where both types are known to fit: be_in a place"
    )
    nouns: tuple[str, ...] = Field(
        default=(), description="words of a field or column whose value is the object: owner"
    )
    inverse_nouns: tuple[str, ...] = Field(
        default=(), description="words of a field or column whose value is the subject: supplier, approved by"
    )


class AttributeType(Part):
    """A property of an entity whose value is a literal."""

    name: Name = Field(pattern=NAME_PATTERN)
    description: str = ""
    domain: tuple[Name, ...] = ()
    datatype: Datatype = "text"
    unit: str | None = Field(default=None, description="canonical unit that numbers are converted to, where possible")
    functional: bool = False
    verbs: tuple[str, ...] = Field(default=(), description="raw predicates whose value is this attribute's")
    nouns: tuple[str, ...] = Field(default=(), description="words of a field or column: effective date, retention")


class Pattern(Part):
    """A regular expression whose matches are mentions."""

    name: Name = Field(pattern=NAME_PATTERN)
    type: Name
    regex: str = Field(description="Python re; the group `name`, where present, is the mention")
    identifier: bool = Field(default=False, description="names one thing wherever it stands: identifiers beat names")
    priority: int = Field(default=0, description="of overlapping matches the higher wins, then the longer")
    flags: Literal["", "i"] = ""
    description: str = ""
    examples: tuple[str, ...] = Field(default=(), description="texts in which the pattern must find a mention")

    @property
    def compiled(self) -> re.Pattern[str]:
        """The expression, compiled (Python keeps compiled expressions)."""
        return re.compile(self.regex, re.IGNORECASE if self.flags == "i" else 0)

    @property
    def needs_digit(self) -> bool:
        """Whether text without a digit can be passed over."""
        return needs_digit(self.regex)


class Pack(Part):
    """One file: a part of a schema with its version."""

    name: Name = Field(pattern=NAME_PATTERN)
    version: str
    description: str = ""
    types: tuple[EntityType, ...] = ()
    relations: tuple[RelationType, ...] = ()
    attributes: tuple[AttributeType, ...] = ()
    patterns: tuple[Pattern, ...] = ()


class DomainSchema(Part):
    """Packs joined in order: a later definition of a name replaces the earlier one whole."""

    packs: tuple[str, ...] = Field(description="name and version of each pack, in order")
    types: dict[Name, EntityType]
    relations: dict[Name, RelationType]
    attributes: dict[Name, AttributeType]
    patterns: dict[Name, Pattern]

    @cached_property
    def local_digest(self) -> str:
        """What the stage `entities` reads: types, patterns, words, and the types that choose between relations."""
        return digest(
            "domain-local",
            _content(self.types),
            _content(self.patterns),
            _content(self.relations, without=_GRAPH_ONLY),
            _content(self.attributes, without=_GRAPH_ONLY),
        )

    @cached_property
    def graph_digest(self) -> str:
        """What the graph reads: types, relations and attributes, without patterns."""
        return digest("domain-graph", _content(self.types), _content(self.relations), _content(self.attributes))

    @cached_property
    def digest(self) -> str:
        """Of everything."""
        return digest("domain", self.model_dump(mode="json"))

    @cached_property
    def value_types(self) -> frozenset[str]:
        """Types that name values."""
        return frozenset(name for name, item in self.types.items() if item.value)

    @cached_property
    def ancestors(self) -> dict[Name, tuple[Name, ...]]:
        """Each type with itself and its broader types, nearest first."""
        found: dict[Name, tuple[Name, ...]] = {}
        for name in self.types:
            chain, current = [name], self.types[name].parent
            while current is not None and current in self.types and current not in chain:
                chain.append(current)
                current = self.types[current].parent
            found[name] = tuple(chain)
        return found

    def is_a(self, name: Name, broader: Name) -> bool:
        """Whether a type is `broader` or narrower than it."""
        return broader in self.ancestors.get(name, ())


#: Fields that change nothing that a local stage makes.
_GRAPH_ONLY = frozenset({"functional", "inverse_functional", "temporal", "dependency", "inverse", "symmetric"})
_PROSE = frozenset({"description", "examples"})


def _content(items: Mapping[Name, Part], without: frozenset[str] = frozenset()) -> list[Any]:
    """Items by name without prose: the order of definitions means nothing."""
    dropped = set(_PROSE | without)
    return [items[name].model_dump(mode="json", exclude=dropped) for name in sorted(items)]
