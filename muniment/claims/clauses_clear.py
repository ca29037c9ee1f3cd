"""Clauses of sentences annotated with ClearNLP labels (spaCy's English pipelines): rules R2 to R7 and R10."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.claims.clear_arguments import idiom, prepositional, with_conjuncts
from muniment.claims.complements import governed, governing_adjective, open_complement, own_clause
from muniment.claims.modality import modality, negated, settled
from muniment.claims.reported import assertable, independent, reported
from muniment.claims.trees import Argument, Clause, Tree

_SUBJECTS = ("nsubj", "csubj")
_PASSIVE_SUBJECTS = ("nsubjpass", "csubjpass")
_OBJECTS = ("dobj", "oprd")
_RELATIVES = frozenset({"who", "which", "that", "whom"})
_INTRANSITIVE = frozenset(
    {"arrive", "come", "exist", "expire", "fail", "fall", "go", "grow", "happen", "occur", "resign", "rise", "start"}
)
#: What may stand between two verbs that share an object; an adverb does not: failed once and stopped all alarms.
_BETWEEN = frozenset({"CCONJ", "AUX", "PART", "VERB"})
_SAID = ("object", "clause", "attribute", "adjective")


def clauses(tree: Tree) -> Iterator[Clause]:
    """Clauses in order of their verbs; a clause is made after those above it, from which it may inherit."""
    made: dict[int, Clause] = {}
    verbs = [index for index in range(tree.size) if _is_predicate(tree, index)]
    for verb in sorted(verbs, key=lambda index: (tree.depth(index), index)):
        clause = _clause(tree, verb, made)
        if clause is not None:
            made[verb] = clause
    for _, clause in sorted(made.items()):
        _share_objects(tree, clause, made)
    yield from (clause for _, clause in sorted(made.items()))


def _is_predicate(tree: Tree, index: int) -> bool:
    if tree.pos(index) == "VERB":
        return tree.dep(index) not in ("amod", "compound", "aux", "auxpass", "case", "prep")
    return tree.pos(index) == "AUX" and tree.dep(index) not in ("aux", "auxpass")


def _clause(tree: Tree, verb: int, made: dict[int, Clause]) -> Clause | None:
    if _no_verb(tree, verb):
        return None
    governing = governed(tree, verb, made)
    if governing is not None:
        return _completed(tree, open_complement(tree, verb, governing, _lemma(tree, verb), _words(tree, verb)))
    clause = Clause(verb, _lemma(tree, verb), _words(tree, verb), [], [])
    clause.passive = _is_passive(tree, verb)
    clause.copula = tree.lemma(verb) in ("be", "become", "remain") and tree.has(verb, ("attr", "acomp", "prep"))
    own = modality(tree, verb)
    clause.modality = own or "is"
    clause.negated = negated(tree, verb)
    clause.reported = reported(tree, verb)
    if tree.dep(verb) == "ccomp" and not independent(tree, verb) and not assertable(tree, verb):
        return None
    _subjects(tree, clause, made)
    _take_over(tree, clause, own, made)
    if not clause.subjects and tree.has(verb, ("expl",)):
        _existential(tree, clause)
    clause.arguments += _arguments(tree, clause)
    if any(subject.negated for subject in clause.subjects):
        clause.negated = not clause.negated
    clause.modality = settled(clause.modality, negative=clause.negated)
    return clause


def _no_verb(tree: Tree, verb: int) -> bool:
    """covers access logs, change logs and alarm logs: a bare form beside "covers" is a noun that the parser errs on."""
    return (
        tree.dep(verb) == "conj"
        and tree.tag(verb) in ("VB", "VBP")
        and tree.tag(tree.head(verb)) in ("VBZ", "VB", "VBP")
        and (tree.tag(tree.head(verb)) == "VBZ" or _no_verb(tree, tree.head(verb)))
        and not tree.has(verb, ("aux", "auxpass", *_SUBJECTS, *_PASSIVE_SUBJECTS))
        and not tree.has(tree.head(verb), ("aux",))
    )


def _completed(tree: Tree, clause: Clause | None) -> Clause | None:
    """An infinitive's clause with its voice and arguments."""
    if clause is not None:
        clause.passive = _is_passive(tree, clause.verb)
        clause.copula = tree.lemma(clause.verb) == "be" and tree.has(clause.verb, ("attr", "acomp", "prep"))
        clause.arguments = list(_arguments(tree, clause))
    return clause


