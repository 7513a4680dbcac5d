from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from kg_pipeline.workers import ProcessWorkers, SerialWorkers, Workers


def square(number: int) -> int:
    if number == 13:
        raise ValueError("unlucky")
    return number * number


@pytest.fixture(params=["serial", "processes"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    if request.param == "serial":
        yield SerialWorkers()
        return
    with ProcessWorkers(2) as processes:
        yield processes


def test_results_keep_the_order_of_the_items(workers: Workers) -> None:
    assert list(workers.map(square, range(8))) == [number * number for number in range(8)]


def test_an_error_of_the_function_is_raised_here_and_the_workers_go_on(workers: Workers) -> None:
    with pytest.raises(ValueError, match="unlucky"):
        list(workers.map(square, [1, 13]))
    assert list(workers.map(square, [2, 3])) == [4, 9]


@pytest.mark.integration
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent("""
        import pathlib, sys, time, os
        from kg_pipeline.workers import ProcessWorkers

        def linger(number):
            pathlib.Path(sys.argv[1], f"{os.getpid()}.pid").touch()
            time.sleep(600)

        if __name__ == "__main__":
            list(ProcessWorkers(2).map(linger, [1, 2]))
        """)
    )
    parent = subprocess.Popen([sys.executable, str(script), str(tmp_path)])
    try:
        children = []
        while len(children) < 2 and parent.poll() is None:
            children = [psutil.Process(int(path.stem)) for path in tmp_path.glob("*.pid")]
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive
