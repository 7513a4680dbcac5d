"""A language model is asked about what the rules leave open, within bounds, once, and never against a veto."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.llm.chat import ChatModel
from kg_pipeline.normalization.adjudication import LLM_ADJUDICATION, adjudicate
from kg_pipeline.normalization.decisions import APART, decide, pair_of
from kg_pipeline.normalization.open_pairs import open_pairs
from kg_pipeline.normalization.stage import build_entities
from kg_pipeline.normalization.standardise import Form, Standardised, standardise
from kg_pipeline.settings import load_settings
from tests.llm.conftest import ScriptedServer
from tests.normalization.test_stage import mention

GENE, DISEASE = "biolink:Gene", "biolink:Disease"
LUPUS, MISSPELT = "systemic lupus erythematosus", "systemic lupus erythematodes"


def verdict(word: str) -> Any:
    return ScriptedServer.answer(json.dumps({"verdict": word}))


def entities(result: Standardised) -> list[list[str]]:
    return sorted(sorted(form.name for form in cluster.forms) for cluster in result.clusters)


FORMS = [
    Form(LUPUS, DISEASE, "C1", 9),
    Form(MISSPELT, DISEASE, None, 2),
    Form("interleukin 100 receptor", GENE, "C2", 4),
    Form("interleukin 101 receptor", GENE, None, 3),
    Form("hyperthyroidism of infancy", DISEASE, "C3", 2),
    Form("hypothyroidism of infancy", DISEASE, None, 2),
]


def test_only_pairs_that_look_alike_and_that_no_guard_vetoes_are_open() -> None:
    [pair] = open_pairs(standardise(FORMS), 100)
    assert (pair.local.name, pair.other.name) == (MISSPELT, LUPUS)
    assert open_pairs(standardise(FORMS), 0) == []
    assert open_pairs(standardise([]), 5) == []
    assert open_pairs(standardise(FORMS), 100, frozenset({pair_of(MISSPELT, LUPUS)})) == []


def test_two_concepts_are_never_asked_about() -> None:
    forms = [Form(LUPUS, DISEASE, "C1"), Form(MISSPELT, DISEASE, "C2")]
    assert open_pairs(standardise(forms), 100) == []


@pytest.mark.parametrize(("word", "count"), [("same", 1), ("different", 2), ("unsure", 2)])
def test_only_the_same_joins_and_the_concept_keeps_its_identifier(
    server: ScriptedServer, open_scripted: Callable[..., ChatModel], word: str, count: int
) -> None:
    server.script = [verdict(word)]
    result = standardise(FORMS[:2])
    found = adjudicate(result, open_pairs(result, 5), open_scripted())
    assert (len(found.result.clusters), found.asked, found.joined) == (count, 1, count % 2)
    assert "C1" in {cluster.entity_id for cluster in found.result.clusters}


def test_no_answer_overrides_a_veto_between_what_joined_before(
    server: ScriptedServer, open_scripted: Callable[..., ChatModel]
) -> None:
    """The middle name goes with either end, and the ends do not go together: complete linkage."""
    forms = [
        Form("familial tubular nephropathy", DISEASE, None, 5),
        Form("familial tubular nephropathies", DISEASE, "C1", 9),
        Form("tubular nephropathy, familial", DISEASE, None, 3),
    ]
    server.script = [verdict("same")]
    result = standardise([forms[0], forms[2], Form("sporadic tubular nephropathy", DISEASE, None, 4)])
    pairs = open_pairs(result, 50)
    found = adjudicate(result, pairs, open_scripted())
    for cluster in found.result.clusters:
        assert not {"familial", "sporadic"} <= {word for form in cluster.forms for word in form.name.split()}


def test_a_pair_is_paid_for_once_and_a_spent_budget_leaves_it_apart(
    server: ScriptedServer, open_scripted: Callable[..., ChatModel]
) -> None:
    server.script = [verdict("same")]
    result = standardise(FORMS[:2])
    pairs = open_pairs(result, 5)
    spent = adjudicate(result, pairs, open_scripted(budget_tokens=1))
    assert (spent.joined, spent.unanswered, len(server.requests)) == (0, 1, 0)
    for _ in range(2):
        assert adjudicate(result, pairs, open_scripted()).joined == 1
    assert len(server.requests) == 1


def test_the_stage_asks_as_many_pairs_as_the_corpus_allows_and_a_person_decides_last(
    tmp_path: Path, server: ScriptedServer, open_scripted: Callable[..., ChatModel]
) -> None:
    settings, datasets = load_settings({"KG_HOME": str(tmp_path)}), Datasets(tmp_path / "datasets")
    rows = [mention("PMC1", 0, LUPUS, "C1"), mention("PMC1", 50, MISSPELT, None)]
    datasets.write("mentions", "c", table_from_rows("mentions", rows), "00")
    server.script = [verdict("same")]

    def built(**options: Any) -> list[tuple[str, float]]:
        spec = CorpusSpec(name="c", source="x", **options)
        build_entities(datasets, spec, settings, chat=open_scripted())
        return [(row[0], round(row[1], 2)) for row in datasets.read("merges", "c").select("rule", "score").rows()]  # fmt: skip

    assert built() == []
    assert built(adjudicated_pairs=5, extraction="offline") == []
    assert built(adjudicated_pairs=5, standardization="egot") == [("egot_stem", 0.14)]
    assert server.requests == []
    assert built(adjudicated_pairs=5) == [(LLM_ADJUDICATION, 0.8)]
    decide(settings.home, "c", APART, pair_of(LUPUS, MISSPELT))
    assert built(adjudicated_pairs=5) == []
