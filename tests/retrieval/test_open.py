"""`retrieval.open` over a version directory that was really assembled, with the real models."""

from __future__ import annotations

from pathlib import Path

import pytest

import retrieval
from kg_pipeline.errors import GraphError
from kg_pipeline.llm.embeddings import load_embedder
from kg_pipeline.settings import Settings
from tests.retrieval.lupus_graph import lupus
from tests.retrieval.snapshot import publish
from tests.retrieval.test_answers import QUESTIONS


def settings_for(home: Path) -> Settings:
    return Settings.model_validate({"home": home, "corpora_file": home / "corpora.toml"})


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = settings_for(tmp_path_factory.mktemp("home"))
    publish(lupus(), settings, "lupus", load_embedder(settings))
    return settings


def test_a_published_version_answers_like_the_graph_in_memory(settings: Settings) -> None:
    with retrieval.open("lupus", settings=settings) as graph:
        assert graph.version == graph.manifest.version
        answer = graph.ask("How is UV related to Lupus?")
        assert [edge.head_id for edge in answer.graph.edges] == ["C1", "C2", "C3", "C4"]
        assert graph.ask("Does vitamin D treat lupus?").contradictions
        assert graph.ask("How do plasmacytoid dendritic cells contribute to lupus?").inferred
        assert graph.ask("Does hydroxycloroquine reduce flares?").verdict == "yes"  # one letter is missing


def test_a_closed_graph_says_that_it_is_closed(settings: Settings) -> None:
    with retrieval.open("lupus", settings=settings) as graph:
        pass
    with pytest.raises(GraphError, match="closed"):
        graph.ask("How is UV related to Lupus?")
    with pytest.raises(GraphError, match="closed"):
        graph.search("How is UV related to Lupus?")


@pytest.mark.parametrize("method", ["egot", "ppr"])
def test_foreign_questions_are_refused_with_the_real_models(settings: Settings, method: str) -> None:
    with retrieval.open("lupus", settings=settings) as graph:
        for question in (
            "What is the capital of France?",
            "Does aspirin prevent stroke?",
            "What is the role of ZZTOP1 in lupus?",
        ):
            assert not graph.ask(question, method).answered


def test_two_graphs_of_one_version_answer_the_same(settings: Settings) -> None:
    with (
        retrieval.open("lupus", settings=settings) as one,
        retrieval.open("lupus", one.version, settings=settings) as two,
    ):
        for question in QUESTIONS:
            assert (
                one.ask(question).to_json().partition('"seconds"')[0]
                == two.ask(question).to_json().partition('"seconds"')[0]
            )


def test_a_corpus_without_a_graph_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(retrieval.NoGraphError, match="kg build lupus"):
        retrieval.open("lupus", settings=settings_for(tmp_path))


@pytest.mark.parametrize(
    ("store", "message"), [("neo4j", "KG_NEO4J_URI"), ("oracle", "'embedded' or 'neo4j'")]
)
def test_a_store_that_is_not_there_is_refused(settings: Settings, store: str, message: str) -> None:
    with pytest.raises(retrieval.StoreUnavailable, match=message):
        retrieval.open("lupus", store=store, settings=settings)
