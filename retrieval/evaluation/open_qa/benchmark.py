"""The benchmark as a whole: a file of questions, their passages as a graph, methods and rankings; one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings
from retrieval.evaluation.intervals import RESAMPLES
from retrieval.evaluation.judges import doubts, open_model
from retrieval.evaluation.methods import make_method
from retrieval.evaluation.metrics import Convention
from retrieval.evaluation.open_qa.ablations import QaAblation, ablations_of
from retrieval.evaluation.open_qa.judging import AnswerJudge
from retrieval.evaluation.open_qa.published import of_benchmark
from retrieval.evaluation.open_qa.reading import LlmReader, Reader, RuleReader
from retrieval.evaluation.open_qa.running import AnswerRow, Scoring, read_ranking, run_questions
from retrieval.evaluation.open_qa.shortening import LlmShortener, RuleShortener, Shortener
from retrieval.evaluation.questions import QaBenchmark
from retrieval.evaluation.ranking import by_pagerank, by_text, by_vector, measure
from retrieval.evaluation.readers import read_corpus, read_questions, with_corpus
from retrieval.evaluation.report import environment
from retrieval.evaluation.trial import try_judge
from retrieval.evaluation.triple_graph import publish_graph
from retrieval.evaluation.triples import read_triples
from retrieval.evaluation.verification import require_independent
from retrieval.graph import Graph, make_context

Say = Callable[[str], None]
CORPUS = "bench-open-qa"
#: Whose script scores a benchmark; the others follow that of SQuAD, as MuSiQue's does.
_CONVENTIONS: Mapping[str, Convention] = MappingProxyType({"hotpot": "hotpot", "2wiki": "hotpot"})


@dataclass(frozen=True, slots=True)
class OpenQaSettings:
    """What is run; `sample` questions are drawn by seed and answered from the passages of all."""

    methods: tuple[str, ...] = ("naive", "ppr", "auto")
    sample: int = 100
    seed: int = 0
    judge: str = ""  # MODEL or MODEL@URL


@dataclass(frozen=True, slots=True)
class OpenQaRun:
    """A finished run: what is read in rankings, and what methods answer."""

    benchmark: str
    rows: tuple[AnswerRow, ...]
    ablations: tuple[QaAblation, ...]
    report: dict[str, Any]


def run_open_qa(
    path: Path,
    settings: Settings,
    chosen: OpenQaSettings,
    *,
    corpus: Path | None = None,
    triples: Path | None = None,
    say: Say = lambda _: None,
) -> OpenQaRun:
    """Build the graph of a file's passages, or find it built; rank passages and answer a sample of its questions.

    Parameters
    ----------
    path
        Questions as MuSiQue, HotpotQA, 2WikiMultiHopQA or MultiHop-RAG publish them.
    settings
        Where things are kept; a language model answers if there is one.
    chosen
        What is run.
    corpus
        Passages besides those of the questions.
    triples
        Triples of the passages in HippoRAG's format; without them the graph is of passages and their titles.
    say
        Told what is being run.

    Raises
    ------
    BenchmarkFileError
        If a file is missing or of another format.
    SettingsError
        If the judge is the answering model, or has no endpoint.
    UnknownMethodError
        If there is no such method or ablation.

    """
    methods = [make_method(name) for name in chosen.methods]
    answering = f"llm:{settings.llm.model}" if settings.llm else "extractive"
    judge, tried, doubt = None, {}, ""
    if chosen.judge:
        chat = open_model(chosen.judge, settings)
        judge = AnswerJudge(chat)
        require_independent(judge.name, answering)
        doubt = doubts(chosen.judge, settings)
        say("trying the judge")
        tried = {judge.name: try_judge(chat, "same_answer")}
    name, whole = read_questions(path)
    if corpus is not None:
        whole = with_corpus(whole, read_corpus(corpus))
    benchmark = _sample(whole, chosen)
    say("building the graph (a few minutes the first time)")
    aside = settings.model_copy(update={"store": "", "home": settings.cache / "bench", "llm": None})
    found = read_triples(triples).by_passage if triples is not None else {}
    titles = {passage.passage_id: (passage.title,) for passage in whole.passages if passage.title}
    manifest = publish_graph(whole.passages, found, aside, CORPUS, names=titles)
    reader = VersionStore(aside.graphs).open(CORPUS, manifest.version)
    try:
        graph = Graph(make_context(reader, settings.model_copy(update={"home": aside.home})))
        ways = {"bm25": by_text, "dense": by_vector, "ppr": by_pagerank()}
        concurrency = settings.llm.concurrency if settings.llm else 1
        scoring = Scoring(_CONVENTIONS.get(name, "squad"), judge, concurrency, chosen.seed)
        reading, shortener = _readers(graph, settings)
        rows = []
        for ranking in measure(graph.context, benchmark, ways, seed=chosen.seed):
            say(f"{ranking.method}, its passages read")
            rows.append(read_ranking(reader, benchmark.questions, ranking, reading, scoring))
        for method in methods:
            say(method.name)
            rows.append(run_questions(graph, benchmark.questions, method, shortener, scoring))
    finally:
        reader.close()
    ablations = ablations_of(rows, benchmark.questions, scoring.convention, chosen.seed)
    report = {
        "benchmark": "open-qa",
        "of": name,
        "questions": len(benchmark.questions),
        "passages": len(whole.passages),
        "graph": {
            "version": manifest.version,
            "counts": dict(manifest.counts),
            "models": dict(manifest.models),
        },
        "settings": asdict(chosen),
        "answering": answering,
        "shortening": shortener.name,
        "judge": judge.name if judge else "",
        "judge_trial": tried,
        "judge_doubts": [doubt] if doubt else [],
        "rows": [row.to_json() for row in rows],
        "ablations": [asdict(ablation) for ablation in ablations],
        "published_per_cent": of_benchmark(name),
        "bootstrap": {"seed": chosen.seed, "resamples": RESAMPLES, "level": 0.95},
        **environment(),
    }
    return OpenQaRun(name, tuple(rows), tuple(ablations), report)


def _readers(graph: Graph, settings: Settings) -> tuple[Reader, Shortener]:
    """Who reads passages and who shortens answers: the language model that answers, or rules."""
    if settings.llm is None:
        return RuleReader(graph.reader, graph.context.split), RuleShortener(graph.reader)
    chat = open_model(settings.llm.model, settings)
    return LlmReader(chat), LlmShortener(chat)


def _sample(benchmark: QaBenchmark, chosen: OpenQaSettings) -> QaBenchmark:
    """The questions drawn, in the order of the file."""
    count = len(benchmark.questions)
    if chosen.sample >= count:
        return benchmark
    drawn = np.random.default_rng(chosen.seed).permutation(count)[: chosen.sample].tolist()
    return replace(benchmark, questions=tuple(benchmark.questions[number] for number in sorted(drawn)))
