"""Many askers on one opened graph get what one asker gets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import retrieval
from kg_pipeline.settings import Settings
from tests.retrieval.lupus_graph import lupus
from tests.retrieval.memory_graph import HashingEmbedder
from tests.retrieval.snapshot import publish

ASKERS = 8
QUESTIONS = ("How is UV related to Lupus?", "Does vitamin D treat lupus?")


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[retrieval.Graph]:
    """A version on disk with the real embedding model."""
    from kg_pipeline.llm.embeddings import load_embedder

    settings = Settings.model_validate({"home": tmp_path, "corpora_file": tmp_path / "corpora.toml"})
    publish(lupus(HashingEmbedder()), settings, "lupus", load_embedder(settings))
    with retrieval.open("lupus", settings=settings) as opened:
        yield opened


def test_askers_in_threads_and_in_one_loop_get_the_same_answers_as_one_alone(graph: retrieval.Graph) -> None:
    work = [(question, method) for method in ("auto", "ppr") for question in QUESTIONS]
    crowd = [work[i % len(work)] for i in range(ASKERS)]
    with ThreadPoolExecutor(ASKERS) as pool:
        threaded = list(pool.map(lambda item: graph.ask(*item), crowd))

    async def together() -> list[retrieval.Answer]:
        return list(await asyncio.gather(*(graph.aask(*item) for item in work)))

    alone = {item: graph.ask(*item) for item in work}
    assert threaded == [alone[item] for item in crowd]
    assert asyncio.run(together()) == [alone[item] for item in work]
