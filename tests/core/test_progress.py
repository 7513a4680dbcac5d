"""What a build tells while it waits for a service."""

from __future__ import annotations

import io
import logging

import pytest
from rich.console import Console

from kg_pipeline.cli import progress

CLIENT = logging.getLogger("kg_pipeline.pmc.remote.http")


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock that the test moves."""
    time = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: time[0])
    return time


def test_waits_are_told_at_once_and_then_now_and_again(now: list[float]) -> None:
    output = io.StringIO()
    with progress.shown(Console(file=output, width=40)):
        for moment, message in (
            (100.0, "first [wait]"),
            (101.0, "second"),
            (106.0, "third"),
            (107.0, "fourth"),
        ):
            now[0] = moment
            CLIENT.info("%s of a service whose name is longer than a line", message)
        CLIENT.warning("warned")
    CLIENT.info("after the build")
    told = [line.split(" of a")[0] for line in output.getvalue().splitlines()]
    assert told == ["first [wait]", "third", "warned"]


def test_the_clients_are_as_they_were_when_it_ends() -> None:
    loggers = [
        logging.getLogger(name) for name in ("kg_pipeline.pmc.remote", "kg_pipeline.llm", progress.LOGGER)
    ]
    before = [(logger.level, logger.propagate, list(logger.handlers)) for logger in loggers]
    with pytest.raises(KeyboardInterrupt), progress.shown(Console(file=io.StringIO())):
        raise KeyboardInterrupt
    assert [(logger.level, logger.propagate, list(logger.handlers)) for logger in loggers] == before
