"""One rate limit for all threads and processes of a machine that talk to the same service.

The time of the next free slot lies in a small file behind a lock that the operating system releases when a
process ends in whatever way; a slot that a killed process had taken is lost, nothing else. Times are those of the
monotonic clock, which all processes of a machine share and which nobody sets back.
"""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from filelock import FileLock

#: Slots are a little further apart than the rate says: requests overtake each other on their way.
_MARGIN = 1.05
#: A time further ahead than this was written by another clock (before a restart) and does not count.
_HORIZON = 900.0
_STATE = struct.Struct("<2d")  # next free slot, end of a pause
_POLL_SECONDS = 0.005


class Limiter(Protocol):
    """Spaces requests."""

    def acquire(self) -> None:
        """Wait until the next request may be sent."""
        ...

    def pause(self, seconds: float) -> None:
        """Let nobody send a request for that time: the service said that it has had enough."""
        ...


class NoLimit:
    """For services that set none."""

    def acquire(self) -> None:
        """See `Limiter`."""

    def pause(self, seconds: float) -> None:
        """See `Limiter`."""


class MachineLimiter:
    """At most `per_second` requests a second, evenly spaced, by everyone who uses the same folder and name."""

    def __init__(
        self,
        folder: Path,
        name: str,
        per_second: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{name}.rate"
        self._lock = FileLock(folder / f"{name}.lock", thread_local=False)
        self._threads = threading.Lock()
        self._interval = _MARGIN / per_second
        self._clock = clock
        self._sleep = sleep

    def acquire(self) -> None:
        """See `Limiter`. A pause that is declared while one waits is kept, too."""
        while True:
            slot = self._reserve()
            wait = slot - self._clock()
            if wait > 0:
                self._sleep(wait)
            if self._read(self._clock())[1] <= slot:
                return

    def pause(self, seconds: float) -> None:
        """See `Limiter`; at most 15 minutes."""
        with self._threads, self._lock.acquire(poll_interval=_POLL_SECONDS):
            now = self._clock()
            free, paused = self._read(now)
            end = now + min(seconds, _HORIZON)
            self._write(max(free, end), max(paused, end))

    def _reserve(self) -> float:
        with self._threads, self._lock.acquire(poll_interval=_POLL_SECONDS):
            now = self._clock()
            free, paused = self._read(now)
            slot = max(now, free)
            self._write(slot + self._interval, paused)
        return slot

    def _read(self, now: float) -> tuple[float, float]:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return now, 0.0
        if len(content) != _STATE.size:  # cut short: assume that a slot was just taken
            return now + self._interval, 0.0
        free, paused = _STATE.unpack(content)
        horizon = now + _HORIZON
        return (free if free <= horizon else now), (paused if paused <= horizon else 0.0)

    def _write(self, free: float, paused: float) -> None:
        self._path.write_bytes(_STATE.pack(free, paused))
