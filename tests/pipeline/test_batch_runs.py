"""The Batch API inside of a run: its errors are those of a stage, and batches that were left are spoken of."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

from assets.extraction import triples
from assets.stage import run_settings
from kg_pipeline.corpora import add_corpus, find_corpus
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import LlmUnavailable
from kg_pipeline.extraction.triples.llm_batches import answer_in_batches
from kg_pipeline.llm.account import shared_run
from kg_pipeline.settings import load_settings
from resources.workers import ShardWorkers
from resources.workspace import Workspace

SHARD = dg.MultiPartitionKey({"corpus": "demo", "shard": "00"})


@pytest.mark.parametrize(("tags", "attempts"), [({}, 4), ({"kg/command": "build"}, 1)])
def test_an_error_of_a_batch_is_told_and_tried_again_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tags: dict[str, str], attempts: int
) -> None:
    tried = []

    def refuse(*_: object, **__: object) -> None:
        tried.append(1)
        raise LlmUnavailable("The endpoint has gone.")

    monkeypatch.setenv("KG_HOME", str(tmp_path))
    monkeypatch.setattr("assets.stage._FIRST_WAIT_SECONDS", 0)
    monkeypatch.setattr("assets.extraction.answer_in_batches", refuse)
    result = dg.materialize(
        [triples],
        selection=[triples],
        partition_key=SHARD,
        resources={"workspace": Workspace(), "workers": ShardWorkers()},
        tags=tags,
        raise_on_error=False,
    )
    (failure,) = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    assert failure.user_failure_data is not None
    assert failure.user_failure_data.description == "The endpoint has gone."
    assert len(tried) == attempts


def test_batches_that_nobody_can_cancel_any_more_are_spoken_of(tmp_path: Path) -> None:
    settings = load_settings({"KG_HOME": str(tmp_path / "home")})
    (tmp_path / "articles").mkdir()
    add_corpus(settings.corpora_file, "left", tmp_path / "articles")
    spec = find_corpus(settings.corpora_file, "left")
    said: list[str] = []
    datasets = Datasets(settings.datasets)
    assert answer_in_batches(datasets, spec, ["00"], settings, announce=said.append) is None
    assert said == []
    folder = settings.cache / "llm" / "batches" / "left"
    folder.mkdir(parents=True)
    (folder / "x.json").write_text(json.dumps({"digest": "x", "model": "m", "requests": 3, "batch_id": "b"}))
    answer_in_batches(datasets, spec, ["00"], settings, announce=said.append)
    (line,) = said
    assert "Batches of corpus 'left' that an earlier run left (1)" in line
    assert str(folder) in line


def test_a_run_shares_its_budget_with_those_under_way_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path))
    monkeypatch.delenv("KG_LLM_BASE_URL", raising=False)
    assert run_settings(Workspace()).llm is None
    assert not (tmp_path / "cache").exists()  # without a model nothing is joined
    monkeypatch.setenv("KG_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("KG_LLM_MODEL", "m")
    llm = run_settings(Workspace()).llm
    assert llm is not None
    assert llm.run == shared_run(tmp_path / "cache" / "llm")
    monkeypatch.setenv("KG_RUN", "told")
    told = run_settings(Workspace()).llm
    assert told is not None
    assert told.run == "told"
