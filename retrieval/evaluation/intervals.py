"""Bootstrap confidence intervals over questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
    if not len(values):
        raise ValueError("There are no values to average.")
    if not 0 < level < 1:
        raise ValueError(f"A confidence level lies between 0 and 1, not {level}.")
    observed = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = np.empty(resamples)
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        drawn = rng.integers(0, len(observed), size=(size, len(observed)))
        means[start : start + size] = observed[drawn].mean(axis=1)
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    mean = float(observed.mean())
    # Rounding of sums must not put the mean outside of its own interval where all values are the same.
    return Interval(mean, min(float(low), mean), max(float(high), mean), len(observed))
