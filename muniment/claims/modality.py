"""Modality and negation of a verb by its auxiliaries and governing words; English and French words are data.

`may not` and `is not permitted to` are prohibitions: modality may, negative. `need not` and `is not required to`
deny an obligation: modality need_not, negative, and no prohibition.
"""

from __future__ import annotations

from muniment.claims.trees import Tree

#: What a claim's modality may be.
MODALITIES = ("shall", "must", "may", "should", "will", "can", "is", "need_not")

#: `need` is settled by `settled`: must, or need_not where it is negated.
MODALS: dict[str, str] = {
    "shall": "shall", "must": "must", "may": "may", "might": "may", "should": "should", "ought": "should",
    "will": "will", "'ll": "will", "would": "will", "can": "can", "ca": "can", "could": "can", "wo": "will",
    "need": "need",
}  # fmt: skip

#: Verbs that give an infinitive its modality: is required to notify, is permitted to use, doit notifier.
MODAL_VERBS: dict[str, str] = {
    "require": "must", "oblige": "must", "need": "must", "have": "must",
    "permit": "may", "allow": "may", "entitle": "may", "authorise": "may", "authorize": "may",
    "devoir": "must", "falloir": "must", "pouvoir": "may",
}  # fmt: skip
#: Those of MODAL_VERBS that mean it only in the passive: "requires X to …" is another claim.
PASSIVE_ONLY = frozenset({"require", "oblige", "permit", "allow", "entitle", "authorise", "authorize"})
#: Adjectives that give an infinitive its modality: (modality, negated).
MODAL_ADJECTIVES: dict[str, tuple[str, bool]] = {
    "able": ("can", False), "unable": ("can", True), "obliged": ("must", False), "obligated": ("must", False),
    "required": ("must", False), "bound": ("must", False), "entitled": ("may", False), "permitted": ("may", False),
    "allowed": ("may", False), "free": ("may", False),
}  # fmt: skip
#: Verbs that deny what their infinitive says: failed to notify.
FAILING = frozenset({"fail", "neglect", "omit"})

_NEGATORS = frozenset({"not", "n't", "never", "nor", "neither", "ne", "n'", "jamais", "cannot"})
_NO_DETERMINERS = frozenset({"no", "neither", "aucun", "aucune", "nul", "nulle"})
_ONLY = frozenset({"only", "just", "merely", "solely", "simply"})
_OBLIGATIONS = frozenset({"must", "shall", "should"})


def modality(tree: Tree, verb: int, auxiliaries: tuple[str, ...] = ("aux", "auxpass")) -> str | None:
    """Modality by a modal auxiliary of the verb, or None."""
    for auxiliary in tree.child(verb, auxiliaries):
        found = MODALS.get(tree.words[auxiliary])
        if found and tree.tag(auxiliary) not in ("VBD", "VBN", "VBG"):
            return found
    return None


def settled(modal: str, *, negative: bool) -> str:
    """`need` by its polarity: must, or need_not."""
    return modal if modal != "need" else "need_not" if negative else "must"


def of_infinitive(modal: str, *, governing: bool, own: bool) -> tuple[str, bool]:
    """(modality, negated) of an infinitive whose governing word, and which itself, may be negated.

    is not required to → need_not; is not permitted to → may, negative; is not required not to → may.
    """
    if governing and modal in _OBLIGATIONS:
        return ("may", False) if own else ("need_not", True)
    return modal, governing != own


def negated(tree: Tree, verb: int) -> bool:
    """not, never, no longer on the verb itself; "not only … but also" negates nothing."""
    for child in tree.children[verb]:
        word = tree.words[child]
        if (word in _NEGATORS or tree.dep(child) == "neg") and not _emphatic(tree, child) and not _of_next(tree, child):
            return True
        if word == "longer" and any(tree.words[inner] == "no" for inner in tree.children[child]):
            return True
        if word in ("longer", "without") and child > 0 and tree.words[child - 1] == "no":
            return True
    return _after_nor(tree, verb)


def negated_noun(tree: Tree, noun: int) -> bool:
    """no supplier, neither party, not Beta: the noun carries the negation of its clause."""
    return any(
        (
            (tree.dep(child) in ("det", "neg", "preconj", "advmod") and tree.words[child] in _NO_DETERMINERS | {"not"})
            or tree.dep(child) == "neg"
        )
        and not _emphatic(tree, child)
        for child in tree.children[noun]
    )


def _emphatic(tree: Tree, negator: int) -> bool:
    """not only, not merely, not necessarily."""
    return tree.words[negator] == "not" and negator + 1 < tree.size and tree.words[negator + 1] in _ONLY


def _of_next(tree: Tree, word: int) -> bool:
    """`nor` that opens the next clause: it negates what follows."""
    return tree.words[word] == "nor" and tree.dep(word) == "cc"


def _after_nor(tree: Tree, verb: int) -> bool:
    if tree.dep(verb) != "conj":
        return False
    before = [item for item in tree.child(tree.head(verb), ("cc",)) if item < verb]
    return bool(before) and tree.words[before[-1]] == "nor"
