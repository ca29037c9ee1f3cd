"""A gateway for tests: records in memory, a clock that stands, and sleeps that are noted and not slept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl

from muniment.models.gateway import Gateway
from muniment.models.request import Prompt, Request
from muniment.settings import EgressSettings, EndpointSettings
from muniment.store.rows import FrameRows
from muniment.tables.registry import TABLES

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["words"],
    "properties": {"words": {"type": "array", "items": {"type": "string"}}},
}
PROMPT = Prompt("words", "1", SCHEMA)


class GatewayLab:
    """A gateway with its records and what it waited."""

    def __init__(
        self, base_url: str, *, replay: bool = False, known: pl.DataFrame | None = None, **endpoint: Any
    ) -> None:
        self.waited: list[float] = []
        self.known = TABLES["model_answers"].empty() if known is None else known
        settings = {"base_url": base_url, "model": "scripted", "timeout_seconds": 5, "concurrency": 1, **endpoint}
        self.gateway = Gateway(
            EndpointSettings(**settings),
            EgressSettings(allow_loopback=True),
            lambda: FrameRows({"model_answers": self.known}),
            lambda: NOW,
            replay=replay,
            sleep=self.waited.append,
        )

    def ask(self, *texts: str) -> list[Any]:
        """Answers to questions with these texts; the connections are closed after."""
        try:
            return self.gateway.ask([question(text) for text in texts], has_words)
        finally:
            self.gateway.close()

    def one(self, text: str = "question") -> Any:
        """The answer to one question."""
        return self.ask(text)[0]


def question(text: str, *, allowed: bool = True) -> Request:
    """A request with this text."""
    return Request("claims", PROMPT, (("system", "List words."), ("user", text)), allowed)


def has_words(data: Any) -> str | None:
    """The check of an answer."""
    return None if isinstance(data.get("words"), list) else "model_answer_invalid"
