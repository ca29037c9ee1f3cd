"""From what a sentence says (a raw predicate) or a field is called to the schema's relations and attributes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from muniment.domain.model import GENERIC_TYPE, DomainSchema, Name

#: What a word is: a predicate between things, one with a value, or the name of a field.
Use = Literal["relation", "attribute", "field"]
#: Kind of value (`value_type` of a claim) to the datatypes that it cannot be.
_NOT_OF: dict[str, frozenset[str]] = {
    "date": frozenset({"number", "quantity", "money", "percent", "duration", "boolean"}),
    "money": frozenset({"number", "quantity", "percent", "date", "duration", "boolean"}),
    "percent": frozenset({"money", "date", "duration", "boolean"}),
    "duration": frozenset({"money", "date", "percent", "boolean"}),
    "quantity": frozenset({"money", "date", "percent", "boolean"}),
    "number": frozenset({"date", "boolean"}),
    "boolean": frozenset({"number", "quantity", "money", "percent", "date", "duration"}),
}
#: Kinds of value that an attribute of text may have: a version is a number, a status yes or no.
_PLAIN = frozenset({"text", "number", "boolean"})
#: French prepositions as grammar contracts them.
_CONTRACTED = {"du": "de", "des": "de", "d'": "de", "d’": "de", "au": "à", "aux": "à"}


@dataclass(frozen=True, slots=True)
class Predicate:
    """A normalised predicate. `inverse`: subject and object change places."""

    name: str
    kind: Literal["relation", "attribute", "raw"]
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a word: a definition with the types that its subject and object may have (none: any)."""

    section: Literal["relations", "attributes"]
    name: Name
    field: str
    predicate: Predicate
    subjects: tuple[Name, ...] = ()
    objects: tuple[Name, ...] = ()
    strict: bool = False
    certain: bool = False
    datatype: str | None = None


def plain(words: str) -> str:
    """Lower case, words joined by single underscores, French contractions undone at the end."""
    parts = words.replace("_", " ").replace("-", " ").lower().split()
    if parts and parts[-1] in _CONTRACTED:
        parts[-1] = _CONTRACTED[parts[-1]]
    return "_".join(parts)


def senses(schema: DomainSchema) -> dict[tuple[Use, str], list[Sense]]:
    """Every word of a schema by use, with its meanings sorted by name."""
    found: dict[tuple[Use, str], list[Sense]] = {}

    def add(use: Use, words: tuple[str, ...], sense: Sense) -> None:
        for word in dict.fromkeys(plain(word) for word in words):
            known = found.setdefault((use, word), [])
            if all(other.predicate != sense.predicate for other in known):
                known.append(sense)

    for name in sorted(schema.relations):
        item = schema.relations[name]
        ahead, back = Predicate(name, "relation"), Predicate(name, "relation", inverse=True)
        add("relation", (name,), Sense("relations", name, "name", ahead))
        add("relation", item.verbs, Sense("relations", name, "verbs", ahead, item.domain, item.range, item.strict))
        add(
            "relation",
            item.weak_verbs,
            Sense("relations", name, "weak_verbs", ahead, item.domain, item.range, True, certain=True),
        )
        add(
            "relation",
            item.inverse_verbs,
            Sense("relations", name, "inverse_verbs", back, item.range, item.domain, item.strict),
        )
        if item.inverse:
            add("relation", (item.inverse,), Sense("relations", name, "inverse", back))
        add("field", item.nouns, Sense("relations", name, "nouns", ahead, item.domain))
        add("field", item.inverse_nouns, Sense("relations", name, "inverse_nouns", back, item.range))
    for name in sorted(schema.attributes):
        item = schema.attributes[name]
        predicate = Predicate(name, "attribute")
        add("attribute", (name,), Sense("attributes", name, "name", predicate))
        add(
            "attribute",
            item.verbs,
            Sense("attributes", name, "verbs", predicate, item.domain, datatype=item.datatype),
        )
        add("field", item.nouns, Sense("attributes", name, "nouns", predicate, item.domain))
    return found


