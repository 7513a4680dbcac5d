"""Fixtures: the server on loopback, a client whose time passes at once, a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.backoff import RetryPolicy
from kg_pipeline.pmc.remote.http import Fetcher
from tests.pmc.remote.server import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


class Time:
    """A clock that only waiting moves; `waits` are the seconds waited, in order."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.waits: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def fake_time() -> Time:
    return Time()


@pytest.fixture
def make_fetcher(fake_time: Time) -> Iterator[Callable[..., Fetcher]]:
    made: list[Fetcher] = []

    def make(**options: object) -> Fetcher:
        policy = options.pop("policy", RetryPolicy(tries=4, first_wait=1.0, longest_wait=60.0))
        given = {"clock": fake_time.clock, "sleep": fake_time.sleep, "trust_environment": False} | options
        fetcher = Fetcher("The service", policy=policy, **given)
        made.append(fetcher)
        return fetcher

    yield make
    for fetcher in made:
        fetcher.close()


@pytest.fixture
def store(tmp_path: Path) -> ArticleStore:
    return ArticleStore(tmp_path / "raw")
