"""From a model's words to spans and mentions of the document: what is not written there is not found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from muniment.claims.mentions import Mention, SentenceMentions, tokens_of
from muniment.claims.model_windows import Span
from muniment.claims.noun_chunks import STOP_NAMES
from muniment.claims.rules_verbs import clauses_of
from muniment.claims.statements import Origin
from muniment.claims.trees import Clause, Tree
from muniment.claims.types import PROTECTED_LABELS
from muniment.domain.model import DomainSchema
from muniment.models.quotes import normal, searchable
from muniment.nlp.names import normalise, strip_span

#: A subject may stand so many code points before the quote (a pronoun stands for it there).
NEAR = 600

_DIGITS = re.compile(r"\d+")


class Refused(Exception):
    """An item that the text does not bear out; its one argument is the reason code."""

    @property
    def reason_code(self) -> str:
        """Why."""
        return str(self.args[0])


@dataclass
class ReadSentence:
    """A sentence with its mentions; a tree and clauses where a pipeline has parsed it, in the scheme's labels."""

    found: SentenceMentions
    scheme: str

    @cached_property
    def tree(self) -> Tree | None:
        """Its dependency tree."""
        return Tree(self.found.sentence) if self.found.sentence.parsed else None

    @cached_property
    def clauses(self) -> Sequence[Clause]:
        """Its clauses."""
        return clauses_of(self.tree, self.scheme) if self.tree is not None else ()

    def clause_of(self, token: int) -> Clause | None:
        """The clause that says something of the token: that of the nearest verb above it."""
        if self.tree is None:
            return None
        by_verb = {clause.verb: clause for clause in reversed(self.clauses)}
        return next((by_verb[above] for above in (token, *self.tree.ancestors(token)) if above in by_verb), None)

    def head(self, first: int, last: int) -> int:
        """The token of first..last that the others hang on."""
        if self.tree is None:
            return last - 1
        return next(
            (index for index in range(last - 1, first - 1, -1) if not first <= self.tree.head(index) < last), last - 1
        )


class Document:
    """The read sentences of a document, by place."""

    def __init__(
        self, origin: Origin, sentences: Sequence[ReadSentence], max_tokens: int, domain: DomainSchema
    ) -> None:
        self.text, self.conventions = origin.text, origin.conventions
        self.domain = domain
        self._sentences = sentences
        self._starts = [item.found.sentence.start for item in sentences]
        self._max_tokens = max_tokens

    def sentence(self, start: int, end: int) -> ReadSentence | None:
        """The sentence that holds the span; None where it lies in none, or in two."""
        index = bisect_right(self._starts, start) - 1
        if index < 0 or end > self._sentences[index].found.sentence.end:
            return None
        return self._sentences[index]

    def mention(self, span: Span) -> tuple[Mention, bool]:
        """(mention that the span names, whether it was made here): the known one that its head stands in, else its own.

        Raises Refused where the span names nothing, crosses known mentions, or has numbers that neither the known one
        has nor a date, amount or identifier of its own.
        """
        read = self.sentence(*span)
        left, right = strip_span(self.text[span[0] : span[1]])
        start, end = span[0] + left, span[0] + right
        if read is None or start >= end:
            raise Refused("model_mention_conflict")
        for mention in read.found.mentions:
            if (mention.start, mention.end) == (start, end):
                return mention, False
        first, last = tokens_of(read.found.sentence, start, end)
        if last <= first:
            raise Refused("model_mention_conflict")
        known = read.found.covering(read.head(first, last))
        if known is not None:
            values = [item for item in read.found.mentions if item.label in PROTECTED_LABELS and item is not known]
            if not self._digits((start, end)) <= self._digits(*((item.start, item.end) for item in (known, *values))):
                raise Refused("model_number_mismatch")
            return known, False
        name = normalise(self.text[start:end])
        if name in STOP_NAMES or not any(char.isalpha() for char in name):
            raise Refused("model_mention_conflict")
        made = read.found.add(first, last, "model", None, limit=self._max_tokens)
        if made is None:
            raise Refused("model_mention_conflict")
        return made, True

    def _digits(self, *spans: Span) -> frozenset[str]:
        return frozenset(number for start, end in spans for number in _DIGITS.findall(self.text[start:end]))


def places(text: str, words: str, stretches: Sequence[Span], *, fold: bool = False) -> Iterator[Span]:
    """Where the words stand in the stretches, in order."""
    sought = normal(words, fold=fold)
    for start, end in stretches:
        yield from searchable(text, start, end, fold=fold).spans(sought)


def name_places(text: str, words: str, start: int, end: int) -> list[Span]:
    """Where a name stands in text[start:end]: as written, else whatever the case."""
    return list(places(text, words, [(start, end)])) or list(places(text, words, [(start, end)], fold=True))


def apart(firsts: Sequence[Span], seconds: Sequence[Span]) -> tuple[Span, Span] | None:
    """The first pair of spans that do not overlap."""
    return next(
        ((one, two) for one in firsts for two in seconds if one[1] <= two[0] or two[1] <= one[0]),
        None,
    )
