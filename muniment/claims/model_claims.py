"""From the items of a model's answers to assertions (rule L): kept only where the text itself bears them out.

A quote that is not in the text, a subject or object that is not written in it, a denied sentence taken for an
asserted one: each is refused with its reason and counted. A kept assertion has the basis `model` and a confidence
below that of the rules; one that a rule made too has the same statement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from muniment.claims.assertion import Assertion, Quote, Validity, Value
from muniment.claims.drafts import Scope
from muniment.claims.mentions import Mention, SentenceMentions, tokens_of
from muniment.claims.model_facts import denied, stated_modality, stated_validity
from muniment.claims.model_items import ClaimItem, claim_item, entity_item
from muniment.claims.model_predicates import model_predicate
from muniment.claims.model_reading import PartAnswer
from muniment.claims.model_spans import NEAR, Document, ReadSentence, Refused, apart, name_places, places
from muniment.claims.model_windows import Span
from muniment.claims.statements import Origin, Rows, add_claim
from muniment.claims.types import entity_type, value_type
from muniment.claims.values import read_value
from muniment.domain.model import GENERIC_TYPE, DomainSchema
from muniment.domain.predicates import Predicates
from muniment.nlp.names import normalise

Outside = Literal["subject", "object"]

RULE = "L"
#: Below every rule's (drafts.py), for a model's reading is checked, not derived; factors where less is written out.
CONFIDENCE, OUTSIDE_QUOTE, FREE_PREDICATE = 0.55, 0.90, 0.90
#: A quote of more code points supports nothing in particular.
MAX_QUOTE = 600
#: Places of a quote that are tried.
_TRIED = 8

_OTHER: dict[Outside, Outside] = {"subject": "object", "object": "subject"}


@dataclass(slots=True)
class ModelCounts:
    """Items of the answers: listed, kept, and refused by reason."""

    claims: int = 0
    kept_claims: int = 0
    entities: int = 0
    new_entities: int = 0
    refused_claims: Counter[str] = field(default_factory=Counter)
    refused_entities: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class ModelResult:
    """Assertions in order of the answers, and the types that the model gives to names (normalised)."""

    assertions: list[Assertion] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    counts: ModelCounts = field(default_factory=ModelCounts)


def read_answers(
    origin: Origin,
    answers: Sequence[PartAnswer],
    found: Sequence[SentenceMentions],
    scheme: str,
    domain: DomainSchema,
    max_name_tokens: int,
) -> ModelResult:
    """Assertions and new mentions (added to `found`) of a document's answers; pure but for that."""
    result = ModelResult()
    counts = result.counts
    document = Document(origin, [ReadSentence(item, scheme) for item in found], max_name_tokens, domain)
    for answer in answers:
        for item in answer.entities:
            counts.entities += 1
            try:
                new = _entity(document, answer.stretches, item, domain, result.types)
            except Refused as refusal:
                counts.refused_entities[refusal.reason_code] += 1
                continue
            if new:
                counts.new_entities += 1
            else:
                counts.refused_entities["model_entity_known"] += 1
        for item in answer.claims:
            counts.claims += 1
            try:
                result.assertions.append(_claim(document, answer.stretches, item, domain))
            except Refused as refusal:
                counts.refused_claims[refusal.reason_code] += 1
    return result


def settle_types(found: Sequence[SentenceMentions], text: str, types: Mapping[str, str]) -> None:
    """Give names without a type of their own the model's; it overrules nothing."""
    for mention in (mention for item in found for mention in item.mentions):
        if mention.entity_type in ("", GENERIC_TYPE):
            mention.entity_type = types.get(normalise(text[mention.start : mention.end]), mention.entity_type)


def add_assertions(rows: Rows, origin: Origin, result: ModelResult, predicates: Predicates) -> None:
    """Add the rows of the assertions; one that says the same at the same place again is counted as repeated."""
    known: set[str] = set()
    for item in result.assertions:
        claim_id = add_claim(rows, origin, item, predicates)
        if claim_id in known:
            result.counts.refused_claims["model_item_repeated"] += 1
        known.add(claim_id)
    result.counts.kept_claims = len(known)


