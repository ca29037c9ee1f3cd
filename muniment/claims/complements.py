"""Infinitives whose subject, modality and negation come from a governing verb or adjective (ClearNLP labels)."""

from __future__ import annotations

from muniment.claims.modality import (
    FAILING,
    MODAL_ADJECTIVES,
    MODAL_VERBS,
    PASSIVE_ONLY,
    negated,
    of_infinitive,
    settled,
)
from muniment.claims.trees import Argument, Clause, Tree

#: Verbs whose subject gives others a duty, a permission or a means.
_IMPOSING: dict[str, str] = {
    **{verb: MODAL_VERBS[verb] for verb in sorted(PASSIVE_ONLY)}, "enable": "can", "obligate": "must",
}  # fmt: skip
_SUBJECTS = ("nsubj", "csubj", "nsubjpass", "csubjpass")


def governed(tree: Tree, verb: int, made: dict[int, Clause]) -> Clause | None:
    """The clause that governs an infinitive without a subject of its own: wants to buy, is able to pay."""
    above = tree.head(verb)
    if imposed(tree, verb):
        return made.get(above)
    if tree.dep(verb) != "xcomp" or tree.has(verb, _SUBJECTS):
        return None
    if above in made:
        return made[above]
    return made.get(tree.head(above)) if tree.dep(above) == "acomp" and tree.words[above] in MODAL_ADJECTIVES else None


def own_clause(tree: Tree, verb: int) -> bool:
    """Whether a complement becomes a clause of its own: an infinitive with something to say."""
    parts = ("dobj", "attr", "acomp", "prep", "dative", "agent")
    return (
        tree.dep(verb) == "xcomp"
        and tree.tag(verb) in ("VB", "VBN")
        and (tree.has(verb, parts) or any(tree.has(other, parts) for other in tree.conjuncts(verb)))
    )


def imposed(tree: Tree, verb: int) -> bool:
    """requires the supplier to notify, allows users to read: the infinitive's subject must, may or can."""
    above = tree.head(verb)
    return (
        tree.dep(verb) in ("ccomp", "xcomp")
        and tree.lemma(above) in _IMPOSING
        and tree.tag(verb) == "VB"
        and any(tree.words[child] == "to" for child in tree.child(verb, ("aux",)))
        and not tree.has(above, ("auxpass",))
    )


def _imposed_on(tree: Tree, verb: int, matrix: Clause, lemma: str, words: list[int]) -> Clause | None:
    own = [Argument(child, "object") for child in tree.child(verb, ("nsubj",))]
    subjects = own or [item for item in matrix.arguments if item.relation == "object"]
    if not subjects or matrix.reported:
        return None
    clause = Clause(verb, lemma, words, subjects, [])
    clause.modality, clause.negated = of_infinitive(
        _IMPOSING[tree.lemma(matrix.verb)], governing=matrix.negated, own=negated(tree, verb)
    )
    return clause


def governing_adjective(tree: Tree, adjective: int) -> bool:
    """able to pay: the infinitive says it."""
    complements = tree.child(adjective, ("xcomp",))
    return tree.words[adjective] in MODAL_ADJECTIVES and any(own_clause(tree, verb) for verb in complements)


def open_complement(tree: Tree, verb: int, matrix: Clause, lemma: str, words: list[int]) -> Clause | None:
    """required to notify → notify, must; agrees to provide → agree_to_provide; failed to pay → pay, negative."""
    if not matrix.subjects or tree.tag(verb) not in ("VB", "VBN"):
        return None
    above = tree.head(verb)
    modal, denies = _meaning(tree, above, matrix)
    if modal is None and tree.lemma(above) in _IMPOSING:
        return _imposed_on(tree, verb, matrix, lemma, words)
    if modal is None and any(item.relation == "object" for item in matrix.arguments):
        return None  # asks Acme to pay: who pays is the object
    bare = modal is not None or denies
    clause = Clause(verb, lemma if bare else f"{_prefix(matrix)}_to_{lemma}", words, list(matrix.subjects), [])
    marks = [child for child in tree.child(verb, ("aux",)) if tree.words[child] == "to"]
    if not bare:
        clause.words = sorted({*matrix.words, *marks, *words})
    governing = matrix.negated != denies
    own = negated(tree, verb)
    if modal is None:
        clause.modality, clause.negated = matrix.modality, governing != own
    else:
        clause.modality, clause.negated = of_infinitive(modal, governing=governing, own=own)
        clause.modality = settled(clause.modality, negative=clause.negated)
    clause.origin, clause.reported = matrix.origin, matrix.reported
    return clause


def _meaning(tree: Tree, above: int, matrix: Clause) -> tuple[str | None, bool]:
    """(modality, whether it denies) that the governing word gives the infinitive."""
    if above != matrix.verb:
        return MODAL_ADJECTIVES[tree.words[above]]
    lemma = tree.lemma(above)
    if lemma in FAILING:
        return None, True
    if lemma in MODAL_VERBS and not (lemma in PASSIVE_ONLY and not matrix.passive):
        return MODAL_VERBS[lemma], False
    return None, False


def _prefix(matrix: Clause) -> str:
    return f"be_{matrix.lemma}" if matrix.passive else matrix.lemma
