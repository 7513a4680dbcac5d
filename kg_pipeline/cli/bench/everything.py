"""`kg bench all`: every benchmark that can run here, and one page of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from kg_pipeline.cli.bench.answers import boundaries, case_study
from kg_pipeline.cli.bench.entities import bench_entities
from kg_pipeline.cli.bench.graphs import graph_quality
from kg_pipeline.cli.bench.items import build_multihop
from kg_pipeline.cli.bench.multihop_qa import answer_items
from kg_pipeline.cli.bench.open_qa import open_qa
from kg_pipeline.cli.bench.output import names_of, open_console
from kg_pipeline.cli.bench.relations import bench_relations
from kg_pipeline.cli.bench.retrieval import bench_retrieval
from kg_pipeline.cli.bench.unfinished import ANSWERS, Unfinished
from kg_pipeline.errors import KgError, SettingsError

Run = Callable[[Path], None]
_VALUES = "values.json"
_PAGE = "index.html"
_ITEMS = "items"
_COMPLETENESS = (0.0, 0.3, 0.5, 0.8, 1.0)  # figure 6 of the BioWeave paper


def bench_all(
    corpus: Annotated[
        str, typer.Option(help="Corpus to build questions from and to answer case studies from.")
    ] = "demo",
    sample: Annotated[
        int, typer.Option(min=1, help="Questions, essays and abstracts of each benchmark.")
    ] = 24,
    methods: Annotated[str, typer.Option(help="Methods to compare, by commas.")] = "naive,bioweave,auto",
    judge: Annotated[
        str,
        typer.Option(help="MODEL or MODEL@URL for everything that is judged; without one, rules stand in."),
    ] = "",
    only: Annotated[
        str, typer.Option(help="Some benchmarks, by commas: entities, retrieval, multihop-qa, …")
    ] = "",
    output: Annotated[Path, typer.Option(help="Folder of the page and of the JSON reports.")] = Path(
        "bench-report"
    ),
) -> None:
    """Run all benchmarks, on small samples where they ask questions, and write one page with the change since the last.

    With --only, the page holds what ran this time and, of the others, what was measured last. A run that was stopped goes
    on where it was when the same command is given again.
    """
    from kg_pipeline.files import write_text
    from retrieval.evaluation.page.html import render_page
    from retrieval.evaluation.page.last import read_last

    runs = _runs(corpus, sample, methods, judge, output)
    wanted = names_of(only) or list(runs)
    if unknown := [name for name in wanted if name not in runs]:
        raise SettingsError(f"--only names no benchmark {', '.join(unknown)}; use some of {', '.join(runs)}.")
    console = open_console()
    output.mkdir(parents=True, exist_ok=True)
    measured: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    unfinished = Unfinished(output, _made_with(corpus, sample, methods, judge, wanted))
    for name in wanted:
        path = output / f"{name}.json"
        if name in unfinished.finished and (report := _earlier(path)):
            measured[name] = report
            console.print(f"{name}: measured before this run was stopped", markup=False)
            continue
        path.unlink(missing_ok=True)  # a report of an earlier run must not pass for this one's
        console.print(f"[bold]{name}[/]")
        started = time.perf_counter()
        try:
            runs[name](path)
        except KgError as error:
            skipped[name] = str(error)
            continue
        if path.exists():
            measured[name] = json.loads(path.read_text(encoding="utf-8"))
            console.print(f"{name}: {time.perf_counter() - started:.0f} s", markup=False)
            unfinished.finish(name)
        else:
            skipped[name] = "its data are not here"
    earlier = {name: _earlier(output / f"{name}.json") for name in runs if name not in wanted}
    reports = {name: measured.get(name) or earlier.get(name) for name in runs}
    shown = {name: report for name, report in reports.items() if report}
    last = read_last(output / _VALUES)
    sheet = f"{_ITEMS}/datasheet.md" if (output / _ITEMS / "datasheet.md").exists() else ""
    write_text(output / _PAGE, render_page(shown, skipped, last, sheet, shown.keys() - measured.keys()))
    # Benchmarks that were not run this time keep what the next page is compared with.
    write_text(output / _VALUES, last.with_reports(measured).to_json())
    unfinished.end()
    for name, why in skipped.items():
        console.print(f"Not run: {name}: {why}", markup=False)
    console.print(f"Page: {output / _PAGE}", markup=False)


def _made_with(corpus: str, sample: int, methods: str, judge: str, wanted: Sequence[str]) -> tuple[Any, ...]:
    """What decides the figures of a page: the command, the graph, the model and the code."""
    from kg_pipeline.errors import NoGraphError
    from kg_pipeline.fingerprint import code_digest
    from kg_pipeline.graph.versions.store import VersionStore
    from kg_pipeline.settings import load_settings

    settings = load_settings()
    try:
        version = VersionStore.of(settings).resolve(corpus)
    except NoGraphError:
        version = ""
    model = [settings.llm.base_url, settings.llm.model] if settings.llm else []
    code = code_digest(("kg_pipeline", "retrieval"))
    return (corpus, version, sample, methods, judge, list(wanted), model, code)


def _earlier(path: Path) -> Any:
    """The report of an earlier run; none where there is none, or one that another version of this program wrote."""
    from retrieval.evaluation.page.figures import figures_of

    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        figures_of(path.stem, report)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return report


def _runs(corpus: str, sample: int, methods: str, judge: str, output: Path) -> dict[str, Run]:
    """Benchmarks by name, each given where its report goes."""

    def graphs(path: Path) -> None:
        graph_quality(data=None, essays=sample, corpus="", articles=None, judge=judge or "words", output=path)

    def borders(path: Path) -> None:
        boundaries(data=None, methods=methods, size=sample, output=path)

    def cases(path: Path) -> None:
        answered = [f"exp-1={corpus}"]
        case_study(
            study="",
            studies=None,
            corpus=answered,
            depth="1,3",
            judge=judge,
            against="",
            show_corpora=False,
            output=path,
        )

    return {
        **_built_questions(corpus, sample, methods, judge, output),
        "case-study": cases,
        "boundaries": borders,
        "graph-quality": graphs,
        "retrieval": lambda path: bench_retrieval(data=None, output=path),
        "open-qa": _public_questions(methods, sample, judge),
        "open-qa-ablations": _public_questions("ablations", sample, judge),
        "relations": lambda path: bench_relations(gold=None, split="dev", output=path),
        "entities": lambda path: bench_entities(gold=None, split="dev", output=path),
    }


def _public_questions(methods: str, sample: int, judge: str) -> Run:
    def run(path: Path) -> None:
        open_qa(
            questions=None,
            corpus=None,
            triples=None,
            methods=methods,
            sample=sample,
            seed=0,
            judge=judge,
            output=path,
        )

    return run


def _built_questions(corpus: str, sample: int, methods: str, judge: str, output: Path) -> dict[str, Run]:
    """Methods, sources, completeness and ablations over questions that are built once from the corpus."""
    from retrieval.evaluation.methods import names_or_ablations
    from retrieval.evaluation.multihop_qa.benchmark import QaSettings

    @cache
    def items() -> Path:
        folder = output / _ITEMS
        build_multihop(
            corpus,
            items=10 * sample,
            seed=0,
            version="latest",
            patterns=None,
            passages=1,
            sentences=1,
            web="",
            output=folder,
        )
        return folder / "items.jsonl"

    def ask(asked: str, **more: Any) -> Run:
        def run(path: Path) -> None:
            chosen = QaSettings(names_or_ablations(names_of(asked)), sample, **more)
            # One journal for all four: BioWeave over the whole graph with both sources is a row of three of them.
            answer_items(items(), chosen, corpus="", journal=output / ANSWERS, output=path)

        return run

    return {
        "multihop-qa": ask(methods, judges=(judge or "rules",)),
        "sources": ask("bioweave", conditions=("kg", "doc", "kg+doc")),
        "completeness": ask("bioweave", completeness=_COMPLETENESS),
        # Over a whole graph that the questions come from, relations alone answer them; text counts where some are missing.
        "ablations": ask("ablations", completeness=(0.5,)),
    }
