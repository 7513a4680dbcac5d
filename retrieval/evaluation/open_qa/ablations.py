"""Ablations of methods on public questions, beside the system that they take a part from (INSES, section 4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from retrieval.evaluation.intervals import Interval, bootstrap
from retrieval.evaluation.methods import FULL
from retrieval.evaluation.metrics import Convention, exact_match, f1
from retrieval.evaluation.open_qa.running import AnswerRow, QaOutcome
from retrieval.evaluation.questions import QaQuestion
from retrieval.evaluation.ranking import metrics_of

LOSSES = ("em", "f1", "recall@5", "all@5")


@dataclass(frozen=True, slots=True)
class QaAblation:
    """What a system loses without a part, question by question.

    `losses` are the full system's scores less those without the part; `same` is the share of questions that both answer in
    the same words from the same passages, so that 1 means that the part decided nothing.
    """

    method: str
    full: str
    losses: dict[str, Interval]
    same: float


def ablations_of(
    rows: Sequence[AnswerRow], questions: Sequence[QaQuestion], convention: Convention, seed: int
) -> list[QaAblation]:
    """Every ablation among the rows whose full system is among them too."""
    answered = {row.method: row.outcomes for row in rows if row.passages == "cited"}
    return [
        _compare(name, full, answered[full], answered[name], questions, convention, seed)
        for name, full in FULL.items()
        if {name, full} <= answered.keys()
    ]


def _compare(
    name: str,
    full: str,
    whole: Sequence[QaOutcome],
    without: Sequence[QaOutcome],
    questions: Sequence[QaQuestion],
    convention: Convention,
    seed: int,
) -> QaAblation:
    scores = [
        [
            _scores(outcome, question, convention)
            for outcome, question in zip(outcomes, questions, strict=True)
        ]
        for outcomes in (whole, without)
    ]
    losses = {
        metric: bootstrap(
            [one[metric] - other[metric] for one, other in zip(*scores, strict=True)], seed=seed
        )
        for metric in LOSSES
    }
    same = fmean(
        one.text == other.text and one.passages == other.passages
        for one, other in zip(whole, without, strict=True)
    )
    return QaAblation(name, full, losses, same)


def _scores(outcome: QaOutcome, question: QaQuestion, convention: Convention) -> dict[str, float]:
    return {
        "em": exact_match(outcome.prediction, question.answers),
        "f1": f1(outcome.prediction, question.answers, convention),
        **metrics_of(outcome.passages, question),
    }
