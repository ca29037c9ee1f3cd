"""What makes a schema unusable: names that lead nowhere, words that mean two things, expressions that fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from muniment.domain.expressions import expression_problems
from muniment.domain.model import GENERIC_TYPE, DomainSchema, Name, Pattern
from muniment.domain.predicates import Sense, senses


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something wrong at `section`.`name`.`field` of a schema, and what to do about it."""

    section: str
    name: str
    field: str
    text: str


def problems(schema: DomainSchema) -> list[Problem]:
    """Everything that is wrong with a schema, sorted; empty for a usable one."""
    found = [
        *_unknown_types(schema),
        *_cycles(schema),
        *_cues(schema),
        *_weak(schema),
        *_inverses(schema),
        *_patterns(schema),
    ]
    if not found:  # words are compared by types, which must be whole first
        found += _ambiguous(schema)
    return sorted(set(found))


def _unknown_types(schema: DomainSchema) -> Iterator[Problem]:
    used = [("types", item.name, "parent", item.parent) for item in schema.types.values() if item.parent]
    for item in schema.relations.values():
        used += [("relations", item.name, "domain", name) for name in item.domain]
        used += [("relations", item.name, "range", name) for name in item.range]
    used += [("attributes", item.name, "domain", name) for item in schema.attributes.values() for name in item.domain]
    used += [("patterns", item.name, "type", item.type) for item in schema.patterns.values()]
    for section, name, field, wanted in used:
        if wanted not in schema.types:
            yield Problem(section, name, field, f"names the unknown type {wanted!r}: define it, or use one of types")
    if GENERIC_TYPE not in schema.types:
        yield Problem("types", GENERIC_TYPE, "", f"is missing: every schema needs the type {GENERIC_TYPE!r}")


def _cycles(schema: DomainSchema) -> Iterator[Problem]:
    for name, item in schema.types.items():
        last = schema.ancestors[name][-1]
        parent = schema.types[last].parent
        if parent is not None and parent in schema.types:
            way = " → ".join((*schema.ancestors[name], parent))
            yield Problem("types", name, "parent", f"goes in a circle ({way}): take one parent out")
        elif item.value and any(not schema.types[broader].value for broader in schema.ancestors[name]):
            yield Problem("types", name, "parent", "makes a value a kind of entity: give it no parent, or value: false")


def _cues(schema: DomainSchema) -> Iterator[Problem]:
    """A label or head word that shows two types. A head may mean another type in names: "the board", "Trade Board"."""
    for field in ("labels", "heads", "name_heads"):
        shown: dict[str, Name] = {}
        for name in sorted(schema.types):
            for word in getattr(schema.types[name], field):
                other = shown.setdefault(word if field == "labels" else word.casefold(), name)
                if other != name:
                    text = f"{word!r} shows types.{other} too: take it out of one (a definition in your own file "
                    yield Problem("types", name, field, text + "replaces the shipped one)")


def _weak(schema: DomainSchema) -> Iterator[Problem]:
    for item in schema.relations.values():
        if item.weak_verbs and not item.domain and not item.range:
            yield Problem(
                "relations", item.name, "weak_verbs", "need domain or range: say which types they hold between"
            )


def _inverses(schema: DomainSchema) -> Iterator[Problem]:
    for item in schema.relations.values():
        if item.inverse in schema.relations:
            yield Problem(
                "relations", item.name, "inverse",
                f"{item.inverse!r} is a relation itself: keep one of them, and give the other's verbs as inverse_verbs",
            )  # fmt: skip
        if item.symmetric and item.dependency != "none":
            yield Problem("relations", item.name, "dependency", "has a direction, which a symmetric relation has not")
        if item.name in schema.attributes:
            yield Problem("relations", item.name, "name", "names an attribute too: rename one of them")


def _patterns(schema: DomainSchema) -> Iterator[Problem]:
    for item in schema.patterns.values():
        wrong = list(expression_problems(item.regex))
        for text in wrong:
            yield Problem("patterns", item.name, "regex", text)
        for example in item.examples if not wrong else ():
            if not _finds(item, example):
                yield Problem("patterns", item.name, "examples", f"{example!r} is not found by the expression")


def _finds(item: Pattern, example: str) -> bool:
    group = "name" if "name" in item.compiled.groupindex else 0
    match = item.compiled.search(example)
    return match is not None and bool(match.group(group))


def _ambiguous(schema: DomainSchema) -> Iterator[Problem]:
    """A word with two senses that no types of its ends tell apart."""
    for word, meanings in sorted(senses(schema).items()):
        for place, first in enumerate(meanings):
            for second in meanings[place + 1 :]:
                if first.certain != second.certain:
                    continue  # the weak one is taken where its types fit, else the other
                if _overlap(schema, first.subjects, second.subjects) and _overlap(
                    schema, first.objects, second.objects
                ):
                    yield _claimed_twice(word[1], first, second)


def _claimed_twice(word: str, first: Sense, second: Sense) -> Problem:
    if first.name == second.name:
        text = f"{word!r} is in {first.field} too: keep it in one"
    else:
        text = (
            f"{word!r} is claimed by {first.section}.{first.name} too: take it out of one (a definition in your own "
            "file replaces the shipped one), or let domain or range tell them apart"
        )
    return Problem(second.section, second.name, second.field, text)


def _overlap(schema: DomainSchema, left: tuple[Name, ...], right: tuple[Name, ...]) -> bool:
    """Whether a type can be in both; no types: any."""
    if not left or not right:
        return True
    return any(schema.is_a(one, other) or schema.is_a(other, one) for one in left for other in right)
