"""`kg ui` on a built workspace: what the browser shows, and a backfill launched from it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from kg_pipeline.cli import interface as interface_command
from tests.pipeline.command import run_kg
from tests.pipeline.webserver import Interface, serving, wait_for

pytestmark = pytest.mark.integration

ASSETS = """{ assetNodes { opName groupName description computeKind jobNames
    partitionDefinition { dimensionTypes { name } } hasAssetChecks
    assetMaterializations(limit: 1) { metadataEntries { label __typename ... on MarkdownMetadataEntry { mdStr } } } } }"""


@pytest.fixture(scope="module")
def interface(built: Path) -> Iterator[Interface]:
    with serving(built) as running:
        yield running


def test_the_assets_are_shown_with_what_a_build_recorded(interface: Interface) -> None:
    nodes = {node["opName"]: node for node in interface.ask(ASSETS)["assetNodes"]}
    assert len(nodes) == 16
    for name, node in nodes.items():
        assert node["description"], name
        assert node["hasAssetChecks"], name
        entries = node["assetMaterializations"][0]["metadataEntries"]
        labels = {entry["label"] for entry in entries}
        assert {"preview", "dagster/row_count", "stage_seconds"} <= labels, name
        if name == "graph_version":
            # A denied or suggested relation must not read as a fact.
            sample = next(entry["mdStr"] for entry in entries if entry["label"] == "sample")
            assert "| predicate | tail | negated | speculative |" in sample
        assert name != "graph_version" or "plots" in labels


def test_runs_of_the_terminal_are_told_by_corpus_and_stages(interface: Interface) -> None:
    runs = [run["tags"] for run in interface.runs() if run["tags"].get("kg/command") == "build"]
    assert {run["kg/stages"] for run in runs} >= {
        "vocabulary",
        "articles to triples",
        "entities to graph_explorer",
    }
    assert all(run["kg/corpus"] == "demo" for run in runs if run["kg/stages"] != "vocabulary")


def test_it_ends_on_a_signal_though_it_was_started_in_the_background_of_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        # What the command sets for its children goes with the test.
        for name, place in {"DAGSTER_HOME": "", "KG_HOME": "", "KG_CORPORA": "corpora.toml"}.items():
            patch.setenv(name, str(tmp_path / place))
        patch.setattr(interface_command, "_reload_with", lambda *_: None)
        patch.setattr(os, "execv", lambda *_: None)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            interface_command.serve("127.0.0.1", port, Console(quiet=True))
            assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL  # exec hands on what is ignored
        finally:
            signal.signal(signal.SIGINT, before)


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
