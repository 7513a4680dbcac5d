"""A judge on trial: its verdicts beside those written by hand for a small fixed set, before any of its figures is shown.

Agreement is told per task with Cohen's kappa. Below `LEAST_KAPPA`, the lower end of "substantial" by Landis and Koch (1977),
every figure that the judge gives carries a warning. Ten labels can show that a judge is useless, not that it is good.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from kg_pipeline.errors import LlmRefused
from retrieval.evaluation.agreement import agreement
from retrieval.evaluation.intervals import bootstrap
from retrieval.evaluation.mine.entailment import is_stated
from retrieval.evaluation.open_qa.judging import AnswerJudge
from retrieval.evaluation.quality.answers import relevance_ratings, supported_claims, useful_contexts
from retrieval.evaluation.quality.pairwise import preferred
from retrieval.evaluation.verification import material, verify
from retrieval.reasoning.llm_reasoner import Chat

LEAST_KAPPA = 0.6
Task = Literal[
    "verifier", "faithfulness", "context_precision", "relevance", "pairwise", "entailment", "same_answer"
]
Row = Mapping[str, Any]
Pair = tuple[Hashable, Hashable]  # the label, what the judge said; None where that is nothing usable


@dataclass(frozen=True, slots=True)
class Tried:
    """How a judge did at a task; `share` are equal verdicts with a 95 % interval, `kappa` None where all are one and the same."""

    n: int
    unusable: int
    share: float
    low: float
    high: float
    kappa: float | None

    @property
    def is_trusted(self) -> bool:
        """Whether its figures may stand without a warning."""
        return self.kappa is not None and round(self.kappa, 9) >= LEAST_KAPPA


def try_judge(chat: Chat, *tasks: Task) -> dict[str, dict[str, Any]]:
    """A judge's agreement with the labels of some tasks, as reports hold it; the model keeps its answers, so it costs once.

    Raises
    ------
    BudgetExhausted
        If the model's budget is spent.
    LlmUnavailable
        If no model answers.

    """
    return {
        task: asdict(tried) | {"trusted": tried.is_trusted, "least_kappa": LEAST_KAPPA}
        for task in sorted(tasks)
        for tried in [asyncio.run(_try(task, chat))]
    }


async def _try(task: Task, chat: Chat) -> Tried:
    pairs = [pair for row in _labels()[task] for pair in await _TASKS[task](row, chat)]
    labels, judge = [one for one, _ in pairs], [other for _, other in pairs]
    found = agreement(labels, judge)
    share = bootstrap([float(one == other) for one, other in pairs])
    return Tried(found.n, judge.count(None), share.mean, share.low, share.high, found.kappa)


@cache
def _labels() -> Mapping[str, Sequence[Row]]:
    text = files("retrieval.evaluation").joinpath("labels.toml").read_text(encoding="utf-8")
    return MappingProxyType(tomllib.loads(text))


async def _verifier(row: Row, chat: Chat) -> list[Pair]:
    shown = material(
        question=row["question"],
        right=row["right"],
        hops=row["hops"],
        understood=row["understood"],
        given=row["given"],
        evidence=row["evidence"],
    )
    try:
        found = await verify(chat, shown)
    except LlmRefused:
        return [(row["correct"], None), (row["supported"], None)]
    return [(row["correct"], found.answer_correct), (row["supported"], found.is_supported)]


async def _faithfulness(row: Row, chat: Chat) -> list[Pair]:
    return _each(row["labels"], await supported_claims(row["claims"], row["contexts"], chat))


async def _context_precision(row: Row, chat: Chat) -> list[Pair]:
    found = await useful_contexts(row["question"], [row["answer"]], row["contexts"], chat)
    return _each(row["labels"], found)


def _each(labels: Sequence[bool], verdicts: Sequence[bool] | None) -> list[Pair]:
    if verdicts is None:
        return [(label, None) for label in labels]
    return list(zip(labels, verdicts, strict=True))


async def _relevance(row: Row, chat: Chat) -> list[Pair]:
    ratings = await relevance_ratings(row["question"], row["contexts"], chat)
    return [(row["label"], rating) for rating in ratings]


async def _pairwise(row: Row, chat: Chat) -> list[Pair]:
    better, worse = row["better"], row["worse"]
    found: list[Pair] = []
    for texts, side in (((better, worse), "first"), ((worse, better), "second")):
        told = await preferred(row["question"], *texts, chat)
        found.append((side, told["overall"] if told else None))
    return found


async def _entailment(row: Row, chat: Chat) -> list[Pair]:
    return [(row["label"], await is_stated(row["fact"], row["context"], chat))]


async def _same_answer(row: Row, chat: Chat) -> list[Pair]:
    return [(row["label"], await AnswerJudge(chat).verdict(row["question"], row["accepted"], row["given"]))]


_TASKS: Mapping[Task, Callable[[Row, Chat], Awaitable[list[Pair]]]] = MappingProxyType(
    {
        "verifier": _verifier,
        "faithfulness": _faithfulness,
        "context_precision": _context_precision,
        "relevance": _relevance,
        "pairwise": _pairwise,
        "entailment": _entailment,
        "same_answer": _same_answer,
    }
)


def cautions(report: Mapping[str, Any]) -> list[str]:
    """What a reader of a report must know of its judges: those that are too weak, and what is not known of the others."""
    found = [
        f"{judge} is too weak a judge of {task.replace('_', ' ')}: it agrees with the labels of {row['share']:.0%} of "
        f"{row['n']} items labelled by hand ({_kappa(row)}; {row['least_kappa']} is asked, {row['unusable']} verdicts unusable). "
        "Do not rely on these figures."
        for judge, tried in report.get("judge_trial", {}).items()
        for task, row in tried.items()
        if not row["trusted"]
    ]
    return [*found, *(f"{doubt}." for doubt in report.get("judge_doubts", ()))]


def weakness(report: Mapping[str, Any], task: Task, judge: str = "") -> str:
    """What stands beside a figure of a judge that is too weak for its task; empty for another, and for rules."""
    for name, tried in report.get("judge_trial", {}).items():
        row = tried.get(task)
        if judge in ("", name) and row is not None and not row["trusted"]:
            return f"weak judge, {_kappa(row)}"
    return ""


def _kappa(row: Row) -> str:
    return "kappa undefined" if row["kappa"] is None else f"kappa {row['kappa']:.2f}"
