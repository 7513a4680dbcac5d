"""A Dask scheduler and its workers, each a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from distributed import Client

DEADLINE = 120


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the scheduler is reached, and its workers; one that is killed stays away, as a lost machine does."""

    address: str
    workers: Sequence[subprocess.Popen[bytes]]


@contextmanager
def dask_cluster(folder: Path, workers: Sequence[Mapping[str, str]]) -> Iterator[Cluster]:
    """Run a scheduler and a worker with each of these sets of variables, and wait for all; the log is `dask.log`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    ours = {
        **{name: value for name, value in os.environ.items() if not name.startswith("KG_")},
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    options = ["--host", "127.0.0.1", "--no-dashboard"]
    with (folder / "dask.log").open("w") as log:

        def start(arguments: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments, *options],
                cwd=folder,
                env={**ours, **variables},
                stdout=log,
                stderr=log,
            )

        scheduler = start(["scheduler", "--port", address.rsplit(":", 1)[1]], {})
        alone = ["worker", address, "--nthreads", "1", "--no-nanny"]
        started = [start(alone, variables) for variables in workers]
        try:
            with Client(address, timeout=DEADLINE, set_as_default=False) as client:
                client.wait_for_workers(len(started), timeout=DEADLINE)
            yield Cluster(address, started)
        finally:
            for process in (*started, scheduler):
                process.kill()
            for process in (*started, scheduler):
                process.wait(DEADLINE)
