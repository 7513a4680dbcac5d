"""Questions answered by methods, and from rankings of passages: each answer in its shortest words, scored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any, Literal

from kg_pipeline.errors import BudgetExhausted, LlmError, LlmUnavailable
from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.llm.budget import metered
from retrieval.evaluation.intervals import Interval, bootstrap
from retrieval.evaluation.metrics import Convention, exact_match, f1, holds_answer, recall_at
from retrieval.evaluation.open_qa.judging import AnswerJudge
from retrieval.evaluation.open_qa.reading import Reader
from retrieval.evaluation.open_qa.shortening import Shortener
from retrieval.evaluation.questions import QaQuestion
from retrieval.evaluation.ranking import MethodResult, metrics_of
from retrieval.graph import Graph
from retrieval.methods.method import Method

ANSWER_METRICS = ("em", "f1")
#: Of what an answer, or a refusal, was made from: the share of the gold passages, and whether the answer stands there.
READ_METRICS = ("gold_read", "answer_read")
#: The score that a judge adds.
JUDGED = "judge"
#: Passages of a ranking that are read, as HippoRAG reads them.
READ = 5


@dataclass(frozen=True, slots=True)
class QaOutcome:
    """One question answered; `passages` are those of a ranking, or those that an answer cites, best first.

    `read` are the passages that it was made from, cited or not, and `answer_read` says whether an accepted answer stands
    in them. `calls` and `tokens` are of the answer, without its shortening and judging.
    """

    question_id: str
    prediction: str
    answered: bool
    passages: tuple[str, ...]
    read: tuple[str, ...] = ()
    answer_read: float = 0.0
    text: str = ""
    calls: int = 0
    tokens: int = 0
    reason: str = ""  # why there is no answer
    is_right: bool | None = None  # as a judge sees it; None without one
    is_unjudged: bool = False  # the judge gave no usable verdict
    has_failed: bool = False  # a language model could not be asked
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What one method or ranking reached; `scores` are EM, F1, the metrics of the passages, and a judge's if there is one."""

    method: str
    passages: Literal["ranked", "cited"]
    scores: Mapping[str, Interval]
    answered: float
    calls: float
    tokens: float
    seconds: float
    passages_read: float
    failed: int
    unjudged: int  # questions that the judge gave no usable verdict on; they count as wrong
    outcomes: tuple[QaOutcome, ...] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Every figure with a key."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How answers are compared, who judges them besides, and how many questions are asked at once."""

    convention: Convention = "squad"
    judge: AnswerJudge | None = None
    concurrency: int = 1
    seed: int = 0


def run_questions(
    graph: Graph, questions: Sequence[QaQuestion], method: Method, shortener: Shortener, scoring: Scoring
) -> AnswerRow:
    """Ask a method every question; one that a language model fails on scores 0 and says why.

    Raises
    ------
    BudgetExhausted
        If the model's budget is spent.
    LlmUnavailable
        If no model answers: a table of noughts would measure nothing. What was answered is in the cache.
    ValueError
        If there are no questions.

    """

    async def ask(question: QaQuestion) -> QaOutcome:
        answer = await graph.aask(question.text, method)
        return QaOutcome(
            question_id=question.question_id,
            prediction=await shortener.shorten(answer),
            answered=answer.answered,
            passages=tuple(dict.fromkeys(citation.chunk_id for citation in answer.citations)),
            read=answer.trace.passages,
            answer_read=_holds(graph.reader, answer.trace.passages, question),
            text=answer.text,
            calls=answer.usage.calls,
            tokens=answer.usage.prompt_tokens + answer.usage.completion_tokens,
            reason=answer.trace.reason,
            seconds=answer.seconds,
        )

    outcomes = asyncio.run(_all(questions, ask, scoring))
    return _row(method.name, "cited", questions, outcomes, scoring)


def read_ranking(
    store: GraphReader,
    questions: Sequence[QaQuestion],
    ranking: MethodResult,
    reader: Reader,
    scoring: Scoring,
) -> AnswerRow:
    """Answer every question from the first passages of a ranking; raises as `run_questions` does."""

    async def read(question: QaQuestion) -> QaOutcome:
        ranked = ranking.rankings[question.question_id]
        started = time.perf_counter()
        with metered() as used:
            prediction = await reader.read(question.text, store.chunks(ranked[:READ]))
        seconds = ranking.ms_median / 1000 + time.perf_counter() - started
        return QaOutcome(
            question_id=question.question_id,
            prediction=prediction,
            answered=bool(prediction),
            passages=ranked,
            read=ranked[:READ],
            answer_read=_holds(store, ranked[:READ], question),
            calls=used.usage.calls + used.usage.cached_calls,
            tokens=used.usage.tokens,
            seconds=seconds,
        )

    outcomes = asyncio.run(_all(questions, read, scoring))
    return _row(ranking.method, "ranked", questions, outcomes, scoring)


def _holds(store: GraphReader, passages: Sequence[str], question: QaQuestion) -> float:
    return holds_answer((chunk.text for chunk in store.chunks(passages)), question.answers)


async def _all(
    questions: Sequence[QaQuestion], answer: Callable[[QaQuestion], Awaitable[QaOutcome]], scoring: Scoring
) -> list[QaOutcome]:
    room = asyncio.Semaphore(scoring.concurrency)

    async def one(question: QaQuestion) -> QaOutcome:
        async with room:
            try:
                outcome = await answer(question)
            except (BudgetExhausted, LlmUnavailable):
                raise
            except LlmError as error:
                outcome = QaOutcome(
                    question.question_id, "", answered=False, passages=(), reason=str(error), has_failed=True
                )
            if scoring.judge is None:
                return outcome
            said = await scoring.judge.verdict(question.text, question.answers, outcome.prediction)
            return replace(outcome, is_right=bool(said), is_unjudged=said is None)

    return list(await asyncio.gather(*map(one, questions)))


def scores_of(outcome: QaOutcome, question: QaQuestion, convention: Convention) -> dict[str, float]:
    """EM, F1, the metrics of the passages, those of what was read, and a judge's verdict if there is one."""
    read = recall_at(outcome.read, question.gold, max(len(outcome.read), 1))
    return {
        "em": exact_match(outcome.prediction, question.answers),
        "f1": f1(outcome.prediction, question.answers, convention),
        **metrics_of(outcome.passages, question),
        **dict(zip(READ_METRICS, (read, outcome.answer_read), strict=True)),
        **({} if outcome.is_right is None else {JUDGED: float(outcome.is_right)}),
    }


def _row(
    method: str,
    passages: Literal["ranked", "cited"],
    questions: Sequence[QaQuestion],
    outcomes: Sequence[QaOutcome],
    scoring: Scoring,
) -> AnswerRow:
    values = [
        scores_of(outcome, question, scoring.convention)
        for outcome, question in zip(outcomes, questions, strict=True)
    ]
    return AnswerRow(
        method=method,
        passages=passages,
        scores={name: bootstrap([found[name] for found in values], seed=scoring.seed) for name in values[0]},
        answered=fmean(outcome.answered for outcome in outcomes),
        calls=fmean(outcome.calls for outcome in outcomes),
        tokens=fmean(outcome.tokens for outcome in outcomes),
        seconds=fmean(outcome.seconds for outcome in outcomes),
        passages_read=fmean(len(outcome.read) for outcome in outcomes),
        failed=sum(outcome.has_failed for outcome in outcomes),
        unjudged=sum(outcome.is_unjudged for outcome in outcomes),
        outcomes=tuple(outcomes),
    )
