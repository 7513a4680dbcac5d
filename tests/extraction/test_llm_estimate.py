"""What a language model would cost, counted from the chunks there are, before anything is sent."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from kg_pipeline.datasets import Datasets
from kg_pipeline.extraction.llm.answer import TripleAnswer
from kg_pipeline.extraction.llm.triples import MAX_TOKENS, passage_question
from kg_pipeline.extraction.triples.inputs import passages_of, read_articles
from kg_pipeline.extraction.triples.llm_estimate import (
    EMPTY_ANSWER_TOKENS,
    TRIPLE_TOKENS,
    Estimate,
    estimate_corpus,
)
from kg_pipeline.llm.cache import AnswerCache, StoredAnswer
from kg_pipeline.llm.chat import open_chat
from kg_pipeline.settings import LlmSettings
from tests.extraction.test_triple_stage import SHARD, TEXT, write


def settings(**options: float) -> LlmSettings:
    address = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key": "k"}  # nobody listens there
    return LlmSettings.model_validate({**address, **options})


def test_calls_are_the_chunks_and_answers_what_their_sentences_may_hold(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path / "datasets")
    write(datasets, {"PMC1": TEXT, "PMC2": TEXT})
    found = estimate_corpus(datasets, "c", open_chat(settings(), tmp_path))
    assert (found.articles, found.calls, found.answered) == (2, 4, 0)
    # Each chunk holds two sentences, and each sentence names two things.
    assert found.expected_tokens == 4 * (EMPTY_ANSWER_TOKENS + 2 * TRIPLE_TOKENS)
    assert found.most_tokens == 4 * MAX_TOKENS
    shortest = len(TEXT) // 10
    assert found.prompt_tokens > 4 * shortest


def test_what_was_answered_before_costs_nothing(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path / "datasets")
    write(datasets, {"PMC1": TEXT})
    chat = open_chat(settings(), tmp_path)
    before = estimate_corpus(datasets, "c", chat)
    (article,) = read_articles(datasets, "c", SHARD, ["PMC1"]).values()
    first = passages_of(article)[0]
    key = chat.request_key(passage_question(first), schema=TripleAnswer, max_tokens=MAX_TOKENS)
    AnswerCache(tmp_path / "llm").put(key, StoredAnswer('{"triples": []}', "stop", 10, 5))
    after = estimate_corpus(datasets, "c", chat)
    assert (before.calls, after.calls, after.answered) == (2, 1, 1)
    assert after.prompt_tokens < before.prompt_tokens
    answer = asyncio.run(
        chat.complete(
            passage_question(first).messages,
            choices=passage_question(first).choices,
            schema=TripleAnswer,
            max_tokens=MAX_TOKENS,
            purpose="triples",
        )
    )
    assert answer.cached  # the very request that was counted as answered is the one that a build asks


def test_cost_and_time_follow_prices_and_the_slowest_limit() -> None:
    found = Estimate(
        articles=1, calls=120, prompt_tokens=1_000_000, expected_tokens=500_000, most_tokens=900_000
    )
    priced = settings(price_per_million_input=2, price_per_million_output=4)
    assert found.cost(priced, found.expected_tokens) == pytest.approx(4.0)
    assert found.cost(priced, found.most_tokens) == pytest.approx(5.6)
    assert found.cost(settings(), found.most_tokens) == 0
    assert found.minutes(settings(concurrency=4), 6) == pytest.approx(3)
    assert found.minutes(settings(concurrency=4, requests_per_minute=10), 6) == pytest.approx(12)
    assert found.minutes(settings(concurrency=4, tokens_per_minute=50_000), 6) == pytest.approx(30)
    assert (found + replace(found, calls=1)).calls == 121
