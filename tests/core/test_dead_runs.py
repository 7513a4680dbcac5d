"""A build that was killed does not keep its place in a pool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kg_pipeline.cli import instance as instances
from kg_pipeline.settings import load_settings


@pytest.mark.integration
def test_a_killed_run_ends_and_frees_its_pool_and_a_living_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dagster as dg

    for name in ("DAGSTER_HOME", "KG_HOME", "KG_CORPORA"):  # what `prepare` sets goes with the test
        monkeypatch.setenv(name, str(tmp_path))
    settings = load_settings({"KG_HOME": str(tmp_path)})
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with instances.open_instance(settings) as instance:
        living = instances.process_tags()
        runs = {}
        for name, tags in (("dead", {**living, instances.PROCESS: str(ended.pid)}), ("living", living)):
            run = instance.create_run_for_job(_job(dg), tags=tags, status=dg.DagsterRunStatus.STARTED)
            instance.event_log_storage.claim_concurrency_slot(
                {"dead": "pmc", "living": "neo4j"}[name], run.run_id, "step"
            )
            runs[name] = run.run_id
    with instances.open_instance(settings) as instance:
        states = {name: instance.get_run_by_id(run_id).status for name, run_id in runs.items()}
        assert states == {"dead": dg.DagsterRunStatus.FAILURE, "living": dg.DagsterRunStatus.STARTED}
        storage = instance.event_log_storage
        assert storage.get_concurrency_info("pmc").active_slot_count == 0
        assert storage.get_concurrency_info("neo4j").active_slot_count == 1


def _job(dg):
    @dg.op
    def step():
        pass

    @dg.job
    def one():
        step()

    return one
