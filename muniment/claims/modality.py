"""Modality and negation of a verb by its auxiliaries; English and French words are data."""

from __future__ import annotations

from muniment.claims.trees import Tree

MODALS: dict[str, str] = {
    "shall": "shall", "must": "must", "may": "may", "might": "may", "should": "should", "ought": "should",
    "will": "will", "'ll": "will", "would": "will", "can": "can", "ca": "can", "could": "can", "wo": "will",
}  # fmt: skip

#: Verbs that give an infinitive its modality: is required to notify, is permitted to use, doit notifier.
MODAL_VERBS: dict[str, str] = {
    "require": "must", "oblige": "must", "need": "must", "have": "must",
    "permit": "may", "allow": "may", "entitle": "may", "authorise": "may", "authorize": "may",
    "devoir": "must", "falloir": "must", "pouvoir": "may",
}  # fmt: skip
#: Those of MODAL_VERBS that mean it only in the passive: "requires X to …" is another claim.
PASSIVE_ONLY = frozenset({"require", "oblige", "permit", "allow", "entitle", "authorise", "authorize"})

_NEGATORS = frozenset({"not", "n't", "never", "nor", "neither", "ne", "n'", "jamais", "cannot"})
_NO_DETERMINERS = frozenset({"no", "neither", "aucun", "aucune", "nul", "nulle"})


def modality(tree: Tree, verb: int, auxiliaries: tuple[str, ...] = ("aux", "auxpass")) -> str | None:
    """Modality by a modal auxiliary of the verb, or None."""
    for auxiliary in tree.child(verb, auxiliaries):
        found = MODALS.get(tree.words[auxiliary])
        if found:
            return found
    return None


def negated(tree: Tree, verb: int) -> bool:
    """not, never, no longer on the verb itself."""
    for child in tree.children[verb]:
        word = tree.words[child]
        if word in _NEGATORS or (tree.dep(child) == "neg"):
            return True
        if word == "longer" and any(tree.words[inner] == "no" for inner in tree.children[child]):
            return True
        if word in ("longer", "without") and child > 0 and tree.words[child - 1] == "no":
            return True
    return False


def negated_noun(tree: Tree, noun: int) -> bool:
    """no supplier, neither party, not Beta: the noun carries the negation of its clause."""
    return any(
        (tree.dep(child) in ("det", "neg", "preconj", "advmod") and tree.words[child] in _NO_DETERMINERS | {"not"})
        or tree.dep(child) == "neg"
        for child in tree.children[noun]
    )
