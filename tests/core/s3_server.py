"""A server of S3's protocol in a process of its own, with one bucket named `bucket`."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.core.web_process import free_port, web_process


@contextmanager
def s3_server(folder: Path) -> Iterator[dict[str, str]]:
    """Run one while the block runs; yields the variables by which a process reaches it as it would reach Amazon's."""
    port = str(free_port())
    address = f"http://127.0.0.1:{port}"
    make_bucket = urllib.request.Request(f"{address}/bucket", method="PUT")
    with web_process(["moto.server", "-H", "127.0.0.1", "-p", port], folder / "s3.log", make_bucket):
        yield {
            "AWS_ENDPOINT_URL": address,
            "AWS_ACCESS_KEY_ID": "of-no-account",
            "AWS_SECRET_ACCESS_KEY": "of-no-account",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
