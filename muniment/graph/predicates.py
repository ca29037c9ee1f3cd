"""What predicates mean to the graph, read from the domain schema: which have one value, and which way dependence runs.

A claim's predicate is a relation's or attribute's name, or raw where the schema has none for it or its types
refused it. So every set holds the names and the words that express them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from muniment.domain.model import AttributeType, DomainSchema, RelationType
from muniment.domain.predicates import plain as plain_words


@dataclass(frozen=True, slots=True)
class Dependency:
    """Predicates by the direction of dependence, as `plain` writes them."""

    #: subject → object: the subject depends on the object.
    on_object: frozenset[str]
    #: subject → object: the object depends on the subject.
    on_subject: frozenset[str]


def functional(domain: DomainSchema) -> frozenset[str]:
    """Predicates with one object or value per subject at a time, as `plain` writes them."""
    relations = domain.relations.values()
    forward = [_ahead(item) for item in relations if item.functional]
    backward = [_back(item) for item in relations if item.inverse_functional]
    values = [(item.name, *item.verbs) for item in domain.attributes.values() if item.functional]
    return _words([*forward, *backward, *values])


def inverse_functional(domain: DomainSchema) -> frozenset[str]:
    """Predicates with one subject per object at a time: X own Y, where owned_by is functional."""
    relations = domain.relations.values()
    forward = [_ahead(item) for item in relations if item.inverse_functional]
    return _words([*forward, *(_back(item) for item in relations if item.functional)])


def dependency(domain: DomainSchema) -> Dependency:
    """Predicates along which one end depends on the other."""
    relations = sorted(domain.relations.values(), key=lambda item: item.name)
    on_object = [item for item in relations if item.dependency == "object"]
    on_subject = [item for item in relations if item.dependency == "subject"]
    forward = _words([*map(_ahead, on_object), *map(_back, on_subject)])
    backward = _words([*map(_ahead, on_subject), *map(_back, on_object)])
    # a word of two relations that only types tell apart ("run") keeps its one direction; opposed ones have none
    return Dependency(forward - backward, backward - forward)


def _ahead(item: RelationType | AttributeType) -> tuple[str, ...]:
    return (item.name, *item.verbs)


def _back(item: RelationType) -> tuple[str, ...]:
    return (*([item.inverse] if item.inverse else []), *item.inverse_verbs)


def _words(groups: Iterable[tuple[str, ...]]) -> frozenset[str]:
    return frozenset(plain_words(word).replace("_", " ") for group in groups for word in group)


def plain(column: str = "predicate") -> pl.Expr:
    """A predicate of a frame as the sets above write it."""
    return pl.col(column).str.to_lowercase().str.replace_all("[_ -]+", " ").str.strip_chars()
