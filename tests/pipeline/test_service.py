"""The service as it runs unattended: new corpora appear and are listed, two are built at once, and a killed run is made up for."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from kg_pipeline.corpora import shard_keys
from kg_pipeline.graph.versions.store import VersionStore
from tests.pipeline.records import record_graph
from tests.pipeline.webserver import Interface, serving, wait_for

#: The waits are bounded one by one, for machines that have much else to do.
pytestmark = [pytest.mark.integration, pytest.mark.timeout(1000)]
ARTICLES = Path(__file__).parents[2] / "kg_pipeline" / "demo" / "articles"
CORPORA = ("first", "second")
SENSOR = (
    'repositoryName: "__repository__", repositoryLocationName: "kg_pipeline", sensorName: "source_folders"'
)
SHARDED = ("articles", "documents", "chunks", "mentions", "triples")
PER_CORPUS = (
    "entities",
    "relations",
    "transitive_relations",
    "lexical_relations",
    "community_relations",
    "embeddings",
    "graph_version",
    "current_graph",
)


@pytest.fixture(scope="module")
def home(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built workspace that may be changed."""
    folder = tmp_path_factory.mktemp("service")
    shutil.copytree(built, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def interface(home: Path) -> Iterator[Interface]:
    with serving(home) as running:
        yield running


def partitions(interface: Interface) -> list[str]:
    nodes = interface.ask("{ assetNodes { opName partitionKeys } }")["assetNodes"]
    return next(node["partitionKeys"] for node in nodes if node["opName"] == "article_index")


@pytest.fixture(scope="module")
def listed(interface: Interface, home: Path) -> Interface:
    """The interface once the two corpora that were written into the file have been listed by the sensor."""
    for name in CORPORA:
        shutil.copytree(ARTICLES, home / name)
    (home / "corpora.toml").write_text("".join(f'[{name}]\nsource = "{name}"\n' for name in CORPORA))
    wait_for(lambda: set(CORPORA) <= set(partitions(interface)), 60, "the partitions")
    started = interface.ask(f"mutation {{ startSensor(sensorSelector: {{{SENSOR}}}) {{ __typename }} }}")
    assert started["startSensor"]["__typename"] == "Sensor"
    wait_for(lambda: listings(interface) >= set(CORPORA), 300, "the listings")
    return interface


def listings(interface: Interface) -> set[str]:
    runs = [run for run in interface.runs() if run["tags"].get("kg/cause") == "source_folders"]
    return {run["tags"]["kg/corpus"] for run in runs if run["status"] == "SUCCESS"}


def test_corpora_of_the_file_become_partitions_and_their_folders_are_watched(listed: Interface) -> None:
    assert listings(listed) >= set(CORPORA)


def shard_range(corpus: str) -> dict[str, str]:
    """Tags of a run over all shards of a corpus."""
    first, *_, last = (f"{corpus}|{shard}" for shard in shard_keys(64))
    return {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}


def events(interface: Interface, run: str) -> list[dict[str, str]]:
    query = f'{{ logsForRun(runId: "{run}") {{ ... on EventConnection {{ events {{ ... on MessageEvent {{ message stepKey eventType }} }} }} }} }}'
    return list(interface.ask(query)["logsForRun"]["events"])


def kill_in_step(interface: Interface, run: str, step: str) -> None:
    """Kill the process of a run, which its events name, once it is at a step."""

    def is_there() -> bool:
        return any(e["eventType"] == "STEP_START" and e["stepKey"] == step for e in events(interface, run))

    wait_for(is_there, 200, f"{step} to start")
    started = [
        re.search(r"Started process for run \(pid: (\d+)\)", e["message"]) for e in events(interface, run)
    ]
    (process,) = (int(match[1]) for match in started if match)
    os.kill(process, signal.SIGKILL)


def outcome(interface: Interface, run: str) -> str:
    """How a run ended, or the last of those that were started in its place."""
    runs = interface.runs()
    last = next(r for r in runs if run in (r["runId"], r["tags"].get("dagster/root_run_id")))
    return str(last["status"])


def test_two_corpora_are_built_at_once_and_a_killed_run_is_made_up_for(listed: Interface, home: Path) -> None:
    killed, other = (listed.launch(SHARDED, shard_range(name)) for name in CORPORA)
    kill_in_step(listed, killed, "mentions")
    wait_for(lambda: outcome(listed, killed) == outcome(listed, other) == "SUCCESS", 300, "both to be read")
    runs = {run["runId"]: run for run in listed.runs()}
    again = next(run for run in runs.values() if run["tags"].get("dagster/parent_run_id") == killed)
    assert (runs[killed]["status"], again["tags"]["dagster/retry_number"]) == ("FAILURE", "1")
    assert runs[other]["startTime"] < again["endTime"]
    assert runs[killed]["startTime"] < runs[other]["endTime"]

    last = [listed.launch(PER_CORPUS, {"dagster/partition": name}) for name in CORPORA]
    wait_for(lambda: {outcome(listed, run) for run in last} == {"SUCCESS"}, 300, "both graphs")
    versions = VersionStore(home / "graphs")
    assert {versions.current(name) for name in CORPORA} == {versions.current("demo")}
    assert checks_of_late_graphs(listed) == ["SUCCEEDED"] * 2


def checks_of_late_graphs(interface: Interface) -> list[str]:
    """How the checks for late graphs went that were run with the builds."""
    query = (
        '{ assetCheckExecutions(assetKey: {path: ["current_graph"]}, '
        'checkName: "graphs_of_all_corpora_are_recent", limit: 9) { status } }'
    )
    return [execution["status"] for execution in interface.ask(query)["assetCheckExecutions"]]


def test_a_graph_that_is_late_is_shown_as_late(listed: Interface, home: Path) -> None:
    query = "{ assetNodes { opName freshnessStatusInfo { freshnessStatus } } }"

    def status() -> str:
        nodes = {node["opName"]: node for node in listed.ask(query)["assetNodes"]}
        return str(nodes["current_graph"]["freshnessStatusInfo"]["freshnessStatus"])

    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        for days_ago, expected in ((0, "HEALTHY"), (9, "WARNING"), (16, "DEGRADED"), (0, "HEALTHY")):
            record_graph(instance, "first", days_ago=days_ago)
            wait_for(lambda wanted=expected: status() == wanted, 60, expected)
