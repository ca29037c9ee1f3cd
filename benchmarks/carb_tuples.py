"""N-ary tuples of a sentence by the rules that make the product's claims, in the rendering that CaRB compares.

The product's claims are binary, between normalised mentions; CaRB wants whole phrases and n-ary tuples, pronouns
and common nouns among them. The same clauses (R2 to R7, R10), appositions (R8) and possessives (R9) are
rendered so: one tuple for each clause and first argument; coordinated subjects stay together; the relation is the
predicate with auxiliaries, governing verbs, negation and adverbs before it, and the preposition of the first argument
where there is no object; then object, attribute or complement, prepositional phrases after the verb, those before it,
times, adverbs and participle clauses. Phrases are whole, without relative clauses, which make tuples of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from carb_score import Extraction

from muniment.claims import drafts
from muniment.claims.clauses_clear import clauses
from muniment.claims.complements import governed, own_clause
from muniment.claims.phrases import APART, phrase, predicate_tokens
from muniment.claims.rules_verbs import rule_of
from muniment.claims.trees import Argument, Clause, Tree
from muniment.nlp.model import Sentence

Placed = tuple[list[int], tuple[int, int]]
_SAID = ("object", "attribute", "adjective", "clause")


def tuples(sentence: Sentence) -> list[Extraction]:
    """Tuples of a parsed sentence with English (ClearNLP) labels."""
    tree = Tree(sentence)
    made = {clause.verb: clause for clause in clauses(tree)}
    found = [item for clause in made.values() for item in _of_clause(tree, clause, made)]
    return found + list(_of_nouns(tree))


def _of_clause(tree: Tree, clause: Clause, made: dict[int, Clause]) -> Iterator[Extraction]:
    if not clause.subjects or _governs(tree, clause, made):
        return
    for arguments in _distributed(tree, clause, _arguments(tree, clause)):
        yield from _rendered(tree, clause, _relation(tree, clause, made), arguments)


def _rendered(tree: Tree, clause: Clause, relation: list[int], arguments: list[Placed]) -> Iterator[Extraction]:
    rendered: list[str] = []
    for words, span in arguments:
        if not rendered and words and words[0] > clause.verb:
            relation = [*relation, *words]
            rendered.append(tree.sentence.slice(*span))
        else:
            rendered.append(" ".join([*_texts(tree, words), tree.sentence.slice(*span)]))
    rule, confidence = rule_of(clause, bool(rendered))
    relation_text = " ".join(_texts(tree, sorted(set(relation))))
    for subject in _leading(tree, clause.subjects):
        span = tree.sentence.slice(*phrase(tree, subject.head, APART | {"appos"}, clause.verb))
        yield Extraction(relation_text, (span, *(rendered or [""])), confidence, rule)


def _distributed(tree: Tree, clause: Clause, arguments: list[Placed]) -> Iterator[list[Placed]]:
    """Coordinated first arguments make a tuple each, with the other arguments repeated."""
    heads = {item.head for item in clause.arguments}
    words, span = arguments[0] if arguments else ([], (0, 0))
    leading = [head for head in range(*span) if head in heads and tree.conjuncts(head)]
    items = [leading[0], *(other for other in tree.conjuncts(leading[0]) if other in heads)] if leading else []
    if len(items) < 2:
        yield arguments
    for item in items if len(items) > 1 else ():
        yield [(words, phrase(tree, item, APART | {"conj", "cc"}, clause.verb)), *arguments[1:]]


def _governs(tree: Tree, clause: Clause, made: dict[int, Clause]) -> bool:
    """refused to grant: the tuple is the infinitive's."""
    return any(
        governed(tree, other, made) is clause and other in made and own_clause(tree, other)
        for other in made
        if other != clause.verb
    )


def _relation(tree: Tree, clause: Clause, made: dict[int, Clause]) -> list[int]:
    """The predicate with the words that govern it: will be able to sell."""
    tokens = set(predicate_tokens(tree, clause))
    matrix = governed(tree, clause.verb, made)
    if matrix is not None:
        tokens |= {*_relation(tree, matrix, made), *tree.child(clause.verb, ("aux",))}
        tokens |= {tree.head(clause.verb)}
    return sorted(tokens)


def _leading(tree: Tree, arguments: list[Argument]) -> list[Argument]:
    """Arguments without those that are coordinated with an earlier one: its phrase holds them."""
    followers = {other for item in arguments for other in tree.conjuncts(item.head)}
    return [item for item in arguments if item.head not in followers]


def _arguments(tree: Tree, clause: Clause) -> list[Placed]:
    """(preposition's tokens, phrase) of each argument in the order of rendering."""
    leading = _leading(tree, clause.arguments)
    said = [item for item in leading if item.relation in _SAID]
    inside = {index for item in said for index in range(*tree.subtree(item.head))}
    rest = [item for item in leading if item.relation not in _SAID and item.head not in inside]
    placed: list[Placed] = [([], phrase(tree, item.head, without=clause.verb)) for item in said]
    for item in sorted(rest, key=lambda item: (item.head < clause.verb, item.head)):
        words = clause.prepositions.get(item.head) or tree.ancestors(item.head)[:1]
        placed.append((words, phrase(tree, item.head, without=clause.verb)))
    taken = {index for _, span in placed for index in range(*span)} | set(predicate_tokens(tree, clause))
    for child in tree.children[clause.verb]:
        adverb = tree.dep(child) == "advmod" and tree.tag(child) != "WRB"
        if (adverb or tree.dep(child) in ("npadvmod", "advcl")) and child not in taken:
            placed.append(([], phrase(tree, child)))
    return placed


def _of_nouns(tree: Tree) -> Iterator[Extraction]:
    for noun in range(tree.size):
        for other in tree.child(noun, ("appos",)):
            if tree.pos(other) == "PRON":
                continue
            subject = phrase(tree, noun, APART | {"appos"})
            yield _nominal(tree, "is", subject, phrase(tree, other), drafts.APPOSITION, "R8")
        for owner in tree.child(noun, ("poss",)):
            if tree.pos(owner) != "PRON":
                first = tree.subtree(owner)[1]
                thing = (first, phrase(tree, noun, APART | {"prep", "appos"})[1])
                last = first - 1 if tree.has(owner, ("case",)) else first
                yield _nominal(tree, "has", (tree.subtree(owner)[0], last), thing, drafts.POSSESSIVE, "R9")


def _nominal(
    tree: Tree, relation: str, subject: tuple[int, int], said: tuple[int, int], confidence: float, rule: str
) -> Extraction:
    return Extraction(relation, (tree.sentence.slice(*subject), tree.sentence.slice(*said)), confidence, rule)


def _texts(tree: Tree, tokens: list[int]) -> list[str]:
    return [tree.sentence.token(index) for index in tokens]
