"""Servers of object stores for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.gcs_server import gcs_server
from tests.core.s3_server import s3_server


@pytest.fixture(scope="package")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a bucket; what this process needs to reach it is in its environment meanwhile."""
    with s3_server(tmp_path_factory.mktemp("s3")) as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield "s3://bucket"


@pytest.fixture(scope="package")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Options of an address in Google's protocol that lead to a server on this machine."""
    pytest.importorskip("gcp_storage_emulator", reason="the server of Google's protocol is not installed")
    with gcs_server(tmp_path_factory.mktemp("gcs")) as options:
        yield options
