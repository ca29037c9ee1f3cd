"""Arguments of clauses in ClearNLP labels: prepositional phrases, coordinated nouns, verbs with a fixed noun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from muniment.claims.modality import negated_noun
from muniment.claims.trees import Argument, Clause, Tree

_PREPOSITIONS = ("prep", "dative", "agent")
#: Nouns between two prepositions that are one: in accordance with.
_LINKING_NOUNS = frozenset(
    {"accordance", "addition", "basis", "behalf", "charge", "compliance", "conjunction", "connection", "contrast",
     "effect", "excess", "favor", "favour", "front", "light", "line", "mean", "means", "need", "place", "purpose",
     "relation", "respect", "response", "result", "support", "term", "terms", "view"}
)  # fmt: skip
_VERB_NOUN = frozenset({("take", "effect"), ("take", "place"), ("take", "part"), ("have", "effect")})
_INTO = frozenset({("into", "force"), ("into", "effect"), ("in", "force"), ("in", "effect")})


def idiom(tree: Tree, verb: int) -> list[int]:
    """Words that make one predicate with the verb: take effect, enter into force."""
    for noun in tree.child(verb, ("dobj",)):
        if (tree.lemma(verb), tree.words[noun]) in _VERB_NOUN:
            return [noun]
    for preposition in tree.child(verb, ("prep",)):
        for noun in tree.child(preposition, ("pobj",)):
            if (tree.words[preposition], tree.words[noun]) in _INTO:
                return [preposition, noun]
    return []


def prepositional(tree: Tree, clause: Clause, head: int, prefix: str) -> Iterator[Argument]:
    """Prepositional arguments that hang on a verb or adjective, their tokens kept in `clause.prepositions`."""
    fixed = idiom(tree, clause.verb)
    for preposition in tree.child(head, _PREPOSITIONS):
        if preposition in fixed or tree.pos(preposition) not in ("ADP", "SCONJ", "VERB", "ADV", "ADJ"):
            continue
        words = [preposition]
        while tree.has(words[-1], ("prep",)) and not tree.has(words[-1], ("pobj",)):
            words.append(tree.child(words[-1], ("prep",))[0])  # out of, according to
        for noun in tree.child(words[-1], ("pobj",)):
            yield from _through(tree, clause, words, noun, prefix)
        for verb in tree.child(words[-1], ("pcomp",)):
            if tree.pos(verb) == "VERB":  # by encrypting the data
                clause.prepositions[verb] = words
                yield Argument(verb, "preposition", "_".join([prefix] * bool(prefix) + _texts(tree, words)))


def _through(tree: Tree, clause: Clause, words: list[int], noun: int, prefix: str) -> Iterator[Argument]:
    inner = [item for item in tree.child(noun, ("prep",)) if tree.has(item, ("pobj",))]
    if tree.words[noun] in _LINKING_NOUNS and inner:
        words = [*words, noun, inner[0]]
        noun = tree.child(inner[0], ("pobj",))[0]
    lacking = tree.words[words[0]] == "without" and clause.modality == "is" and not clause.negated
    text = "_".join([prefix] * bool(prefix) + (["with"] if lacking else _texts(tree, words)))
    agent = clause.passive and text == "by"
    for argument in with_conjuncts(tree, noun, "agent" if agent else "preposition", "" if agent else text):
        clause.prepositions[argument.head] = words
        yield replace(argument, negated=not argument.negated) if lacking else argument


def _texts(tree: Tree, words: list[int]) -> list[str]:
    return [tree.words[index] for index in words]


def with_conjuncts(tree: Tree, head: int, relation: str, preposition: str) -> Iterator[Argument]:
    """R7: coordinated nouns each are an argument; `not X but Y` negates X only."""
    negative = negated_noun(tree, head)
    yield Argument(head, relation, preposition, False, negative)  # type: ignore[arg-type]
    for other in tree.conjuncts(head):
        if tree.pos(other) in ("NOUN", "PROPN", "NUM", "PRON", "X", "SYM", "ADJ"):
            contrast = any(tree.words[item] in ("but", "yet") for item in tree.child(tree.head(other), ("cc",)))
            own = negated_noun(tree, other) or (negative and not contrast)
            yield Argument(other, relation, preposition, True, own)  # type: ignore[arg-type]
