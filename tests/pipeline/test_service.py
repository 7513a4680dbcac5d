"""The service as it runs unattended: new corpora appear, watched folders are listed, a killed run comes back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest

from kg_pipeline.datasets import Datasets
from tests.pipeline.webserver import Interface, serving, wait_for

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
ARTICLES = Path(__file__).parents[2] / "kg_pipeline" / "demo" / "articles"
CORPORA = ("first", "second")
SENSOR = (
    'repositoryName: "__repository__", repositoryLocationName: "kg_pipeline", sensorName: "source_folders"'
)
BACKFILL = """mutation { launchPartitionBackfill(backfillParams: { allPartitions: true, assetSelection: [
    {path: ["articles"]}, {path: ["documents"]}, {path: ["chunks"]}, {path: ["mentions"]}, {path: ["triples"]}]}) {
  __typename ... on PythonError { message } } }"""


@pytest.fixture(scope="module")
def home(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built workspace whose daemon looks for dead runs more often than it does by default."""
    folder = tmp_path_factory.mktemp("service")
    shutil.copytree(built, folder, dirs_exist_ok=True)
    config = folder / "dagster" / "dagster.yaml"
    config.write_text(config.read_text().replace("poll_interval_seconds: 30", "poll_interval_seconds: 3"))
    return folder


@pytest.fixture(scope="module")
def interface(home: Path) -> Iterator[Interface]:
    with serving(home) as running:
        yield running


def partitions(interface: Interface) -> list[str]:
    nodes = interface.ask("{ assetNodes { opName partitionKeys } }")["assetNodes"]
    return next(node["partitionKeys"] for node in nodes if node["opName"] == "article_index")


def sharded(interface: Interface) -> dict[str, list[dict[str, Any]]]:
    """Runs of the backfill by corpus, the first one first."""
    found: dict[str, list[dict[str, Any]]] = {}
    for run in reversed(interface.runs()):
        start = run["tags"].get("dagster/asset_partition_range_start", "")
        if "dagster/backfill" in run["tags"] and start:
            found.setdefault(start.partition("|")[0], []).append(run)
    return found


def workers(interface: Interface) -> list[psutil.Process]:
    """Processes of runs under way, the oldest first."""
    found = [
        process
        for process in psutil.Process(interface.pid).children(recursive=True)
        if process.ppid() != interface.pid and "spawn_main" in " ".join(process.cmdline())
    ]
    return sorted(found, key=lambda process: process.create_time())


def test_corpora_of_the_file_become_partitions_and_their_folders_are_watched(
    interface: Interface, home: Path
) -> None:
    for name, article in zip(CORPORA, sorted(ARTICLES.glob("*.xml")), strict=False):
        (home / name).mkdir()
        shutil.copy2(article, home / name / article.name)
    (home / "corpora.toml").write_text("".join(f'[{name}]\nsource = "{name}"\n' for name in CORPORA))
    wait_for(lambda: set(CORPORA) <= set(partitions(interface)), 60, "the partitions")
    started = interface.ask(f"mutation {{ startSensor(sensorSelector: {{{SENSOR}}}) {{ __typename }} }}")
    assert started["startSensor"]["__typename"] == "Sensor"

    def listed() -> set[str]:
        runs = [run for run in interface.runs() if run["tags"].get("kg/cause") == "source_folders"]
        return {run["tags"]["kg/corpus"] for run in runs if run["status"] == "SUCCESS"}

    wait_for(lambda: listed() >= set(CORPORA), 200, "the listings")


def test_corpora_run_at_the_same_time_and_a_killed_run_is_started_again(
    interface: Interface, home: Path
) -> None:
    interface.ask(BACKFILL)
    wait_for(lambda: len(workers(interface)) >= 2, 120, "two runs")
    workers(interface)[0].kill()

    def all_done() -> bool:
        runs = sharded(interface)
        return set(CORPORA) <= runs.keys() and all(r[-1]["status"] == "SUCCESS" for r in runs.values())

    wait_for(all_done, 300, "the runs")
    runs = sharded(interface)
    firsts = sorted((attempts[0]["startTime"], attempts[0]["endTime"]) for attempts in runs.values())
    assert any(begun < ended for (_, ended), (begun, _) in pairwise(firsts)), firsts
    again = [run for attempts in runs.values() for run in attempts if "dagster/parent_run_id" in run["tags"]]
    assert again, runs
    for name in CORPORA:
        assert Datasets(home / "datasets").read("triples", name).height > 0
