"""The multi-hop retrieval benchmark: passages and extracted triples as a graph, questions, and three ways to rank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings
from retrieval.evaluation.questions import QaBenchmark
from retrieval.evaluation.ranking import MethodResult, by_pagerank, by_text, by_vector, measure
from retrieval.evaluation.readers import read_corpus, read_musique, with_corpus
from retrieval.evaluation.report import retrieval_report
from retrieval.evaluation.triple_graph import publish_graph
from retrieval.evaluation.triples import read_triples
from retrieval.graph import make_context
from retrieval.methods.ppr.method import PageRankSettings

CORPUS = "bench-multihop"
#: What a folder must hold: questions in MuSiQue's format, their corpus, and triples in HippoRAG's.
PARTS = ("questions*.json", "corpus*.json", "openie*.json")


@dataclass(frozen=True, slots=True)
class RetrievalRun:
    """A finished run."""

    benchmark: QaBenchmark
    results: list[MethodResult]
    report: dict[str, Any]


def missing_parts(folder: Path) -> list[str]:
    """Patterns of files that the folder does not hold."""
    return [pattern for pattern in PARTS if not any(folder.glob(pattern))]


def run_multihop(
    folder: Path, settings: Settings, *, ranking: PageRankSettings | None = None, seed: int = 0
) -> RetrievalRun:
    """Build the graph of a folder that has all parts, or find it built, and measure every method on its questions.

    Raises
    ------
    BenchmarkFileError
        If a file does not have the published format.

    """
    ranking = ranking or PageRankSettings()
    questions, corpus, openie = (min(folder.glob(pattern)) for pattern in PARTS)
    benchmark = with_corpus(read_musique(questions), read_corpus(corpus))
    aside = settings.model_copy(update={"store": "", "home": settings.cache / "bench", "llm": None})
    manifest = publish_graph(benchmark.passages, read_triples(openie).by_passage, aside, CORPUS)
    reader = VersionStore(aside.graphs).open(CORPUS, manifest.version)
    try:
        methods = {"bm25": by_text, "dense": by_vector, "ppr": by_pagerank(ranking)}
        results = measure(make_context(reader, aside), benchmark, methods, seed=seed)
    finally:
        reader.close()
    report = retrieval_report(benchmark, results, manifest, ranking, seed=seed)
    return RetrievalRun(benchmark, results, report)
