"""Shards on a real Dask scheduler and two worker processes, one of which is killed while it works."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from kg_pipeline.errors import StageError
from kg_pipeline.workers import DaskWorkers, SerialWorkers
from resources.workers import ShardWorkers
from tests.core.dask_cluster import DEADLINE, dask_cluster

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed")]


def work(folder: Path, number: int) -> int:
    """Slow enough that a worker can be killed in the middle; tells who did it."""
    (folder / f"{number}.{os.getpid()}").touch()
    time.sleep(0.1)
    if number == 99:
        raise ValueError("unlucky")
    return number * number


def workers_seen(folder: Path) -> set[int]:
    """Processes that did some of the work."""
    return {int(path.suffix[1:]) for path in folder.iterdir()}


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a scheduler with two workers, of which a test may kill one."""
    with dask_cluster(tmp_path_factory.mktemp("dask"), [{}, {}]) as cluster:
        yield cluster.address


@pytest.fixture
def workers(scheduler: str) -> Iterator[DaskWorkers]:
    engine = DaskWorkers(scheduler)
    yield engine
    engine.close()


def test_two_workers_share_the_work_and_a_killed_one_loses_nothing(
    workers: DaskWorkers, tmp_path: Path
) -> None:
    results = workers.map(partial(work, tmp_path), range(30))
    first = next(results)
    deadline = time.monotonic() + DEADLINE
    while len(workers_seen(tmp_path)) < 2:
        assert time.monotonic() < deadline, "only one worker came"
        time.sleep(0.05)
    os.kill(min(workers_seen(tmp_path)), signal.SIGKILL)
    assert [first, *results] == [number * number for number in range(30)]


def test_an_error_of_the_function_is_raised_here_and_the_workers_go_on(
    workers: DaskWorkers, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="unlucky"):
        list(workers.map(partial(work, tmp_path), [1, 99]))
    assert list(workers.map(partial(work, tmp_path), [2, 3])) == [4, 9]


def test_a_scheduler_that_is_not_there_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_pipeline.workers._CONNECT_SECONDS", 1)
    with pytest.raises(StageError, match=r"tcp://127\.0\.0\.1:1 cannot be reached"):
        list(DaskWorkers("tcp://127.0.0.1:1").map(work, [1]))


def test_what_only_this_machine_has_is_not_handed_over() -> None:
    engine = ShardWorkers(scheduler="tcp://127.0.0.1:1")
    assert isinstance(engine.for_articles(1), DaskWorkers)
    assert isinstance(engine.of_this_machine(1), SerialWorkers)
    alone = ShardWorkers(processes=1)
    assert isinstance(alone.for_articles(1_000), SerialWorkers)
