"""R12: two names near each other in a sentence, with no other claim between them, are `related_to` each other.

The weakest of all claims: confidence .40 (RAGFlow's constants, methods section 1.2). It is a hint for graphs and
searches, never a dependency, a conflict or a functional relation; a sentence that asks or sets a condition gives none.
Coordinated names share their claims: that they are listed together says nothing of them.
"""

from __future__ import annotations

from itertools import combinations

from muniment.claims import drafts
from muniment.claims.drafts import ClaimDraft, Scope
from muniment.claims.mentions import Mention
from muniment.claims.rules_verbs import named

PREDICATE = "related_to"
#: Code points from the end of the first name to the start of the second.
REACH = 100


def co_occurrences(scope: Scope, made: list[ClaimDraft]) -> list[ClaimDraft]:
    """Claims between names of a sentence of prose that `made` leaves unrelated; the earlier name is the subject.

    A short form that the sentence defines is what its long form is. Names that touch are parts of one that the
    recogniser cut; those on two lines stand in a form.
    """
    if "\t" in scope.sentence.text or not any(pos in ("VERB", "AUX") for pos in scope.sentence.pos):
        return []
    defined = {id(item.object) for item in made if item.predicate == "alias"}
    found = (item for item in scope.found.mentions if id(item) not in defined and _counts(scope, item))
    names = sorted(found, key=lambda item: item.start)
    related = {frozenset((id(item.subject), id(item.object))) for item in made if item.object is not None}
    return [
        ClaimDraft("R12", left, PREDICATE, [], drafts.CO_OCCURRENCE, object=right)
        for left, right in combinations(names, 2)
        if right.start - left.end <= REACH
        and left.last < right.first
        and "\n" not in scope.sentence.text[left.end - scope.sentence.start : right.start - scope.sentence.start]
        and frozenset((id(left), id(right))) not in related
        and not _coordinated(scope, left, right)
    ]


def _counts(scope: Scope, mention: Mention) -> bool:
    return named(scope, mention) and scope.kind(mention) not in scope.values and not scope.hypothetical(mention.first)


def _coordinated(scope: Scope, left: Mention, right: Mention) -> bool:
    """Whether the names stand in one list: its first word is the same."""
    starts = {_first(scope, token) for token in range(left.first, left.last)}
    return any(
        scope.tree.dep(token) == "conj" and _first(scope, token) in starts for token in range(right.first, right.last)
    )


def _first(scope: Scope, token: int) -> int:
    while scope.tree.dep(token) == "conj" and scope.tree.head(token) != token:
        token = scope.tree.head(token)
    return token
