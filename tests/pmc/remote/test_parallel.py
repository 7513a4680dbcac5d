from __future__ import annotations

import threading
import time

import pytest

from kg_pipeline.pmc.remote.parallel import ordered_map


def test_results_come_in_order_with_bounded_concurrency() -> None:
    lock = threading.Lock()
    running = most = 0

    def work(item: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.001 * (item % 3))
        with lock:
            running -= 1
        return item

    assert list(ordered_map(work, range(60), threads=4)) == list(range(60))
    assert 1 < most <= 4


def test_items_are_taken_only_as_results_are() -> None:
    taken = []

    def items():
        for number in range(1000):
            taken.append(number)
            yield number

    results = ordered_map(lambda item: item, items(), threads=3)
    assert [next(results) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(taken) <= 5 + 6
    results.close()
    assert len(taken) <= 5 + 6


def test_an_exception_ends_it() -> None:
    with pytest.raises(ZeroDivisionError):
        list(ordered_map(lambda item: 1 // (item - 3), range(100), threads=2))
