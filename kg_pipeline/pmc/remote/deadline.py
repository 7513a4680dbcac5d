"""A bound on all that a thread reads for one answer, its headers too.

Time-outs of the HTTP library start anew with every byte, so a server that sends one now and then, before the headers
end, would hold a thread for days. Here every read waits no longer than what is left of the answer's time.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable
from typing import Any

import httpcore
import httpx


class Deadline:
    """Until when each thread may read, by `clock`; reads of a client that is `bound` then end as read time-outs."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._of_thread = threading.local()

    def set(self, latest: float) -> None:
        """From now on, this thread reads until then."""
        self._of_thread.latest = latest

    def left(self) -> float | None:
        """Seconds that this thread may still read; None where it has no deadline."""
        latest = getattr(self._of_thread, "latest", None)
        return None if latest is None else latest - self._clock()

    def bind(self, client: httpx.Client) -> None:
        """Hold the connections of a client to it, those through proxies too.

        The client's pools take a network of ours, but it cannot be handed to them through httpx without giving up what
        httpx does for proxies; so it is put where they keep it.
        """
        for transport in (client._transport, *client._mounts.values()):
            if isinstance(transport, httpx.HTTPTransport):
                pool = transport._pool
                pool._network_backend = _Network(pool._network_backend, self)


class _Network(httpcore.NetworkBackend):
    def __init__(self, network: httpcore.NetworkBackend, deadline: Deadline) -> None:
        self._network = network
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._network.connect_tcp(host, port, timeout, local_address, socket_options)
        return _Stream(stream, self._deadline)

    def sleep(self, seconds: float) -> None:
        self._network.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._deadline.left()
        if left is not None:
            if left <= 0:
                raise httpcore.ReadTimeout("the answer took too long in all")
            timeout = left if timeout is None else min(timeout, left)
        return self._stream.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
