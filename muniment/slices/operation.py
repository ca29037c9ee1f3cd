"""What an operation is: a draft of proposed items made from rows, and a layout. A module an operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from muniment.domain.model import DomainSchema
from muniment.slices.model import Decision, Item, Omission, Scope, ScopeEntity
from muniment.slices.protocols import Search
from muniment.slices.render import Section
from muniment.store.rows import Rows


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and all that an operation may look at to answer it."""

    rows: Rows
    request: str
    scope: Scope
    search: Search
    depth: int
    domain: DomainSchema


@dataclass(frozen=True, slots=True)
class Proposal:
    """An item in order of importance. It is kept only with one of the items that it `supports`, if any."""

    item: Item
    ref_id: str
    label: str
    supports: frozenset[str] = frozenset()


@dataclass(slots=True)
class Draft:
    """What an operation found: proposals in order, and what it already left out, asks and decided."""

    proposals: list[Proposal] = field(default_factory=list)
    entities: list[ScopeEntity] = field(default_factory=list)
    omitted: list[Omission] = field(default_factory=list)
    open_questions: list[str] = field(default_factory=list)
    log: list[Decision] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Operation:
    """A registered operation."""

    title: str
    draft: Callable[[Asked], Draft]
    sections: tuple[Section, ...]
