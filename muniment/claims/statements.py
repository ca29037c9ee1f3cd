"""Rows of mentions, claims and evidence: ids, normalised statement, exact quote."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from muniment.claims.drafts import ClaimDraft
from muniment.claims.mentions import Mention
from muniment.ids import make_id
from muniment.nlp.model import Sentence
from muniment.nlp.names import display, normalise

Row = dict[str, object]

#: A sentence longer than this (code points) is quoted from the first to the last word of the claim only.
MAX_QUOTE = 600


@dataclass(frozen=True, slots=True)
class Origin:
    """The extraction that rows belong to."""

    extraction_id: str
    version_id: str
    document_id: str
    text: str
    asserted_on: date | None = None


@dataclass(slots=True)
class Rows:
    """Rows by key, so that equal ones are kept once."""

    mentions: dict[str, Row] = field(default_factory=dict)
    claims: dict[str, Row] = field(default_factory=dict)
    evidence: dict[tuple[str, int, int], Row] = field(default_factory=dict)


def mention_id(origin: Origin, mention: Mention) -> str:
    """UUIDv5(extraction_id, start, end)."""
    return make_id("mention", origin.extraction_id, mention.start, mention.end)


def add_mention(rows: Rows, origin: Origin, mention: Mention, acronym_of: str | None) -> None:
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
        "acronym_of": acronym_of,
    }


def add_claim(rows: Rows, origin: Origin, sentence: Sentence, draft: ClaimDraft) -> str:
    """Add the rows of a claim and its evidence; returns the claim's id."""
    row = _claim_row(origin, sentence, draft)
    identifier = str(row["claim_id"])
    known = rows.claims.get(identifier)
    if known is None or _better(row, known):
        rows.claims[identifier] = row
    start, end = _quote(origin, sentence, draft)
    rows.evidence[identifier, start, end] = {
        "claim_id": identifier,
        "extraction_id": origin.extraction_id,
        "version_id": origin.version_id,
        "start": start,
        "end": end,
        "quote": origin.text[start:end],
    }
    return identifier


def _better(row: Row, known: Row) -> bool:
    return float(str(row["confidence"])) > float(str(known["confidence"]))


def _claim_row(origin: Origin, sentence: Sentence, draft: ClaimDraft) -> Row:
    text = origin.text
    subject = (draft.subject.start, draft.subject.end)
    target = draft.object or draft.literal
    value = text[draft.literal.start : draft.literal.end] if draft.literal else None
    polarity = "negative" if draft.negative else "positive"
    condition = "; ".join(text[start:end] for start, end in draft.condition) or None
    spans = [list(subject), [target.start, target.end] if target else None]
    predicate_starts = [sentence.token_starts[token] for token in draft.predicate_tokens]
    said = value if draft.literal else text[draft.object.start : draft.object.end] if draft.object else None
    return {
        "claim_id": make_id(
            "claim", origin.extraction_id, spans, predicate_starts, draft.rule, draft.predicate, polarity
        ),
        "statement_id": make_id(
            "statement",
            normalise(text[slice(*subject)]),
            draft.predicate,
            normalise(said) if said else None,
            draft.literal is not None,
            polarity,
            draft.modality,
            normalise(condition) if condition else None,
        ),
        "extraction_id": origin.extraction_id,
        "version_id": origin.version_id,
        "document_id": origin.document_id,
        "rule": draft.rule,
        "subject_mention_id": mention_id(origin, draft.subject),
        "predicate": draft.predicate,
        "predicate_text": " ".join(sentence.token(token) for token in draft.predicate_tokens),
        "object_mention_id": mention_id(origin, draft.object) if draft.object else None,
        "value": value,
        "value_type": draft.literal.kind if draft.literal else None,
        "polarity": polarity,
        "modality": draft.modality,
        "condition_text": condition,
        "valid_from": draft.valid_from,
        "valid_to": draft.valid_to,
        "validity_basis": "stated" if draft.valid_to else "stated_open" if draft.valid_from else "unknown",
        "claim_status": "asserted",
        "asserted_on": origin.asserted_on,
        "confidence": draft.confidence,
    }


def _quote(origin: Origin, sentence: Sentence, draft: ClaimDraft) -> tuple[int, int]:
    """The sentence; of a very long one, or a row of cells, the stretch that holds every part of the claim."""
    if sentence.end - sentence.start <= MAX_QUOTE and "\t" not in sentence.text:
        return sentence.start, sentence.end
    places = [(draft.subject.start, draft.subject.end), *draft.condition]
    places += [(sentence.token_starts[token], sentence.token_ends[token]) for token in draft.predicate_tokens]
    target = draft.object or draft.literal
    if target is not None:
        places.append((target.start, target.end))
    return min(start for start, _ in places), max(end for _, end in places)
