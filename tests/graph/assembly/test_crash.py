"""A process that is killed while it assembles and publishes never leaves a version or a pointer that is not whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from kg_pipeline.files import TEMPORARY_PREFIX
from kg_pipeline.graph.versions.verify import verify_version

#: 14 in the suite; `CRASH_ROUNDS=200` for a long run.
ROUNDS = int(os.environ.get("CRASH_ROUNDS", "14"))

# Seven inputs in turn, so that each cycle writes a version and moves the pointer; says what it is about to do and did.
_WRITER = """
import sys
from pathlib import Path
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.versions.store import VersionStore
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
    print("publishing", version, flush=True)
    store.publish("tiny", version)
    print("published", version, flush=True)
    for info in store.versions("tiny"):
        if not info.is_current:
            store.discard("tiny", info.version)
"""


@pytest.mark.timeout(180 + 20 * ROUNDS)
def test_kill_nine_at_any_moment_loses_nothing_that_was_published(workplace, random_articles):
    workplace.write(random_articles)
    before, cycle = None, 0.0
    for round_ in range(ROUNDS):
        command = [sys.executable, "-c", _WRITER, str(workplace.settings.home), str(round_)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            said = ""
            if round_ == 0:
                # The first round measures a cycle; the others are killed at moments spread over one and a half.
                started = time.monotonic()
                said = process.stdout.readline() + process.stdout.readline()
                cycle = time.monotonic() - started
            else:
                time.sleep(1.5 * cycle * round_ / ROUNDS)
            os.kill(process.pid, signal.SIGKILL)
            said += process.stdout.read()
        told = [line.split() for line in said.splitlines() if len(line.split()) == 2]
        done = [version for what, version in told if what == "published"]
        current = workplace.store.current("tiny")
        # The pointer is where the last acknowledged publication put it, or the one that was under way.
        assert current in {done[-1] if done else before, told[-1][1] if told else before}
        before = current
        assert verify_version(workplace.store.folder("tiny", current)) == []
        reader = workplace.store.open("tiny")
        assert reader.neighbours(["E:gene00"])
        reader.close()
    workplace.store.sweep("tiny", grace_seconds=0)
    left = [path.name for path in (workplace.store.root / "tiny").glob(f"{TEMPORARY_PREFIX}*")]
    assert left == []
