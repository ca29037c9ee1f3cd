"""Claims of verbs: active and passive, copula, prepositions, coordination, relative clauses (R2 to R7, R10)."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.claims import clauses_clear, clauses_ud, drafts
from muniment.claims.drafts import ClaimDraft, Literal, Scope
from muniment.claims.mentions import Mention
from muniment.claims.trees import Argument, Clause, Tree

_IDENTITY = frozenset({"be", "être"})
#: Prepositions of a verb that relate nothing to its subject: examples, and who says so.
_NO_RELATION = frozenset({"including", "according_to", "such_as", "like", "regarding", "of"})
#: Prepositions after which a count of things is a limit, no thing: after five failed attempts.
_THRESHOLD = frozenset({"after", "before", "following", "upon", "within", "après", "avant"})


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
    return [draft for draft in made if draft.object is not draft.subject]


def rule_of(clause: Clause, has_argument: bool) -> tuple[str, float]:
    """Rule and confidence of a clause as a whole, all arguments together."""
    if clause.origin != "main":
        rule, confidence = "R10", drafts.RELATIVE if clause.origin == "relative" else drafts.REDUCED
    elif any(subject.inferred for subject in clause.subjects):
        rule, confidence = "R7", drafts.ACTIVE * drafts.INFERRED
    elif clause.passive:
        rule, confidence = "R5", drafts.PASSIVE
    elif not has_argument:
        rule, confidence = "R3", drafts.INTRANSITIVE
    elif any(item.relation in ("object", "attribute", "adjective", "clause") for item in clause.arguments):
        rule, confidence = "R4", drafts.COPULA if clause.copula else drafts.ACTIVE
    else:
        rule, confidence = "R6", drafts.PREPOSITION
    return rule, round(confidence * (drafts.REPORTED if clause.reported else 1), 4)


def _active(scope: Scope, clause: Clause, subject: Argument, mention: Mention) -> Iterator[ClaimDraft]:
    for argument in clause.arguments:
        if scope.hypothetical(argument.head) or argument.preposition in _NO_RELATION:
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
    """is a bank → is_a; is 30 days → be, value; is the owner of X, and the owner of X is A → also be_owner_of."""
    holder = scope.subject(argument.head)
    if holder is not None and clause.lemma in _IDENTITY and _role_named(scope, mention, holder):
        yield from _draft(scope, clause, argument, holder, subject, "is_a", drafts.COPULA)
        yield from role_claims(scope, clause, argument, holder, subject)
        return
    target = scope.target(argument.head)
    identity = clause.lemma in _IDENTITY
    predicate = "is_a" if isinstance(target, Mention) and identity else clause.lemma
    roles = list(role_claims(scope, clause, subject, mention, argument))
    if not (roles and isinstance(target, Literal) and target.kind == "text"):  # "part of X" is said by the role
        yield from _draft(scope, clause, subject, mention, argument, predicate, drafts.COPULA)
    yield from roles


def named(scope: Scope, mention: Mention) -> bool:
    """Whether a mention is a name, no common noun."""
    inside = range(mention.first, mention.last) if mention.ordinal == scope.sentence.ordinal else ()
    return mention.source == "ner" or any(scope.tree.pos(token) == "PROPN" for token in inside)


def _role_named(scope: Scope, role: Mention, holder: Mention) -> bool:
    """The owner of the system is Alice Brown: a common noun is said to be a name."""
    return not named(scope, role) and role.source != "subject" and named(scope, holder)


def role_claims(
    scope: Scope, clause: Clause, subject: Argument, mention: Mention, argument: Argument
) -> Iterator[ClaimDraft]:
    """The owner of the Billing System, Acme's supplier: the role relates its holder to what the role is of."""
    tree = scope.tree
    for owner in tree.child(argument.head, ("poss",)):
        inner = Argument(owner, "preposition", "of", argument.inferred, argument.negated)
        for draft in _draft(
            scope, clause, subject, mention, inner, f"be_{tree.lemma(argument.head)}_of", drafts.COPULA
        ):
            draft.rule = "R9"
            yield draft
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
    others = [
        item
        for item in clause.arguments
        if item.relation != "agent" and not scope.hypothetical(item.head) and item.preposition not in _NO_RELATION
    ]
    for argument in others:
        predicate = f"{base}_{argument.preposition}" if argument.preposition else base
        yield from _draft(scope, clause, subject, mention, argument, predicate, drafts.PASSIVE, base="R5")
    completed = scope.tree.has(clause.verb, ("xcomp", "ccomp"))
    completed = completed or scope.tree.words[-1] == ":"  # is required to: a list completes it
    if not agents and not others and not completed and clause.origin == "main":
        draft = ClaimDraft("R5", mention, base, list(clause.words), drafts.PASSIVE)
        yield finished(scope, clause, subject, None, draft)


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
    if argument.relation == "preposition" and argument.preposition in _THRESHOLD:
        target = scope.count(argument.head) or target
    if target is None:
        return
    rule = base or ("R6" if argument.relation == "preposition" else "R4")
    words = [*clause.words, *clause.prepositions.get(argument.head, [])]
    draft = ClaimDraft(rule, mention, predicate, words, confidence)
    if isinstance(target, Mention):
        draft.object = target
    else:
        draft.literal = target
    yield finished(scope, clause, subject, argument, draft)


def _no_object(clause: Clause) -> bool:
    objects = [item for item in clause.arguments if item.relation == "object"]
    return not clause.negated and bool(objects) and all(item.negated for item in objects)


def finished(
    scope: Scope, clause: Clause, subject: Argument, argument: Argument | None, draft: ClaimDraft
) -> ClaimDraft:
    """The draft of a clause with its polarity, modality, conditions, and what lowers confidence."""
    draft.negative = clause.negated
    if argument is not None and argument.negated and argument not in clause.subjects:
        draft.negative = not draft.negative  # a negated subject is in the clause already
    if argument is not None and argument.relation == "preposition" and _no_object(clause):
        draft.negative = True  # received no alarms for two hours
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
    scope.place(draft, subject.head, argument.head if argument is not None else None, clause.verb)
    return draft
