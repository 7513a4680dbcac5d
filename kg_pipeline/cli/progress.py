"""Progress of a build: a bar a stage on a terminal, a line a stage elsewhere, and what is waited for meanwhile."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

LOGGER = "kg_pipeline.progress"
#: Clients that log, at level INFO, that a service failed and how long they wait before they ask again.
_CLIENTS = ("kg_pipeline.pmc.remote", "kg_pipeline.llm")
#: Seconds between two lines about waiting: many requests may wait for the same service.
_BETWEEN_WAITS = 5.0


@contextmanager
def shown(console: Console) -> Iterator[None]:
    """Show the progress records that stages log while the block runs, and the waits of clients."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<22}"),
        BarColumn(30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        handler = _Bars(bars) if console.is_terminal else _Lines(console)
        with ExitStack() as stack:
            stack.enter_context(_handled(LOGGER, handler))
            for client in _CLIENTS:
                stack.enter_context(_handled(client, _Waits(console)))
            yield


@contextmanager
def _handled(name: str, handler: logging.Handler) -> Iterator[None]:
    """Let the handler, and nobody else, have what the logger gets from level INFO on."""
    logger = logging.getLogger(name)
    before, propagated = logger.level, logger.propagate
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        logger.propagate = propagated


def reporter(stage: str) -> Callable[[int, int], None]:
    """Progress of something that is done outside of Dagster."""
    logger = logging.getLogger(LOGGER)

    def report(done: int, total: int) -> None:
        logger.info(stage, extra={"done": done, "total": total})

    return report


class _Bars(logging.Handler):
    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def emit(self, record: logging.LogRecord) -> None:
        stage, (done, total) = record.getMessage(), _state(record)
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total)
        task = self._tasks[stage]
        known = next(t for t in self._progress.tasks if t.id == task)
        # A sharded stage counts its shards; its closing 1/1 must not shrink that.
        if total == 1 and known.total and known.total > 1:
            done = total = int(known.total)
        self._progress.update(task, completed=done, total=total)


class _Lines(logging.Handler):
    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._started: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        stage, (done, total) = record.getMessage(), _state(record)
        started = self._started.setdefault(stage, time.monotonic())
        if done == total == 1:
            self._console.print(f"{stage:<22} {time.monotonic() - started:7.1f} s", highlight=False)


class _Waits(logging.Handler):
    """One line now and then that says which service is waited for and why."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._told = -_BETWEEN_WAITS

    def emit(self, record: logging.LogRecord) -> None:
        now = time.monotonic()
        if now - self._told >= _BETWEEN_WAITS or record.levelno > logging.INFO:
            self._told = now
            self._console.print(record.getMessage(), highlight=False, markup=False, soft_wrap=True)


def _state(record: logging.LogRecord) -> tuple[int, int]:
    return int(getattr(record, "done", 0)), int(getattr(record, "total", 1))
