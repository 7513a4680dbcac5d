"""Whether confidences hold: of triples that promise p, about a share p has to be right.

The expected calibration error (Naeini et al. 2015) is the mean distance between promised and observed over bins of
equally many triples, the least sure first. A reader whose confidences were exact would not reach zero on so few
triples: `of_chance` is what it would get.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kg_pipeline.extraction.relation_model.calibration import Scale, logit

#: Bins of the expected calibration error; a bin of fewer triples than this is joined with the next.
_BINS, _LEAST_IN_BIN = 5, 15
_FOLDS = 10
#: How strongly a scale is held to leave confidences as they are, as a Gaussian prior: a reader of few triples keeps
#: its own order and moves as a whole.
_HOLD_SLOPE, _HOLD_OFFSET = 1.0, 0.1

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """One confidence, whether it was kept, the article it is of, and what the reader itself promised.

    Bins are made by what the reader promised: scales of different folds would sort triples by fold, and a fold with
    more right ones gets a lower scale from the others.
    """

    confidence: float
    is_right: bool
    article: str
    raw: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Triples of about one confidence: the least and greatest, how many, what they promise on average and what holds."""

    low: float
    high: float
    triples: int
    promised: float
    observed: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far the confidences of a reader hold.

    `error` is the expected calibration error of what it promises, `of_chance` what exact confidences would get.
    """

    reader: str
    triples: int
    promised: float
    observed: float
    error: float
    of_chance: float
    bins: tuple[Bin, ...]

    @classmethod
    def of(cls, reader: str, judged: Sequence[Judged]) -> Reliability:
        """The reliability of confidences."""
        if not judged:
            return cls(reader, 0, 0.0, 0.0, 0.0, 0.0, ())
        ordered = sorted(judged, key=lambda each: (each.raw, each.article))
        count = max(1, min(_BINS, len(ordered) // _LEAST_IN_BIN))
        parts = [
            _arrays([ordered[i] for i in part]) for part in np.array_split(np.arange(len(ordered)), count)
        ]
        bins = tuple(
            Bin(float(p.min()), float(p.max()), len(p), float(p.mean()), float(right.mean()))
            for p, right in parts
        )
        spread = sum(float(np.sqrt((p * (1 - p)).sum())) for p, _ in parts)
        promised, right = _arrays(ordered)
        return cls(
            reader,
            len(ordered),
            float(promised.mean()),
            float(right.mean()),
            sum(each.triples * abs(each.promised - each.observed) for each in bins) / len(ordered),
            float(np.sqrt(2 / np.pi)) * spread / len(ordered),
            bins,
        )


def fit_scale(judged: Sequence[Judged]) -> Scale:
    """The scale on which what was promised is likeliest to give what was observed (Platt 1999)."""
    from scipy.optimize import minimize

    promised = np.array([logit(each.raw) for each in judged])
    right = np.array([each.is_right for each in judged], np.float64)

    def surprise(scale: Numbers) -> float:
        logits = scale[0] * promised + scale[1]
        held = _HOLD_SLOPE * (scale[0] - 1) ** 2 + _HOLD_OFFSET * scale[1] ** 2
        return float((np.logaddexp(0, logits) - right * logits).sum() + held / 2)

    slope, offset = minimize(surprise, np.array([1.0, 0.0]), method="BFGS").x
    return Scale(round(float(slope), 3), round(float(offset), 3))


def rescaled(judged: Sequence[Judged], scale: Scale) -> list[Judged]:
    """What would have been promised on a scale."""
    return [replace(each, confidence=scale.of(each.raw)) for each in judged]


def cross_fitted(judged: Sequence[Judged]) -> list[Judged]:
    """What would have been promised on scales found on the other articles, a tenth of the articles at a time."""
    fold_of = {article: i % _FOLDS for i, article in enumerate(sorted({each.article for each in judged}))}
    scales = [fit_scale([each for each in judged if fold_of[each.article] != fold]) for fold in range(_FOLDS)]
    return [replace(each, confidence=scales[fold_of[each.article]].of(each.raw)) for each in judged]


def _arrays(judged: Sequence[Judged]) -> tuple[Numbers, Numbers]:
    pairs = np.array([(each.confidence, each.is_right) for each in judged], np.float64)
    return pairs[:, 0], pairs[:, 1]
