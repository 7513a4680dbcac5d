"""Ablations of methods on public questions, beside the system that they take a part from (INSES, section 4.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from retrieval.evaluation.intervals import Interval, bootstrap
from retrieval.evaluation.methods import FULL
from retrieval.evaluation.metrics import Convention
from retrieval.evaluation.open_qa.running import READ_METRICS, AnswerRow, QaOutcome, scores_of
from retrieval.evaluation.questions import QaQuestion

LOSSES = ("em", "f1", *READ_METRICS)


@dataclass(frozen=True, slots=True)
class QaAblation:
    """What a system loses without a part, question by question.

    `losses` are the full system's scores less those without the part, of the answer and of what it was made from, which a
    refusal does not hide; `same` is the share of questions that both answer in
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
            scores_of(outcome, question, convention)
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
