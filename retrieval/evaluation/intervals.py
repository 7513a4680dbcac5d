"""Bootstrap confidence intervals over questions, groups of them, and articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

RESAMPLES = 2000
_BLOCK = 500  # resamples drawn at once, which bounds memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float
    n: int


def bootstrap(
    values: Sequence[float], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Percentile bootstrap of the mean; the same values and seed give the same interval.

    For the gain of one method over another, give the differences question by question.

    Raises
    ------
    ValueError
        If there are no values or the level is not between 0 and 1.

    """
    _require(len(values), level)
    observed = np.asarray(values, dtype=np.float64)
    means = _resampled(observed, resamples, np.random.default_rng(seed))
    return _interval(float(observed.mean()), means, level, len(observed))


def bootstrap_of_groups(
    groups: Sequence[Sequence[float]], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The mean of the groups' means, whatever their sizes; every group is resampled by itself.

    Raises
    ------
    ValueError
        If there is no group, or one is empty, or the level is not between 0 and 1.

    """
    _require(min(map(len, groups), default=0), level)
    rng = np.random.default_rng(seed)
    observed = [np.asarray(group, dtype=np.float64) for group in groups]
    means = np.mean([_resampled(group, resamples, rng) for group in observed], axis=0)
    mean = float(np.mean([group.mean() for group in observed]))
    return _interval(mean, means, level, sum(map(len, groups)))


def bootstrap_f1(
    counts: Sequence[tuple[int, int, int]],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """F1 over all of some articles, from what was right, found and annotated in each; articles are resampled.

    What is found in one article is not independent, so that pairs or names must not be resampled one by one.

    Raises
    ------
    ValueError
        If there is no article or the level is not between 0 and 1.

    """
    _require(len(counts), level)
    rng = np.random.default_rng(seed)
    observed = np.asarray(counts, dtype=np.int64)
    chances = np.full(len(observed), 1 / len(observed))
    values: Values = np.empty(resamples)
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        # How often each article is drawn says all about a resample.
        values[start : start + size] = _f1(rng.multinomial(len(observed), chances, size=size) @ observed)
    return _interval(float(_f1(observed.sum(axis=0, keepdims=True))[0]), values, level, len(observed))


def _require(values: int, level: float) -> None:
    """Refuse to resample nothing, and levels that are none."""
    if not values:
        raise ValueError("There are no values to average.")
    if not 0 < level < 1:
        raise ValueError(f"A confidence level lies between 0 and 1, not {level}.")


def _f1(sums: npt.NDArray[np.int64]) -> Values:
    """Of rows of right, found and annotated; 0 where nothing is found or annotated."""
    total = sums[:, 1] + sums[:, 2]
    return np.asarray(2 * sums[:, 0] / np.maximum(total, 1), dtype=np.float64)


def _resampled(observed: Values, resamples: int, rng: np.random.Generator) -> Values:
    means: Values = np.empty(resamples)
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        drawn = rng.integers(0, len(observed), size=(size, len(observed)))
        means[start : start + size] = observed[drawn].mean(axis=1)
    return means


def _interval(mean: float, means: Values, level: float, n: int) -> Interval:
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    # Rounding of sums must not put the mean outside of its own interval where all values are the same.
    return Interval(mean, min(float(low), mean), max(float(high), mean), n)
