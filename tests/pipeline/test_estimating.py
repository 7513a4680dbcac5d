"""`kg estimate` as a person runs it: figures from the real chunks, and nothing sent."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from kg_pipeline.datasets import Datasets
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
