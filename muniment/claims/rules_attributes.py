"""Attributes that stand in noun phrases: "S has an availability of 99.9 %", "the availability of S is 99.9 %".

The noun is a field of the schema (Availability, Retention period); the claim is (S, attribute, value) beside what the
verb says. A noun that the schema does not know, or a value of another kind than the attribute's, makes none.
"""

from __future__ import annotations

from collections.abc import Iterator

from muniment.claims import drafts
from muniment.claims.drafts import ClaimDraft, Literal, Scope
from muniment.claims.mentions import Mention
from muniment.claims.rules_verbs import finished, noun_complements
from muniment.claims.trees import Argument, Clause
from muniment.claims.values import read_value
from muniment.domain.predicates import predicates_of

#: Verbs whose subject has what their object names; who guarantees or reports a value need not have it.
_HAVING = frozenset(
    {"achieve", "attain", "have", "maintain", "offer", "provide", "reach", "atteindre", "avoir", "offrir"}
)
_BEING = frozenset({"be", "être"})
_OF = frozenset({"of", "de", "du", "d'", "d’", "des"})
_FOR = frozenset({"for", "to", "pour"})
_LABEL_PARTS = ("compound", "amod")


def attribute_claims(scope: Scope, clause: Clause) -> list[ClaimDraft]:
    """Attributes that the object or subject of a clause names together with a value; none inside a condition."""
    if scope.hypothetical(clause.verb) or clause.passive:
        return []
    made = list(_of_subject(scope, clause)) if clause.copula and clause.lemma in _BEING else []
    for argument in clause.arguments:
        if argument.relation == "object" and not scope.hypothetical(argument.head):
            made += _of_object(scope, clause, argument)
    return made


def _of_object(scope: Scope, clause: Clause, argument: Argument) -> Iterator[ClaimDraft]:
    """S has an N of V: of the subject. Shows an N of S of V: of S, which the verb's negation leaves open."""
    noun = argument.head
    heads, owners = _complements(scope, noun)
    values = [head for head in heads if scope.subject(head) is None]
    if len(values) != 1:
        return
    said = Argument(values[0], "object", inferred=argument.inferred, negated=argument.negated)
    if owners:
        if not clause.negated and not argument.negated:
            for owner in owners:
                yield from _claim(scope, clause, Argument(owner, "preposition", "of"), noun, said, "R6")
        return
    others = [item.head for item in clause.arguments if item.preposition in _FOR]
    if clause.lemma in _HAVING and not any(scope.subject(head) is not None for head in others):
        for subject in clause.subjects:
            yield from _claim(scope, clause, subject, noun, said, "R4")


def _of_subject(scope: Scope, clause: Clause) -> Iterator[ClaimDraft]:
    """The N of S is V, S's N is V."""
    for subject in clause.subjects:
        noun = subject.head
        possessors = scope.tree.child(noun, ("poss",))
        owners = possessors or _complements(scope, noun)[1]
        for argument in clause.arguments:
            if argument.relation in ("attribute", "adjective") and not scope.hypothetical(argument.head):
                for owner in owners:
                    holder = Argument(owner, "preposition", "of", subject.inferred)
                    yield from _claim(scope, clause, holder, noun, argument, "R9" if possessors else "R6")


def _complements(scope: Scope, noun: int) -> tuple[list[int], list[int]]:
    """(heads after `of`, owners among them and after `for`); "of S of V" hangs V on S, or S on V."""
    tree, held = scope.tree, scope.found.covering(noun)
    near = list(noun_complements(tree, noun))
    all_of_them = near + [inner for _, head in near for inner in noun_complements(tree, head)]
    heads = [head for preposition, head in all_of_them if tree.words[preposition] in _OF]
    marked = [head for preposition, head in all_of_them if tree.words[preposition] in _OF | _FOR]
    owners = [head for head in marked if (found := scope.subject(head)) is not None and found is not held]
    return heads, owners[:1] if len(owners) > 1 and not tree.conjuncts(owners[0]) else owners


def _claim(
    scope: Scope, clause: Clause, subject: Argument, noun: int, said: Argument, rule: str
) -> Iterator[ClaimDraft]:
    mention, literal = scope.subject(subject.head), _value(scope, said.head)
    if mention is None or literal is None or mention is scope.found.covering(noun):
        return
    predicate = _field(scope, noun, mention, _kind(scope, literal))
    if predicate is None:
        return
    draft = ClaimDraft(rule, mention, predicate, sorted({*clause.words, noun}), drafts.COPULA, literal=literal)
    draft = finished(scope, clause, subject, said, draft)
    if subject not in clause.subjects and subject.head not in scope.borrowed:
        draft.subject_span = (mention.start, mention.end)  # the phrase of S may hold the value: of S of V
    yield draft


def _field(scope: Scope, noun: int, mention: Mention, kind: str) -> str | None:
    """The schema's attribute that the noun with the words before it names, where it can have such a value."""
    tree, first = scope.tree, noun
    while first > 0 and tree.dep(first - 1) in _LABEL_PARTS and noun in tree.ancestors(first - 1):
        first -= 1
    predicates = predicates_of(scope.domain)
    label = " ".join([*tree.words[first:noun], tree.lemma(noun)])
    found = predicates.of_field(label, subject_type=scope.kind(mention))
    fits = found is not None and found.kind == "attribute" and predicates.holds(found, kind)
    return found.name if found is not None and fits else None


def _value(scope: Scope, head: int) -> Literal | None:
    """An amount, a period or a date, with the words that bound it ("at least 99.5 %"); None for anything else."""
    covered = scope.target(head)
    for literal in (scope.literal(head), covered):
        if isinstance(literal, Literal) and _kind(scope, literal) not in ("text", "boolean"):
            return literal
    return None


def _kind(scope: Scope, literal: Literal) -> str:
    sentence = scope.sentence
    text = sentence.text[literal.start - sentence.start : literal.end - sentence.start]
    return read_value(literal.start, literal.end, text, literal.kind).kind
