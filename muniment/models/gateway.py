"""The one gateway to language models: whoever asks a model asks here.

It asks only what is not recorded, only what egress lets leave, within the run's budget, and hands back rows to
record: an answer is paid for once, and a rebuild (`replay`) gets every answer and every failure from the records.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Lock
from typing import Any

import polars as pl

from muniment.models.egress import Decision, DocumentClass, decide
from muniment.models.endpoint import Endpoint, EndpointFailure, field_refused
from muniment.models.limits import CHARACTERS_A_TOKEN, Budget, Patience, wait_seconds
from muniment.models.replies import Check, judge, read_object
from muniment.models.request import Answer, Mode, Reply, Request
from muniment.settings import EgressSettings, EndpointSettings
from muniment.store.rows import Rows
from muniment.tables.registry import TABLES

_STEPS: dict[str, tuple[Mode, ...]] = {
    "auto": ("json_schema", "json_object", "text"),
    "json_schema": ("json_schema",),
    "json_schema_bounded": ("json_schema_bounded",),
    "json_object": ("json_object",),
    "text": ("text",),
}


class Gateway:
    """A run's access to the endpoint of the settings.

    `rows` gives the newest state of the warehouse; `clock` times rows and Retry-After dates, `sleep` waits.
    With `replay` nothing is asked: what is not recorded fails with `model_answer_missing`.
    """

    def __init__(
        self,
        endpoint: EndpointSettings,
        egress: EgressSettings,
        rows: Callable[[], Rows],
        clock: Callable[[], datetime],
        *,
        replay: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings, self.egress, self.replay = endpoint, egress, replay
        self.budget, self.patience = Budget(endpoint), Patience()
        self._rows, self._clock, self._sleep = rows, clock, sleep
        self._endpoint: Endpoint | None = None
        self._lock = Lock()
        self._step = 0
        self._asked: dict[str, Answer] = {}
        self._recorded: dict[str, dict[str, Any]] = {}

    def decide(self, documents: Iterable[DocumentClass], purpose: str) -> dict[str, Decision]:
        """Egress decisions by version_id; a rebuild takes the recorded ones."""
        listed = sorted(documents, key=lambda document: document.version_id)
        if not self.replay:
            return {item.version_id: decide(item, purpose, self.settings, self.egress) for item in listed}
        wanted = pl.DataFrame({"version_id": [item.version_id for item in listed]}, schema={"version_id": pl.String})
        known = {
            row["version_id"]: row
            for row in self._rows()
            .read(
                "SELECT d.* FROM egress_decisions d JOIN wanted USING (version_id) WHERE d.purpose = ?",
                [purpose],
                {"wanted": wanted},
            )
            .iter_rows(named=True)
        }
        return {
            item.version_id: Decision(item, bool(row["allowed"]), str(row["rule"]))
            if (row := known.get(item.version_id))
            else Decision(item, False, "no rule")
            for item in listed
        }

    def ask(self, requests: Sequence[Request], check: Check) -> list[Answer]:
        """Answers in the order of the requests; equal ones are asked once, recorded ones not at all.

        `check` says why an answer's JSON cannot be used. Never raises for what an endpoint does: such a request
        is a failed answer with a reason code.
        """
        base = self.settings.answer_digest()
        digests = [request.digest(base) for request in requests]
        waiting = {key: item for key, item in zip(digests, requests, strict=True) if item.allowed}
        self._recall([key for key in waiting if key not in self._asked], check)
        pending = [(key, request) for key, request in waiting.items() if key not in self._asked]
        for answer in self._answers(pending, check):
            self._asked[answer.request_digest] = answer
            self._remember(answer, waiting[answer.request_digest])
        return [
            self._asked[key] if request.allowed else Answer(key, "denied", "model_egress_denied")
            for key, request in zip(digests, requests, strict=True)
        ]

    def answer_rows(self, request_digests: Iterable[str]) -> pl.DataFrame:
        """Rows of model_answers for those that this run asked itself."""
        wanted = sorted(set(request_digests) & self._recorded.keys())
        return TABLES["model_answers"].frame([self._recorded[key] for key in wanted])

    def decision_rows(self, decisions: Iterable[Decision], purpose: str) -> pl.DataFrame:
        """Rows of egress_decisions; none in a rebuild, which took them from there."""
        table = TABLES["egress_decisions"]
        if self.replay:
            return table.empty()
        fixed = {"purpose": purpose, "endpoint": self.settings.name, "base_url": self.settings.base_url or ""}
        return table.frame(
            [
                {
                    **fixed,
                    "version_id": item.document.version_id,
                    "access_policy_id": item.document.access_policy_id,
                    "doc_type": item.document.doc_type,
                    "classification": item.document.classification,
                    "allowed": item.allowed,
                    "rule": item.rule,
                    "decided_at": self._clock(),
                }
                for item in sorted(decisions, key=lambda item: item.document.version_id)
            ]
        )

    def close(self) -> None:
        """Close the endpoint's connections."""
        if self._endpoint is not None:
            self._endpoint.close()
            self._endpoint = None

    def _recall(self, keys: list[str], check: Check) -> None:
        """Take recorded answers over; failures only in a rebuild, for they may pass."""
        if not keys:
            return
        states = ("accepted", "rejected", "failed") if self.replay else ("accepted", "rejected")
        found = self._rows().read(
            "SELECT a.request_digest, a.state, a.reason_code, a.answer FROM model_answers a JOIN wanted "
            f"USING (request_digest) WHERE a.state IN ({', '.join('?' * len(states))})",
            list(states),
            {"wanted": pl.DataFrame({"request_digest": keys})},
        )
        for row in found.iter_rows(named=True):
            self._asked[row["request_digest"]] = _recalled(row, check)

    def _answers(self, pending: list[tuple[str, Request]], check: Check) -> list[Answer]:
        if self.replay:
            return [Answer(key, "failed", "model_answer_missing") for key, _ in pending]
        if not pending:
            return []
        if self._endpoint is None:
            self._endpoint = Endpoint(self.settings)
        endpoint = self._endpoint
        with ThreadPoolExecutor(self.settings.concurrency, thread_name_prefix="model") as threads:
            return list(threads.map(lambda item: self._answer(endpoint, item[0], item[1], check), pending))

    def _answer(self, endpoint: Endpoint, key: str, request: Request, check: Check) -> Answer:
        attempt = 0
        while True:
            if self.patience.reason is not None:
                return Answer(key, "failed", self.patience.reason)
            reserved = self.budget.reserve(request.characters())
            if reserved is None:
                return Answer(key, "failed", "model_budget_exceeded")
            attempt += 1
            try:
                reply = self._complete(endpoint, request)
            except EndpointFailure as failure:
                self.budget.settle(reserved, 0)
                wait = wait_seconds(attempt, failure.wait, self.settings, self._clock) if failure.again else None
                if wait is None or attempt >= self.settings.attempts:
                    self.patience.failed(failure.reason_code)
                    return Answer(key, "failed", failure.reason_code)
                self._sleep(wait)
                continue
            self.patience.answered()
            answer = _answered(key, request, reply, check)
            self.budget.settle(reserved, answer.prompt_tokens + answer.answer_tokens)
            return answer

    def _complete(self, endpoint: Endpoint, request: Request) -> Reply:
        """Ask in the strictest form that the server takes; a form is left for good only when the next one works."""
        steps = _STEPS[self.settings.structured_output]
        with self._lock:
            step = self._step
        first: EndpointFailure | None = None
        while True:
            try:
                reply = endpoint.complete(request, steps[step])
            except EndpointFailure as failure:
                first = first or failure
                if not field_refused(failure) or step + 1 >= len(steps):
                    raise first from failure
                step += 1
                continue
            with self._lock:
                self._step = max(self._step, step)
            return reply

    def _remember(self, answer: Answer, request: Request) -> None:
        if answer.reason_code == "model_answer_missing":
            return
        self._recorded[answer.request_digest] = {
            "request_digest": answer.request_digest,
            "model": self.settings.model,
            "endpoint": self.settings.name,
            "purpose": request.purpose,
            "prompt": request.prompt.label,
            "answer": answer.text,
            "state": answer.state,
            "reason_code": answer.reason_code,
            "prompt_tokens": answer.prompt_tokens,
            "answer_tokens": answer.answer_tokens,
            "answered_at": self._clock(),
        }


def _answered(key: str, request: Request, reply: Reply, check: Check) -> Answer:
    data, code = judge(reply, check)
    asked, answered = reply.prompt_tokens, reply.answer_tokens
    return Answer(
        key,
        "accepted" if data is not None else "rejected",
        code,
        reply.text,
        data,
        asked if asked is not None else request.characters() // CHARACTERS_A_TOKEN,
        answered if answered is not None else len(reply.text) // CHARACTERS_A_TOKEN,
    )


def _recalled(row: dict[str, Any], check: Check) -> Answer:
    key, state, text = row["request_digest"], row["state"], row["answer"]
    if state != "accepted":
        return Answer(key, state, row["reason_code"], text)
    data, code = read_object(text or "")
    code = code or (check(data) if data is not None else None)
    return Answer(key, "rejected", code, text) if code else Answer(key, "accepted", None, text, data)
