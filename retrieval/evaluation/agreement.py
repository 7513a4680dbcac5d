"""Agreement of two judges: share of equal verdicts, and Cohen's kappa, which takes chance out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from retrieval.evaluation.verification import Judgement

_HALF = 0.5  # completeness is compared as below or from one half, as support is


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges agree on `n` things; kappa is None where both always say one and the same."""

    n: int
    share: float
    kappa: float | None


def agreement(one: Sequence[Hashable], other: Sequence[Hashable]) -> Agreement:
    """Agreement of two sequences of verdicts.

    Raises
    ------
    ValueError
        If there are none, or not as many of one as of the other.

    """
    if not one or len(one) != len(other):
        raise ValueError(f"Agreement needs pairs of verdicts, not {len(one)} and {len(other)}.")
    n = len(one)
    share = sum(a == b for a, b in zip(one, other, strict=True)) / n
    first, second = Counter(one), Counter(other)
    chance = sum(first[label] * second[label] for label in first) / n**2
    return Agreement(n, share, None if chance == 1 else (share - chance) / (1 - chance))


def judge_agreement(
    one: Sequence[Judgement | None], other: Sequence[Judgement | None]
) -> dict[str, dict[str, Any]]:
    """Agreement on each dimension of the verifier, over what both have judged; empty if that is nothing (table 14)."""
    both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if not both:
        return {}
    dimensions: dict[str, Callable[[Judgement], Hashable]] = {
        "answer": lambda judgement: judgement.answer_correct,
        "evidence": lambda judgement: judgement.is_supported,
        "reasoning": lambda judgement: judgement.reasoning_completeness >= _HALF,
        "error_type": lambda judgement: judgement.error_type,
    }
    return {
        name: asdict(agreement([read(a) for a, _ in both], [read(b) for _, b in both]))
        for name, read in dimensions.items()
    }
