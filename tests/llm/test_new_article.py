"""What one new article costs in a corpus that has been read: its own chunks, and that is known before it is read."""

from __future__ import annotations

import json

from kg_pipeline.datasets import Datasets
from kg_pipeline.extraction.triples.llm_estimate import estimate_corpus
from kg_pipeline.extraction.triples.stage import build_triples
from kg_pipeline.settings import load_settings
from tests.extraction.test_triple_stage import SHARD, TEXT, spec, write

CHUNKS, READ = 2, 8


def article(number: int) -> dict[str, str]:
    """An article of two chunks that no other has."""
    return {f"PMC{number}": TEXT.replace(" may ", f" {number:03d} ")}


def test_the_model_is_asked_about_the_chunks_of_a_new_article_only_and_that_is_estimated_before(
    server, open_scripted, settings_for, tmp_path
):
    server.script = [server.answer(json.dumps({"triples": []}))]
    settings = load_settings({"KG_HOME": str(tmp_path)}).model_copy(update={"llm": settings_for(server.url)})
    datasets = Datasets(tmp_path / "datasets")
    articles: dict[str, str] = {}

    def build() -> int:
        """Requests that reading the articles takes."""
        before = len(server.requests)
        build_triples(datasets, spec("llm"), SHARD, settings, chat=open_scripted())
        return len(server.requests) - before

    def estimated() -> tuple[int, int]:
        found = estimate_corpus(datasets, "c", open_scripted())
        return found.calls, found.answered

    for number in range(READ):
        articles |= article(number)
    write(datasets, articles)
    assert estimated() == (READ * CHUNKS, 0)
    assert build() == READ * CHUNKS

    articles |= article(READ)
    write(datasets, articles)
    assert estimated() == (CHUNKS, READ * CHUNKS)
    sent = len(server.requests)
    assert build() == CHUNKS
    assert all(f" {READ:03d} " in json.dumps(request) for request in server.requests[sent:])
    assert estimated() == (0, (READ + 1) * CHUNKS)
    assert build() == 0
