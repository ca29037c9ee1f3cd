"""Clauses of sentences annotated with ClearNLP labels (spaCy's English pipelines): rules R2 to R7 and R10."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.claims.conditions import is_question_clause
from muniment.claims.modality import MODAL_VERBS, PASSIVE_ONLY, modality, negated, negated_noun
from muniment.claims.trees import Argument, Clause, Tree

_SUBJECTS = ("nsubj", "csubj")
_PASSIVE_SUBJECTS = ("nsubjpass", "csubjpass")
_OBJECTS = ("dobj", "oprd")
_PREPOSITIONS = ("prep", "dative", "agent")
#: Nouns between two prepositions that are one: in accordance with.
_LINKING_NOUNS = frozenset(
    {"accordance", "addition", "basis", "behalf", "charge", "compliance", "conjunction", "connection", "contrast",
     "effect", "excess", "favor", "favour", "front", "light", "line", "mean", "means", "need", "place", "purpose",
     "relation", "respect", "response", "result", "support", "term", "terms", "view"}
)  # fmt: skip
_VERB_NOUN = frozenset({("take", "effect"), ("take", "place"), ("take", "part"), ("have", "effect")})
_INTO = frozenset({("into", "force"), ("into", "effect"), ("in", "force"), ("in", "effect")})
_NOT_FACTIVE = frozenset({"deny", "doubt", "dispute", "refuse", "want", "wish", "hope", "suggest", "propose", "ask"})


def clauses(tree: Tree) -> Iterator[Clause]:
    """Clauses in order of their verbs."""
    made: dict[int, Clause] = {}
    for verb in range(tree.size):
        if not _is_predicate(tree, verb):
            continue
        clause = _clause(tree, verb, made)
        if clause is not None:
            made[verb] = clause
    for clause in made.values():
        _share_objects(tree, clause, made)
    yield from made.values()


def _is_predicate(tree: Tree, index: int) -> bool:
    if tree.pos(index) == "VERB":
        return tree.dep(index) not in ("amod", "compound", "aux", "auxpass", "case", "prep")
    return tree.pos(index) == "AUX" and tree.dep(index) not in ("aux", "auxpass")


def _clause(tree: Tree, verb: int, made: dict[int, Clause]) -> Clause | None:
    if tree.dep(verb) == "xcomp" and tree.head(verb) in made and not tree.has(verb, _SUBJECTS + _PASSIVE_SUBJECTS):
        return _open_complement(tree, verb, made[tree.head(verb)])
    clause = Clause(verb, _lemma(tree, verb), _words(tree, verb), [], [])
    clause.passive = _is_passive(tree, verb)
    clause.copula = tree.lemma(verb) in ("be", "become", "remain") and tree.has(verb, ("attr", "acomp", "prep"))
    own = modality(tree, verb)
    clause.modality = own or "is"
    clause.negated = negated(tree, verb)
    clause.reported = tree.dep(verb) in ("ccomp", "parataxis") and tree.head(verb) != verb
    if clause.reported and not _assertable(tree, verb):
        return None
    _subjects(tree, clause, made)
    _take_over(tree, clause, own, made)
    if not clause.subjects and tree.has(verb, ("expl",)):
        _existential(tree, clause)
    clause.arguments += _arguments(tree, clause)
    if any(subject.negated for subject in clause.subjects):
        clause.negated = not clause.negated
    return clause


def _is_passive(tree: Tree, verb: int) -> bool:
    if tree.has(verb, ("auxpass", *_PASSIVE_SUBJECTS)):
        return True
    if tree.dep(verb) == "acl" and tree.tag(verb) == "VBN":
        return True
    first = _first_conjunct(tree, verb)
    return first != verb and tree.tag(verb) == "VBN" and not tree.has(verb, ("aux",)) and tree.has(first, ("auxpass",))


def _first_conjunct(tree: Tree, verb: int) -> int:
    while tree.dep(verb) == "conj" and tree.head(verb) != verb:
        verb = tree.head(verb)
    return verb


def _lemma(tree: Tree, verb: int) -> str:
    rest = [*tree.child(verb, ("prt",)), *_idiom(tree, verb)]
    return "_".join([tree.lemma(verb), *(tree.words[child] for child in rest)])


def _words(tree: Tree, verb: int) -> list[int]:
    return sorted([verb, *tree.child(verb, ("prt", "auxpass")), *_idiom(tree, verb)])


def _idiom(tree: Tree, verb: int) -> list[int]:
    """Words that make one predicate with the verb: take effect, enter into force."""
    for noun in tree.child(verb, ("dobj",)):
        if (tree.lemma(verb), tree.words[noun]) in _VERB_NOUN:
            return [noun]
    for preposition in tree.child(verb, ("prep",)):
        for noun in tree.child(preposition, ("pobj",)):
            if (tree.words[preposition], tree.words[noun]) in _INTO:
                return [preposition, noun]
    return []


def _assertable(tree: Tree, verb: int) -> bool:
    """What is denied, doubted, asked or conditional is not asserted."""
    above = tree.head(verb)
    return not (
        negated(tree, above)
        or tree.lemma(above) in _NOT_FACTIVE
        or is_question_clause(tree, verb)
        or tree.words[above] in ("provided", "providing", "assuming")
    )


def _subjects(tree: Tree, clause: Clause, made: dict[int, Clause]) -> None:
    verb = clause.verb
    own = tree.child(verb, _SUBJECTS + _PASSIVE_SUBJECTS)
    if tree.dep(verb) == "relcl":
        clause.origin = "relative"
        relative = [child for child in own if tree.tag(child) in ("WDT", "WP", "WP$")]
        if relative:
            clause.subjects = [Argument(tree.head(verb), "object")]
            return
    elif tree.dep(verb) == "acl" and tree.tag(verb) in ("VBN", "VBG"):
        clause.origin = "reduced"
        clause.subjects = [Argument(tree.head(verb), "object")]
        return
    clause.subjects = [argument for child in own for argument in _with_conjuncts(tree, child, "object", "")]
    if not clause.subjects and tree.dep(verb) == "conj" and tree.head(verb) in made:
        before = made[tree.head(verb)]
        if before.passive == clause.passive:  # R7: only when voice agrees
            clause.subjects = [Argument(item.head, "object", "", True, item.negated) for item in before.subjects]
            clause.origin = before.origin


def _take_over(tree: Tree, clause: Clause, own: str | None, made: dict[int, Clause]) -> None:
    """shall not copy or sell: a coordinated bare verb has the auxiliaries and negation of the first."""
    if tree.dep(clause.verb) != "conj" or tree.head(clause.verb) not in made:
        return
    before = made[tree.head(clause.verb)]
    if tree.has(clause.verb, (*_SUBJECTS, *_PASSIVE_SUBJECTS)):
        return
    clause.reported = before.reported
    bare = tree.tag(clause.verb) in ("VB", "VBN") and own is None and not tree.has(clause.verb, ("aux", "auxpass"))
    if bare:
        clause.modality = before.modality
        negative_subject = any(subject.negated for subject in before.subjects)
        clause.negated = clause.negated or (before.negated != negative_subject)


def _existential(tree: Tree, clause: Clause) -> None:
    """There are two reports: the attribute or object is what exists; nothing is said of it but that."""
    clause.copula = False


def _open_complement(tree: Tree, verb: int, matrix: Clause) -> Clause | None:
    """required to notify → notify, must; agrees to provide → agree_to_provide."""
    if not matrix.subjects or tree.tag(verb) not in ("VB", "VBN"):
        return None
    matrix_lemma = tree.lemma(matrix.verb)
    modal = MODAL_VERBS.get(matrix_lemma)
    if modal and matrix_lemma in PASSIVE_ONLY and not matrix.passive:
        return None
    if matrix.arguments and not modal and any(item.relation == "object" for item in matrix.arguments):
        return None  # asks Acme to pay: who pays is the object
    prefix = "" if modal else ("be_" + matrix.lemma if matrix.passive else matrix.lemma) + "_to_"
    clause = Clause(verb, prefix + _lemma(tree, verb), _words(tree, verb), list(matrix.subjects), [])
    clause.words = sorted({*matrix.words, *clause.words} if not modal else clause.words)
    clause.passive = _is_passive(tree, verb)
    clause.modality = modal or matrix.modality
    clause.negated = matrix.negated != negated(tree, verb)
    clause.origin, clause.reported = matrix.origin, matrix.reported
    clause.copula = tree.lemma(verb) == "be" and tree.has(verb, ("attr", "acomp", "prep"))
    clause.arguments = list(_arguments(tree, clause))
    return clause


def _arguments(tree: Tree, clause: Clause) -> Iterator[Argument]:
    verb = clause.verb
    idiom = _idiom(tree, verb)
    for child in tree.children[verb]:
        dep = tree.dep(child) if child not in idiom else ""
        if dep in _OBJECTS or (dep == "dative" and tree.pos(child) != "ADP"):
            yield from _object(tree, clause, child)
        elif dep == "attr":
            yield from _with_conjuncts(tree, child, "attribute", "")
        elif dep == "acomp":
            yield Argument(child, "adjective")
            yield from _prepositional(tree, clause, child, tree.words[child])
        elif dep in ("ccomp", "xcomp") and not _own_clause(tree, child):
            yield Argument(child, "clause")
    adjectives = tree.child(verb, ("acomp",))
    yield from _prepositional(tree, clause, verb, tree.words[adjectives[0]] if len(adjectives) == 1 else "")
    for child in idiom:
        if tree.pos(child) == "NOUN":
            yield from _prepositional(tree, clause, child, "")  # into force on 1 July
    if clause.origin == "relative" and not _relative_subject(tree, verb):
        yield from _relative_object(tree, clause)


def _own_clause(tree: Tree, verb: int) -> bool:
    """Complements that become clauses of their own."""
    return (
        tree.dep(verb) == "xcomp"
        and tree.tag(verb) in ("VB", "VBN")
        and tree.has(verb, ("dobj", "attr", "prep", "dative"))
    )


def _object(tree: Tree, clause: Clause, child: int) -> Iterator[Argument]:
    if clause.origin == "relative" and tree.tag(child) in ("WDT", "WP"):
        return
    yield from _with_conjuncts(tree, child, "object", "")


def _relative_subject(tree: Tree, verb: int) -> bool:
    return any(tree.tag(child) in ("WDT", "WP", "WP$") for child in tree.child(verb, _SUBJECTS + _PASSIVE_SUBJECTS))


def _relative_object(tree: Tree, clause: Clause) -> Iterator[Argument]:
    """The server that the bank uses; the server the bank runs on (the preposition is left behind)."""
    if tree.has(clause.verb, ("dobj",)) and not any(
        tree.tag(child) in ("WDT", "WP") for child in tree.child(clause.verb, ("dobj",))
    ):
        return
    stranded = [child for child in tree.child(clause.verb, ("prep",)) if not tree.has(child, ("pobj", "pcomp"))]
    adverbs = [child for child in tree.child(clause.verb, ("advmod",)) if tree.tag(child) == "WRB"]
    if adverbs or clause.passive or (tree.child(clause.verb, ("prep",)) and not stranded):
        return
    preposition = tree.words[stranded[0]] if stranded else ""
    yield Argument(tree.head(clause.verb), "preposition" if preposition else "object", preposition)


def _prepositional(tree: Tree, clause: Clause, head: int, prefix: str) -> Iterator[Argument]:
    idiom = _idiom(tree, clause.verb)
    for preposition in tree.child(head, _PREPOSITIONS):
        if preposition in idiom or tree.pos(preposition) not in ("ADP", "SCONJ", "VERB", "ADV", "ADJ"):
            continue
        words = [preposition]
        while tree.has(words[-1], ("prep",)) and not tree.has(words[-1], ("pobj",)):
            words.append(tree.child(words[-1], ("prep",))[0])  # out of, according to
        for noun in tree.child(words[-1], ("pobj",)):
            yield from _through(tree, clause, words, noun, prefix)


def _through(tree: Tree, clause: Clause, words: list[int], noun: int, prefix: str) -> Iterator[Argument]:
    inner = [item for item in tree.child(noun, ("prep",)) if tree.has(item, ("pobj",))]
    if tree.words[noun] in _LINKING_NOUNS and inner:
        words = [*words, noun, inner[0]]
        noun = tree.child(inner[0], ("pobj",))[0]
    text = "_".join([prefix] * bool(prefix) + [tree.words[index] for index in words])
    agent = clause.passive and text == "by"
    for argument in _with_conjuncts(tree, noun, "agent" if agent else "preposition", "" if agent else text):
        clause.prepositions[argument.head] = words
        yield argument


def _with_conjuncts(tree: Tree, head: int, relation: str, preposition: str) -> Iterator[Argument]:
    """R7: coordinated nouns each are an argument; `not X but Y` negates X only."""
    negative = negated_noun(tree, head)
    yield Argument(head, relation, preposition, False, negative)  # type: ignore[arg-type]
    for other in tree.conjuncts(head):
        if tree.pos(other) in ("NOUN", "PROPN", "NUM", "PRON", "X", "SYM", "ADJ"):
            contrast = any(tree.words[item] in ("but", "yet") for item in tree.child(tree.head(other), ("cc",)))
            own = negated_noun(tree, other) or (negative and not contrast)
            yield Argument(other, relation, preposition, True, own)  # type: ignore[arg-type]


def _share_objects(tree: Tree, clause: Clause, made: dict[int, Clause]) -> None:
    """R7: develops and maintains the system: objects are shared leftward only."""
    if clause.arguments or clause.passive or clause.copula:
        return
    for other in tree.child(clause.verb, ("conj",)):
        following = made.get(other)
        between = range(clause.verb + 1, other)
        if following is None or following.passive or any(tree.words[index] in (",", ";") for index in between):
            continue
        if tree.has(other, _SUBJECTS + _PASSIVE_SUBJECTS):
            continue
        clause.arguments = [
            Argument(item.head, item.relation, item.preposition, True, item.negated)
            for item in following.arguments
            if item.relation == "object"
        ]
