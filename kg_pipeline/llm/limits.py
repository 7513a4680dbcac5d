"""Keep to an endpoint's pace: requests and tokens a minute, waits between attempts, and a circuit breaker.

All of it counts monotonic time and may be shared by threads and event loops of one process. Several processes
each keep to the limits on their own, so divide `KG_LLM_REQUESTS_PER_MINUTE` by their number.
"""

from __future__ import annotations

import asyncio
import email.utils
import random
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from kg_pipeline.errors import LlmUnavailable

#: A little over a minute: requests arrive at the server with some jitter, and it counts arrivals.
WINDOW_SECONDS = 61.0

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


@dataclass
class RateLimiter:
    """At most so many requests and tokens in any minute (0: no limit), by a sliding window.

    A request larger than the whole token limit is let through alone rather than never.
    """

    requests: int = 0
    tokens: int = 0
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep
    window: float = WINDOW_SECONDS
    _sent: deque[list[float]] = field(default_factory=deque, repr=False)  # [when, tokens], oldest first
    _held_until: float = field(default=float("-inf"), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    async def acquire(self, tokens: int) -> None:
        """Wait until a request of that many tokens may be sent, and count it as sent."""
        while True:
            with self._lock:
                wait = self._wait(tokens)
                if wait <= 0:
                    self._sent.append([self.clock(), tokens])
                    return
            await self.sleep(wait)

    def hold(self, seconds: float) -> None:
        """Send nothing for that long: the server asked for it, and it means all of us."""
        with self._lock:
            self._held_until = max(self._held_until, self.clock() + seconds)

    def _wait(self, tokens: int) -> float:
        now = self.clock()
        while self._sent and self._sent[0][0] <= now - self.window:
            self._sent.popleft()
        wait = self._held_until - now
        if self.requests and len(self._sent) >= self.requests:
            wait = max(wait, self._sent[-self.requests][0] + self.window - now)
        if self.tokens:
            excess = sum(entry[1] for entry in self._sent) + tokens - self.tokens
            for when, spent in self._sent:
                if excess <= 0:
                    break
                excess -= spent
                wait = max(wait, when + self.window - now)
        return wait


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential waits with jitter; the jitter of a request is drawn from its own seed, so it is repeatable."""

    first: float = 1.0
    ceiling: float = 60.0
    attempts: int = 7

    def wait(self, attempt: int, seed: str) -> float:
        """Seconds to wait after failed attempt `attempt` (from 0): half fixed, half drawn."""
        full = min(self.ceiling, self.first * 2.0**attempt)
        draw = random.Random(f"{seed}:{attempt}").random()  # noqa: S311 - spreads load, guards nothing
        return full * (0.5 + 0.5 * draw)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a response asks to wait, by `Retry-After-Ms` or `Retry-After` (seconds or a date), or None.

    `now` is the time of day in seconds since the epoch; dates in the past give 0.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            return max(0.0, float(value) * unit)
        except ValueError:
            pass
        if name == "retry-after" and value:
            try:
                return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
            except ValueError:
                return None
    return None


@dataclass
class CircuitBreaker:
    """After `threshold` failures in a row nothing is sent for `rest` seconds; then one request tries again."""

    threshold: int = 5
    rest: float = 30.0
    clock: Clock = time.monotonic
    _failures: int = field(default=0, repr=False)
    _open_until: float = field(default=float("-inf"), repr=False)
    _last: str = field(default="", repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def check(self) -> None:
        """Raise `LlmUnavailable` while the circuit is open; the first to come after the rest goes through."""
        with self._lock:
            if self._failures < self.threshold:
                return
            left = self._open_until - self.clock()
            if left > 0:
                raise LlmUnavailable(
                    f"Nothing is sent for {left:.0f} s after {self._failures} failures in a row. The last: {self._last}"
                )
            self._open_until = self.clock() + self.rest

    def succeeded(self) -> None:
        """Close the circuit."""
        with self._lock:
            self._failures = 0

    def failed(self, reason: str) -> None:
        """Count a failure of the endpoint (not of one request)."""
        with self._lock:
            self._failures += 1
            self._last = reason
            if self._failures >= self.threshold:
                self._open_until = self.clock() + self.rest
