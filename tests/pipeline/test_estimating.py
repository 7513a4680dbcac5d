"""`kg estimate` as a person runs it: figures from the real chunks, and nothing sent."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from kg_pipeline.cli.estimating import _remarks as remarks
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.extraction.triples.llm_estimate import Estimate
from kg_pipeline.settings import load_settings
from tests.pipeline.command import Kg, run_kg

NOBODY = {"KG_LLM_BASE_URL": "http://127.0.0.1:9/v1", "KG_LLM_MODEL": "m", "KG_LLM_API_KEY": "k"}


@pytest.mark.integration
def test_an_estimate_counts_the_chunks_and_speaks_of_the_budget(built: Path, tmp_path: Path) -> None:
    for folder in ("cache", "datasets", "raw", "dagster"):
        shutil.copytree(built / folder, tmp_path / folder)
    prices = {"KG_LLM_PRICE_PER_MILLION_INPUT": "1", "KG_LLM_PRICE_PER_MILLION_OUTPUT": "2"}
    result = run_kg(tmp_path, "estimate", "demo", **NOBODY, **prices, KG_LLM_BUDGET_TOKENS="1000")
    assert result.returncode == 0, result.stderr
    chunks = Datasets(tmp_path / "datasets").scan("chunks", "demo").collect().height
    assert re.search(rf"calls\W+{chunks}\b", result.stdout)
    assert "cost with the Batch API" in result.stdout
    assert "nothing was sent" in result.stdout
    assert "The budget does not suffice" in result.stdout


@pytest.mark.integration
def test_without_a_model_there_is_nothing_to_estimate(kg: Kg) -> None:
    result = kg("estimate", "demo")
    assert result.returncode != 0
    assert "read without a language model" in result.stdout + result.stderr


@pytest.mark.parametrize(("options", "told"), [({"adjudicated_pairs": 1234}, True), ({}, False),
                                               ({"adjudicated_pairs": 9, "standardization": "egot"}, False)])  # fmt: skip
def test_pairs_of_names_that_the_model_may_be_asked_about_are_told(
    options: dict[str, object], told: bool
) -> None:
    spec = CorpusSpec.model_validate({"name": "mine", "source": "articles", **options})
    llm = load_settings(NOBODY).llm
    assert llm is not None
    found = [line for line in remarks(Estimate(), llm, spec) if "adjudicated_pairs" in line]
    assert bool(found) == told
    assert all("1,234 calls of up to 60 tokens" in line for line in found)
