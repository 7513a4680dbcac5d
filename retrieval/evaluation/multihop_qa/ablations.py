"""Ablations beside the system that they take a part from: scores by format, and what the part is worth (tables 8 and 9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from retrieval.evaluation.biomedhop.items import Condition
from retrieval.evaluation.biomedhop.patterns import FAMILIES, Family
from retrieval.evaluation.intervals import Interval, bootstrap_of_groups
from retrieval.evaluation.multihop_qa.outcomes import Format, Outcome

#: What is measured of what was read.
READ = ("path_read", "answer_read")


@dataclass(frozen=True, slots=True)
class Ablation:
    """One system with a part missing, or the whole one (`method` is then `full`).

    Accuracies are means of the families' accuracies, as the published ones are. `loss` is the overall average of the
    full system less that of this one, question by question; `same` is the share of questions that both answer in the same
    words with the same quotes, so that 1 means that the part decided nothing. `read` and `read_losses` are of the gold path
    and of the right answers among what an answer was made from, which a refusal does not hide.
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
    read: Mapping[str, Interval]  # by `READ`
    read_losses: Mapping[str, Interval]
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
        loss=_average(((one, one.score - other.score) for one, other in pairs), seed),
        same=fmean(one.text == other.text and one.quotes == other.quotes for one, other in pairs),
        read={name: _average(((one, getattr(one, name)) for one in without), seed) for name in READ},
        read_losses={
            name: _average(((one, getattr(one, name) - getattr(other, name)) for one, other in pairs), seed)
            for name in READ
        },
        tokens=fmean(outcome.prompt_tokens + outcome.completion_tokens for outcome in without),
        calls=fmean(outcome.calls for outcome in without),
    )


def _accuracy(outcomes: Sequence[Outcome], form: Format, seed: int) -> Interval | None:
    scores: dict[Family, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.format == form:
            scores[outcome.family].append(outcome.score)
    return bootstrap_of_groups(list(scores.values()), seed=seed) if scores else None


def _average(values: Iterable[tuple[Outcome, float]], seed: int) -> Interval:
    """Mean of the families' means of a value of each outcome; the formats of one item stay together."""
    by_item: dict[tuple[Family, str], list[float]] = defaultdict(list)
    for outcome, value in values:
        by_item[outcome.family, outcome.item_id].append(value)
    groups = {
        family: [fmean(found) for (name, _), found in by_item.items() if name == family]
        for family in FAMILIES
    }
    return bootstrap_of_groups([group for group in groups.values() if group], seed=seed)
