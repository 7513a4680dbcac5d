"""Hypotheses between communities asked of a server: what is sent, what is kept, and whose sentences are withheld."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.inference.stage import build_community
from kg_pipeline.llm.chat import ChatModel
from kg_pipeline.settings import Settings, load_settings
from tests.llm.conftest import ScriptedServer


def corpus(root: Path, other_license: str) -> Datasets:
    """Two groups of entities, g and h, of two articles."""
    datasets = Datasets(root)
    relations, evidence = [], []
    for letter, article in (("g", "PMC1"), ("h", "PMC2")):
        for a, b in combinations(range(4), 2):
            name = f"{letter}{a}{b}"
            relations.append(
                {
                    "relation_id": name, "kind": "asserted", "head_id": f"{letter}{a}", "predicate": "regulates",
                    "tail_id": f"{letter}{b}", "negated": False, "speculative": False, "confidence": 0.8,
                    "n_articles": 1, "n_evidence": 1, "premises": [], "rule": "",
                }
            )  # fmt: skip
            evidence.append(
                {
                    "evidence_id": f"e-{name}", "relation_id": name, "article_id": article, "chunk_id": f"{article}:c0",
                    "section_path": "Results", "start": 0, "end": 9, "quote": f"The sentence of {name}.",
                    "head_text": "", "tail_text": "", "predicate_text": "", "extractor": "offline", "confidence": 0.8,
                }
            )  # fmt: skip
    entities = [
        {
            "entity_id": f"{letter}{i}", "name": f"{letter.upper()}{i}", "category": "biolink:Gene", "aliases": [],
            "n_mentions": 1, "n_articles": 1,
        }
        for letter in "gh" for i in range(4)
    ]  # fmt: skip
    documents = [
        {
            "article_id": article, "version": 1, "title": "", "journal": "", "article_type": "", "language": "en",
            "license_class": licensed, "text": "", "sections": [], "paragraphs": [], "glossary": [], "tables": [],
            "formulas": 0,
        }
        for article, licensed in (("PMC1", "redistributable"), ("PMC2", other_license))
    ]  # fmt: skip
    for name, rows, shard in (
        ("relations", relations, None), ("evidence", evidence, None), ("entities", entities, None),
        ("documents", documents, "00"),
    ):  # fmt: skip
        datasets.write(name, "c", table_from_rows(name, rows), shard)
    return datasets


@pytest.fixture
def settings(tmp_path: Path, server: ScriptedServer) -> Settings:
    return load_settings({"KG_HOME": str(tmp_path), "KG_LLM_BASE_URL": server.url, "KG_LLM_MODEL": "m"})


def said(*hypotheses: tuple[str, str, str, list[str]]) -> str:
    names = ("head", "predicate", "tail", "support")
    return json.dumps({"hypotheses": [dict(zip(names, each, strict=True)) for each in hypotheses]})


def build(
    datasets: Datasets, settings: Settings, chat: ChatModel, **options: Any
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    spec = CorpusSpec.model_validate({"name": "c", "source": ".", **options})
    counts = build_community(datasets, spec, settings, chat=chat)
    return counts, datasets.read("community_relations", "c").rows(named=True)


def test_a_hypothesis_has_sentences_of_both_sides(
    tmp_path: Path, server: ScriptedServer, open_scripted: Callable[..., ChatModel], settings: Settings
) -> None:
    good = ("G0", "regulates", "H1", ["A1", "B2"])
    answer = said(good, ("G0", "regulates", "H2", ["A1", "A2"]), ("G0", "regulates", "TNF", ["A1", "B1"]))
    server.script = [server.answer(f"Sure:\n```json\n{answer}\n```")]
    counts, rows = build(corpus(tmp_path / "d", "redistributable"), settings, open_scripted())
    asked = server.requests[0]["messages"][-1]["content"]
    assert 'A1: G0 regulates G1: "The sentence of g01."' in asked
    assert counts["dropped"] == 2
    assert (counts["dropped_no_quote_of_both"], counts["dropped_unknown_entity"]) == (1, 1)
    assert [(row["head_id"], row["tail_id"], row["premises"]) for row in rows] == [
        ("g0", "h1", ["g01", "h02"])
    ]
    assert rows[0]["rule"].endswith("from the evidence e-g01 e-h02")
    assert rows[0]["speculative"]


def test_sentences_that_a_licence_withholds_are_not_sent(
    tmp_path: Path, server: ScriptedServer, open_scripted: Callable[..., ChatModel], settings: Settings
) -> None:
    server.script = [server.answer(said(("G0", "regulates", "H1", ["A1", "B2"])))]
    datasets = corpus(tmp_path / "d", "unknown")
    counts, rows = build(datasets, settings, open_scripted(), rights={"unknown": "edges"})
    assert rows == []
    assert counts["dropped_no_quote_of_both"] == 1
    assert "The sentence of g01." in json.dumps(server.requests)
    assert "The sentence of h" not in json.dumps(server.requests)
