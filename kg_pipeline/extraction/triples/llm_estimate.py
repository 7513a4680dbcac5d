"""What reading a corpus with a language model will cost, from its own chunks, before anything is sent.

Prompts are those that would be sent, counted with the tokenizer of the package (WordPiece; other tokenizers differ by
some 10 %). What is answered is not known beforehand: expected is one triple for each sentence that names two things,
and at most `MAX_TOKENS` for each call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_pipeline.extraction.llm.answer import TripleAnswer
from kg_pipeline.extraction.llm.triples import MAX_TOKENS, Passage, passage_question
from kg_pipeline.extraction.triples.inputs import passages_of, read_articles
from kg_pipeline.llm.tokens import count_tokens

if TYPE_CHECKING:
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.llm.chat import ChatModel
    from kg_pipeline.settings import LlmSettings

#: Tokens of one triple in an answer: its names, predicate, categories, flags and a sentence of 40 words.
TRIPLE_TOKENS = 120
#: Tokens of an answer that finds nothing.
EMPTY_ANSWER_TOKENS = 10
#: What chat templates put around the messages of a call.
_CALL_TOKENS = 24
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens that a build would need; `answered` chunks are kept from before and cost nothing."""

    articles: int = 0
    answered: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    expected_tokens: int = 0
    most_tokens: int = 0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.articles + other.articles,
            self.answered + other.answered,
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.expected_tokens + other.expected_tokens,
            self.most_tokens + other.most_tokens,
        )

    def cost(self, settings: LlmSettings, answer_tokens: int) -> float:
        """Cost with answers of that many tokens in all, in the currency of the prices; 0 without prices."""
        paid = (
            self.prompt_tokens * settings.price_per_million_input
            + answer_tokens * settings.price_per_million_output
        )
        return paid / _MILLION

    def minutes(self, settings: LlmSettings, seconds_per_call: float) -> float:
        """Time that it takes at least: the slowest of the limits and of `concurrency` calls at a time."""
        paces = [self.calls * seconds_per_call / settings.concurrency / 60]
        if settings.requests_per_minute:
            paces.append(self.calls / settings.requests_per_minute)
        if settings.tokens_per_minute:
            paces.append((self.prompt_tokens + self.expected_tokens) / settings.tokens_per_minute)
        return max(paces)


def estimate_corpus(datasets: Datasets, corpus: str, chat: ChatModel) -> Estimate:
    """Add up all shards; each is read once and let go."""
    total = Estimate()
    for shard in datasets.shards("chunks", corpus):
        ids = datasets.read("documents", corpus, shard)["article_id"].to_list()
        for article in read_articles(datasets, corpus, shard, sorted(ids)).values():
            total += Estimate(articles=1) + _sum(_of_passages(passages_of(article), chat))
    return total


def _of_passages(passages: Iterable[Passage], chat: ChatModel) -> Iterator[Estimate]:
    format_tokens = count_tokens(json.dumps(TripleAnswer.model_json_schema()))
    for passage in passages:
        question = passage_question(passage)
        if chat.has_answer(chat.request_key(question, schema=TripleAnswer, max_tokens=MAX_TOKENS)):
            yield Estimate(answered=1)
            continue
        asked = sum(count_tokens(message["content"]) for message in question.messages)
        closed = count_tokens(json.dumps(question.choices)) if question.choices else 0
        prompt = asked + format_tokens + closed + _CALL_TOKENS
        expected = EMPTY_ANSWER_TOKENS + TRIPLE_TOKENS * _telling_sentences(passage)
        yield Estimate(
            calls=1,
            prompt_tokens=prompt,
            expected_tokens=min(expected, MAX_TOKENS),
            most_tokens=MAX_TOKENS,
        )


def _telling_sentences(passage: Passage) -> int:
    """Sentences of the passage that name two different things."""
    count = 0
    for start, end in passage.sentences:
        named = {
            each.concept_id or each.normal_form.casefold()
            for each in passage.mentions
            if start <= each.start and each.end <= end
        }
        count += len(named) > 1
    return count


def _sum(parts: Iterable[Estimate]) -> Estimate:
    return sum(parts, Estimate())
