"""MINE scored: for each graph and retriever, the mean share of an essay's facts that are found, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from types import MappingProxyType
from typing import Any

from kg_pipeline.llm.embeddings import Embedder
from retrieval.evaluation.agreement import agreement
from retrieval.evaluation.intervals import RESAMPLES, Interval, bootstrap
from retrieval.evaluation.mine.entailment import Entailment
from retrieval.evaluation.mine.reading import Essay, Mine
from retrieval.evaluation.mine.retrievers import Retrieve, ours, published
from retrieval.evaluation.report import environment
from retrieval.evaluation.triple_graph import Triple

#: Published means in per cent over all 100 essays and more, with GPT-4o as the judge.
ANCHORS: Mapping[str, float] = MappingProxyType({"KGGen": 66.07, "GraphRAG": 47.80, "OpenIE": 29.84})
#: Gains of INSES over the three graphs with their published retriever, in points.
INSES_GAINS: Mapping[str, float] = MappingProxyType({"KGGen": 4.7, "GraphRAG": 9.1, "OpenIE": 27.5})
BASELINE = "published"
RETRIEVERS: Mapping[str, Callable[[Sequence[Triple], Embedder], Retrieve]] = MappingProxyType(
    {BASELINE: published, "ours": ours}
)


@dataclass(frozen=True, slots=True)
class MineRow:
    """One graph with one retriever; `essays` is how many of the sample it has a graph of."""

    graph: str
    retriever: str
    essays: int
    score: Interval
    gain: Interval | None  # over the published retriever, essay by essay; None for that itself
    triples: float  # of an essay
    context: float  # statements retrieved for a fact


def run_mine(
    mine: Mine,
    graphs: Mapping[str, Mapping[int, Sequence[Triple]]],
    embedder: Embedder,
    judge: Entailment,
    essays: Sequence[Essay],
    *,
    seed: int = 0,
) -> tuple[list[MineRow], dict[str, Any]]:
    """Score each of `graphs` with both retrievers over some essays; the rows and the report.

    The report holds too what the published contexts and verdicts come to, and how far the judge agrees with them.
    """
    rows: list[MineRow] = []
    for name, graph in graphs.items():
        known = [essay for essay in essays if essay.number in graph]
        if known:
            rows += _rows(name, graph, known, embedder, judge, seed)
    report = {
        "benchmark": "graph-quality",
        "judge": judge.name,
        "unusable_verdicts": judge.unusable,
        "embedding": embedder.name,
        "settings": {
            "essays": len(essays),
            "seed": seed,
            "retrievers": list(RETRIEVERS),
            "graphs": list(graphs),
        },
        "essays": [essay.number for essay in essays],
        "rows": [asdict(row) for row in rows],
        "published_verdicts": _published(mine, judge, essays),
        "published_per_cent": dict(ANCHORS),
        "inses_gains_points": dict(INSES_GAINS),
        "bootstrap": {"seed": seed, "resamples": RESAMPLES, "level": 0.95},
        **environment(),
    }
    return rows, report


def _rows(
    name: str,
    graph: Mapping[int, Sequence[Triple]],
    essays: Sequence[Essay],
    embedder: Embedder,
    judge: Entailment,
    seed: int,
) -> Iterator[MineRow]:
    triples = fmean(len(graph[essay.number]) for essay in essays)
    scores: dict[str, list[float]] = {}
    for retriever, make in RETRIEVERS.items():
        scores[retriever], sizes = [], []
        for essay in essays:
            retrieve = make(graph[essay.number], embedder)
            contexts = [retrieve(fact) for fact in essay.facts]
            sizes += [len(context) for context in contexts]
            scores[retriever].append(fmean(judge.judge(list(zip(essay.facts, contexts, strict=True)))))
        gains = [ours - theirs for ours, theirs in zip(scores[retriever], scores[BASELINE], strict=True)]
        yield MineRow(
            graph=name,
            retriever=retriever,
            essays=len(essays),
            score=bootstrap(scores[retriever], seed=seed),
            gain=None if retriever == BASELINE else bootstrap(gains, seed=seed),
            triples=triples,
            context=fmean(sizes),
        )


def _published(mine: Mine, judge: Entailment, essays: Sequence[Essay]) -> dict[str, Any]:
    """The model's verdicts on the published contexts, and this judge's on the same."""
    found: dict[str, Any] = {}
    for system, by_essay in mine.verdicts.items():
        verdicts = [verdict for essay in essays for verdict in by_essay.get(essay.number, ())]
        if verdicts:
            said = judge.judge([(verdict.fact, verdict.context.split(". ")) for verdict in verdicts])
            found[system] = {
                "model": fmean(verdict.is_found for verdict in verdicts),
                "judge": fmean(said),
                "agreement": asdict(agreement([verdict.is_found for verdict in verdicts], said)),
            }
    return found
