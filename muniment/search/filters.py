"""What a caller may narrow a search by, and its translation into an index filter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from muniment.extraction.formats import MODULES, TYPE_BY_SUFFIX
from muniment.index.port import NO_POLICY, Filter
from muniment.store.rows import Rows

_SOURCES = """
SELECT DISTINCT s.source_id, s.name, d.access_policy_id
FROM sources s LEFT JOIN documents d ON d.source_id = s.source_id
"""


class SearchError(ValueError):
    """A question that cannot be asked; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents a search looks at.

    By default those that their source still holds. `as_of` takes every version whose validity covers
    that day (an unknown bound passes); `all_versions` takes everything in the generation.
    """

    sources: frozenset[str] | None = None
    doc_types: frozenset[str] | None = None
    document_ids: frozenset[str] | None = None
    family_ids: frozenset[str] | None = None
    as_of: date | None = None
    all_versions: bool = False

    @property
    def held_only(self) -> bool:
        """Whether versions that no source holds any more are left out."""
        return self.as_of is None and not self.all_versions

    def describe(self) -> str:
        """The scope in words, said in every answer."""
        if self.as_of is not None:
            return f"all versions valid on {self.as_of.isoformat()} or of unknown validity"
        return "all versions" if self.all_versions else "versions held by their source"


def names(value: str | Iterable[str] | None) -> frozenset[str] | None:
    """One name, several, or no restriction."""
    if value is None:
        return None
    return frozenset([value]) if isinstance(value, str) else frozenset(value)


def index_filter(rows: Rows, scope: Scope, policies: frozenset[str] | None, view_id: str) -> Filter:
    """The filter of chunk points for a scope and the policies of who asks (None: the operator).

    Raises SearchError for a document type that no reader has, and for a source that does not exist or of which
    the asker sees nothing: the two cannot be told apart.
    """
    return Filter(
        view_id=view_id,
        kinds=frozenset(["chunk"]),
        policies=policies,
        source_ids=None if scope.sources is None else _source_ids(rows, scope.sources, policies),
        doc_types=None if scope.doc_types is None else _doc_types(scope.doc_types),
        document_ids=scope.document_ids,
        family_ids=scope.family_ids,
        held=True if scope.held_only else None,
        valid_on=scope.as_of,
    )


def _doc_types(wanted: frozenset[str]) -> frozenset[str]:
    """Document types; a suffix ("md") is taken for the type that it promises."""
    given = {name: TYPE_BY_SUFFIX.get(f".{name.lower().removeprefix('.')}", name.lower()) for name in wanted}
    unknown = sorted(name for name, doc_type in given.items() if doc_type not in MODULES)
    if unknown:
        raise SearchError(f"unknown document type {', '.join(unknown)}: choose among {', '.join(sorted(MODULES))}")
    return frozenset(given.values())


def _source_ids(rows: Rows, wanted: frozenset[str], policies: frozenset[str] | None) -> frozenset[str]:
    ids: dict[str, str] = {}
    for source_id, name, policy in rows.read(_SOURCES).iter_rows():
        if policies is None or (policy or NO_POLICY) in policies - {NO_POLICY}:
            ids[name] = ids[source_id] = source_id
    unknown = sorted(wanted - ids.keys())
    if unknown:
        raise SearchError(f"unknown source {', '.join(unknown)}: use the name it was declared with")
    return frozenset(ids[name] for name in wanted)
