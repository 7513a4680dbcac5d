"""A real HTTP server on loopback that answers as a test tells it to."""

from __future__ import annotations

import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

XML = "text/xml; charset=UTF-8"


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it; `values` are the parameters of address and form together."""

    method: str
    path: str
    values: dict[str, str]
    target: str
    port: int


@dataclass(frozen=True)
class Reply:
    """What the server does: a body, which it may cut short (`sent` bytes, then the connection ends) or drip, as it may the headers."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    sent: int | None = None
    drip: float = 0.0
    header_drip: float = 0.0


@dataclass
class Server:
    """Scripted replies go first, in order; then the `handler` answers."""

    url: str = ""
    script: list[Reply] = field(default_factory=list)
    handler: Callable[[Asked], Reply] = lambda asked: Reply(b"nothing here", 404)
    asked: list[Asked] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, asked: Asked) -> Reply:
        with self.lock:
            self.asked.append(asked)
            if self.script:
                return self.script.pop(0)
        return self.handler(asked)

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _serve(self, form: bytes) -> None:
        address = urllib.parse.urlsplit(self.path)
        values = dict(urllib.parse.parse_qsl(address.query)) | dict(urllib.parse.parse_qsl(form.decode()))
        path = urllib.parse.unquote(address.path)
        asked = Asked(self.command, path, values, self.path, self.client_address[1])
        reply = self.server.state.answer(asked)
        self.send_response(reply.status)
        headers = {"Content-Length": str(len(reply.body)), "Content-Type": XML} | reply.headers
        for name, value in headers.items():
            self.send_header(name, value)
        if reply.header_drip:
            self._drip(b"".join(self._headers_buffer), reply.header_drip)
            self._headers_buffer = []
        self.end_headers()
        body = reply.body if reply.sent is None else reply.body[: reply.sent]
        try:
            if reply.drip:
                self._drip(body, reply.drip)
            else:
                self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        if reply.sent is not None:
            self.close_connection = True

    def _drip(self, data: bytes, pause: float) -> None:
        for byte in data:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(pause)

    def log_message(self, *arguments: object) -> None:
        pass


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    state: Server

    def handle_error(self, *arguments: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Server]:
    """A server on a free port."""
    listener = _Listener(("127.0.0.1", 0), _Handler)
    listener.state = Server(url=f"http://127.0.0.1:{listener.server_address[1]}")
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield listener.state
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()
