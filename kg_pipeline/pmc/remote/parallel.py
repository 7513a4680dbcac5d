"""Threads that wait for the network, with results in the order of what was asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Items that are started or finished ahead of the one that is waited for, per thread.
_AHEAD = 2


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], *, threads: int
) -> Iterator[Result]:
    """`map` over a bounded number of threads; items are taken only as results are, so that memory stays flat.

    When the consumer stops early, what has not started does not start.
    """
    pool = ThreadPoolExecutor(threads, thread_name_prefix="pmc")
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(function, item))
            if len(pending) >= threads * _AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=not pending, cancel_futures=True)
