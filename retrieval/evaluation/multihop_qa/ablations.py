"""Ablations beside the system that they take a part from: scores by format, and what the part is worth (tables 8 and 9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from retrieval.evaluation.biomedhop.items import Condition
from retrieval.evaluation.biomedhop.patterns import FAMILIES, Family
from retrieval.evaluation.intervals import Interval, bootstrap_of_groups
from retrieval.evaluation.multihop_qa.outcomes import Format, Outcome


@dataclass(frozen=True, slots=True)
class Ablation:
    """One system with a part missing, or the whole one (`method` is then `full`).

    Accuracies are means of the families' accuracies, as the published ones are. `loss` is the overall average of the
    full system less that of this one, question by question; `same` is the share of questions that both answer in the same
    words with the same quotes, so that 1 means that the part decided nothing.
    """

    method: str
    full: str
    condition: Condition
    completeness: float
    mcq: Interval | None
    open: Interval | None
    count: Interval | None
    loss: Interval
    same: float
    tokens: float
    calls: float


def compare(
    full: Sequence[Outcome],
    without: Sequence[Outcome],
    *,
    condition: Condition = "kg+doc",
    completeness: float = 1.0,
    seed: int = 0,
) -> Ablation:
    """A system with a part missing beside the full one, over the same questions and the same sources.

    Raises
    ------
    ValueError
        If the questions of both are not the same.

    """
    whole = {(outcome.item_id, outcome.format): outcome for outcome in full}
    if not without or whole.keys() != {(outcome.item_id, outcome.format) for outcome in without}:
        raise ValueError("A system and its ablation can only be compared on the same questions.")
    pairs = [(whole[outcome.item_id, outcome.format], outcome) for outcome in without]
    return Ablation(
        method=without[0].method,
        full=full[0].method,
        condition=condition,
        completeness=completeness,
        mcq=_accuracy(without, "mcq", seed),
        open=_accuracy(without, "open", seed),
        count=_accuracy(without, "count", seed),
        loss=_loss(pairs, seed),
        same=fmean(one.text == other.text and one.quotes == other.quotes for one, other in pairs),
        tokens=fmean(outcome.prompt_tokens + outcome.completion_tokens for outcome in without),
        calls=fmean(outcome.calls for outcome in without),
    )


def _accuracy(outcomes: Sequence[Outcome], form: Format, seed: int) -> Interval | None:
    scores: dict[Family, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.format == form:
            scores[outcome.family].append(outcome.score)
    return bootstrap_of_groups(list(scores.values()), seed=seed) if scores else None


def _loss(pairs: Sequence[tuple[Outcome, Outcome]], seed: int) -> Interval:
    """Difference of the overall averages; the formats of one item stay together."""
    differences: dict[tuple[Family, str], list[float]] = defaultdict(list)
    for one, other in pairs:
        differences[one.family, one.item_id].append(one.score - other.score)
    groups = {
        family: [fmean(found) for (name, _), found in differences.items() if name == family]
        for family in FAMILIES
    }
    return bootstrap_of_groups([group for group in groups.values() if group], seed=seed)
