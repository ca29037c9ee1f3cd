"""One OpenAI-compatible endpoint over HTTP: one attempt at one request. Retries, budget and records are the gateway's.

Only what the settings say is used: no proxy, key, header or address of the environment, no redirects, and no
header but those that the exchange needs.
"""

from __future__ import annotations

import json
import logging
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muniment.models.request import Mode, Reply, Request
from muniment.settings import EndpointSettings

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

#: An answer's body may not be longer.
MAX_BODY_BYTES = 8 * 1024 * 1024

_HEADERS = frozenset({"host", "accept", "accept-encoding", "connection", "content-type", "content-length"})
#: Statuses after which the same request may succeed.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 507, 508, 520, 522, 524, 529})
#: Statuses with which a server refuses a field of the request.
_FIELD_REFUSED = frozenset({400, 422, 501})


@dataclass
class EndpointFailure(Exception):
    """No answer: reason code, whether the same request may succeed later in this run, and what the server said of it.

    `wait` is its Retry-After as sent, `status` the HTTP status (0: none came).
    """

    reason_code: str
    again: bool = False
    status: int = 0
    wait: str | None = None


class _TooLate(Exception):
    """The whole answer took longer than its time, or is longer than it may be."""


class Endpoint:
    """Asks one endpoint; safe to use from several threads."""

    def __init__(self, settings: EndpointSettings, monotonic: Callable[[], float] = time.monotonic) -> None:
        if not settings.base_url or not settings.model:
            raise ValueError("endpoint.base_url and endpoint.model are not set")
        self.settings = settings
        self._client: OpenAI = _client(settings, monotonic)

    def complete(self, request: Request, mode: Mode) -> Reply:
        """The model's words. Raises EndpointFailure."""
        body = self._send(
            lambda: self._client.chat.completions.with_raw_response.create(**self._arguments(request, mode)).content
        )
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise EndpointFailure("model_bad_reply", again=True, status=200)
        text, usage = message.get("content"), body.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        return Reply(
            text if isinstance(text, str) else "",
            str(choice.get("finish_reason") or ""),
            _count(counts.get("prompt_tokens")),
            _count(counts.get("completion_tokens")),
            declined=bool(message.get("refusal")),
        )

    def models(self) -> list[str]:
        """Names of the models that it lists, sorted. Raises EndpointFailure."""
        listed = self._send(lambda: self._client.models.with_raw_response.list().content).get("data")
        if not isinstance(listed, list):
            raise EndpointFailure("model_bad_reply", status=200)
        return sorted(str(item["id"]) for item in listed if isinstance(item, dict) and "id" in item)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def _arguments(self, request: Request, mode: Mode) -> dict[str, Any]:
        settings = self.settings
        arguments: dict[str, Any] = {
            "model": settings.model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            settings.output_limit_field: settings.max_output_tokens,
        }
        if settings.temperature is not None:
            arguments["temperature"] = settings.temperature
        if settings.seed is not None:
            arguments["seed"] = settings.seed
        if mode == "json_object":
            arguments["response_format"] = {"type": "json_object"}
        elif mode != "text":
            schema = request.prompt.schema
            if mode == "json_schema_bounded":
                schema = bounded(schema, request.prompt.bounds, settings.bounded_items)
            described = {"name": request.prompt.name, "strict": True, "schema": schema}
            arguments["response_format"] = {"type": "json_schema", "json_schema": described}
        return arguments

    def _send(self, call: Callable[[], bytes]) -> dict[str, Any]:
        import httpx2
        import openai

        try:
            content = call()
        except openai.APITimeoutError as error:
            raise EndpointFailure("model_timeout", again=True) from error
        except openai.APIConnectionError as error:
            late = isinstance(error.__cause__, (_TooLate, httpx2.TimeoutException))
            raise EndpointFailure("model_timeout" if late else "model_unreachable", again=True) from error
        except openai.APIStatusError as error:
            raise _refusal(error.status_code, error.response.headers) from error
        except (httpx2.TimeoutException, _TooLate) as error:
            raise EndpointFailure("model_timeout", again=True) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise EndpointFailure("model_unreachable", again=True) from error
        try:
            body = json.loads(content)
        except ValueError as error:
            raise EndpointFailure("model_bad_reply", again=True, status=200) from error
        if not isinstance(body, dict):
            raise EndpointFailure("model_bad_reply", again=True, status=200)
        return body


