"""Rows of mentions, claims and evidence: ids, normalised statement, exact quote."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from muniment.claims.assertion import Assertion, Quote, Validity, Value
from muniment.claims.drafts import ClaimDraft
from muniment.claims.mentions import Mention
from muniment.claims.values import Conventions, read_value
from muniment.domain.predicates import Predicate, Predicates
from muniment.ids import make_id
from muniment.nlp.model import Sentence
from muniment.nlp.names import display, normalise

Row = dict[str, object]

#: A sentence longer than this (code points) is quoted from the first to the last word of the claim only.
MAX_QUOTE = 600


@dataclass(frozen=True, slots=True)
class Origin:
    """The extraction that rows belong to; `validity` is what its metadata states of the whole document."""

    extraction_id: str
    version_id: str
    document_id: str
    text: str
    asserted_on: date | None = None
    conventions: Conventions = field(default_factory=Conventions)
    validity: Validity = field(default_factory=Validity)


@dataclass(slots=True)
class Rows:
    """Rows by key, so that equal ones are kept once."""

    mentions: dict[str, Row] = field(default_factory=dict)
    claims: dict[str, Row] = field(default_factory=dict)
    evidence: dict[tuple[str, int, int], Row] = field(default_factory=dict)


def mention_id(origin: Origin, mention: Mention) -> str:
    """UUIDv5(extraction_id, start, end)."""
    return make_id("mention", origin.extraction_id, mention.start, mention.end)


def add_mention(rows: Rows, origin: Origin, mention: Mention) -> None:
    """Add the row of a mention whose type is settled."""
    text = origin.text[mention.start : mention.end]
    identifier = mention_id(origin, mention)
    rows.mentions[identifier] = {
        "mention_id": identifier,
        "extraction_id": origin.extraction_id,
        "version_id": origin.version_id,
        "document_id": origin.document_id,
        "start": mention.start,
        "end": mention.end,
        "text": text,
        "name": normalise(text),
        "display_name": display(text),
        "entity_type": mention.entity_type,
        "source": mention.source,
        "label": mention.label,
        "ordinal": mention.ordinal,
        "is_subject": mention.is_subject,
        "acronym_of": mention.long_form,
        "definition": mention.definition,
        "identifier": mention.identifier,
    }


def assertion(origin: Origin, sentence: Sentence, draft: ClaimDraft, validity: Validity) -> Assertion:
    """The assertion of a rule's draft, with values read and its sentence quoted."""
    start, end = _quote(sentence, draft)
    literal = draft.literal
    return Assertion(
        rule=draft.rule,
        subject=draft.subject,
        predicate=draft.predicate,
        predicate_spans=[
            (sentence.token_starts[token], sentence.token_ends[token]) for token in draft.predicate_tokens
        ],
        confidence=draft.confidence,
        quote=Quote(start, end, origin.text[start:end]),
        object=draft.object,
        value=read_value(
            literal.start, literal.end, origin.text[literal.start : literal.end], literal.kind, origin.conventions
        )
        if literal
        else None,
        negative=draft.negative,
        modality=draft.modality,
        condition=draft.condition,
        validity=validity,
        anaphora=draft.anaphora,
    )


def add_claim(rows: Rows, origin: Origin, item: Assertion, predicates: Predicates) -> str:
    """Add the rows of a claim and its evidence; returns the claim's id."""
    row = _claim_row(origin, item, _predicate(item, predicates))
    identifier = str(row["claim_id"])
    known = rows.claims.get(identifier)
    if known is None or float(str(row["confidence"])) > float(str(known["confidence"])):
        rows.claims[identifier] = row
    quote = item.quote
    rows.evidence[identifier, quote.start, quote.end] = {
        "claim_id": identifier,
        "extraction_id": origin.extraction_id,
        "version_id": origin.version_id,
        "start": quote.start,
        "end": quote.end,
        "quote": quote.text,
        "field": quote.field,
    }
    return identifier


