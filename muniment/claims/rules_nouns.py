"""Claims of noun phrases: prepositions of nouns (R6), apposition (R8), possessives (R9), defined short forms."""

from __future__ import annotations

from collections.abc import Iterator

from muniment.claims import drafts
from muniment.claims.drafts import ClaimDraft, Scope
from muniment.claims.mentions import Mention
from muniment.claims.rules_verbs import noun_complements, role_claims
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
            made.append(ClaimDraft("R8", subject, "alias", [short], drafts.ALIAS, object=target))
    return made


def _preposition(scope: Scope, noun: int) -> Iterator[ClaimDraft]:
    if scope.tree.dep(noun) in ("attr", "appos") or scope.tree.has(noun, ("cop",)):
        return  # roles: rules of copula and apposition
    subject = scope.found.covering(noun)
    if subject is None or scope.subject(noun) is None:
        return
    for preposition, head in noun_complements(scope.tree, noun):
        target = scope.target(head)
        if isinstance(target, Mention) and target is not subject and _named(scope, subject, target):
            draft = ClaimDraft("R6", subject, scope.tree.words[preposition], [preposition], drafts.NOUN_PREPOSITION)
            draft.object, draft.condition = target, scope.condition_of(noun)
            yield draft


def _named(scope: Scope, *mentions: Mention) -> bool:
    """Whether a side is a name: "way of working" between common nouns says nothing of anything."""
    return any(
        mention.source == "ner" or any(scope.tree.pos(token) == "PROPN" for token in range(mention.first, mention.last))
        for mention in mentions
    )


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
        alias = _short_form(scope, subject, target)
        predicate = "alias" if alias else "is_a"
        draft = ClaimDraft("R8", subject, predicate, [other], drafts.APPOSITION, object=target)
        draft.condition = scope.condition_of(noun)
        yield draft
        if not alias and role == other:
            yield from _role(scope, subject, role)


def _listed(scope: Scope, noun: int, other: int) -> bool:
    """A, B and C read as an apposition; or two lines of a form."""
    first, last = sorted((noun, other))
    sentence = scope.sentence
    between = sentence.text[sentence.token_ends[first] - sentence.start : sentence.token_starts[last] - sentence.start]
    return "\n" in between or bool(scope.tree.conjuncts(other)) or bool(scope.tree.conjuncts(noun))


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
        if scope.tree.pos(owner) == "PRON":
            continue
        subject, target = scope.subject(owner), scope.target(noun)
        if subject is not None and isinstance(target, Mention) and target is not subject:
            marks = scope.tree.child(owner, ("case",)) or [owner]
            draft = ClaimDraft("R9", subject, "have", marks, drafts.POSSESSIVE, object=target)
            draft.condition = scope.condition_of(noun)
            yield draft
