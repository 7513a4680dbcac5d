"""A server of Google Cloud Storage's protocol in a process of its own, with one bucket named `bucket`."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.core.web_process import free_port, web_process


@contextmanager
def gcs_server(folder: Path) -> Iterator[str]:
    """Run one while the block runs; yields options by which an address leads to it, `gs://anonymous@bucket/prefix?` before."""
    port = str(free_port())
    arguments = ["start", "--host", "127.0.0.1", "--port", port, "--in-memory", "--default-bucket", "bucket"]
    bucket = urllib.request.Request(f"http://127.0.0.1:{port}/storage/v1/b/bucket")
    with web_process(["gcp_storage_emulator", *arguments], folder / "gcs.log", bucket):
        yield f"endpoint_override=127.0.0.1%3A{port}&scheme=http"