class Predicates:
    """Raw predicates and field names looked up in one schema; `predicates_of` keeps one per schema."""

    def __init__(self, schema: DomainSchema) -> None:
        self._schema = schema
        self._senses = senses(schema)
        self._heads = {plain(head) for item in schema.types.values() for head in (*item.heads, *item.name_heads)} | {
            *schema.types
        }

    def of_verb(
        self,
        raw: str,
        *,
        has_value: bool,
        subject_type: str | None = None,
        object_type: str | None = None,
        value_type: str | None = None,
    ) -> Predicate:
        """The predicate of a raw one (depend_on); attributes where the claim has a literal value, relations else.

        The schema's own names are words too: owned_by, and its inverse owns the other way round.

        Types choose between meanings where there are several (a server runs an application, a team runs a
        service) and refuse one that is `strict`; a value of another kind than the attribute's refuses too.
        Where that leaves none, or two, the predicate stays raw: nothing is guessed.
        """
        if has_value:
            fitting = [
                item for item in self._of("attribute", raw) if item.datatype not in _NOT_OF.get(value_type or "", ())
            ]
            found = self._chosen(fitting, subject_type, None)
        else:
            found = self._chosen(self._of("relation", raw), subject_type, object_type)
        return found or Predicate(raw, "raw")

    def of_field(self, label: str, *, subject_type: str | None = None) -> Predicate | None:
        """The predicate of a column's or field's name (Owner, Effective date); None where the schema has none.

        `inverse`: the field's value is the subject and the thing described the object (Supplier, Approved by).

        A word for the kind of thing before the name is no part of it: "System owner", "Contract end date".
        """
        key = plain(re.sub(r"\([^)]*\)|[:*?#]", " ", label))
        for candidate in self._shortened(key):
            meanings = self._senses.get(("field", candidate))
            if meanings:
                return self._chosen(meanings, subject_type, None)
        return None

    def holds(self, predicate: Predicate, value_type: str | None) -> bool:
        """Whether a field's predicate can have such a value (None: an entity): amounts are no objects of relations."""
        if value_type is None:
            return True
        if predicate.kind == "relation":
            return value_type == "text" and not predicate.inverse
        datatype = self._schema.attributes[predicate.name].datatype
        return datatype not in _NOT_OF.get(value_type, ()) and (datatype != "text" or value_type in _PLAIN)

    def _of(self, use: Use, word: str) -> list[Sense]:
        return self._senses.get((use, plain(word)), [])

    def _shortened(self, key: str) -> list[str]:
        first, _, rest = key.partition("_")
        return [key, rest] if rest and first in self._heads else [key]

    def _chosen(self, meanings: list[Sense], subject: str | None, target: str | None) -> Predicate | None:
        ranked: dict[int, list[Sense]] = {}
        for item in meanings:
            ends = (self._fit(subject, item.subjects), self._fit(target, item.objects))
            if 0 in ends and (item.strict or len(meanings) > 1):
                continue
            if item.certain and not self._certain(ends, item):
                continue
            ranked.setdefault(2 if item.certain else min(ends), []).append(item)
        best = ranked[max(ranked)] if ranked else []
        return best[0].predicate if len(best) == 1 else None

    @staticmethod
    def _certain(ends: tuple[int, int], item: Sense) -> bool:
        return all(fit == 2 for fit, wanted in zip(ends, (item.subjects, item.objects), strict=True) if wanted)

    def _fit(self, kind: str | None, wanted: tuple[Name, ...]) -> int:
        """2: the type is wanted; 1: it is not known, or any will do; 0: it is another."""
        if not wanted or kind is None or kind == GENERIC_TYPE or kind not in self._schema.types:
            return 1
        if any(self._schema.is_a(kind, name) for name in wanted):
            return 2
        return 1 if any(self._schema.is_a(name, kind) for name in wanted) else 0


_kept: dict[str, Predicates] = {}


def predicates_of(schema: DomainSchema) -> Predicates:
    """The lookup of a schema, made once per process for equal schemas (a worker gets a copy with every payload)."""
    known = _kept.get(schema.digest)
    if known is None:
        known = _kept[schema.digest] = Predicates(schema)
    return known
