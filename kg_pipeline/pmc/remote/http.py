"""Requests that end in a complete, usable answer or in one sentence that says why not.

Repeated: 429, 408, 425 and every 5xx, connections that break or stall, bodies shorter than announced or in part (206),
and answers that the caller's reader finds unusable (HTML instead of XML, an error inside a 200). Never repeated: any other 4xx.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar

import httpx

from kg_pipeline.errors import ServiceRefused, ServiceUnavailable
from kg_pipeline.pmc.remote.backoff import RetryPolicy, read_retry_after
from kg_pipeline.pmc.remote.deadline import Deadline
from kg_pipeline.pmc.remote.decoding import ACCEPTED, UndecodableError, decoded
from kg_pipeline.pmc.remote.failures import UnusableAnswer
from kg_pipeline.pmc.remote.limiter import Limiter, NoLimit
from kg_pipeline.pmc.remote.redaction import Redactor

Value = TypeVar("Value")

#: Upper bound of one answer, in bytes.
MAX_ANSWER = 64 * 1024 * 1024
_REPEATED = frozenset({408, 425, 429})
#: Part of a body, which nobody asks for here, so that it never counts as the whole.
_PARTIAL = 206
_EXCERPT = 200
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer."""

    status: int
    content: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a try is to be repeated, and how long the service asks to wait."""

    reason: str
    wait: float = 0.0
    is_overload: bool = False
    is_malformed: bool = False


class Fetcher:
    """A client of one service. Safe for threads; connections are kept alive and at most `connections` are open.

    Parameters
    ----------
    service
        Name of the service, for messages.
    secrets
        Values that no message may show.
    user_agent
        How the client introduces itself.
    trust_environment
        Whether proxies of the environment are used.
    clock, wall_clock, sleep
        Monotonic time, time since 1970, and waiting; in seconds.

    """

    def __init__(
        self,
        service: str,
        *,
        limiter: Limiter | None = None,
        policy: RetryPolicy | None = None,
        connections: int = 8,
        connect_timeout: float = 10.0,
        read_timeout: float = 30.0,
        secrets: Iterable[str] = (),
        user_agent: str = "kg-pipeline",
        max_bytes: int = MAX_ANSWER,
        trust_environment: bool = True,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.service = service
        self._limiter = limiter or NoLimit()
        self._policy = policy or RetryPolicy(seed=os.getpid())
        self._redactor = Redactor(secrets)
        self._max_bytes = max_bytes
        self._clock = clock
        self._wall_clock = wall_clock
        self._closed = threading.Event()
        self._sleep = sleep or self._closed.wait
        self._client = httpx.Client(
            timeout=httpx.Timeout(read_timeout, connect=connect_timeout, pool=None),
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            headers={"User-Agent": user_agent, "Accept-Encoding": ACCEPTED},
            trust_env=trust_environment,
            follow_redirects=False,
        )
        self._deadline = Deadline(clock)
        self._deadline.bind(self._client)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End waiting requests and close the connections."""
        self._closed.set()
        self._client.close()

    def clean(self, text: str) -> str:
        """The text without the secrets of this client."""
        return self._redactor.clean(text)

    def get(
        self,
        url: str,
        params: Mapping[str, str] | None = None,
        *,
        read: Callable[[Answer], Value],
        accept: frozenset[int] = frozenset(),
    ) -> Value:
        """GET. See `request`."""
        return self.request("GET", url, params=params, read=read, accept=accept)

    def post(
        self,
        url: str,
        form: Mapping[str, str],
        *,
        read: Callable[[Answer], Value],
        accept: frozenset[int] = frozenset(),
    ) -> Value:
        """POST a form. See `request`."""
        return self.request("POST", url, form=form, read=read, accept=accept)

    def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        read: Callable[[Answer], Value],
        accept: frozenset[int] = frozenset(),
    ) -> Value:
        """What `read` makes of a complete answer with a status of 200 to 299, or one in `accept`.

        `read` raises `UnusableAnswer` to have the request repeated; what else it raises goes through.

        Raises
        ------
        ServiceUnavailable
            If no try gave a usable answer before the bounds of the policy.
        ServiceRefused
            If the service answered with another status below 500, or with too large a body.

        """
        address = self.clean(url)
        fingerprint = f"{method} {url} {sorted((params or {}).items())} {sorted((form or {}).items())}"
        deadline = None
        tries = 0
        while True:
            if self._closed.is_set():
                raise ServiceUnavailable(
                    f"The connection to {self.service} was closed before {address} was asked."
                )
            self._limiter.acquire()
            # Waiting for one's first turn is not the service's fault.
            deadline = self._clock() + self._policy.deadline if deadline is None else deadline
            request = self._client.build_request(method, url, params=params, data=form)
            result = self._try(request, address, deadline, accept)
            tries += 1
            if isinstance(result, Answer):
                try:
                    return read(result)
                except UnusableAnswer as error:
                    result = _Failure(error.reason, error.wait, error.wait > 0, error.is_malformed)
            wait = max(self._policy.wait(fingerprint, tries), result.wait)
            is_last = tries >= self._policy.tries or self._clock() + wait >= deadline
            if result.is_overload:
                self._limiter.pause(wait)
            if is_last:
                raise ServiceUnavailable(
                    self._explain(address, tries, result), is_malformed=result.is_malformed
                )
            _LOG.info(
                "%s (%s): %s; trying again in %.1f s", self.service, address, self.clean(result.reason), wait
            )
            self._sleep(wait)

    def _try(
        self, request: httpx.Request, address: str, deadline: float, accept: frozenset[int]
    ) -> Answer | _Failure:
        latest = min(deadline, self._clock() + self._policy.one_try)
        self._deadline.set(latest)
        try:
            response = self._client.send(request, stream=True)
            try:
                return self._receive(response, address, latest, accept)
            finally:
                response.close()
        except httpx.UnsupportedProtocol:
            raise ServiceRefused(
                f"{address} is no web address; set that of {self.service}.", status=0
            ) from None
        except (httpx.TransportError, UndecodableError) as error:
            detail = self.clean(str(error)).strip().rstrip(".")
            return _Failure(f"{type(error).__name__}{f' ({detail})' if detail else ''}")
        except RuntimeError:  # the client was closed by another thread
            if self._closed.is_set():
                return _Failure("the connection was closed")
            raise

    def _receive(
        self, response: httpx.Response, address: str, latest: float, accept: frozenset[int]
    ) -> Answer | _Failure:
        status = response.status_code
        if status in _REPEATED or status >= 500:
            asked = read_retry_after(
                response.headers.get("Retry-After"), response.headers.get("Date"), self._wall_clock()
            )
            is_overload = status == 429 or (status == 503 and asked > 0)
            if status not in accept:
                return _Failure(f"HTTP {status}", asked, is_overload)
        if status == _PARTIAL:
            return _Failure(f"HTTP {status}, only a part")
        parts: list[bytes] = []
        size = 0
        for part in decoded(response.iter_raw(), response.headers.get("Content-Encoding", "")):
            parts.append(part)
            size += len(part)
            if size > self._max_bytes:
                raise ServiceRefused(
                    f"{self.service} ({address}) answered with more than {self._max_bytes} bytes.", status=413
                )
            if self._clock() > latest:
                return _Failure(f"the answer was not complete after {self._policy.one_try:.0f} s")
        announced = response.headers.get("Content-Length", "")
        if announced.isdecimal() and int(announced) != response.num_bytes_downloaded:
            return _Failure(f"{response.num_bytes_downloaded} of {announced} bytes arrived")
        answer = Answer(status, b"".join(parts), response.headers.get("Content-Type", ""))
        if 200 <= status < 300 or status in accept:
            return answer
        raise ServiceRefused(self._refusal(address, response, answer.content), status=status)

    def _refusal(self, address: str, response: httpx.Response, content: bytes) -> str:
        target = response.headers.get("Location")
        if response.is_redirect and target:
            return (
                f"{self.service} ({address}) sends to {self.clean(target)}, HTTP {response.status_code}. "
                "The service has moved or blocks this machine; check its address in the settings."
            )
        text = self.clean(" ".join(content[:2000].decode("utf-8", errors="replace").split()))[:_EXCERPT]
        return f"{self.service} ({address}) declined the request with HTTP {response.status_code}: {text or 'no reason given'}"

    def _explain(self, address: str, tries: int, failure: _Failure) -> str:
        times = "once" if tries == 1 else f"{tries} times"
        asked = f" and asks to wait {failure.wait:.0f} s" if failure.wait > self._policy.longest_wait else ""
        return (
            f"{self.service} ({address}) failed {times}; the last time: {self.clean(failure.reason)}{asked}. "
            "Try again later; what was fetched is kept."
        )
