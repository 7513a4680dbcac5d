"""Map a function over shards: in this process, or spread over processes.

The function and its items must be picklable; results come back in the order of the items, whatever engine ran them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers(Protocol):
    """Something that maps a function over items."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield `function(item)` for each item, in order; an exception of the function is raised here."""
        ...


@dataclass(frozen=True, slots=True)
class SerialWorkers:
    """Everything in this process: no start-up cost, for small corpora and tests."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield results one after the other."""
        return map(function, items)


@dataclass(frozen=True, slots=True)
class ProcessWorkers:
    """`processes` fresh interpreters; each loads its models once and keeps them for all its items."""

    processes: int

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield results in the order of the items; pending work is dropped when one fails."""
        if len(items) < 2 or self.processes < 2:
            yield from map(function, items)
            return
        pool = ProcessPoolExecutor(
            min(self.processes, len(items)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_become_worker,
        )
        try:
            yield from pool.map(function, items)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _become_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
