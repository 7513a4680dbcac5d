"""Recognition of entity names against annotated articles: strict spans, by kind and over all (micro average).

A name counts as right where both ends and the kind agree with the annotation, as the shared tasks of BC5CDR (Li et
al., 2016) and BioRED (Luo et al., 2022) count it; a name annotated twice counts once. Intervals are percentiles of
a bootstrap over articles, because the names of one article are not independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

#: A name: start and end in the article's text, and its Biolink category.
Span = tuple[int, int, str]
MICRO = "micro"
_RESAMPLES = 1000
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Precision, recall and F1 of a kind in [0, 1], the interval of F1, and the counts behind them."""

    kind: str
    precision: float
    recall: float
    f1: float
    low: float
    high: float
    right: int
    found: int
    annotated: int


def score_spans(
    gold: Sequence[Iterable[Span]], found: Sequence[Iterable[Span]], kinds: Sequence[str], *, seed: int = 0
) -> list[SpanScores]:
    """Scores over all kinds, then of each kind; names of other kinds are left out on both sides.

    Parameters
    ----------
    gold, found
        Names of the same articles in the same order.

    Raises
    ------
    ValueError
        If the numbers of articles differ.

    """
    if len(gold) != len(found):
        raise ValueError(f"{len(gold)} annotated articles cannot be compared with {len(found)}.")
    counts = np.zeros((len(gold), len(kinds), 3), dtype=np.int64)
    for row, (annotated, recognised) in enumerate(zip(gold, found, strict=True)):
        ours, theirs = set(recognised), set(annotated)
        for column, kind in enumerate(kinds):
            mine = {span for span in ours if span[2] == kind}
            true = {span for span in theirs if span[2] == kind}
            counts[row, column] = len(mine & true), len(mine), len(true)
    drawn = np.random.default_rng(seed).integers(0, max(len(gold), 1), (_RESAMPLES, len(gold)))
    scores = [_scores(MICRO, counts.sum(axis=1), drawn)]
    return scores + [_scores(kind, counts[:, column], drawn) for column, kind in enumerate(kinds)]


def _scores(kind: str, counts: npt.NDArray[np.int64], drawn: npt.NDArray[np.int64]) -> SpanScores:
    right, found, annotated = (int(count) for count in counts.sum(axis=0))
    resampled = counts[drawn].sum(axis=1)
    f1 = 2 * resampled[:, 0] / np.maximum(resampled[:, 1] + resampled[:, 2], 1)
    low, high = np.quantile(f1, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]) if len(f1) else (0.0, 0.0)
    return SpanScores(
        kind,
        right / max(found, 1),
        right / max(annotated, 1),
        2 * right / max(found + annotated, 1),
        float(low),
        float(high),
        right,
        found,
        annotated,
    )
