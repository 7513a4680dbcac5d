"""Run a step in a process of its own, and say what time and memory it took."""

from __future__ import annotations

import multiprocessing
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Figures = dict[str, float]
_WATCH_SECONDS = 0.05


def apart(step: Callable[..., Figures], *arguments: Any) -> Figures:
    """What a step returns, with `seconds`, `cpu_seconds`, `peak_mb` and `peak_own_mb` of a new process that ran it.

    `peak_mb` counts the pages of mapped files that were touched, which the system takes back when it needs them;
    `peak_own_mb` does not.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (step, arguments))


def _measured(step: Callable[..., Figures], arguments: tuple[Any, ...]) -> Figures:
    own: list[float] = [0.0]
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_WATCH_SECONDS):
            own.append(_own_mb())

    watching = threading.Thread(target=watch)
    watching.start()
    started, before = time.perf_counter(), time.process_time()
    try:
        figures = step(*arguments)
    finally:
        ended.set()
        watching.join()
    spent = {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - before}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return {**spent, "peak_mb": peak, "peak_own_mb": max(own), **figures}


def _own_mb() -> float:
    """Resident memory that is no page of a file."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("RssAnon"))
