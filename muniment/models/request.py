"""What a model is asked and what comes back, free of any client's types; the digest that an answer is kept under."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from muniment.ids import digest, text_digest

Mode = Literal["json_schema", "json_schema_bounded", "json_object", "text"]
State = Literal["accepted", "rejected", "failed", "denied"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's name and version, and the JSON schema of its answer (every property required, none besides).

    `bounds` are length limits by property name, for servers that keep them.
    """

    name: str
    version: str
    schema: Mapping[str, Any]
    bounds: Mapping[str, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name}-{self.version}"


@dataclass(frozen=True, slots=True)
class Request:
    """One question; `messages` are (role, text) in order. `allowed`: the egress decision of the document it shows."""

    purpose: str
    prompt: Prompt
    messages: tuple[tuple[str, str], ...]
    allowed: bool

    def digest(self, answer_digest: str) -> str:
        """Key of its answer: model and sampling (EndpointSettings.answer_digest), prompt, messages."""
        return digest("request", answer_digest, self.purpose, self.prompt.label, self.prompt.schema, self.messages)

    def characters(self) -> int:
        """Length of its messages."""
        return sum(len(text) for _, text in self.messages)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request: `data` is the JSON object of an accepted answer, `text` the model's own words."""

    request_digest: str
    state: State
    reason_code: str | None = None
    text: str | None = None
    data: Mapping[str, Any] | None = None
    prompt_tokens: int = 0
    answer_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's words as the endpoint gave them; `finish` is its finish_reason."""

    text: str
    finish: str
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    declined: bool = False


def delimited(text: str, name: str = "document_text") -> str:
    """Text between marks that no text can hold itself, for they carry its digest: what is in between is data."""
    key = text_digest(text)[:12]
    return f"<{name} key={key}>\n{text}\n</{name} key={key}>"
