"""Claims of verbs: active and passive, copula, prepositions, coordination, relative clauses (R2 to R7, R10)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.claims import clauses_clear, clauses_ud, drafts
from muniment.claims.drafts import ClaimDraft, Literal, Scope
from muniment.claims.mentions import Mention
from muniment.claims.trees import Argument, Clause, Tree
from muniment.claims.validity import validity
from muniment.nlp.dates import parse_day

_IDENTITY = frozenset({"be", "être"})


def clauses_of(tree: Tree, scheme: str) -> list[Clause]:
    """Clauses by the annotation scheme: clear (ClearNLP) or ud."""
    return list(clauses_ud.clauses(tree) if scheme == "ud" else clauses_clear.clauses(tree))


def verb_claims(scope: Scope, clause: Clause) -> list[ClaimDraft]:
    """Claims of one clause; none for what stands inside a condition."""
    if scope.hypothetical(clause.verb):
        return []
    made: list[ClaimDraft] = []
    for subject in clause.subjects:
        mention = scope.subject(subject.head)
        if clause.passive:
            made += _passive(scope, clause, subject, mention)
        elif mention is not None:
            made += _active(scope, clause, subject, mention)
    _set_validity(scope, clause, made)
    return [draft for draft in made if draft.object is not draft.subject]


def _active(scope: Scope, clause: Clause, subject: Argument, mention: Mention) -> Iterator[ClaimDraft]:
    for argument in clause.arguments:
        if scope.hypothetical(argument.head):
            continue
        if argument.relation == "attribute" and clause.copula:
            yield from _attribute(scope, clause, subject, mention, argument)
        elif argument.relation == "agent":
            continue
        else:
            predicate, confidence = _active_predicate(clause, argument)
            yield from _draft(scope, clause, subject, mention, argument, predicate, confidence)


def _active_predicate(clause: Clause, argument: Argument) -> tuple[str, float]:
    if argument.relation == "adjective":
        return clause.lemma, drafts.COPULA
    if argument.relation == "clause":
        return clause.lemma, drafts.CLAUSE_TEXT
    if argument.relation == "preposition":
        return f"{clause.lemma}_{argument.preposition}", drafts.PREPOSITION
    return clause.lemma, drafts.ACTIVE


def _attribute(
    scope: Scope, clause: Clause, subject: Argument, mention: Mention, argument: Argument
) -> Iterator[ClaimDraft]:
    """is a bank → is_a; is 30 days → be, value; is the owner of X → also be_owner_of."""
    target = scope.target(argument.head)
    identity = clause.lemma in _IDENTITY
    predicate = "is_a" if isinstance(target, Mention) and identity else clause.lemma
    roles = list(role_claims(scope, clause, subject, mention, argument))
    if not (roles and isinstance(target, Literal) and target.kind == "text"):  # "part of X" is said by the role
        yield from _draft(scope, clause, subject, mention, argument, predicate, drafts.COPULA)
    yield from roles


def role_claims(
    scope: Scope, clause: Clause, subject: Argument, mention: Mention, argument: Argument
) -> Iterator[ClaimDraft]:
    """The owner of the Billing System: the role relates its holder to what the role is of."""
    tree = scope.tree
    for preposition, noun in noun_complements(tree, argument.head):
        if scope.found.covering(noun) is scope.found.covering(argument.head):
            continue
        lemma = tree.lemma(argument.head)
        inner = Argument(noun, "preposition", tree.words[preposition], argument.inferred, argument.negated)
        predicate = f"be_{lemma}_{tree.words[preposition]}"
        yield from _draft(scope, clause, subject, mention, inner, predicate, drafts.COPULA)


def noun_complements(tree: Tree, noun: int) -> Iterator[tuple[int, int]]:
    """(preposition, its noun) of a noun, in either scheme, with coordinated nouns."""
    for preposition in tree.child(noun, ("prep",)):
        for head in tree.child(preposition, ("pobj",)):
            yield from ((preposition, each) for each in [head, *tree.conjuncts(head)])
    for head in tree.child(noun, ("nmod", "obl:arg", "obl:mod")):
        for preposition in tree.child(head, ("case",))[:1]:
            yield preposition, head


def _passive(scope: Scope, clause: Clause, subject: Argument, mention: Mention | None) -> Iterator[ClaimDraft]:
    """With agent: the agent acts on the subject. Other arguments, or none, belong to the subject."""
    agents = [item for item in clause.arguments if item.relation == "agent"]
    for agent in agents:
        actor = scope.subject(agent.head)
        if actor is not None:
            yield from _draft(scope, clause, agent, actor, subject, clause.lemma, drafts.PASSIVE, base="R5")
    if mention is None:
        return
    base = f"be_{clause.lemma}"
    others = [item for item in clause.arguments if item.relation != "agent" and not scope.hypothetical(item.head)]
    for argument in others:
        predicate = f"{base}_{argument.preposition}" if argument.preposition else base
        yield from _draft(scope, clause, subject, mention, argument, predicate, drafts.PASSIVE, base="R5")
    completed = scope.tree.has(clause.verb, ("xcomp", "ccomp"))
    if not agents and not others and not completed and clause.origin == "main":
        yield _finished(scope, clause, subject, None, ClaimDraft("R5", mention, base, clause.words, drafts.PASSIVE))


def _draft(
    scope: Scope,
    clause: Clause,
    subject: Argument,
    mention: Mention,
    argument: Argument,
    predicate: str,
    confidence: float,
    base: str | None = None,
) -> Iterator[ClaimDraft]:
    literal_only = argument.relation in ("adjective", "clause")
    target = scope.literal(argument.head) if literal_only else scope.target(argument.head)
    if literal_only and argument.relation == "adjective":
        covered = scope.target(argument.head) if scope.found.covering(argument.head) else None
        target = covered if isinstance(covered, Literal) else target
    if target is None:
        return
    rule = base or ("R6" if argument.relation == "preposition" else "R4")
    words = [*clause.words, *clause.prepositions.get(argument.head, [])]
    draft = ClaimDraft(rule, mention, predicate, words, confidence)
    if isinstance(target, Mention):
        draft.object = target
    else:
        draft.literal = target
    yield _finished(scope, clause, subject, argument, draft)


def _finished(
    scope: Scope, clause: Clause, subject: Argument, argument: Argument | None, draft: ClaimDraft
) -> ClaimDraft:
    """Polarity, modality, conditions, and what lowers confidence."""
    draft.negative = clause.negated
    if argument is not None and argument.negated and argument not in clause.subjects:
        draft.negative = not draft.negative  # a negated subject is in the clause already
    draft.modality = clause.modality
    draft.condition = scope.condition_of(clause.verb)
    if subject.inferred or (argument is not None and argument.inferred):
        draft.rule = "R7"
        draft.confidence *= drafts.INFERRED
    if clause.origin != "main":
        draft.rule = "R10"
        draft.confidence = min(draft.confidence, drafts.RELATIVE if clause.origin == "relative" else drafts.REDUCED)
    if clause.reported:
        draft.confidence *= drafts.REPORTED
    draft.confidence = round(draft.confidence, 4)
    return draft


def _set_validity(scope: Scope, clause: Clause, made: list[ClaimDraft]) -> None:
    """From, effective, as of, until a written day on the clause: validity of all its claims."""
    if not made or clause.negated or not re.search(r"\d{4}", scope.sentence.text):
        return
    days = []
    for argument in clause.arguments:
        covering = scope.found.covering(argument.head) if argument.relation == "preposition" else None
        if covering is not None:
            text = scope.sentence.text[covering.start - scope.sentence.start : covering.end - scope.sentence.start]
            words = clause.prepositions.get(argument.head, [])
            days.append(("_".join(scope.tree.words[index] for index in words), parse_day(text)))
    first, after = validity(days)
    for draft in made:
        draft.valid_from, draft.valid_to = first, after
