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


class ProcessWorkers:
    """`processes` interpreters, started at the first use and kept until `close`, with the models they loaded."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool: ProcessPoolExecutor | None = None

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield results in the order of the items; pending work is dropped when one fails."""
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._processes, mp_context=context, initializer=_become_worker)
        futures = [self._pool.submit(function, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> ProcessWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _become_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent is gone, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
