"""Asking a model about the documents of a group: parts, rounds, egress; what came back is data for `model_claims`.

Calls are made in the process that runs the stage; the answers go with the document's task, so that what is made of
them is a pure function.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from muniment.claims.model_prompt import GLEANING, PROMPT, check_answer, system_prompt, window_message
from muniment.claims.model_windows import Element, Part, Span, parts_of
from muniment.domain.model import DomainSchema
from muniment.ids import digest
from muniment.models.egress import Decision, DocumentClass
from muniment.models.gateway import Gateway
from muniment.models.request import Answer, Request
from muniment.reason_codes import reason
from muniment.settings import EgressSettings, EndpointSettings, ModelSettings

PURPOSE = "claims"
#: Raise it when other rows are made of the same answers.
CODE_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Source:
    """What may be shown of one version. `hidden` are spans of cells that a reader of the original does not see."""

    extraction_id: str
    document: DocumentClass
    text: str
    title: str | None
    elements: tuple[Element, ...]
    hidden: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """Items of one accepted answer and the stretches of the canonical text that were shown."""

    stretches: tuple[Span, ...]
    entities: tuple[Any, ...]
    claims: tuple[Any, ...]


@dataclass(slots=True)
class Reading:
    """What a model said of one version: answers in order, requests as rows, and how many ended without an answer."""

    decision: Decision
    parts: int = 0
    hidden: int = 0
    answers: list[PartAnswer] = field(default_factory=list)
    requests: list[dict[str, object]] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)

    @property
    def passing(self) -> str | None:
        """The most frequent reason for which asking again may help, or None."""
        codes = {code: count for code, count in self.ended.items() if reason(code).transient}
        return min(codes, key=lambda code: (-codes[code], code)) if codes else None

    @property
    def output_digest(self) -> str:
        """Digest of the requests and their states: what the rows depend on beside the stage's key."""
        return digest(self.decision.allowed, self.requests)


@dataclass(slots=True)
class _Talk:
    """One part and what was said of it so far."""

    reading: Reading
    source: Source
    part: Part
    messages: tuple[tuple[str, str], ...]


def reading_digest(
    models: ModelSettings, endpoint: EndpointSettings, egress: EgressSettings, domain: DomainSchema
) -> str:
    """What answers and their use depend on, for the stage's key; empty without the model."""
    if not models.claims:
        return ""
    place = (endpoint.name, endpoint.base_url, endpoint.region, endpoint.retention_days)
    asked = (PROMPT.label, PROMPT.schema, GLEANING, system_prompt(domain))
    return digest(CODE_VERSION, models.reading_digest(), egress.digest(), endpoint.answer_digest(), place, asked)


def read_sources(
    sources: Sequence[Source], gateway: Gateway, settings: ModelSettings, domain: DomainSchema
) -> dict[str, Reading]:
    """Readings by extraction_id. Nothing is raised for what an endpoint does: it is in `Reading.ended`."""
    ordered = sorted(sources, key=lambda source: source.extraction_id)
    decisions = gateway.decide([source.document for source in ordered], PURPOSE)
    system = ("system", system_prompt(domain))
    readings: dict[str, Reading] = {}
    talks: list[_Talk] = []
    for source in ordered:
        reading = readings[source.extraction_id] = Reading(decisions[source.document.version_id])
        parts = parts_of(source.text, source.elements, source.hidden, settings.window_characters)
        reading.parts = len(parts)
        reading.hidden = len(source.hidden) + sum(item.hidden for item in source.elements)
        for part in parts:
            message = window_message(source.title, part.section_path, part.text(source.text))
            talks.append(_Talk(reading, source, part, (system, ("user", message))))
    for number in range(settings.gleaning_rounds + 1):
        answers = gateway.ask([_request(talk) for talk in talks], check_answer)
        talks = [talk for talk, answer in zip(talks, answers, strict=True) if _heard(talk, number, answer)]
    return readings


def _request(talk: _Talk) -> Request:
    return Request(PURPOSE, PROMPT, talk.messages, talk.reading.decision.allowed)


def _heard(talk: _Talk, number: int, answer: Answer) -> bool:
    """Note the answer; whether there is reason to ask for more."""
    entities, claims = _items(answer.data, "entities"), _items(answer.data, "claims")
    reading = talk.reading
    if answer.reason_code is not None:
        reading.ended[answer.reason_code] += 1
    if answer.state == "denied":
        return False
    reading.requests.append(
        {
            "extraction_id": talk.source.extraction_id,
            "version_id": talk.source.document.version_id,
            "purpose": PURPOSE,
            "round": number,
            "start": talk.part.start,
            "end": talk.part.end,
            "request_digest": answer.request_digest,
            "state": answer.state,
            "reason_code": answer.reason_code,
            "items": len(entities) + len(claims),
        }
    )
    if answer.state != "accepted":
        return False
    reading.answers.append(PartAnswer(talk.part.stretches, entities, claims))
    talk.messages = (*talk.messages, ("assistant", json.dumps(answer.data, ensure_ascii=False)), ("user", GLEANING))
    return bool(claims)


def _items(data: Mapping[str, Any] | None, name: str) -> tuple[Any, ...]:
    found: Iterable[Any] = (data or {}).get(name) or ()
    return tuple(found)
