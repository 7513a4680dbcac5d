"""A changed setting is answered by doing again what it decides about, and nothing before."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from kg_pipeline.cli.finished import build_key, find
from kg_pipeline.corpora import find_corpus, load_corpora, shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings, load_settings
from kg_pipeline.stages import chunk_shard, fetch_shard, parse_shard, recognise_shard
from tests.pipeline.command import run_kg

pytestmark = pytest.mark.integration
STAGES = {
    "articles": fetch_shard,
    "documents": parse_shard,
    "chunks": chunk_shard,
    "mentions": recognise_shard,
}


@pytest.fixture
def settings(built: Path, tmp_path: Path) -> Settings:
    """A built workspace whose tables may change."""
    shutil.copytree(built / "datasets", tmp_path / "datasets")
    for shared in ("cache", "graphs", "raw"):
        (tmp_path / shared).symlink_to(built / shared)
    return load_settings({"KG_HOME": str(tmp_path)})


def computed(settings: Settings, changed: Mapping[str, object], stages: list[str]) -> dict[str, int]:
    """Articles that each stage computes anew once the corpus has other settings."""
    spec = find_corpus(settings.corpora_file, "demo").model_copy(update=dict(changed))
    return {
        name: sum(STAGES[name](spec, settings, shard).computed for shard in shard_keys(settings.shards))
        for name in stages
    }


def test_nothing_is_done_for_what_later_stages_decide(settings: Settings) -> None:
    made = computed(settings, {"inference": "egot", "standardization": "egot"}, list(STAGES))
    assert made == dict.fromkeys(STAGES, 0)


def test_chunks_of_another_size_are_made_of_the_same_documents(settings: Settings) -> None:
    made = computed(settings, {"chunk_tokens": 100}, ["articles", "documents", "chunks"])
    assert made["articles"] == made["documents"] == 0
    assert made["chunks"] > 0


def test_another_recogniser_of_entities_asks_for_another_build(settings: Settings) -> None:
    datasets, spec = Datasets.of(settings), find_corpus(settings.corpora_file, "demo")
    other = settings.model_copy(update={"entity_model": "none"})
    assert build_key(datasets, spec, settings) != build_key(datasets, spec, other)


def test_a_build_that_fails_is_not_taken_for_the_finished_one_before(settings: Settings) -> None:
    datasets, versions = Datasets.of(settings), VersionStore(settings.graphs)
    key = build_key(datasets, find_corpus(settings.corpora_file, "demo"), settings)
    assert find(datasets, versions, "demo", key) is not None
    failed = run_kg(
        settings.home, "build", "demo", KG_LLM_BASE_URL="http://127.0.0.1:9/v1", KG_LLM_MODEL="absent"
    )
    assert failed.returncode != 0
    assert "cannot be reached" in failed.stdout + failed.stderr
    assert find(datasets, versions, "demo", key) is None


def test_a_corpus_that_left_the_file_keeps_its_versions(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "graphs" / "demo", tmp_path / "graphs" / "mine")
    settings = load_settings({"KG_HOME": str(tmp_path)})
    settings.corpora_file.write_text('[mine]\nsource = "articles"\n')
    assert "mine" in load_corpora(settings.corpora_file)
    settings.corpora_file.write_text("")
    assert "mine" not in load_corpora(settings.corpora_file)
    version = VersionStore(built / "graphs").current("demo")
    assert VersionStore(settings.graphs).current("mine") == version
    listed = run_kg(tmp_path, "versions", "mine")
    assert str(version) in listed.stdout, listed.stderr


def test_shards_here_and_there_that_were_lost_are_made_again_and_no_others(settings: Settings) -> None:
    datasets, spec = Datasets.of(settings), find_corpus(settings.corpora_file, "demo")
    filled = [shard for shard, rows in datasets.batches("chunks", "demo") if rows.height]
    lost = {filled[0], filled[len(filled) // 2], filled[-1]}
    for shard in lost:
        datasets.path("chunks", "demo", shard).unlink()
    computed = {shard: chunk_shard(spec, settings, shard).computed for shard in shard_keys(settings.shards)}
    assert {shard for shard, articles in computed.items() if articles} == lost
