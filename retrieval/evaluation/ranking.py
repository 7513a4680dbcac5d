"""Passage retrieval measured: BM25, vectors and personalised PageRank over one graph, on both halves of a benchmark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from retrieval.evaluation.intervals import Interval, bootstrap
from retrieval.evaluation.metrics import all_recall_at, recall_at
from retrieval.evaluation.questions import QaBenchmark, QaQuestion
from retrieval.methods.asking import understand
from retrieval.methods.context import Context
from retrieval.methods.ppr.method import PageRankSettings, rank_passages

Rank = Callable[[str, Context], list[str]]

DEPTH = 10
CUTOFFS = (2, 5, 10)
ALL_WITHIN = 5
BASELINE = "dense"
#: Subsets of the questions that are reported; settings were chosen by cross-validation over random halves of all.
SUBSETS: Mapping[str, Callable[[QaQuestion], bool]] = MappingProxyType(
    {
        "tune": lambda question: question.half == "tune",
        "test": lambda question: question.half == "test",
        "all": lambda question: True,
    }
)


def by_text(question: str, context: Context) -> list[str]:
    """BM25 over the passages."""
    return [hit.id for hit in context.reader.search_text("chunk", question, DEPTH)]


def by_vector(question: str, context: Context) -> list[str]:
    """Exact cosine between question and passages."""
    return [hit.id for hit in context.reader.nearest("chunk", context.embedder.vector(question), DEPTH)]


def by_pagerank(settings: PageRankSettings | None = None) -> Rank:
    """The method `ppr`."""
    chosen = settings or PageRankSettings()

    def rank(question: str, context: Context) -> list[str]:
        ranked = rank_passages(context, understand(question, context), chosen)
        return [chunk_id for chunk_id, _ in ranked[:DEPTH]]

    return rank


@dataclass(frozen=True, slots=True)
class MethodResult:
    """What one method reached: intervals by subset and metric, and the time of a question."""

    method: str
    scores: Mapping[str, Mapping[str, Interval]]
    gains: Mapping[str, Mapping[str, Interval]]  # over the vectors, question by question; empty for them
    ms_median: float
    ms_p95: float
    rankings: Mapping[str, tuple[str, ...]] = field(repr=False)


def metrics_of(ranked: Sequence[str], question: QaQuestion) -> dict[str, float]:
    """Metrics of one ranking."""
    found = {f"recall@{k}": recall_at(ranked, question.gold, k) for k in CUTOFFS}
    return found | {f"all@{ALL_WITHIN}": all_recall_at(ranked, question.gold, ALL_WITHIN)}


METRICS = (*(f"recall@{k}" for k in CUTOFFS), f"all@{ALL_WITHIN}")


def measure(
    context: Context, benchmark: QaBenchmark, methods: Mapping[str, Rank], *, seed: int = 0
) -> list[MethodResult]:
    """Run every method on every question; the same graph, models and seed give the same scores.

    Times are of one thread, with the vectors of the question and of names and statements computed when they are first
    asked for, as in a service that has just started.
    """
    if BASELINE not in methods:
        raise ValueError(f"Gains are over {BASELINE!r}; it must be among the methods.")
    context.embedder.vector("A text that loads the model.")
    values: dict[str, dict[str, dict[str, float]]] = {}
    results: list[MethodResult] = []
    for method in sorted(methods, key=lambda name: (name != BASELINE, name)):
        seconds: list[float] = []
        rankings: dict[str, tuple[str, ...]] = {}
        for question in benchmark.questions:
            started = time.perf_counter()
            rankings[question.question_id] = tuple(methods[method](question.text, context))
            seconds.append(time.perf_counter() - started)
        values[method] = {
            question.question_id: metrics_of(rankings[question.question_id], question)
            for question in benchmark.questions
        }
        results.append(
            MethodResult(
                method=method,
                scores=_intervals(benchmark, values[method], None, seed),
                gains={}
                if method == BASELINE
                else _intervals(benchmark, values[method], values[BASELINE], seed),
                ms_median=1000 * float(np.median(seconds)),
                ms_p95=1000 * float(np.quantile(seconds, 0.95)),
                rankings=rankings,
            )
        )
    return results


def _intervals(
    benchmark: QaBenchmark,
    values: Mapping[str, Mapping[str, float]],
    baseline: Mapping[str, Mapping[str, float]] | None,
    seed: int,
) -> dict[str, dict[str, Interval]]:
    found: dict[str, dict[str, Interval]] = {}
    for subset, belongs in SUBSETS.items():
        ids = [question.question_id for question in benchmark.questions if belongs(question)]
        if ids:
            found[subset] = {
                metric: bootstrap(list(_differences(ids, metric, values, baseline)), seed=seed)
                for metric in METRICS
            }
    return found


def _differences(
    ids: Sequence[str],
    metric: str,
    values: Mapping[str, Mapping[str, float]],
    baseline: Mapping[str, Mapping[str, float]] | None,
) -> Iterator[float]:
    for question_id in ids:
        yield values[question_id][metric] - (baseline[question_id][metric] if baseline else 0.0)
