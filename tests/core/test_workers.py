from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from kg_pipeline.workers import ProcessWorkers, SerialWorkers, Workers


def square(number: int) -> int:
    if number == 13:
        raise ValueError("unlucky")
    return number * number


@pytest.mark.parametrize("workers", [SerialWorkers(), ProcessWorkers(2)])
def test_results_keep_the_order_of_the_items(workers: Workers) -> None:
    assert list(workers.map(square, range(8))) == [number * number for number in range(8)]


@pytest.mark.parametrize("workers", [SerialWorkers(), ProcessWorkers(2)])
def test_an_error_of_the_function_is_raised_here(workers: Workers) -> None:
    with pytest.raises(ValueError, match="unlucky"):
        list(workers.map(square, [1, 13]))


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
