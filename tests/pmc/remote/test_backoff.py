from __future__ import annotations

import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.pmc.remote.backoff import RetryPolicy, read_retry_after


@given(st.integers(1, 30), st.text(), st.integers(0, 2**31))
def test_wait_grows_stays_bounded_and_repeats(tries: int, request_text: str, seed: int) -> None:
    policy = RetryPolicy(first_wait=1.0, longest_wait=60.0, seed=seed)
    longest = min(60.0, 2.0 ** (tries - 1))
    wait = policy.wait(request_text, tries)
    assert longest / 2 <= wait <= longest
    assert policy.wait(request_text, tries) == wait


def test_seeds_keep_processes_out_of_step() -> None:
    assert len({RetryPolicy(seed=seed).wait("GET /", 3) for seed in range(20)}) == 20


def test_retry_after_in_seconds() -> None:
    assert read_retry_after("2", None, 0.0) == 2.0
    assert read_retry_after(" 1.5 ", None, 0.0) == 1.5


def test_retry_after_as_a_date_counts_from_the_clock_of_the_server() -> None:
    now = 1_800_000_000.0
    header = email.utils.formatdate(now + 30, usegmt=True)
    assert read_retry_after(header, email.utils.formatdate(now, usegmt=True), now + 5_000) == 30.0
    assert read_retry_after(header, None, now + 10) == 20.0


def test_a_date_in_the_past_asks_for_no_wait() -> None:
    assert read_retry_after(email.utils.formatdate(1_000, usegmt=True), None, 2_000.0) == 0.0


@pytest.mark.parametrize("value", [None, "", "soon", "-3", "1e9", "99999999999999", "Mon, 99 Foo 2026"])
def test_what_cannot_be_read_asks_for_no_wait(value: str | None) -> None:
    assert read_retry_after(value, None, 0.0) == 0.0


@given(st.text())
def test_no_header_breaks_it(value: str) -> None:
    assert read_retry_after(value, value, 0.0) >= 0.0