def _predicate(item: Assertion, predicates: Predicates) -> Predicate:
    """By the words of a sentence; for a cell or metadata field first by the name of the field."""
    kind = item.subject.entity_type or None
    named = predicates.of_field(item.predicate, subject_type=kind) if item.rule in ("T", "M") else None
    if named is not None and predicates.holds(named, item.value.kind if item.value else None):
        return named
    return predicates.of_verb(
        item.predicate,
        has_value=item.object is None,
        subject_type=kind,
        object_type=item.object.entity_type or None if item.object else None,
        value_type=item.value.kind if item.value else None,
    )


def _claim_row(origin: Origin, item: Assertion, predicate: Predicate) -> Row:
    text = origin.text
    said = item.object or item.value
    polarity = "negative" if item.negative else "positive"
    condition = "; ".join(text[start:end] for start, end in item.condition) or None
    spans = [
        [item.subject.start, item.subject.end],
        _place(said) if said else None,
        [start for start, _ in item.predicate_spans],
        item.quote.field,
    ]
    subject, target = item.subject, item.object
    anaphora = item.anaphora
    if predicate.inverse and target is not None:
        subject, target = target, subject
        anaphora = {"subject": "object", "object": "subject"}.get(anaphora or "", anaphora)
    return {
        "claim_id": make_id("claim", origin.extraction_id, spans, item.rule, item.predicate, polarity),
        "statement_id": make_id(
            "statement",
            normalise(text[subject.start : subject.end]),
            predicate.name,
            normalise(text[target.start : target.end]) if target else None,
            _said(item.value),
            polarity,
            item.modality,
            normalise(condition) if condition else None,
        ),
        "extraction_id": origin.extraction_id,
        "version_id": origin.version_id,
        "document_id": origin.document_id,
        "rule": item.rule,
        "basis": item.basis,
        "subject_mention_id": mention_id(origin, subject),
        "predicate": predicate.name,
        "predicate_raw": item.predicate,
        "predicate_text": " ".join(text[start:end] for start, end in item.predicate_spans) or item.quote.field or "",
        "object_mention_id": mention_id(origin, target) if target else None,
        **_value_columns(item.value),
        "anaphora": anaphora,
        "polarity": polarity,
        "modality": item.modality,
        "condition_text": condition,
        "valid_from": item.validity.start,
        "valid_to": item.validity.end,
        "validity_precision": item.validity.precision,
        "validity_basis": item.validity.basis,
        "validity_text": item.validity.text,
        "claim_status": "asserted",
        "asserted_on": origin.asserted_on,
        "confidence": item.confidence,
    }


def _place(said: Mention | Value) -> list[object]:
    """Where it stands; of what stands outside the text the words as well, for all of it is at -1."""
    return [said.start, said.end] if said.start >= 0 or isinstance(said, Mention) else [said.start, said.end, said.text]


def _said(value: Value | None) -> list[object] | None:
    """A value for comparison: by its meaning where it has one, else by its words."""
    if value is None:
        return None
    if value.day is not None:
        return ["date", str(value.day), value.precision]
    if value.number is not None:
        return ["number", value.number, value.unit]
    return ["text", normalise(value.text)]


def _value_columns(value: Value | None) -> Row:
    return {
        "value": value.text if value else None,
        "value_type": value.kind if value else None,
        "value_number": value.number if value else None,
        "value_unit": value.unit if value else None,
        "value_date": value.day if value else None,
        "value_precision": value.precision if value else None,
    }


def _quote(sentence: Sentence, draft: ClaimDraft) -> tuple[int, int]:
    """The sentence; of a very long one, or a row of cells, the stretch that holds every part of the claim."""
    if sentence.end - sentence.start <= MAX_QUOTE and "\t" not in sentence.text:
        return sentence.start, sentence.end
    places = [(draft.subject.start, draft.subject.end), *draft.condition]
    places += [(sentence.token_starts[token], sentence.token_ends[token]) for token in draft.predicate_tokens]
    target = draft.object or draft.literal
    if target is not None:
        places.append((target.start, target.end))
    inside = [place for place in places if sentence.start <= place[0] and place[1] <= sentence.end]
    return min(start for start, _ in inside), max(end for _, end in inside)
