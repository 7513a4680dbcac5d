"""`kg ui` on a built workspace: what the browser shows, and a backfill launched from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.command import run_kg
from tests.pipeline.webserver import Interface, serving, wait_for

pytestmark = pytest.mark.integration

ASSETS = """{ assetNodes { opName groupName description computeKind jobNames
    partitionDefinition { dimensionTypes { name } } hasAssetChecks
    assetMaterializations(limit: 1) { metadataEntries { label __typename } } } }"""


@pytest.fixture(scope="module")
def interface(built: Path) -> Iterator[Interface]:
    with serving(built) as running:
        yield running


def test_the_assets_are_shown_with_what_a_build_recorded(interface: Interface) -> None:
    nodes = {node["opName"]: node for node in interface.ask(ASSETS)["assetNodes"]}
    assert len(nodes) == 17
    for name, node in nodes.items():
        assert node["description"], name
        assert node["hasAssetChecks"], name
        if name == "neo4j_graph":
            continue
        labels = {entry["label"] for entry in node["assetMaterializations"][0]["metadataEntries"]}
        assert {"preview", "dagster/row_count", "stage_seconds"} <= labels, name


def test_a_taken_port_is_said_in_a_sentence(interface: Interface, built: Path) -> None:
    result = run_kg(built, "ui", "--port", interface.address.rsplit(":", 1)[1])
    assert result.returncode == 1
    assert "is taken" in result.stderr


LAUNCH = """mutation { launchPartitionBackfill(backfillParams: {
    assetSelection: [{path: ["article_index"]}], partitionNames: ["demo"]}) {
  __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""


def test_a_backfill_of_a_corpus_can_be_launched_from_the_browser(interface: Interface) -> None:
    launched = interface.ask(LAUNCH)["launchPartitionBackfill"]
    assert launched["__typename"] == "LaunchBackfillSuccess", launched
    query = f'{{ partitionBackfillOrError(backfillId: "{launched["backfillId"]}") {{ ... on PartitionBackfill {{ status }} }} }}'
    seen: list[str] = []

    def is_over() -> bool:
        seen.append(interface.ask(query)["partitionBackfillOrError"]["status"])
        return seen[-1] not in {"REQUESTED", "IN_PROGRESS", "COMPLETING"}

    wait_for(is_over, 200, "the backfill")
    assert seen[-1] == "COMPLETED_SUCCESS"
