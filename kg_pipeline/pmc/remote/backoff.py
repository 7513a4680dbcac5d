"""How long to wait before a request is repeated."""

from __future__ import annotations

import email.utils
import hashlib
import re
from dataclasses import dataclass

_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds of one request with all its repetitions. All times are in seconds.

    The wait doubles from `first_wait` to `longest_wait`, less a jitter of up to half of it that depends on the
    request and on `seed` only. No try starts, and none goes on, after `deadline`.
    """

    tries: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    one_try: float = 120.0
    deadline: float = 300.0
    seed: int = 0

    def wait(self, request: str, tries: int) -> float:
        """Seconds to wait after the given number of failed tries of that request."""
        longest = min(self.longest_wait, self.first_wait * 2.0 ** (tries - 1))
        seed = hashlib.sha256(f"{self.seed}\n{tries}\n{request}".encode()).digest()
        return longest * (1.0 - int.from_bytes(seed[:4]) / 2**33)


def read_retry_after(value: str | None, now: str | None, clock: float) -> float:
    """Seconds that a `Retry-After` header asks for, 0 where there is none that can be read.

    An HTTP date counts from the server's own `Date` header (`now`), so that clocks need not agree, and from
    `clock`, in seconds since 1970, where that is missing.
    """
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    until = _timestamp(text)
    if until is None:
        return 0.0
    start = _timestamp((now or "").strip())
    return max(0.0, until - (clock if start is None else start))


def _timestamp(text: str) -> float | None:
    if not text:
        return None
    try:
        return email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, TypeError):
        return None
