"""Clauses of sentences annotated with Universal Dependencies labels (spaCy's French pipelines)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.claims.modality import MODAL_VERBS, negated, negated_noun
from muniment.claims.trees import Argument, Clause, Tree

_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:caus")
_OBJECTS = ("obj", "iobj")
_OBLIQUE = ("obl:arg", "obl:mod", "obl")
_NOUNS = ("NOUN", "PROPN", "NUM", "PRON", "X")
#: Contracted articles, elided forms: the preposition as predicates name it.
_PREPOSITIONS = {"du": "de", "des": "de", "d'": "de", "d’": "de", "au": "à", "aux": "à", "jusqu'": "jusque"}
#: Passives that give an infinitive its modality: est tenu de notifier, est autorisé à copier.
_PASSIVE_MODALS = {
    "tenir": "must", "obliger": "must", "contraindre": "must", "autoriser": "may", "habiliter": "may",
}  # fmt: skip
_INFINITIVE = re.compile(r"(?:er|ir|re)$")
_FIRST_GROUP = re.compile(r"e(?:s|nt)?$")
_NEGATIONS = frozenset({"ne", "n'", "n’"})


def clauses(tree: Tree) -> Iterator[Clause]:
    """Clauses in order of their predicates: verbs, and nouns or adjectives with a copula."""
    made: dict[int, Clause] = {}
    for index in range(tree.size):
        if tree.pos(index) == "VERB" and tree.dep(index) not in ("amod", "aux:tense", "aux:pass", "case"):
            clause = _verbal(tree, index, made)
        elif tree.has(index, ("cop",)):
            clause = _nominal(tree, index)
        else:
            clause = None
        if clause is not None:
            made[index] = clause
    yield from made.values()


def _verbal(tree: Tree, verb: int, made: dict[int, Clause]) -> Clause | None:
    clause = Clause(verb, _lemma(tree, verb), sorted([verb, *tree.child(verb, ("aux:pass",))]), [], [])
    clause.passive = tree.has(verb, ("aux:pass", "nsubj:pass"))
    clause.negated = _negated(tree, verb)
    clause.reported = tree.dep(verb) == "ccomp"
    above = made.get(tree.head(verb)) if tree.head(verb) != verb else None
    if tree.dep(verb) == "xcomp" and above is not None:
        modal = _modal(tree, above)
        clause.subjects = list(above.subjects)
        clause.negated = above.negated != clause.negated
        clause.origin = above.origin
        clause.modality = modal or "is"
        clause.lemma = clause.lemma if modal else f"{above.lemma}_{clause.lemma}"
    else:
        clause.subjects = list(_subjects(tree, verb))
        _inherit(tree, clause, above)
    _origin(tree, clause)
    clause.arguments = list(_arguments(tree, clause, verb))
    if tree.dep(verb) == "xcomp" and above is not None and _modal(tree, above):
        clause.arguments += _taken_over(tree, clause, above)
    if any(subject.negated for subject in clause.subjects):
        clause.negated = True
    return clause


def _lemma(tree: Tree, verb: int) -> str:
    """Infinitive; forms that the pipeline leaves as they are (applique) are of the first group."""
    lemma = tree.lemma(verb)
    if _INFINITIVE.search(lemma) or lemma != tree.words[verb]:
        return lemma
    return _FIRST_GROUP.sub("er", lemma)


def _modal(tree: Tree, clause: Clause) -> str | None:
    """Modality that a verb gives its infinitive: doit notifier, est tenu de notifier."""
    lemma = tree.lemma(clause.verb)
    return MODAL_VERBS.get(lemma) or (_PASSIVE_MODALS.get(lemma) if clause.passive else None)


def _taken_over(tree: Tree, clause: Clause, modal: Clause) -> list[Argument]:
    """What the parser hangs on the modal verb but stands behind the infinitive is the infinitive's."""
    behind = [item for item in modal.arguments if item.head > clause.verb]
    modal.arguments = [item for item in modal.arguments if item.head < clause.verb]
    for item in behind:
        if item.head in modal.prepositions:
            clause.prepositions[item.head] = modal.prepositions[item.head]
    return behind


