"""Full wordings of arguments and predicates: the whole phrase as written, beside the mention that it names.

A mention is what an entity is called ("audit"); its phrase is what the text says of it ("the annual audit of all
suppliers in scope"). Phrases are for display, quotation and comparison with other extractors.
"""

from __future__ import annotations

from muniment.claims.trees import Clause, Tree

#: Dependents after its head that say something else of the head: they make claims of their own.
APART = frozenset({"relcl", "acl:relcl"})
_OPENERS = frozenset({"``", "`", "(", "$", '"', "“", "‘", "[", "«"})
_TRAILING = frozenset({",", ".", ";", ":", "-", "--", "–", "—", "and", "or", "but", "et", "ou"})
_AUXILIARY = frozenset({"aux", "auxpass", "aux:tense", "aux:pass", "cop", "neg", "prt"})


def phrase(tree: Tree, head: int, apart: frozenset[str] = APART, without: int | None = None) -> tuple[int, int]:
    """Tokens first..last (half-open) of the head's whole phrase.

    Dependents after the head with a label of `apart` end it, as does the subtree of the token `without` (the verb
    whose argument it is, where that hangs on the head itself).
    """
    first, last = tree.subtree(head)
    for child in tree.children[head]:
        below, above = tree.subtree(child)
        if child > head and (tree.dep(child) in apart or child == without):
            last = min(last, below)
        elif child < head and child == without:
            first = max(first, above)
    return trimmed(tree, first, max(last, head + 1))


def trimmed(tree: Tree, first: int, last: int) -> tuple[int, int]:
    """Without outer punctuation, a conjunction left over at the end, and an opening `that`."""
    while first < last - 1 and tree.pos(first) == "PUNCT" and tree.words[first] not in _OPENERS:
        first += 1
    while last - 1 > first and tree.words[last - 1] in _TRAILING:
        last -= 1
    if last - 1 > first and tree.dep(first) == "mark" and tree.words[first] in ("that", "que", "qu'"):
        first += 1
    return first, last


def predicate_tokens(tree: Tree, clause: Clause) -> list[int]:
    """Tokens of the whole predicate: verb with particle, auxiliaries, negation and adverbs before it."""
    tokens = set(clause.words)
    for verb in [index for index in clause.words if tree.pos(index) in ("VERB", "AUX")]:
        for child in tree.children[verb]:
            adverb = tree.dep(child) == "advmod" and child < verb and not tree.children[child]
            if tree.dep(child) in _AUXILIARY or (adverb and tree.tag(child) != "WRB"):
                tokens.add(child)
    verbs = [index for index in tokens if tree.pos(index) in ("VERB", "AUX")]
    first = min(verbs or tokens)
    near = {index for index in tokens if index >= first - 1 or index in clause.words}
    return sorted(near)
