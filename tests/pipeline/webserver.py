"""The real interface as a process, asked over GraphQL as the browser asks it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.pipeline.command import command, environment

START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Interface:
    """A running `kg ui`."""

    address: str
    pid: int

    def ask(self, query: str) -> dict[str, Any]:
        """Data of an answer without errors."""
        response = httpx.post(f"{self.address}/graphql", json={"query": query}, timeout=60)
        response.raise_for_status()
        data = response.json()
        assert "errors" not in data, data["errors"]
        return dict(data["data"])

    def runs(self) -> list[dict[str, Any]]:
        """The latest runs, the newest first: id, status, times, and tags by key."""
        query = "{ runsOrError(limit: 30) { ... on Runs { results { runId status startTime endTime tags { key value } } } } }"
        runs = self.ask(query)["runsOrError"]["results"]
        return [{**run, "tags": {tag["key"]: tag["value"] for tag in run["tags"]}} for run in runs]

    def launch(self, assets: Sequence[str], tags: Mapping[str, str]) -> str:
        """Id of a new run that materialises the assets; its tags say for which partitions."""
        selected = ", ".join(f'{{path: ["{name}"]}}' for name in assets)
        told = ", ".join(f'{{key: "{key}", value: "{value}"}}' for key, value in tags.items())
        selector = (
            'repositoryName: "__repository__", repositoryLocationName: "kg_pipeline", pipelineName: "__ASSET_JOB", '
            f"assetSelection: [{selected}]"
        )
        parameters = f"selector: {{{selector}}}, executionMetadata: {{tags: [{told}]}}"
        launched = self.ask(
            f"mutation {{ launchRun(executionParams: {{{parameters}}}) {{ __typename "
            "... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }"
        )["launchRun"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return str(launched["run"]["runId"])


@contextmanager
def serving(home: Path) -> Iterator[Interface]:
    """Run `kg ui` on a workspace until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    log = home / "ui.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            command("ui", "--port", str(port)),
            env={**environment(home), "FRESHNESS_DAEMON_INTERVAL_SECONDS": "2"},
            cwd=home,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
        interface = Interface(f"http://127.0.0.1:{port}", process.pid)
        try:
            wait_for(lambda: _answers(interface, process, log), START_SECONDS, "the interface to answer")
            yield interface
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=60)


def _answers(interface: Interface, process: subprocess.Popen[bytes], log: Path) -> bool:
    assert process.poll() is None, log.read_text()
    try:
        return bool(interface.ask("{ assetNodes { opName } }")["assetNodes"])
    except httpx.HTTPError:
        return False


def wait_for(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Look again and again until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.3)
