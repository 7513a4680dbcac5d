"""Methods run over items: each question in its formats, each answer scored by the metric of its format."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kg_pipeline.errors import BudgetExhausted, LlmError, LlmUnavailable
from retrieval.answer import Answer
from retrieval.evaluation.biomedhop.items import Item
from retrieval.evaluation.biomedhop.patterns import FAMILIES, Family, Patterns
from retrieval.evaluation.metrics import count_exact, open_accuracy
from retrieval.evaluation.multihop_qa.journal import Journal
from retrieval.evaluation.multihop_qa.outcomes import (
    Format,
    Outcome,
    answer_read,
    path_overlap,
    path_read,
    verifying_sources,
)
from retrieval.evaluation.multihop_qa.predictions import (
    Prediction,
    predict_count,
    predict_entity,
    predict_option,
)
from retrieval.graph import Graph
from retrieval.methods.registry import Method
from retrieval.reasoning.asker import asker_of

#: Methods that read options without a language model; the others are asked the stem, and the option they name counts.
_READ_OPTIONS = ("auto", "bioweave")


@dataclass(frozen=True, slots=True)
class _Asked:
    item: Item
    format: Format
    text: str


def sample(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """At most `count` items, as many of each family as can be, in the order given."""
    if count >= len(items):
        return list(items)
    source = np.random.default_rng(seed)
    by_family = {family: [n for n, item in enumerate(items) if item.family == family] for family in FAMILIES}
    queues = [source.permutation(numbers).tolist() for numbers in by_family.values() if numbers]
    chosen: list[int] = []
    while len(chosen) < count:
        for queue in queues:
            if queue and len(chosen) < count:
                chosen.append(queue.pop())
    return [items[number] for number in sorted(chosen)]


def by_habit(items: Sequence[Item]) -> dict[Family, float]:
    """What always choosing the commonest letter, or always saying the commonest number, comes to in each family."""
    said = {
        family: Counter(item.correct or str(item.count) for item in items if item.family == family)
        for family in FAMILIES
    }
    return {family: max(found.values()) / found.total() for family, found in said.items() if found}


def run_method(
    graph: Graph,
    items: Sequence[Item],
    method: Method,
    patterns: Patterns,
    *,
    concurrency: int = 1,
    journal: Journal | None = None,
) -> list[Outcome]:
    """Answer every item in every format of its family, but for those whose outcome a journal has.

    A question that a language model fails on scores 0 and says why; a spent budget ends the run.

    Raises
    ------
    BudgetExhausted
        If the model's budget is spent.
    LlmUnavailable
        If no model answers: a table of noughts would measure nothing. What was answered is in the cache.

    """
    return asyncio.run(_run(graph, items, method, patterns, concurrency, journal))


async def _run(
    graph: Graph,
    items: Sequence[Item],
    method: Method,
    patterns: Patterns,
    concurrency: int,
    journal: Journal | None,
) -> list[Outcome]:
    room = asyncio.Semaphore(concurrency)

    async def one(asked: _Asked) -> Outcome:
        known = journal.find(asked.item.item_id, asked.format) if journal else None
        if known is not None:
            return known
        async with room:
            try:
                answer = await graph.aask(asked.text, method)
            except (BudgetExhausted, LlmUnavailable):
                raise
            except LlmError as error:
                return _failed(asked, method.name, str(error))
        outcome = _scored(asked, answer, method.name, graph, patterns)
        if journal is not None:
            journal.keep(outcome)
        return outcome

    has_model = asker_of(graph.context.reasoner) is not None
    questions = [asked for item in items for asked in _formats(item, method.name, has_model=has_model)]
    return list(await asyncio.gather(*(one(asked) for asked in questions)))


def _formats(item: Item, method: str, *, has_model: bool) -> Iterator[_Asked]:
    if item.family == "count":
        yield _Asked(item, "count", item.stem)
        return
    is_told = has_model or method.startswith(_READ_OPTIONS)
    yield _Asked(item, "mcq", item.multiple_choice if is_told else item.stem)
    yield _Asked(item, "open", item.stem)


def _scored(asked: _Asked, answer: Answer, method: str, graph: Graph, patterns: Patterns) -> Outcome:
    item = asked.item
    prediction, score = _predicted(asked, answer, graph, patterns)
    return Outcome(
        item_id=item.item_id,
        family=item.family,
        pattern=item.pattern,
        format=asked.format,
        method=method,
        score=score,
        prediction=prediction.text,
        answered=answer.answered,
        sources=verifying_sources(answer),
        overlap=path_overlap(answer, item),
        calls=answer.usage.calls,
        prompt_tokens=answer.usage.prompt_tokens,
        completion_tokens=answer.usage.completion_tokens,
        text=answer.text,
        quotes=tuple(citation.quote for citation in answer.citations),
        path_read=path_read(answer, item),
        answer_read=answer_read(answer, item, graph.reader),
        passages_read=len(answer.trace.passages),
        seconds=answer.seconds,
    )


def _predicted(asked: _Asked, answer: Answer, graph: Graph, patterns: Patterns) -> tuple[Prediction, float]:
    item = asked.item
    if asked.format == "mcq":
        prediction = predict_option(answer, item.options)
        return prediction, float(prediction.option == item.correct_index)
    if asked.format == "count":
        prediction = predict_count(answer)
        # What is listed is told apart by the accepted names before it is counted: two names of one thing are one thing.
        gold = {one.entity_id: one.accepted for one in item.answers}
        return prediction, count_exact(answer.items or prediction.text, gold)
    prediction = predict_entity(answer, item, patterns, graph.reader)
    return prediction, open_accuracy(prediction.text, item.answers[0].accepted)


def _failed(asked: _Asked, method: str, error: str) -> Outcome:
    item = asked.item
    return Outcome(
        item_id=item.item_id,
        family=item.family,
        pattern=item.pattern,
        format=asked.format,
        method=method,
        score=0.0,
        prediction="",
        answered=False,
        sources=frozenset(),
        overlap=0.0,
        calls=0,
        prompt_tokens=0,
        completion_tokens=0,
        text="",
        quotes=(),
        error=error,
    )
