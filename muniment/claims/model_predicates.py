"""The predicate of a model's claim: a name of the schema, or the words of the quote as the rules write them."""

from __future__ import annotations

from dataclasses import dataclass

from muniment.claims.mentions import tokens_of
from muniment.claims.model_spans import ReadSentence, name_places
from muniment.claims.model_windows import Span
from muniment.claims.trees import Clause
from muniment.domain.model import DomainSchema
from muniment.domain.predicates import plain


@dataclass(frozen=True, slots=True)
class ModelPredicate:
    """Raw predicate with the places of its words; `known`: of the schema, or written in the quote."""

    name: str
    spans: list[Span]
    inverse: bool
    known: bool


def model_predicate(
    words: str, read: ReadSentence, clause: Clause | None, quote: Span, domain: DomainSchema, *, has_value: bool
) -> ModelPredicate:
    """The predicate by its name in the schema, else as written in the quote, else by the name of its inverse.

    Words of the quote become the raw predicate that the rules would give (depends on → depend_on), which the
    schema's verbs then turn into a relation; so the same words make the same statement, whoever read them.
    """
    sentence = read.found.sentence
    key = plain(words)
    stated = [(sentence.token_starts[token], sentence.token_ends[token]) for token in clause.words] if clause else []
    names = domain.attributes if has_value else domain.relations
    if key in names:
        return ModelPredicate(key, stated, False, True)
    start, end = max(quote[0], sentence.start), min(quote[1], sentence.end)
    written = name_places(sentence.text, words.replace("_", " "), start - sentence.start, end - sentence.start)
    if written:
        span = (written[0][0] + sentence.start, written[0][1] + sentence.start)
        first, last = tokens_of(sentence, *span)
        lemmas = [sentence.lemmas[index].lower() for index in range(first, last)] if sentence.lemmas else []
        return ModelPredicate(plain(" ".join(lemmas)) if lemmas else key, [span], False, True)
    inverses = {item.inverse: item.name for item in domain.relations.values() if item.inverse}
    if not has_value and key in inverses:
        return ModelPredicate(inverses[key], stated, True, True)
    return ModelPredicate(key, stated, False, False)
