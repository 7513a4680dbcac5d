"""A process that is killed while it assembles and publishes never leaves a version or a pointer that is not whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from kg_pipeline.files import TEMPORARY_PREFIX
from kg_pipeline.graph.verify import verify_version

ROUNDS = 15

# Two inputs in turn, so that each round writes one version and moves the pointer; says what it has published.
_WRITER = """
import json, shutil, sys
from pathlib import Path
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.assemble import assemble_version
from kg_pipeline.graph.version import VersionStore
from kg_pipeline.settings import Settings

home = Path(sys.argv[1])
settings = Settings(home=home, corpora_file=home / "corpora.toml")
store = VersionStore(settings.graphs)
store.sweep("tiny", grace_seconds=0)
print("ready", flush=True)
number = 0
while True:
    number += 1
    spec = CorpusSpec(name="tiny", source="x", hub_degree=2 + (number + int(sys.argv[2])) % 7)
    version = assemble_version(Datasets(settings.datasets), spec, settings).version
    store.publish("tiny", version)
    print(json.dumps(version), flush=True)
    for info in store.versions("tiny"):
        if not info.is_current:
            store.discard("tiny", info.version)
"""


@pytest.mark.timeout(120)
def test_kill_nine_at_any_moment_loses_nothing_that_was_published(workplace, random_articles):
    workplace.write(random_articles)
    acknowledged = None
    for round_ in range(ROUNDS):
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(workplace.settings.home), str(round_)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.05 + 0.037 * round_)
        os.kill(process.pid, signal.SIGKILL)
        said = process.stdout.read().split("\n")
        process.wait()
        process.stdout.close()
        whole = [json.loads(line) for line in said if line.endswith('"')]
        acknowledged = whole[-1] if whole else acknowledged
        current = workplace.store.current("tiny")
        if acknowledged is not None:
            assert current is not None
        if current is not None:
            assert verify_version(workplace.store.folder("tiny", current)) == []
            reader = workplace.store.open("tiny")
            assert reader.neighbours(["E:gene00"])
            reader.close()
    assert acknowledged is not None, "the writer must have published in some round"
    workplace.store.sweep("tiny", grace_seconds=0)
    left = [path.name for path in (workplace.store.root / "tiny").glob(f"{TEMPORARY_PREFIX}*")]
    assert left == []
