"""Tables of outcomes: metrics by family with intervals, averages as the paper defines them, sources, overlap and cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from retrieval.evaluation.biomedhop.patterns import FAMILIES, Family
from retrieval.evaluation.intervals import Interval, bootstrap, bootstrap_of_groups
from retrieval.evaluation.multihop_qa.outcomes import Outcome, source_label

#: Bins of the overlap ratio (figure 7).
OVERLAP_BINS = ("0", "(0, 0.5]", "(0.5, 1)", "1")


@dataclass(frozen=True, slots=True)
class FamilyScores:
    """Scores of one family: MCQ Acc., Open Acc. and their macro average, or CountEx alone as the average."""

    mcq: Interval | None
    open: Interval | None
    average: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """What one method reached; overall is the mean of the families' averages (table 4)."""

    method: str
    families: Mapping[Family, FamilyScores]
    overall: Interval
    answered: float
    sources: Mapping[Family, Mapping[str, float]]  # of right answers
    overlap: Mapping[Family, Mapping[str, float]]  # of right answers
    path_read: float  # share of the gold path that was read, as the next is of the right answers
    answer_read: float
    passages_read: float  # a question, as the next three are
    calls: float
    tokens: float
    seconds: float
    failed: int

    def to_json(self) -> dict[str, Any]:
        """Every figure with a key."""
        return asdict(self)


def summarise(outcomes: Sequence[Outcome], *, seed: int = 0) -> Summary:
    """The summary of one method's outcomes.

    Raises
    ------
    ValueError
        If there are none.

    """
    if not outcomes:
        raise ValueError("There are no outcomes to summarise; give at least one item.")
    groups = {family: _by_item(outcomes, family) for family in FAMILIES}
    present = [family for family in FAMILIES if groups[family]]
    right = [outcome for outcome in outcomes if outcome.score == 1.0]
    return Summary(
        method=outcomes[0].method,
        families={family: _family(outcomes, family, groups[family], seed) for family in present},
        overall=bootstrap_of_groups([groups[family] for family in present], seed=seed),
        answered=fmean(outcome.answered for outcome in outcomes),
        sources={f: _shares(source_label(o.sources) for o in right if o.family == f) for f in present},
        overlap={f: _shares(overlap_bin(o.overlap) for o in right if o.family == f) for f in present},
        path_read=fmean(outcome.path_read for outcome in outcomes),
        answer_read=fmean(outcome.answer_read for outcome in outcomes),
        passages_read=fmean(outcome.passages_read for outcome in outcomes),
        calls=fmean(outcome.calls for outcome in outcomes),
        tokens=fmean(outcome.prompt_tokens + outcome.completion_tokens for outcome in outcomes),
        seconds=fmean(outcome.seconds for outcome in outcomes),
        failed=sum(bool(outcome.error) for outcome in outcomes),
    )


def overlap_bin(ratio: float) -> str:
    """The bin of an overlap ratio."""
    if ratio in (0.0, 1.0):
        return str(int(ratio))
    return OVERLAP_BINS[1] if ratio <= 0.5 else OVERLAP_BINS[2]


def _by_item(outcomes: Iterable[Outcome], family: Family) -> list[float]:
    """The mean of each item's formats: over items, it is the macro average of MCQ Acc. and Open Acc."""
    scores: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.family == family:
            scores[outcome.item_id].append(outcome.score)
    return [fmean(found) for found in scores.values()]


def _family(outcomes: Sequence[Outcome], family: Family, means: Sequence[float], seed: int) -> FamilyScores:
    by_format: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.family == family:
            by_format[outcome.format].append(outcome.score)
    mcq, open_ = (
        bootstrap(by_format[name], seed=seed) if by_format[name] else None for name in ("mcq", "open")
    )
    return FamilyScores(mcq, open_, bootstrap(means, seed=seed))


def _shares(labels: Iterable[str]) -> dict[str, float]:
    counts = Counter(labels)
    return {label: count / counts.total() for label, count in sorted(counts.items())}
