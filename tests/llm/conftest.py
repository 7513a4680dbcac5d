"""A loopback server that speaks the OpenAI protocol as badly as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from kg_pipeline.llm.cache import AnswerCache
from kg_pipeline.llm.chat import ChatModel
from kg_pipeline.llm.limits import Backoff, CircuitBreaker
from kg_pipeline.llm.transport import Transport
from kg_pipeline.settings import LlmSettings
from tests.llm.serving import serving

SECRET = "sk-test-0123456789abcdef"


@dataclass
class Response:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    claimed_length: int | None = None  # more than there is: the body is dropped half way
    pause: float = 0.0  # seconds before each byte


@dataclass
class ScriptedServer:
    """Answers request n with `script[n]`, the last one for ever; a step may be a function of the request's body."""

    url: str
    script: list[Any] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    models: list[dict[str, str]] = field(default_factory=list)  # that it lists; without any it lists none
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def respond(self, path: str, body: dict[str, Any]) -> Response:
        with self._lock:
            number = len(self.requests)
            self.requests.append(body)
            self.paths.append(path)
        step = self.script[min(number, len(self.script) - 1)]
        return step(body) if callable(step) else step

    @staticmethod
    def answer(content: str | None, finish_reason: str = "stop", **message: Any) -> Response:
        completion = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish_reason,
                    "message": {"role": "assistant", "content": content, **message},
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
        return Response(json.dumps(completion).encode())

    @staticmethod
    def error(status: int, message: str = "no", **headers: str) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(json.dumps({"error": {"message": message}}).encode(), status, named)

    @staticmethod
    def raw(
        body: bytes, status: int = 200, content_type: str = "application/json", missing: int = 0
    ) -> Response:
        return Response(
            body, status, {"content-type": content_type}, len(body) + missing if missing else None
        )


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            response = scripted.respond(self.path, body)
            self.send_response(response.status)
            headers = {"content-type": "application/json"} | response.headers
            headers["content-length"] = str(response.claimed_length or len(response.body))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self._send(response)
            if response.claimed_length:
                self.close_connection = True

        def do_GET(self) -> None:
            body = json.dumps({"data": scripted.models}).encode()
            self.send_response(200 if scripted.models else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _send(self, response: Response) -> None:
            if not response.pause:
                self.wfile.write(response.body)
                return
            for offset in range(len(response.body)):
                time.sleep(response.pause)
                try:
                    self.wfile.write(response.body[offset : offset + 1])
                except OSError:  # who asked has hung up
                    return

        def log_message(self, *_: Any) -> None:
            pass

    with serving(Handler) as address:
        scripted = ScriptedServer(address)
        yield scripted


@dataclass
class Waits:
    """Stands in for sleeping; remembers for how long."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def settings_for() -> Callable[..., LlmSettings]:
    def make(url: str, **options: Any) -> LlmSettings:
        return LlmSettings.model_validate({"base_url": url, "model": "m", "api_key": SECRET, **options})

    return make


@pytest.fixture
def open_scripted(
    server: ScriptedServer, tmp_path: Path, waits: Waits, settings_for: Callable[..., LlmSettings]
) -> Callable[..., ChatModel]:
    """A chat model of the scripted server that never really sleeps; options are those of `LlmSettings`."""

    def make(*, attempts: int = 4, threshold: int = 5, **options: Any) -> ChatModel:
        settings = settings_for(options.pop("url", server.url), **options)
        transport = Transport(
            settings,
            backoff=Backoff(attempts=attempts),
            breaker=CircuitBreaker(threshold=threshold),
            sleep=waits,
        )
        # Held by Retry-After, the limiter would wait in earnest.
        transport._limiter.sleep = waits
        transport._limiter.clock = lambda: sum(waits.seconds)
        return ChatModel(settings, AnswerCache(tmp_path / "llm"), transport)

    return make
