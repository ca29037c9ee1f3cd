"""Claims of noun phrases: prepositions of nouns (R6), apposition (R8), possessives (R9), defined short forms."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.claims import drafts
from muniment.claims.drafts import ClaimDraft, Scope
from muniment.claims.mentions import Mention
from muniment.claims.rules_verbs import named, noun_complements, role_claims
from muniment.claims.trees import Argument, Clause

_NOUNS = ("NOUN", "PROPN", "X")


def noun_claims(scope: Scope, clauses: list[Clause], aliases: list[ClaimDraft]) -> list[ClaimDraft]:
    """Claims of nouns. Under a negated verb a noun phrase asserts nothing; in a condition neither."""
    negated = {clause.verb for clause in clauses if clause.negated}
    made: list[ClaimDraft] = []
    for token in range(scope.tree.size):
        if scope.tree.pos(token) not in _NOUNS or scope.hypothetical(token):
            continue
        made += _apposition(scope, token, [(item.subject, item.object) for item in aliases])
        made += _possessive(scope, token)
        if not negated.intersection(scope.tree.ancestors(token)):
            made += _preposition(scope, token)
    return [draft for draft in made if draft.object is not draft.subject]


def alias_claims(scope: Scope, pairs: list[tuple[int, int]]) -> list[ClaimDraft]:
    """A defined short form: (long form, alias, short form); pairs are tokens of long and short form."""
    made: list[ClaimDraft] = []
    for long, short in pairs:
        subject, target = scope.found.covering(long), scope.found.covering(short)
        if subject is not None and target is not None and subject is not target:
            draft = ClaimDraft("R8", subject, "alias", [short], drafts.ALIAS, object=target)
            scope.place(draft, long, short)
            made.append(draft)
    return made


def _preposition(scope: Scope, noun: int) -> Iterator[ClaimDraft]:
    if scope.tree.dep(noun) in ("attr", "appos") or scope.tree.has(noun, ("cop",)):
        return  # roles: rules of copula and apposition
    subject = scope.found.covering(noun)
    if (
        subject is None
        or scope.subject(noun) is None
        or noun in scope.borrowed
        or _role_of_copula(scope, noun, subject)
    ):
        return
    for preposition, head in noun_complements(scope.tree, noun):
        target = scope.target(head)
        if not isinstance(target, Mention) or target is subject:
            continue
        # "way of working" between common nouns says nothing of anything; "notify the Bank of a breach" is the verb's
        says = named(scope, target) or (named(scope, subject) and scope.tree.words[preposition] != "of")
        if says:
            yield _of_noun(scope, "R6", (subject, noun), (target, head), [preposition], drafts.NOUN_PREPOSITION)


def _of_noun(
    scope: Scope,
    rule: str,
    subject: tuple[Mention, int],
    target: tuple[Mention, int],
    words: list[int],
    confidence: float,
    predicate: str | None = None,
) -> ClaimDraft:
    """A positive claim between two nouns; sides are (mention, head). Without: it denies `with`."""
    said = predicate or "_".join(scope.tree.words[index] for index in words)
    draft = ClaimDraft(rule, subject[0], "with" if said == "without" else said, words, confidence, object=target[0])
    draft.negative = said == "without"
    draft.condition = scope.condition_of(subject[1])
    scope.place(draft, subject[1], target[1])
    return draft


def _role_of_copula(scope: Scope, noun: int, subject: Mention) -> bool:
    """The owner of the Billing System is Alice Brown: the copula's rule says it better."""
    above = scope.tree.head(noun)
    said = scope.tree.child(above, ("attr",)) if scope.tree.dep(noun) == "nsubj" else []
    holders = [found for each in said if (found := scope.subject(each)) is not None]
    return not named(scope, subject) and any(named(scope, holder) for holder in holders)


def _apposition(scope: Scope, noun: int, defined: list[tuple[Mention, Mention | None]]) -> Iterator[ClaimDraft]:
    """Delta, a subsidiary of Acme: is_a; "the supplier, Acme Ltd" names the supplier: is_a the other way."""
    tree = scope.tree
    for other in tree.child(noun, ("appos",)):
        if tree.pos(other) not in _NOUNS or scope.hypothetical(other) or _listed(scope, noun, other):
            continue
        holder, role = (noun, other)
        if tree.pos(noun) == "NOUN" and tree.pos(other) == "PROPN":
            holder, role = (other, noun)
        subject, target = scope.subject(holder), scope.target(role)
        if subject is None or not isinstance(target, Mention) or target is subject:
            continue
        if any({id(subject), id(target)} == {id(long), id(short)} for long, short in defined):
            continue  # a definition: stated as an alias already
        predicate = _apposed(scope, subject, target, (holder, role))
        if predicate is None:
            continue
        sides = (subject, holder), (target, role)
        yield _of_noun(scope, "R8", *sides, [other], drafts.APPOSITION, predicate)
        if predicate == "is_a":
            yield from _role(scope, subject, role)


def _apposed(scope: Scope, subject: Mention, target: Mention, heads: tuple[int, int]) -> str | None:
    """What an apposition says: alias, is_a, a place in a place, or nothing of two names: Acme Ltd (Berlin)."""
    if _short_form(scope, subject, target):
        return "alias"
    kinds = scope.kind(subject), scope.kind(target)
    both_named = all(scope.tree.pos(head) == "PROPN" for head in heads)
    if both_named and kinds == ("place", "place"):
        return "be_in"  # Murray, Utah
    role = kinds[1] == "role" or kinds == ("person", "concept")
    return "is_a" if role or not both_named else None


def _listed(scope: Scope, noun: int, other: int) -> bool:
    """A, B and C read as an apposition; one thing beside several; or a label and its value, two lines of a form."""
    first, last = sorted((noun, other))
    sentence = scope.sentence
    between = sentence.text[sentence.token_ends[first] - sentence.start : sentence.token_starts[last] - sentence.start]
    plural = {scope.tree.tag(token) in ("NNS", "NNPS") for token in (noun, other)}
    lists = bool(scope.tree.conjuncts(other)) or bool(scope.tree.conjuncts(noun)) or len(plural) > 1
    return lists or any(mark in between for mark in ("\n", ":", "<", "|"))


def _role(scope: Scope, subject: Mention, role: int) -> Iterator[ClaimDraft]:
    clause = Clause(role, "be", [role], [], [], copula=True)
    for draft in role_claims(scope, clause, Argument(role, "object"), subject, Argument(role, "attribute")):
        draft.rule, draft.confidence = "R8", drafts.APPOSITION
        yield draft


def _short_form(scope: Scope, left: Mention, right: Mention) -> bool:
    """Whether one side is a short form in capitals of the other's initials."""
    texts = [
        scope.sentence.text[item.start - scope.sentence.start : item.end - scope.sentence.start]
        for item in (left, right)
    ]
    short, long = sorted(texts, key=len)
    initials = "".join(word[0] for word in long.split() if word[0].isupper())
    return short.isupper() and len(short) >= 2 and " " not in short and short == initials


def _possessive(scope: Scope, noun: int) -> Iterator[ClaimDraft]:
    for owner in scope.tree.child(noun, ("poss",)):
        if scope.tree.pos(owner) == "PRON" and owner not in scope.borrowed:
            continue
        subject, target = scope.subject(owner), scope.target(noun)
        if subject is not None and isinstance(target, Mention) and target is not subject:
            marks = scope.tree.child(owner, ("case",)) or [owner]
            yield _of_noun(scope, "R9", (subject, owner), (target, noun), marks, drafts.POSSESSIVE, "have")
