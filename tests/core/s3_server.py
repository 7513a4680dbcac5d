"""A server of S3's protocol in a process of its own, with one bucket named `bucket`."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEADLINE = 60


@contextmanager
def s3_server(folder: Path) -> Iterator[dict[str, str]]:
    """Run one while the block runs; yields the variables by which a process reaches it as it would reach Amazon's."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    address = f"http://127.0.0.1:{port}"
    with (folder / "s3.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port], stdout=log, stderr=log
        )
        try:
            _make_bucket(address, server, folder / "s3.log")
            yield {
                "AWS_ENDPOINT_URL": address,
                "AWS_ACCESS_KEY_ID": "of-no-account",
                "AWS_SECRET_ACCESS_KEY": "of-no-account",
                "AWS_DEFAULT_REGION": "us-east-1",
            }
        finally:
            server.terminate()
            server.wait(DEADLINE)


def _make_bucket(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            request = urllib.request.Request(f"{address}/bucket", method="PUT")
            with urllib.request.urlopen(request, timeout=DEADLINE):
                return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"No server of S3's protocol: {log.read_text()}") from None
            time.sleep(0.05)
