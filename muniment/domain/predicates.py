"""From what a sentence says (a raw predicate) to the schema's relations and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from muniment.domain.model import DomainSchema


@dataclass(frozen=True, slots=True)
class Predicate:
    """A normalised predicate. `inverse`: subject and object change places."""

    name: str
    kind: Literal["relation", "attribute", "raw"]
    inverse: bool = False


class Predicates:
    """Raw predicates and field names looked up in one schema."""

    def __init__(self, schema: DomainSchema) -> None:
        self._relations: dict[str, Predicate] = {}
        self._attributes: dict[str, Predicate] = {}
        self._fields: dict[str, Predicate] = {}
        for item in schema.relations.values():
            self._add(self._relations, item.verbs, Predicate(item.name, "relation"))
            self._add(self._relations, item.inverse_verbs, Predicate(item.name, "relation", inverse=True))
            self._add(self._fields, item.nouns, Predicate(item.name, "relation"))
        for item in schema.attributes.values():
            self._add(self._attributes, item.verbs, Predicate(item.name, "attribute"))
            self._add(self._fields, item.nouns, Predicate(item.name, "attribute"))

    @staticmethod
    def _add(table: dict[str, Predicate], words: tuple[str, ...], predicate: Predicate) -> None:
        for word in words:
            table.setdefault(plain(word), predicate)

    def of_verb(self, raw: str, *, has_value: bool) -> Predicate:
        """The predicate of a raw one (depend_on); attributes where the claim has a literal value, relations else."""
        key = plain(raw)
        found = self._attributes.get(key) if has_value else self._relations.get(key)
        return found or Predicate(raw, "raw")

    def of_field(self, label: str) -> Predicate | None:
        """The predicate of a column's or field's name (Owner, Effective date); None where the schema has none."""
        return self._fields.get(plain(label))


def plain(words: str) -> str:
    """Lower case, words joined by single underscores."""
    return "_".join(words.replace("_", " ").replace("-", " ").lower().split())
