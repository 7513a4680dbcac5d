"""A web server that runs as a process of its own on this machine, and what is needed to wait for it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

DEADLINE = 60


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def web_process(arguments: Sequence[str], log: Path, first: urllib.request.Request) -> Iterator[None]:
    """Run `python -m` with these arguments while the block runs, which begins once the first request is answered."""
    with log.open("w") as sink:
        server = subprocess.Popen([sys.executable, "-m", *arguments], stdout=sink, stderr=sink)
        try:
            _wait_for(first, server, log)
            yield
        finally:
            server.terminate()
            server.wait(DEADLINE)


def _wait_for(first: urllib.request.Request, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            with urllib.request.urlopen(first, timeout=DEADLINE):
                return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"The server does not answer: {log.read_text()}") from None
            time.sleep(0.05)