def _is_passive(tree: Tree, verb: int) -> bool:
    if tree.has(verb, ("auxpass", *_PASSIVE_SUBJECTS)):
        return True
    if tree.dep(verb) in ("acl", "advcl") and tree.tag(verb) == "VBN" and not tree.has(verb, ("aux",)):
        return True
    first = _first_conjunct(tree, verb)
    return first != verb and tree.tag(verb) == "VBN" and not tree.has(verb, ("aux",)) and tree.has(first, ("auxpass",))


def _first_conjunct(tree: Tree, verb: int) -> int:
    while tree.dep(verb) == "conj" and tree.head(verb) != verb:
        verb = tree.head(verb)
    return verb


def _lemma(tree: Tree, verb: int) -> str:
    rest = [*tree.child(verb, ("prt",)), *idiom(tree, verb)]
    return "_".join([tree.lemma(verb), *(tree.words[child] for child in rest)])


def _words(tree: Tree, verb: int) -> list[int]:
    return sorted([verb, *tree.child(verb, ("prt", "auxpass")), *idiom(tree, verb)])


def _subjects(tree: Tree, clause: Clause, made: dict[int, Clause]) -> None:
    verb = clause.verb
    own = _own_subjects(tree, verb)
    if tree.dep(verb) == "relcl":
        clause.origin = "relative"
        if _relative_subject(tree, verb):
            clause.subjects = [Argument(tree.head(verb), "object")]
            return
    elif tree.dep(verb) == "acl" and tree.tag(verb) in ("VBN", "VBG"):
        clause.origin = "reduced"
        clause.subjects = [Argument(tree.head(verb), "object")]
        return
    elif _is_participle_clause(tree, verb) and tree.head(verb) in made and not made[tree.head(verb)].negated:
        clause.origin = "reduced"
        clause.subjects = list(made[tree.head(verb)].subjects)
        return
    own = [child for child in own if clause.origin != "relative" or not _relative(tree, child)]
    clause.subjects = [argument for child in own for argument in with_conjuncts(tree, child, "object", "")]
    if not clause.subjects and tree.dep(verb) == "conj" and tree.head(verb) in made:
        before = made[tree.head(verb)]
        if before.passive == clause.passive:  # R7: only when voice agrees
            clause.subjects = [Argument(item.head, "object", "", True, item.negated) for item in before.subjects]
            clause.origin = before.origin


def _own_subjects(tree: Tree, verb: int) -> list[int]:
    """Subjects of the verb, or of its auxiliary: the Agency may, unless …, publish."""
    labels = _SUBJECTS + _PASSIVE_SUBJECTS
    auxiliaries = tree.child(verb, ("aux", "auxpass"))
    found = tree.child(verb, labels) or [child for each in auxiliaries for child in tree.child(each, labels)]
    return [child for child in found if child not in _late(tree, verb)]


def _late(tree: Tree, verb: int) -> list[int]:
    """Second subjects after the verb: objects that the parser takes for subjects ("Term" means the thing that …)."""
    found = tree.child(verb, ("nsubj",))
    return [child for child in found if child > verb] if any(child < verb for child in found) else []


def _is_participle_clause(tree: Tree, verb: int) -> bool:
    """A bomb exploded, killing eight people; founded in 1990, Acme …: its subject is that of the clause above."""
    return (
        tree.dep(verb) == "advcl"
        and tree.tag(verb) in ("VBG", "VBN")
        and not tree.has(verb, ("mark", "aux", "auxpass", *_SUBJECTS, *_PASSIVE_SUBJECTS))
        and not any(tree.tag(child) == "WRB" for child in tree.child(verb, ("advmod",)))
    )


def _take_over(tree: Tree, clause: Clause, own: str | None, made: dict[int, Clause]) -> None:
    """shall not copy or sell: a coordinated bare verb has the auxiliaries and negation of the first."""
    if tree.dep(clause.verb) != "conj" or tree.head(clause.verb) not in made:
        return
    before = made[tree.head(clause.verb)]
    if tree.has(clause.verb, (*_SUBJECTS, *_PASSIVE_SUBJECTS)):
        return
    clause.reported = before.reported
    after_modal = before.modality != "is" and tree.tag(clause.verb) == "VBP"  # shall notify the bank and keep records
    bare = tree.tag(clause.verb) in ("VB", "VBN") or after_modal
    if bare and own is None and not tree.has(clause.verb, ("aux", "auxpass")):
        clause.modality = before.modality
        negative_subject = any(subject.negated for subject in before.subjects)
        clause.negated = clause.negated or (before.negated != negative_subject)


