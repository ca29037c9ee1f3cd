"""Claims of a document's sentences in reading order: what the rules make of each, anaphora, the book of clauses."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from muniment.claims.anaphora import Anaphora, subject_pronoun
from muniment.claims.cooccurrence import co_occurrences
from muniment.claims.definitions import Definition
from muniment.claims.drafts import ClaimDraft, Scope
from muniment.claims.lead_ins import LeadIns
from muniment.claims.mentions import tokens_of
from muniment.claims.rules_attributes import attribute_claims
from muniment.claims.rules_nouns import alias_claims, noun_claims
from muniment.claims.rules_verbs import clauses_of, verb_claims
from muniment.claims.subjects import heading_ranges
from muniment.claims.trees import Clause
from muniment.nlp.model import Sentence
from muniment.nlp.names import normalise


@dataclass(slots=True)
class ClauseCounts:
    """Clauses that a sentence states, those without a claim by reason, sentences with a verb, and anaphora."""

    clauses: int = 0
    without_claim: Counter[str] = field(default_factory=Counter)
    verb_sentences: int = 0
    verb_sentences_with_claim: int = 0
    anaphora_resolved: int = 0
    anaphora_unresolved: int = 0


class PassageReader:
    """Reads the parsed sentences of one document, in order.

    `elements` are (start, end, kind): a title or heading opens a section, which anaphora do not leave, and list items
    may have a lead-in.
    """

    def __init__(
        self,
        scheme: str,
        elements: Iterable[tuple[int, int, str]],
        pairs: list[Definition],
        *,
        co_occurrence: bool,
    ) -> None:
        elements = tuple(elements)
        list_items = sorted((start, end) for start, end, kind in elements if kind == "list_item")
        self.counts = ClauseCounts()
        self._scheme = scheme
        self._headings = heading_ranges(elements)
        self._pairs = pairs
        self._co_occurrence = co_occurrence
        self._lead_ins = LeadIns(list_items)
        self._anaphora = Anaphora(frozenset(normalise(pair.short) for pair in pairs))

    def read(self, scope: Scope) -> list[ClaimDraft]:
        """Drafts of the next sentence."""
        clauses = [] if scope.question else clauses_of(scope.tree, self._scheme)
        self._resolve(scope, clauses)
        lent = self._lead_ins.read(scope, clauses)
        made: list[ClaimDraft] = []
        for clause in clauses:
            subjects = [subject for subject, completed in lent if completed is clause]
            claims = [] if subjects else [*verb_claims(scope, clause), *attribute_claims(scope, clause)]
            for subject in subjects:
                scope.borrowed[clause.verb] = subject
                said = [*verb_claims(scope, clause), *attribute_claims(scope, clause)]
                claims += self._lead_ins.lent(said, subject)
            made += claims
            self.counts.clauses += 1
            if not claims:
                self.counts.without_claim[_reason(scope, clause)] += 1
        aliases = alias_claims(scope, _pair_tokens(scope.sentence, self._pairs))
        if not scope.question:
            made += noun_claims(scope, clauses, aliases)
        made += aliases
        self._count_sentence(scope.sentence, made)
        if self._co_occurrence and not scope.question:
            made += co_occurrences(scope, made)
        return made

    def _resolve(self, scope: Scope, clauses: list[Clause]) -> None:
        sentence = scope.sentence
        if "\t" in sentence.text:  # cells of a row are no prose
            return
        place = bisect_right(self._headings, (sentence.start, sentence.end + 1)) - 1
        heading = place >= 0 and sentence.start < self._headings[place][1]
        self._anaphora.read(scope, clauses, place, heading=heading)
        self.counts.anaphora_resolved = self._anaphora.resolved
        self.counts.anaphora_unresolved = self._anaphora.unresolved

    def _count_sentence(self, sentence: Sentence, made: list[ClaimDraft]) -> None:
        if any(pos in ("VERB", "AUX") for pos in sentence.pos):
            self.counts.verb_sentences += 1
            self.counts.verb_sentences_with_claim += bool(made)


def _reason(scope: Scope, clause: Clause) -> str:
    """Why a clause makes no claim."""
    if scope.hypothetical(clause.verb):
        return "clause_in_condition"
    if any(scope.tree.dep(child) == "xcomp" for child in scope.tree.children[clause.verb]):
        return "clause_completed"
    if not clause.subjects:
        return "clause_without_subject"
    if all(scope.subject(subject.head) is None for subject in clause.subjects):
        pronouns = any(subject_pronoun(scope.tree, subject.head) for subject in clause.subjects)
        return "anaphora_unresolved" if pronouns else "claim_subject_unnamed"
    return "claim_without_object"


def _pair_tokens(sentence: Sentence, pairs: list[Definition]) -> list[tuple[int, int]]:
    """(first token of the long form, first of the short form) of definitions in the sentence."""
    return [
        (tokens_of(sentence, pair.long_start, pair.long_end)[0], tokens_of(sentence, pair.short_start, 0)[0])
        for pair in pairs
        if sentence.start <= min(pair.long_start, pair.short_start)
        and max(pair.long_end, pair.short_end) <= sentence.end
    ]
