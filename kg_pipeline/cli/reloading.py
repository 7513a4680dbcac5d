"""Reload the code location of a running interface when the corpora file changes, so that a new corpus is a partition.

Run as a process beside `dagster dev`; it ends when the process that started it ends.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import httpx

from kg_pipeline.pmc.source_state import source_state

_SECONDS_BETWEEN_LOOKS = 1.0
_TIMEOUT_SECONDS = 120
_RELOAD = "mutation { reloadWorkspace { __typename } }"


def watch(corpora_file: Path, address: str, parent: int) -> None:
    """Ask the webserver at `address` to reload after every change, as long as `parent` is our parent process."""
    seen = source_state(corpora_file).digest
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
        now = source_state(corpora_file).digest
        if now != seen and _reload(address):
            seen = now


def _reload(address: str) -> bool:
    """Whether the webserver took it; one that is not up yet is asked again."""
    try:
        answer = httpx.post(f"{address}/graphql", json={"query": _RELOAD}, timeout=_TIMEOUT_SECONDS)
    except httpx.HTTPError:
        return False
    return answer.is_success


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora_file", type=Path)
    parser.add_argument("address")
    parser.add_argument("parent", type=int)
    arguments = parser.parse_args()
    watch(arguments.corpora_file, arguments.address, arguments.parent)
