"""`kg bench all`: every benchmark that can run here, and one page of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from kg_pipeline.cli.bench.answers import boundaries, case_study
from kg_pipeline.cli.bench.entities import bench_entities
from kg_pipeline.cli.bench.graphs import graph_quality
from kg_pipeline.cli.bench.items import build_multihop
from kg_pipeline.cli.bench.multihop_qa import multihop_qa
from kg_pipeline.cli.bench.open_qa import open_qa
from kg_pipeline.cli.bench.output import names_of
from kg_pipeline.cli.bench.relations import bench_relations
from kg_pipeline.cli.bench.retrieval import bench_retrieval
from kg_pipeline.errors import KgError, SettingsError

_VALUES = "values.json"
_PAGE = "index.html"


def bench_all(
    corpus: Annotated[
        str, typer.Option(help="Corpus to build questions from and to answer case studies from.")
    ] = "demo",
    sample: Annotated[
        int, typer.Option(min=1, help="Questions, essays and abstracts of each benchmark.")
    ] = 24,
    methods: Annotated[str, typer.Option(help="Methods to compare, by commas.")] = "naive,bioweave,auto",
    only: Annotated[
        str, typer.Option(help="Some benchmarks, by commas: entities, retrieval, multihop-qa, …")
    ] = "",
    output: Annotated[Path, typer.Option(help="Folder of the page and of the JSON reports.")] = Path(
        "bench-report"
    ),
) -> None:
    """Run all benchmarks, on small samples where they ask questions, and write one page with the change since the last."""
    from kg_pipeline.files import write_text
    from retrieval.evaluation.page.html import render_page, values_of

    runs = _runs(corpus, sample, methods, output)
    wanted = names_of(only) or list(runs)
    if unknown := [name for name in wanted if name not in runs]:
        raise SettingsError(f"--only names no benchmark {', '.join(unknown)}; use some of {', '.join(runs)}.")
    console = Console(highlight=False, soft_wrap=True)
    output.mkdir(parents=True, exist_ok=True)
    reports: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    for name in wanted:
        path = output / f"{name}.json"
        path.unlink(missing_ok=True)  # a report of an earlier run must not pass for this one's
        console.print(f"[bold]{name}[/]")
        try:
            runs[name](path)
        except KgError as error:
            skipped[name] = str(error)
            continue
        if path.exists():
            reports[name] = json.loads(path.read_text(encoding="utf-8"))
        else:
            skipped[name] = "its data are not here"
    last = _last(output / _VALUES)
    write_text(output / _PAGE, render_page(reports, skipped, last))
    # Benchmarks that were not run this time keep what the next page is compared with.
    write_text(output / _VALUES, json.dumps({**last, **values_of(reports)}, indent=1) + "\n")
    for name, why in skipped.items():
        console.print(f"Not run: {name}: {why}", markup=False)
    console.print(f"Page: {output / _PAGE}", markup=False)


def _last(path: Path) -> Mapping[str, float]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): float(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _runs(corpus: str, sample: int, methods: str, output: Path) -> dict[str, Callable[[Path], None]]:
    """Benchmarks by name, each given where its report goes."""

    def entities(path: Path) -> None:
        bench_entities(gold=None, split="dev", output=path)

    def relations(path: Path) -> None:
        bench_relations(gold=None, split="dev", output=path)

    def retrieval(path: Path) -> None:
        bench_retrieval(data=None, output=path)

    def answers(path: Path) -> None:
        open_qa(
            questions=None, corpus=None, triples=None, methods=methods, sample=sample, seed=0, output=path
        )

    def questions(path: Path) -> None:
        items = output / "items"
        build_multihop(
            corpus,
            items=10 * sample,
            seed=0,
            version="latest",
            patterns=None,
            passages=1,
            web="",
            output=items,
        )
        multihop_qa(
            items / "items.jsonl",
            methods=methods,
            sample=sample,
            seed=0,
            conditions="kg+doc",
            completeness="100",
            judge=["rules"],
            corpus="",
            output=path,
        )

    def graphs(path: Path) -> None:
        graph_quality(data=None, essays=sample, corpus="", articles=None, judge="words", output=path)

    def borders(path: Path) -> None:
        boundaries(data=None, methods=methods, size=sample, output=path)

    def cases(path: Path) -> None:
        case_study(
            study="", studies=None, corpus=[f"exp-1={corpus}"], depth="1,3", judge="", against="", output=path
        )

    return {
        "multihop-qa": questions,
        "case-study": cases,
        "boundaries": borders,
        "graph-quality": graphs,
        "retrieval": retrieval,
        "open-qa": answers,
        "relations": relations,
        "entities": entities,
    }