def _existential(tree: Tree, clause: Clause) -> None:
    """There are two reports: the attribute or object is what exists; nothing is said of it but that."""
    clause.copula = False


def _arguments(tree: Tree, clause: Clause) -> Iterator[Argument]:
    verb = clause.verb
    fixed = idiom(tree, verb)
    for child in tree.children[verb]:
        dep = tree.dep(child) if child not in fixed else ""
        if dep in _OBJECTS or child in _late(tree, verb) or (dep == "dative" and tree.pos(child) != "ADP"):
            yield from _object(tree, clause, child)
        elif dep == "attr":
            yield from with_conjuncts(tree, child, "attribute", "")
        elif dep == "acomp":
            if not governing_adjective(tree, child):
                yield Argument(child, "adjective")
            yield from prepositional(tree, clause, child, tree.words[child])
        elif dep in ("ccomp", "xcomp") and not own_clause(tree, child) and not independent(tree, child):
            yield Argument(child, "clause")
    adjectives = tree.child(verb, ("acomp",))
    yield from prepositional(tree, clause, verb, tree.words[adjectives[0]] if len(adjectives) == 1 else "")
    for child in fixed:
        if tree.pos(child) == "NOUN":
            yield from prepositional(tree, clause, child, "")  # into force on 1 July
    if clause.origin == "relative" and not _relative_subject(tree, verb):
        yield from _relative_object(tree, clause)


def _object(tree: Tree, clause: Clause, child: int) -> Iterator[Argument]:
    if clause.origin == "relative" and _relative(tree, child):
        return
    yield from with_conjuncts(tree, child, "object", "")


def _relative(tree: Tree, token: int) -> bool:
    """The relative pronoun itself, however it is tagged."""
    return tree.words[token] in _RELATIVES and not tree.children[token]


def _relative_subject(tree: Tree, verb: int) -> bool:
    """Whether the relative pronoun is the only subject; beside another it is the object."""
    found = tree.child(verb, _SUBJECTS + _PASSIVE_SUBJECTS)
    return bool(found) and all(_relative(tree, child) for child in found)


def _relative_object(tree: Tree, clause: Clause) -> Iterator[Argument]:
    """The server that the bank uses; the server the bank runs on (the preposition is left behind)."""
    if tree.has(clause.verb, ("dobj",)) and not any(
        _relative(tree, child) for child in tree.child(clause.verb, ("dobj",))
    ):
        return
    stranded = [child for child in tree.child(clause.verb, ("prep",)) if not tree.has(child, ("pobj", "pcomp"))]
    adverbs = [child for child in tree.child(clause.verb, ("advmod",)) if tree.tag(child) == "WRB"]
    explicit = any(_relative(tree, child) for child in tree.child(clause.verb, ("dobj", "nsubj")))
    if adverbs or clause.passive or (tree.child(clause.verb, ("prep",)) and not stranded and not explicit):
        return
    preposition = tree.words[stranded[0]] if stranded else ""
    yield Argument(tree.head(clause.verb), "preposition" if preposition else "object", preposition)


def _share_objects(tree: Tree, clause: Clause, made: dict[int, Clause]) -> None:
    """R7: develops and maintains the system: objects are shared leftward only."""
    said = any(item.relation in _SAID or item.head > clause.verb for item in clause.arguments)
    if said or clause.passive or clause.copula or clause.lemma in _INTRANSITIVE:
        return
    for other in tree.child(clause.verb, ("conj",)):
        following = made.get(other)
        between = range(clause.verb + 1, other)
        if following is None or following.passive or any(tree.pos(index) not in _BETWEEN for index in between):
            continue
        if tree.has(other, _SUBJECTS + _PASSIVE_SUBJECTS):
            continue
        clause.arguments += [
            Argument(item.head, item.relation, item.preposition, True, item.negated)
            for item in following.arguments
            if item.relation == "object"
        ]
