"""`kg ui`: the real webserver and daemon, asked over GraphQL as the browser asks them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.pipeline.command import command, environment, run_kg

pytestmark = pytest.mark.integration

ASSETS = """{ assetNodes { opName groupName description computeKind jobNames
    partitionDefinition { dimensionTypes { name } } hasAssetChecks
    assetMaterializations(limit: 1) { metadataEntries { label __typename } } } }"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def interface(built: Path) -> Iterator[str]:
    """Address of a running interface."""
    port = free_port()
    log = (built / "ui.log").open("w")
    process = subprocess.Popen(
        command("ui", "--port", str(port)),
        env=environment(built),
        cwd=built,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 120
        while not answers(address):
            assert process.poll() is None, (built / "ui.log").read_text()
            assert time.monotonic() < deadline, (built / "ui.log").read_text()
        yield address
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=60)
        log.close()


def answers(address: str) -> bool:
    try:
        return bool(graphql(address, "{ assetNodes { opName } }")["assetNodes"])
    except httpx.HTTPError:
        time.sleep(0.2)
        return False


def graphql(address: str, query: str) -> dict[str, Any]:
    response = httpx.post(f"{address}/graphql", json={"query": query}, timeout=60)
    response.raise_for_status()
    data = response.json()
    assert "errors" not in data, data["errors"]
    return dict(data["data"])


def test_the_assets_are_shown_with_what_a_build_recorded(interface: str) -> None:
    nodes = {node["opName"]: node for node in graphql(interface, ASSETS)["assetNodes"]}
    assert len(nodes) == 16
    for name, node in nodes.items():
        assert node["description"], name
        assert node["hasAssetChecks"], name
        if name == "neo4j_graph":
            continue
        labels = {entry["label"] for entry in node["assetMaterializations"][0]["metadataEntries"]}
        assert {"preview", "dagster/row_count"} <= labels, name


def test_a_taken_port_is_said_in_a_sentence(interface: str, built: Path) -> None:
    port = interface.rsplit(":", 1)[1]
    result = run_kg(built, "ui", "--port", port)
    assert result.returncode == 1
    assert "is taken" in result.stderr


LAUNCH = """mutation { launchPartitionBackfill(backfillParams: {
    assetSelection: [{path: ["article_index"]}], partitionNames: ["demo"]}) {
  __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""


def test_a_backfill_of_a_corpus_can_be_launched_from_the_browser(interface: str) -> None:
    launched = graphql(interface, LAUNCH)["launchPartitionBackfill"]
    assert launched["__typename"] == "LaunchBackfillSuccess", launched
    query = f'{{ partitionBackfillOrError(backfillId: "{launched["backfillId"]}") {{ ... on PartitionBackfill {{ status }} }} }}'
    deadline = time.monotonic() + 200
    status = "REQUESTED"
    while status in {"REQUESTED", "IN_PROGRESS", "COMPLETING"}:
        assert time.monotonic() < deadline, status
        time.sleep(1)
        status = graphql(interface, query)["partitionBackfillOrError"]["status"]
    assert status == "COMPLETED_SUCCESS"
