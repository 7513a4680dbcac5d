from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.errors import LlmUnavailable
from kg_pipeline.llm.limits import Backoff, CircuitBreaker, RateLimiter, retry_after


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def sent_at(limiter: RateLimiter, clock: Clock, sizes: list[int]) -> list[float]:
    async def run() -> list[float]:
        times = []
        for size in sizes:
            await limiter.acquire(size)
            times.append(clock.now)
        return times

    return asyncio.run(run())


def test_ninety_requests_at_thirty_a_minute_leave_no_minute_with_more():
    clock = Clock()
    times = sent_at(RateLimiter(30, clock=clock, sleep=clock.sleep), clock, [1] * 90)
    assert max(sum(t <= other < t + 60 for other in times) for t in times) == 30
    assert times[-1] - times[0] < 130  # and no slower than the limit asks


@given(st.lists(st.integers(1, 120), min_size=1, max_size=60), st.integers(1, 10), st.integers(50, 150))
def test_no_minute_holds_more_requests_or_tokens_than_allowed(sizes, requests, tokens):
    clock = Clock()
    times = sent_at(RateLimiter(requests, tokens, clock=clock, sleep=clock.sleep), clock, sizes)
    for start in times:
        inside = [size for when, size in zip(times, sizes, strict=True) if start <= when < start + 60]
        assert len(inside) <= requests
        # One that is too large for any minute goes alone.
        assert sum(inside) <= tokens or len(inside) == 1


def test_without_limits_nothing_waits():
    clock = Clock()
    assert sent_at(RateLimiter(clock=clock, sleep=clock.sleep), clock, [10_000] * 100) == [100.0] * 100


def test_a_hold_stops_everyone():
    clock = Clock()
    limiter = RateLimiter(clock=clock, sleep=clock.sleep)
    limiter.hold(20)
    limiter.hold(5)
    assert sent_at(limiter, clock, [1, 1]) == [120.0, 120.0]


def test_many_at_once_keep_to_the_limit_in_real_time():
    limiter = RateLimiter(5, window=0.2)

    async def run() -> float:
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.gather(*(limiter.acquire(1) for _ in range(15)))
        return loop.time() - started

    assert asyncio.run(run()) >= 0.4


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_how_long_a_response_asks_to_wait(headers, seconds):
    assert retry_after(headers, now=10.0) == seconds


def test_waits_double_up_to_a_ceiling_with_the_same_jitter_for_the_same_request():
    backoff = Backoff(first=1, ceiling=8)
    waits = [backoff.wait(n, "a") for n in range(8)]
    assert all(min(8, 2**n) / 2 <= wait <= min(8, 2**n) for n, wait in enumerate(waits))
    assert waits == [backoff.wait(n, "a") for n in range(8)]
    assert waits != [backoff.wait(n, "b") for n in range(8)]


def test_the_breaker_opens_after_failures_in_a_row_and_lets_one_try_after_the_rest():
    clock = Clock()
    breaker = CircuitBreaker(threshold=3, rest=30, clock=clock)
    for reason in ("one", "two"):
        breaker.failed(reason)
        breaker.check()
    breaker.succeeded()
    for reason in ("one", "two", "three"):
        breaker.failed(reason)
    with pytest.raises(LlmUnavailable, match=r"30 s after 3 failures in a row\. The last: three"):
        breaker.check()
    clock.now += 31
    breaker.check()  # the probe
    with pytest.raises(LlmUnavailable):
        breaker.check()  # everybody else still waits for how it ends
    breaker.succeeded()
    breaker.check()
