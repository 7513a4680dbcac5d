"""The benchmark as a whole: items, a graph, methods, source conditions, completeness of the graph, judges; one report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import Any

from kg_pipeline.errors import BenchmarkFileError
from kg_pipeline.fingerprint import code_digest, file_sha256, short_digest
from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings
from retrieval.evaluation.agreement import judge_agreement
from retrieval.evaluation.biomedhop.items import CONDITIONS, Condition, Item, read_items
from retrieval.evaluation.biomedhop.patterns import load_patterns
from retrieval.evaluation.biomedhop.web_evidence import ItemsWeb, require_web
from retrieval.evaluation.intervals import RESAMPLES
from retrieval.evaluation.judges import doubts, open_judge
from retrieval.evaluation.methods import FULL, make_method, with_web
from retrieval.evaluation.multihop_qa import published
from retrieval.evaluation.multihop_qa.ablations import Ablation, compare
from retrieval.evaluation.multihop_qa.journal import Journal
from retrieval.evaluation.multihop_qa.outcomes import Outcome
from retrieval.evaluation.multihop_qa.running import by_habit, run_method, sample
from retrieval.evaluation.multihop_qa.summary import Summary, summarise
from retrieval.evaluation.readers_of_graphs import Thinned, WithSources
from retrieval.evaluation.report import environment
from retrieval.evaluation.trial import try_judge
from retrieval.evaluation.verification import (
    Judge,
    LlmJudge,
    judge_all,
    require_independent,
    verifier_table,
)
from retrieval.graph import Graph, make_context
from retrieval.methods.method import Method

Say = Callable[[str], None]
WHOLE = 1.0


@dataclass(frozen=True, slots=True)
class QaSettings:
    """What is run. `completeness` are shares of relations that are kept, for every method."""

    methods: tuple[str, ...] = ("naive", "egot", "inses", "bioweave", "ppr", "auto")
    sample: int = 200
    seed: int = 0
    conditions: tuple[Condition, ...] = ("kg+doc",)
    completeness: tuple[float, ...] = (WHOLE,)
    judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One run: a method over the graph as a condition and a completeness show it."""

    method: str
    condition: Condition
    completeness: float
    summary: Summary
    verification: dict[str, Any]  # by judge
    agreement: dict[str, Any]  # by pair of judges
    outcomes: tuple[Outcome, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class QaRun:
    """A finished run."""

    items: tuple[Item, ...]
    rows: tuple[Row, ...]
    ablations: tuple[Ablation, ...]
    report: dict[str, Any]


def load_sample(path: Path, count: int, seed: int) -> list[Item]:
    """Items of a file, a sample of as many of each family as can be.

    Raises
    ------
    BenchmarkFileError
        If the file holds none, or is no file of items.

    """
    found = list(read_items(path))
    if not found:
        raise BenchmarkFileError(
            f"{path} holds no items. Build some with `kg bench build-multihop CORPUS`; its datasheet says what is missing."
        )
    return sample(found, count, seed)


def run_benchmark(
    path: Path,
    settings: Settings,
    chosen: QaSettings,
    *,
    corpus: str = "",
    journal: Path | None = None,
    say: Say = lambda _: None,
) -> QaRun:
    """Run every method under every condition and completeness over a sample of a file's items.

    Parameters
    ----------
    path
        File of items.
    settings
        Where graphs live; a language model answers if there is one.
    chosen
        What is run.
    corpus
        Another corpus to answer from than the one that the items were built from.
    journal
        File that keeps each answer as it comes; a run that was killed takes from it what the same code, graph and settings
        answered before. The caller removes it when the report is written.
    say
        Told what is being run.

    Raises
    ------
    BenchmarkFileError
        If the file holds no items.
    NoGraphError
        If the version that the items were built from is gone.
    SettingsError
        If a judge is the answering model or the one that extracted the graph, or has no endpoint, or the web is to be
        shown and the items hold nothing of it.
    UnknownMethodError
        If there is no such method or ablation.

    """
    items = load_sample(path, chosen.sample, chosen.seed)
    store = VersionStore.of(settings)
    name = corpus or items[0].corpus
    folder = store.folder(name, store.resolve(name, "latest" if corpus else items[0].graph_version))
    judges = [open_judge(judge, settings) for judge in chosen.judges]
    answering = f"llm:{settings.llm.model}" if settings.llm else "extractive"
    with closing(_open(folder)) as reader:
        for judge in judges:
            require_independent(judge.name, answering, reader.manifest)
    told = [doubt for judge in chosen.judges if (doubt := doubts(judge, settings))]
    say("trying the judges")
    tried = {judge.name: try_judge(judge.chat, "verifier") for judge in judges if isinstance(judge, LlmJudge)}
    methods = [make_method(name) for name in chosen.methods]
    web = ItemsWeb(items)
    for condition in chosen.conditions:
        require_web(web, CONDITIONS[condition])
    rows = []
    code = code_digest(("retrieval", "kg_pipeline")) if journal else ""
    asked = file_sha256(path) if journal else ""
    made_with = (code, asked, name, folder.name, answering, settings.embedding_model, chosen.seed)
    for share in chosen.completeness:
        # A whole graph is the version itself; a thinned one has its adjacency filtered once.
        whole: GraphReader = Thinned(folder, share, chosen.seed) if share < WHOLE else _open(folder)
        context = make_context(whole, settings)
        for condition in chosen.conditions:
            graph = Graph(context.over(WithSources(whole, CONDITIONS[condition])))
            for known in methods:
                method = with_web(known, web) if "web" in CONDITIONS[condition] else known
                say(f"{method.name}, {condition}, {share:.0%} of the relations")
                of = short_digest(*made_with, method.name, condition, share) if journal else ""
                kept = Journal(journal, of) if journal else None
                outcomes = _outcomes(graph, items, method, settings, kept)
                rows.append(_row(outcomes, items, method, condition, share, judges, chosen.seed))
        whole.close()
    ablations = _ablations(rows, chosen)
    report = _report(items, rows, ablations, settings, chosen, answering)
    report |= {"judge_trial": tried, "judge_doubts": told}
    return QaRun(tuple(items), tuple(rows), tuple(ablations), report)


def _ablations(rows: Sequence[Row], chosen: QaSettings) -> list[Ablation]:
    """Each full system and then its ablations that were run, over every completeness and condition."""
    found = []
    for share, condition in product(chosen.completeness, chosen.conditions):
        shown = {
            row.method: row.outcomes
            for row in rows
            if (row.completeness, row.condition) == (share, condition)
        }
        for full in sorted({FULL[name] for name in shown if name in FULL} & shown.keys()):
            names = [full, *(name for name, of in FULL.items() if of == full and name in shown)]
            found += [
                compare(shown[full], shown[name], condition=condition, completeness=share, seed=chosen.seed)
                for name in names
            ]
    return found


def _open(folder: Path) -> GraphReader:
    from kg_pipeline.graph.snapshot.reader import SnapshotReader

    return SnapshotReader(folder)


def _outcomes(
    graph: Graph, items: Sequence[Item], method: Method, settings: Settings, journal: Journal | None
) -> list[Outcome]:
    concurrency = settings.llm.concurrency if settings.llm else 1
    return run_method(graph, items, method, load_patterns(), concurrency=concurrency, journal=journal)


def _row(
    outcomes: Sequence[Outcome],
    items: Sequence[Item],
    method: Method,
    condition: Condition,
    share: float,
    judges: Sequence[Judge],
    seed: int,
) -> Row:
    by_id = {item.item_id: item for item in items}
    judged = {judge.name: asyncio.run(judge_all(judge, by_id, outcomes)) for judge in judges}
    return Row(
        method.name,
        condition,
        share,
        summarise(outcomes, seed=seed),
        {name: verifier_table(outcomes, found) for name, found in judged.items()},
        {
            f"{one} and {other}": judge_agreement(judged[one], judged[other])
            for one, other in combinations(judged, 2)
        },
        tuple(outcomes),
    )


def _report(
    items: Sequence[Item],
    rows: Iterable[Row],
    ablations: Iterable[Ablation],
    settings: Settings,
    chosen: QaSettings,
    answering: str,
) -> dict[str, Any]:
    """Everything that is needed to check and repeat the run; scores are shares of 1, published figures per cent."""
    return {
        "benchmark": "multihop-qa",
        "graph": {"corpus": items[0].corpus, "version": items[0].graph_version},
        "items": len(items),
        "settings": asdict(chosen),
        "answering": answering,
        "embedding": settings.embedding_model,
        "bootstrap": {"seed": chosen.seed, "resamples": RESAMPLES, "level": 0.95},
        "by_habit": by_habit(items),
        "rows": [_plain(row) for row in rows],
        "ablations": [asdict(ablation) for ablation in ablations],
        "published": {
            "setting": published.SETTING,
            "columns": list(published.COLUMNS),
            "main": {name: list(row) for name, row in published.MAIN.items()},
            "by_condition": {name: list(row) for name, row in published.BY_CONDITION.items()},
            "bioweave_ablations": {name: list(row) for name, row in published.BIOWEAVE_ABLATIONS.items()},
            "egot_win_rates": {name: list(row) for name, row in published.EGOT_WINS.items()},
            "inses_similarity_points": dict(published.INSES_SIMILARITY),
        },
        **environment(),
    }


def _plain(row: Row) -> dict[str, Any]:
    outcomes = [asdict(outcome) | {"sources": sorted(outcome.sources)} for outcome in row.outcomes]
    for outcome in outcomes:
        del outcome["quotes"]  # sentences of articles are in the items, under their licences
    return {
        "method": row.method,
        "condition": row.condition,
        "completeness": row.completeness,
        "summary": row.summary.to_json(),
        "verification": row.verification,
        "judge_agreement": row.agreement,
        "outcomes": outcomes,
    }