def field_refused(failure: EndpointFailure) -> bool:
    """Whether the server may have refused the request for a field that it does not know."""
    return failure.status in _FIELD_REFUSED


def bounded(schema: Mapping[str, Any], bounds: Mapping[str, int], items: int) -> dict[str, Any]:
    """The schema with maxLength of the properties in `bounds` and so many items at most in every list."""

    def limited(node: Any, name: str = "") -> Any:
        if not isinstance(node, Mapping):
            return node
        made = {key: limited(value) for key, value in node.items() if key != "properties"}
        if "properties" in node:
            made["properties"] = {key: limited(value, key) for key, value in node["properties"].items()}
        if node.get("type") == "array":
            made["maxItems"] = items
        elif name in bounds and "enum" not in node:
            made["maxLength"] = bounds[name]
        return made

    return limited(schema)


def _refusal(status: int, headers: Mapping[str, str]) -> EndpointFailure:
    again = status in _PASSING or (status >= 500 and status != 501)
    code = "model_rate_limited" if status == 429 else "model_server_error" if again else "model_request_refused"
    return EndpointFailure(code, again=again, status=status, wait=headers.get("retry-after"))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _client(settings: EndpointSettings, monotonic: Callable[[], float]) -> OpenAI:
    import httpx2
    import openai

    # with OPENAI_LOG=debug the client would log document text
    for name in ("openai", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    key = settings.api_key.get_secret_value() if settings.api_key else ""

    timeout = httpx2.Timeout(settings.timeout_seconds, connect=min(settings.connect_seconds, settings.timeout_seconds))
    own = ssl.create_default_context(cafile=str(settings.ca_file)) if settings.ca_file else True
    secure = str(settings.base_url).startswith("https:")  # reading the authorities takes time
    inner = httpx2.HTTPTransport(verify=own if secure else False, trust_env=False)
    transport = _transport(inner, settings.timeout_seconds, monotonic, f"Bearer {key}" if key else None)
    http = httpx2.Client(
        transport=transport,
        timeout=timeout,
        trust_env=False,
        follow_redirects=False,
    )
    client = openai.OpenAI(
        api_key=key or "none",
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=settings.base_url,
        timeout=timeout,
        max_retries=0,
        http_client=http,
    )
    client.organization = client.project = None
    return client


def _transport(
    inner: httpx2.HTTPTransport, seconds: float, monotonic: Callable[[], float], authorization: str | None
) -> httpx2.BaseTransport:
    """A transport that sends no header but the necessary ones, and whose whole answers have a time and a length.

    (Time limits of the client hold for each piece of an answer only.)
    """
    import httpx2

    class Stream(httpx2.SyncByteStream):
        def __init__(self, stream: httpx2.SyncByteStream, until: float) -> None:
            self._stream, self._until = stream, until

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in self._stream:
                size += len(piece)
                if monotonic() > self._until or size > MAX_BODY_BYTES:
                    raise _TooLate
                yield piece

        def close(self) -> None:
            self._stream.close()

    class Transport(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            headers = {name: value for name, value in request.headers.items() if name.lower() in _HEADERS}
            if authorization is not None:
                headers["Authorization"] = authorization
            headers["User-Agent"] = "muniment"
            sent = httpx2.Request(
                request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
            )
            until = monotonic() + seconds
            response = inner.handle_request(sent)
            assert isinstance(response.stream, httpx2.SyncByteStream)
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=Stream(response.stream, until),
                extensions=response.extensions,
            )

        def close(self) -> None:
            inner.close()

    return Transport()
