"""Knowing when not to answer: PubMedQA abstracts as a corpus, its own questions and those of other abstracts.

The corpus is a graph of passages, with the MeSH terms that stand in them as entities, without relations. A question of the corpus should be answered, and from its own
abstract; a foreign question should get "no information available".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from kg_pipeline.errors import BenchmarkFileError
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings
from retrieval.evaluation.intervals import RESAMPLES, Interval, bootstrap
from retrieval.evaluation.methods import make_method
from retrieval.evaluation.questions import Passage, make_passage
from retrieval.evaluation.report import environment
from retrieval.evaluation.triple_graph import publish_graph
from retrieval.graph import Graph, make_context
from retrieval.methods.method import Method

CORPUS = "bench-pubmedqa"
DECISIONS = ("yes", "no", "maybe")


@dataclass(frozen=True, slots=True)
class Abstract:
    """An abstract without its conclusion, the question that it answers, and the answer: yes, no or maybe."""

    key: str
    question: str
    text: str
    decision: str
    terms: tuple[str, ...] = ()  # of MeSH


@dataclass(frozen=True, slots=True)
class Boundaries:
    """What a method did at the border of its knowledge; shares in [0, 1]."""

    method: str
    answered: Interval  # of the corpus's own questions
    own_abstract: Interval | None  # of those answered, that cite their own abstract; None if none was
    refused: Interval  # of foreign questions
    right: Interval  # of own questions, that got the annotators' yes, no or maybe; no verdict is a wrong one
    macro_f1: float  # of the same, the mean over yes, no and maybe
    decisions: dict[str, dict[str, int]]  # verdict given by decision of the annotators, own questions


def read_pubmedqa(path: Path) -> list[Abstract]:
    """PQA-L as it is published: an object by PMID with `QUESTION`, `CONTEXTS`, `MESHES` and `final_decision`.

    Raises
    ------
    BenchmarkFileError
        If the file has another format.

    """
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
        return [
            Abstract(
                key,
                row["QUESTION"],
                "\n".join(row["CONTEXTS"]),
                row["final_decision"],
                tuple(map(_spoken, row.get("MESHES", ()))),
            )
            for key, row in records.items()
        ]
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise BenchmarkFileError(
            f"{path} is no file of PubMedQA ({type(error).__name__}: {error}). Compare it with the benchmark's download."
        ) from error


def _spoken(term: str) -> str:
    """A term of MeSH as a sentence has it: "Ulcer, Gastric" is a gastric ulcer."""
    return " ".join(reversed(term.split(", ")))


def run_boundaries(
    abstracts: Sequence[Abstract],
    settings: Settings,
    methods: Sequence[str],
    *,
    size: int = 60,
    seed: int = 0,
) -> tuple[list[Boundaries], dict[str, Any]]:
    """Ask each method the questions of the first `size` abstracts, which are the corpus, and of the next `size`, which are not.

    Raises
    ------
    BenchmarkFileError
        If there are not two abstracts.
    UnknownMethodError
        If there is no such method or ablation.

    """
    if len(abstracts) < 2:
        raise BenchmarkFileError(
            "PubMedQA needs two abstracts or more: some for the corpus, some foreign to it."
        )
    known = [make_method(name) for name in methods]
    size = min(size, len(abstracts) // 2)
    own, foreign = abstracts[:size], abstracts[size : 2 * size]
    # A title that is the question would give the place of the answer away to any search: passages have none.
    passages = {row.key: make_passage("", row.text) for row in own}
    aside = settings.model_copy(update={"store": "", "home": settings.cache / "bench"})
    names = {passages[row.key].passage_id: row.terms for row in own}
    manifest = publish_graph(list(passages.values()), {}, aside, CORPUS, names=names)
    reader = VersionStore(aside.graphs).open(CORPUS, manifest.version)
    try:
        graph = Graph(make_context(reader, aside))
        rows = [_measure(graph, method, own, foreign, passages, seed) for method in known]
    finally:
        reader.close()
    report = {
        "benchmark": "boundaries",
        "own": len(own),
        # What always answering yes would come to.
        "yes": fmean(abstract.decision == "yes" for abstract in own),
        "foreign": len(foreign),
        "graph": {"version": manifest.version, "models": dict(manifest.models)},
        "settings": {"methods": list(methods), "size": size, "seed": seed},
        "answering": f"llm:{settings.llm.model}" if settings.llm else "extractive",
        "rows": [asdict(row) for row in rows],
        "bootstrap": {"seed": seed, "resamples": RESAMPLES, "level": 0.95},
        **environment(),
    }
    return rows, report


def _measure(
    graph: Graph,
    method: Method,
    own: Sequence[Abstract],
    foreign: Sequence[Abstract],
    passages: Mapping[str, Passage],
    seed: int,
) -> Boundaries:
    answered, cites_own = [], []
    verdicts: list[tuple[str, str]] = []
    decisions: dict[str, dict[str, int]] = {}
    for abstract in own:
        answer = graph.ask(abstract.question, method)
        answered.append(float(answer.answered))
        if answer.answered:
            wanted = passages[abstract.key].passage_id
            cites_own.append(float(any(citation.article_id == wanted for citation in answer.citations)))
        given = answer.verdict or ("other" if answer.answered else "none")
        verdicts.append((abstract.decision, given))
        row = decisions.setdefault(abstract.decision, {})
        row[given] = row.get(given, 0) + 1
    refused = [float(not graph.ask(abstract.question, method).answered) for abstract in foreign]
    return Boundaries(
        method.name,
        bootstrap(answered, seed=seed),
        bootstrap(cites_own, seed=seed) if cites_own else None,
        bootstrap(refused, seed=seed),
        bootstrap([float(wanted == given) for wanted, given in verdicts], seed=seed),
        macro_f1(verdicts),
        decisions,
    )


def macro_f1(verdicts: Sequence[tuple[str, str]]) -> float:
    """PubMedQA's second metric: the mean of the F1 of each of the three answers, of pairs of wanted and given ones.

    An answer that is neither wanted nor given counts 0, as in the scorer that the benchmark uses.
    """
    scores = []
    for answer in DECISIONS:
        right = sum(wanted == given == answer for wanted, given in verdicts)
        total = sum((wanted == answer) + (given == answer) for wanted, given in verdicts)
        scores.append(2 * right / total if total else 0.0)
    return fmean(scores)