def _nominal(tree: Tree, predicate: int) -> Clause:
    copula = tree.child(predicate, ("cop",))[0]
    clause = Clause(predicate, "être", [copula], list(_subjects(tree, predicate)), [], copula=True)
    clause.negated = _negated(tree, predicate)
    relation = "attribute" if tree.pos(predicate) in _NOUNS else "adjective"
    clause.arguments = [Argument(predicate, relation)]
    if tree.dep(predicate) == "acl:relcl":
        _origin(tree, clause)
    return clause


def _negated(tree: Tree, verb: int) -> bool:
    """ne … pas, and pas alone; "ne … que" (only) is no negation."""
    words = [tree.words[child] for child in tree.children[verb]]
    if "que" in words and _NEGATIONS & set(words) and "pas" not in words:
        return False
    return "pas" in words or ("plus" in words and bool(_NEGATIONS & set(words))) or negated(tree, verb)


def _subjects(tree: Tree, verb: int) -> Iterator[Argument]:
    for child in tree.child(verb, _SUBJECTS):
        yield from _with_conjuncts(tree, child, "object", "")


def _inherit(tree: Tree, clause: Clause, above: Clause | None) -> None:
    if clause.subjects or above is None or tree.dep(clause.verb) != "conj" or above.passive != clause.passive:
        return
    clause.subjects = [Argument(item.head, "object", "", True, item.negated) for item in above.subjects]
    clause.origin = above.origin


def _origin(tree: Tree, clause: Clause) -> None:
    dep = tree.dep(clause.verb)
    if dep == "acl:relcl":
        clause.origin = "relative"
        own = tree.child(clause.verb, _SUBJECTS)
        if any(tree.words[child] in ("qui", "lequel", "laquelle", "lesquels", "lesquelles") for child in own):
            clause.subjects = [Argument(tree.head(clause.verb), "object")]
        elif any(tree.words[child] in ("que", "qu'", "qu’") for child in tree.child(clause.verb, ("obj",))):
            clause.arguments.append(Argument(tree.head(clause.verb), "object"))
    elif dep == "acl":
        clause.origin = "reduced"
        clause.passive = clause.passive or tree.has(clause.verb, ("obl:agent",))
        clause.subjects = [Argument(tree.head(clause.verb), "object")]


def _arguments(tree: Tree, clause: Clause, verb: int) -> Iterator[Argument]:
    yield from clause.arguments
    for child in tree.children[verb]:
        dep = tree.dep(child)
        if tree.pos(child) not in _NOUNS:
            continue
        case = tree.child(child, ("case",))
        preposition = "_".join(_PREPOSITIONS.get(tree.words[index], tree.words[index]) for index in case)
        if dep == "obl:agent":
            yield from _with_conjuncts(tree, child, "agent", "")
        elif dep in _OBJECTS or (dep in _OBLIQUE and _bare_partitive(tree, child, preposition) and clause.negated):
            yield from _with_conjuncts(tree, child, "object", "")
        elif dep in _OBLIQUE and preposition:
            clause.prepositions[child] = case
            yield from _with_conjuncts(tree, child, "preposition", preposition)


def _bare_partitive(tree: Tree, noun: int, preposition: str) -> bool:
    """pas de services: the object of a negated verb; "ne dépend pas de la passerelle" has an article."""
    case = tree.child(noun, ("case",))
    return preposition == "de" and tree.words[case[0]] != "du" and not tree.has(noun, ("det",))


def _with_conjuncts(tree: Tree, head: int, relation: str, preposition: str) -> Iterator[Argument]:
    yield Argument(head, relation, preposition, False, negated_noun(tree, head))  # type: ignore[arg-type]
    for other in tree.conjuncts(head):
        if tree.pos(other) in _NOUNS:
            yield Argument(other, relation, preposition, True, negated_noun(tree, other))  # type: ignore[arg-type]