def _entity(
    document: Document, stretches: Sequence[Span], raw: Any, domain: DomainSchema, types: dict[str, str]
) -> bool:
    """Whether the entity adds a mention: each place of its name is one, unless a known mention holds it."""
    item = entity_item(raw)
    found = [place for start, end in stretches for place in name_places(document.text, item.name, start, end)]
    if not found:
        raise Refused("model_name_not_found")
    kind = item.type.strip().lower().replace(" ", "_")
    if kind in domain.types and not domain.types[kind].value:
        types.setdefault(normalise(item.name), kind)
    refusal: Refused | None = None
    seen = made = 0
    for place in found:
        try:
            made += document.mention(place)[1]
            seen += 1
        except Refused as conflict:
            refusal = conflict
    if refusal is not None and not seen:
        raise refusal
    return made > 0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an item stands: quote, subject, and object or value; `outside`: which of them is before the quote."""

    quote: Span
    subject: Span
    said: Span
    outside: Outside | None = None


def _claim(document: Document, stretches: Sequence[Span], raw: Any, domain: DomainSchema) -> Assertion:
    item = claim_item(raw)
    if normalise(item.subject) == normalise(item.object or item.value or ""):
        raise Refused("model_self_reference")
    place = _place(document, stretches, item)
    inside = place.said if place.outside != "object" else place.subject
    read = document.sentence(*inside)
    if read is None:
        raise Refused("model_mention_conflict")
    anchor = read.head(*_tokens(read, inside))
    clause = read.clause_of(anchor)
    negative = denied(read, clause, place.quote, document.text)
    if negative != (item.polarity == "negative"):
        raise Refused("model_polarity_mismatch")
    modality = stated_modality(item.modality, clause, document.text[slice(*place.quote)])
    if modality is None:
        raise Refused("model_modality_mismatch")
    condition = _condition(document, stretches, item, place, read, anchor)
    validity = _validity(document, stretches, item, place)
    predicate = model_predicate(item.predicate, read, clause, place.quote, domain, has_value=item.value is not None)
    subject, target, value = _arguments(document, item, place)
    outside = place.outside
    if predicate.inverse and target is not None:
        subject, target = target, subject
        outside = _OTHER[outside] if outside else None
    confidence = CONFIDENCE * (OUTSIDE_QUOTE if outside else 1.0) * (1.0 if predicate.known else FREE_PREDICATE)
    return Assertion(
        rule=RULE,
        subject=subject,
        predicate=predicate.name,
        predicate_spans=predicate.spans,
        confidence=round(confidence, 4),
        quote=Quote(*place.quote, document.text[slice(*place.quote)]),
        object=target,
        value=value,
        basis="model",
        negative=negative,
        modality=modality,
        condition=condition,
        validity=validity,
        anaphora=outside,
    )


def _place(document: Document, stretches: Sequence[Span], item: ClaimItem) -> _Place:
    """The first place of the quote where subject and object are written; else the reason of the first place."""
    text = document.text
    refusal = Refused("model_quote_not_found")
    for number, quote in enumerate(places(text, item.quote, stretches)):
        if quote[1] - quote[0] > MAX_QUOTE:
            raise Refused("model_quote_too_long")
        if number == _TRIED:
            break
        start = max(next(first for first, last in stretches if first <= quote[0] < last), quote[0] - NEAR)
        try:
            return _around(text, quote, start, item)
        except Refused as reason:
            refusal = refusal if number else reason
    raise refusal


def _around(text: str, quote: Span, start: int, item: ClaimItem) -> _Place:
    """Subject and object or value in the quote; one of them may stand before it, from `start`. A value is inside."""
    subjects, said = (name_places(text, words, *quote) for words in (item.subject, item.object or item.value or ""))
    if subjects and said:
        pair = apart(subjects, said)
        if pair is None:
            raise Refused("model_mention_conflict")
        return _Place(quote, *pair)
    if said:
        before = name_places(text, item.subject, start, quote[0])
        if not before:
            raise Refused("model_subject_not_found")
        return _Place(quote, before[-1], said[0], "subject")
    before = name_places(text, item.object, start, quote[0]) if item.object and subjects else []
    if not before:
        raise Refused("model_object_not_found" if subjects else "model_subject_not_found")
    return _Place(quote, subjects[0], before[-1], "object")


def _arguments(document: Document, item: ClaimItem, place: _Place) -> tuple[Mention, Mention | None, Value | None]:
    subject, _ = document.mention(place.subject)
    if _kind(document, subject) in document.domain.value_types:
        raise Refused("model_subject_not_found")
    if item.value is not None:
        return subject, None, _value(document, place.said)
    target, _ = document.mention(place.said)
    if target is subject:
        raise Refused("model_self_reference")
    if _kind(document, target) in document.domain.value_types:
        return subject, None, _value(document, (target.start, target.end))
    return subject, target, None


def _kind(document: Document, mention: Mention) -> str:
    return mention.entity_type or entity_type(
        document.text[mention.start : mention.end], mention.label, document.domain
    )


def _value(document: Document, span: Span) -> Value:
    """The literal, with the kind that the pipeline sees in it."""
    words = document.text[span[0] : span[1]]
    read = document.sentence(*span)
    known = [item for item in read.found.mentions if (item.start, item.end) == span] if read else []
    kind = value_type(words, _kind(document, known[0])) if known else value_type(words, "quantity")
    return read_value(*span, words, kind, document.conventions)


def _condition(
    document: Document,
    stretches: Sequence[Span],
    item: ClaimItem,
    place: _Place,
    read: ReadSentence,
    anchor: int,
) -> list[Span]:
    """Where the condition is written: as the model says, else as the rules read the sentence (never dropped)."""
    scope = Scope(read.found.sentence, read.tree, read.found, 1, document.domain) if read.tree is not None else None
    if scope is not None and (scope.question or scope.hypothetical(anchor)):
        raise Refused("model_not_asserted")
    if item.condition is not None:
        found = list(places(document.text, item.condition, [place.quote])) or _near(
            document, stretches, item.condition, place
        )
        if not found:
            raise Refused("model_condition_not_found")
        return [found[0]]
    return scope.condition_of(anchor) if scope is not None else []


def _validity(document: Document, stretches: Sequence[Span], item: ClaimItem, place: _Place) -> Validity:
    spans: list[Span | None] = []
    for words in (item.valid_from, item.valid_to):
        if words is None:
            spans.append(None)
            continue
        found = list(places(document.text, words, [place.quote])) or _near(document, stretches, words, place)
        if not found:
            raise Refused("model_validity_not_found")
        spans.append(found[0])
    return stated_validity(document.text, spans[0], spans[1], document.conventions.order)


def _near(document: Document, stretches: Sequence[Span], words: str, place: _Place) -> list[Span]:
    """Places of the words around the quote, the nearest first."""
    first, last = next((start, end) for start, end in stretches if start <= place.quote[0] < end)
    window = (max(first, place.quote[0] - NEAR), min(last, place.quote[1] + NEAR))
    found = places(document.text, words, [window])
    return sorted(found, key=lambda span: (abs(span[0] - place.quote[0]), span))


def _tokens(read: ReadSentence, span: Span) -> Span:
    first, last = tokens_of(read.found.sentence, *span)
    return first, max(last, first + 1)
