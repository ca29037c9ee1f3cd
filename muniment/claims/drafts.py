"""A claim before it has ids, and what rules share: scope, conditions, arguments as mentions or literals."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as LiteralType

from muniment.claims.conditions import Condition, conditions
from muniment.claims.mentions import Mention, SentenceMentions, argument_mention
from muniment.claims.phrases import phrase, trimmed
from muniment.claims.trees import Tree
from muniment.claims.types import entity_type, value_type
from muniment.domain.model import DomainSchema
from muniment.nlp.model import Sentence

#: Confidence by kind of rule (methods, section 1.2, R12: constants of RAGFlow's extractor; the rest by judgement).
PASSIVE, COPULA, ACTIVE, PREPOSITION, INTRANSITIVE = 0.90, 0.88, 0.85, 0.80, 0.70
ALIAS, APPOSITION, POSSESSIVE, NOUN_PREPOSITION, REDUCED, RELATIVE, CLAUSE_TEXT = (
    0.95,
    0.80,
    0.75,
    0.60,
    0.65,
    0.60,
    0.60,
)
#: Two names that stand near each other without any other claim (R12).
CO_OCCURRENCE = 0.40
#: Factors: shared or coordinated arguments; what somebody is said to say; a pronoun or short form resolved by rule.
INFERRED, REPORTED, ANAPHORA = 0.90, 0.70, 0.80

_QUOTES = frozenset({'"', "“", "”", "``", "''", "„"})
#: Literals longer than this many tokens are not taken as a value.
MAX_VALUE_TOKENS = 40


@dataclass(frozen=True, slots=True)
class Literal:
    """A value as written at code points start..end."""

    start: int
    end: int
    kind: str


@dataclass(slots=True)
class ClaimDraft:
    """One assertion; spans are code points of the canonical text."""

    rule: str
    subject: Mention
    predicate: str
    predicate_tokens: list[int]
    confidence: float
    object: Mention | None = None
    literal: Literal | None = None
    negative: bool = False
    modality: str = "is"
    condition: list[tuple[int, int]] = field(default_factory=list)
    anaphora: LiteralType["subject", "object", "both"] | None = None
    subject_span: tuple[int, int] | None = None  # the whole phrase as written
    object_span: tuple[int, int] | None = None


class Scope:
    """A parsed sentence with its mentions and conditions: what rules work in."""

    def __init__(
        self,
        sentence: Sentence,
        tree: Tree,
        found: SentenceMentions,
        max_tokens: int,
        domain: DomainSchema,
        new_mentions: bool = True,
    ) -> None:
        self.sentence = sentence
        self.tree = tree
        self.found = found
        self.max_tokens = max_tokens
        self.domain = domain
        self.new_mentions = new_mentions  # false: arguments that are no mention yet make no claim
        self.borrowed: dict[int, Mention] = {}  # pronouns and short forms: their antecedents (muniment.claims.anaphora)

    @property
    def values(self) -> frozenset[str]:
        """Types of values: they may be what a claim says, never what it is about."""
        return self.domain.value_types

    @cached_property
    def conditions(self) -> list[Condition]:
        """Conditions of the sentence."""
        return conditions(self.tree)

    @property
    def question(self) -> bool:
        """A question asserts nothing."""
        return self.sentence.text.rstrip("\"'”’) ").endswith("?")

    def hypothetical(self, token: int) -> bool:
        """Whether the token stands inside a condition."""
        return any(item.first <= token < item.last for item in self.conditions)

    def condition_of(self, token: int) -> list[tuple[int, int]]:
        """Code points of the conditions that hold for what the token asserts.

        A condition holds for the whole sentence, save for another main clause with a subject of its
        own that it does not precede.
        """
        return [
            (self.sentence.token_starts[item.first], self.sentence.token_ends[item.last - 1])
            for item in self.conditions
            if self._same_cell(item.first, token)
            and (item.verb is None or item.first < self._first_verb or self._segment(item.verb) == self._segment(token))
        ]

    def _same_cell(self, first: int, second: int) -> bool:
        """Cells of a table's row say things of their own."""
        left, right = sorted((first, second))
        start, end = self.sentence.token_ends[left], self.sentence.token_starts[right]
        return "\t" not in self.sentence.text[start - self.sentence.start : max(start, end) - self.sentence.start]

    @cached_property
    def _first_verb(self) -> int:
        verbs = [
            index
            for index in range(self.tree.size)
            if self.tree.pos(index) in ("VERB", "AUX") and not self.hypothetical(index)
        ]
        return verbs[0] if verbs else self.tree.size

    def _segment(self, token: int) -> int:
        for index in [token, *self.tree.ancestors(token)]:
            if self.tree.dep(index) == "conj" and self.tree.has(index, ("nsubj", "nsubjpass", "nsubj:pass", "expl")):
                return index
        return self.tree.ancestors(token)[-1] if self.tree.ancestors(token) else token

    def subject(self, head: int) -> Mention | None:
        """The mention of a subject; values are no subjects."""
        mention = self._mention(head)
        return None if mention is None or self.kind(mention) in self.values else mention

    def target(self, head: int) -> Mention | Literal | None:
        """What a claim says of its subject: a mention, a literal, or None for a pronoun."""
        mention = self._mention(head)
        if mention is not None:
            kind = self.kind(mention)
            text = self.sentence.text[mention.start - self.sentence.start : mention.end - self.sentence.start]
            return Literal(mention.start, mention.end, value_type(text, kind)) if kind in self.values else mention
        if self.tree.pos(head) in ("PRON", "DET", "PUNCT"):
            return None
        return self.literal(head)

    def count(self, head: int) -> Literal | None:
        """A common noun with its number as a literal: five failed attempts; None without number, or for a name."""
        mention = self._mention(head)
        if mention is None or mention.source != "noun_phrase" or self.tree.pos(head) != "NOUN":
            return None
        numbers = [each for each in self.tree.child(head, ("nummod",)) if each < head]
        if len(numbers) != 1:
            return None
        first = min(self.tree.subtree(numbers[0])[0], mention.first)
        return Literal(self.sentence.token_starts[first], mention.end, "quantity")

    def literal(self, head: int) -> Literal | None:
        """The words of a subtree, without conditions that follow, as a literal."""
        first, last = self.tree.subtree(head)
        for item in self.conditions:
            if first < item.first < last and item.first > head:
                last = min(last, item.first)
        first, last = trimmed(self.tree, first, last)
        if self.tree.words[first] in _QUOTES and not any(word in _QUOTES for word in self.tree.words[first + 1 : last]):
            first += first < last - 1  # the quotation ends outside
        if last - first > MAX_VALUE_TOKENS:
            return None
        numeric = last - first == 1 and self.tree.pos(head) == "NUM"
        start, end = self.sentence.token_starts[first], self.sentence.token_ends[last - 1]
        return Literal(start, end, "number" if numeric else "text")

    def wording(self, head: int, without: int | None = None) -> tuple[int, int]:
        """Code points of the whole phrase of a head."""
        first, last = phrase(self.tree, head, without=without)
        return self.sentence.token_starts[first], self.sentence.token_ends[last - 1]

    def place(self, draft: ClaimDraft, subject: int, target: int | None, without: int | None = None) -> None:
        """Set the full wordings of a draft, and mark and weigh down what it owes to resolved anaphora."""
        draft.subject_span = self.wording(subject, without)
        draft.object_span = self.wording(target, without) if target is not None else None
        ends = [name for name, head in (("subject", subject), ("object", target)) if head in self.borrowed]
        if ends:
            draft.anaphora = "both" if len(ends) > 1 else "subject" if ends[0] == "subject" else "object"
            draft.confidence = round(draft.confidence * ANAPHORA, 4)

    def _mention(self, head: int) -> Mention | None:
        if head in self.borrowed:
            return self.borrowed[head]
        if not self.new_mentions:
            return self.found.covering(head)
        return argument_mention(self.found, self.tree, head, self.max_tokens)

    def kind(self, mention: Mention) -> str:
        """Entity type by text and label; what a pattern of the schema names has the pattern's type."""
        if mention.source == "pattern":
            return mention.entity_type
        text = self.sentence.text[mention.start - self.sentence.start : mention.end - self.sentence.start]
        return entity_type(text, mention.label, self.domain)
