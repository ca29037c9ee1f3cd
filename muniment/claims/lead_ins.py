"""Lists under a lead-in: "The Supplier shall: (a) notify …; (b) delete …", each item a sentence of its own.

A sentence that ends in a colon after a subject and a bare modal ("shall:", "is required to:") lends both, with its
negation and conditions, to the items that follow: list items, or paragraphs that open with an item's mark, whose main
verb is a bare infinitive without a subject. Any other sentence ends the list.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from muniment.claims import drafts
from muniment.claims.drafts import ClaimDraft, Scope
from muniment.claims.mentions import Mention
from muniment.claims.modality import MODAL_VERBS, MODALS, of_infinitive, settled
from muniment.claims.trees import Argument, Clause, Tree

_MARK = re.compile(r"\s*(?:\(?(?:[a-z]{1,2}|[ivxlc]{1,5}|\d{1,3})[).]|[-–—•*·])\s", re.IGNORECASE)
_FINITE = frozenset({"VBZ", "VBD", "MD"})
_SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass", "csubj", "expl")


@dataclass(frozen=True, slots=True)
class _Lead:
    subjects: tuple[Mention, ...]
    modality: str
    negated: bool
    governing: bool  # a verb ("is required to"), no auxiliary
    condition: tuple[tuple[int, int], ...]


class LeadIns:
    """The lead-in that is in force, sentence by sentence; `items` are sorted (start, end) of list items."""

    def __init__(self, items: list[tuple[int, int]]) -> None:
        self._items = items
        self._lead: _Lead | None = None

    def read(self, scope: Scope, clauses: list[Clause]) -> list[tuple[Mention, Clause]]:
        """(subject, clause) of the sentence's clauses that a lead-in completes: they have its modality and negation.

        Call `lent` on the drafts that come of each.
        """
        lead = _lead(scope, clauses)
        if lead is not None:
            self._lead = lead
            return []
        if self._lead is None or not self._is_item(scope):
            self._lead = None
            return []
        completed = [clause for clause in clauses if _bare(scope.tree, clause)]
        for clause in completed:
            clause.subjects = [Argument(clause.verb, "object")]
            clause.modality, clause.negated = _joined(self._lead, negated=clause.negated)
        return [(subject, clause) for clause in completed for subject in self._lead.subjects]

    def lent(self, claims: list[ClaimDraft], subject: Mention) -> list[ClaimDraft]:
        """The drafts marked as those of a lent subject, with the lead-in's conditions."""
        for draft in claims:
            draft.rule, draft.subject_span = "R7", (subject.start, subject.end)
            # place() weighed them as anaphora; the grammar of a list leaves no doubt of its subject
            draft.confidence = round(draft.confidence / drafts.ANAPHORA * drafts.INFERRED, 4)
            draft.condition = [*(self._lead.condition if self._lead else ()), *draft.condition]
        return claims

    def _is_item(self, scope: Scope) -> bool:
        start = scope.sentence.start
        place = bisect_right(self._items, (start, scope.sentence.end + 1)) - 1
        return (place >= 0 and start < self._items[place][1]) or _MARK.match(scope.sentence.text) is not None


def _lead(scope: Scope, clauses: list[Clause]) -> _Lead | None:
    tree = scope.tree
    if tree.size < 3 or tree.words[-1] != ":":
        return None
    for clause in clauses:
        modal = _open_modal(tree, clause)
        mentions = tuple(found for item in clause.subjects if (found := scope.subject(item.head)) is not None)
        if modal is not None and mentions:
            conditions = tuple(scope.condition_of(clause.verb))
            negative = clause.negated or any(item.negated for item in clause.subjects)
            governing = tree.words[clause.verb] not in MODALS
            return _Lead(mentions, settled(modal, negative=negative), negative, governing, conditions)
    return None


def _joined(lead: _Lead, *, negated: bool) -> tuple[str, bool]:
    """Modality and negation of an item: is not required to: (a) notify → need_not."""
    if lead.governing:
        return of_infinitive(lead.modality, governing=lead.negated, own=negated)
    return lead.modality, lead.negated != negated


def _open_modal(tree: Tree, clause: Clause) -> str | None:
    """The modality of a clause that waits for its infinitive: nothing but it stands before the colon."""
    before = tree.words[-2]
    if tree.head(clause.verb) != clause.verb:
        return None
    if tree.words[clause.verb] in MODALS and before in (tree.words[clause.verb], "not"):
        return MODALS[tree.words[clause.verb]]
    lemma = tree.lemma(clause.verb)
    if lemma in MODAL_VERBS and before in ("to", "de", "à", "d'", tree.words[clause.verb], "pas"):
        return MODAL_VERBS[lemma]
    return None


def _bare(tree: Tree, clause: Clause) -> bool:
    """The main verb of an item, or one coordinated with it, in the infinitive and without a subject."""
    verb = clause.verb
    if clause.subjects or tree.has(verb, _SUBJECTS) or tree.tag(verb) in _FINITE:
        return False
    while tree.dep(verb) == "conj" and tree.head(verb) != verb:
        verb = tree.head(verb)
    if tree.head(verb) != verb:
        return False
    if tree.tag(clause.verb) == "VERB":  # UD: the infinitive is its own lemma
        return tree.lemma(clause.verb) == tree.words[clause.verb]
    passive = any(tree.words[child] == "be" for child in tree.child(clause.verb, ("auxpass", "aux")))
    return passive or (tree.tag(clause.verb) in ("VB", "VBP") and not tree.has(clause.verb, ("aux",)))
