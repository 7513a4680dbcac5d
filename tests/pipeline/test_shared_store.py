"""A build whose machines have nothing in common but an object store and a scheduler."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

import retrieval
from kg_pipeline.cli.finished import build_key, find
from kg_pipeline.corpora import find_corpus
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import load_settings
from tests.core.dask_cluster import DEADLINE, dask_cluster
from tests.core.s3_server import s3_server
from tests.pipeline.command import command, environment, run_kg

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed")]


def home_of_its_own(folder: Path, built: Path) -> Path:
    """An empty workspace; the vocabulary index, which every machine would make for itself in half a minute, is there."""
    (folder / "cache").mkdir(parents=True)
    (folder / "cache" / "vocabulary").symlink_to(built / "cache" / "vocabulary")
    return folder


def test_workers_with_homes_of_their_own_make_the_version_of_one_process_though_one_is_lost(
    built: Path, tmp_path: Path
) -> None:
    ours = home_of_its_own(tmp_path / "ours", built)
    (ours / "cache" / "embeddings").symlink_to(built / "cache" / "embeddings")
    theirs = [home_of_its_own(tmp_path / name, built) for name in ("one", "two")]
    with s3_server(tmp_path) as keys:
        shared = {**keys, "KG_STORE": "s3://bucket/graphs-of-mine", "KG_SHARDS": "4"}
        homes = [{**shared, "KG_HOME": str(home)} for home in theirs]
        with dask_cluster(tmp_path, homes) as cluster:
            build = subprocess.Popen(
                command("build", "demo"),
                env={**environment(ours), **shared, "KG_SCHEDULER": cluster.address},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            deadline = time.monotonic() + DEADLINE
            while not list((theirs[0] / "copies").rglob("*.parquet")):
                assert build.poll() is None, build.communicate()[0]
                assert time.monotonic() < deadline, "no work reached the worker"
                time.sleep(0.01)
            cluster.workers[0].kill()
            told, _ = build.communicate(timeout=4 * DEADLINE)
        assert build.returncode == 0, told
        version = VersionStore(built / "graphs").current("demo")
        # The other worker did the rest, and nothing of it in the home of the machine that asked.
        assert {path.name for path in theirs[1].glob("copies/*/datasets/demo/*")} >= {"documents", "triples"}
        assert not (ours / "raw").exists()
        for home in theirs:
            assert not list(home.glob("copies/*/graphs/*"))
        # A machine that never built anything reads the version, and knows that there is nothing to build.
        reader = home_of_its_own(tmp_path / "reader", built)
        listed = run_kg(reader, "versions", "demo", **shared)
        assert listed.returncode == 0, listed.stderr
        assert f"{version}" in listed.stdout
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**shared, "KG_HOME": str(reader)}.items():
                patch.setenv(name, value)
            with retrieval.open("demo") as graph:
                assert graph.version == version
                assert graph.search("lupus nephritis")
            settings = load_settings()
            datasets, spec = Datasets.of(settings), find_corpus(settings.corpora_file, "demo")
            key = build_key(datasets, spec, settings)
            assert find(datasets, VersionStore.of(settings), "demo", key) is not None
