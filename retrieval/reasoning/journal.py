"""The calls of a language model that one question makes, however many questions are asked at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from retrieval.trace import ModelCall

_JOURNAL: ContextVar[list[ModelCall] | None] = ContextVar("journal", default=None)


@contextmanager
def journal() -> Iterator[list[ModelCall]]:
    """Collect the calls that are made in the block and by the tasks that it starts."""
    calls: list[ModelCall] = []
    token = _JOURNAL.set(calls)
    try:
        yield calls
    finally:
        _JOURNAL.reset(token)


def record(call: ModelCall) -> None:
    """Note a call in the journal of the question that made it, if it keeps one."""
    calls = _JOURNAL.get()
    if calls is not None:
        calls.append(call)
