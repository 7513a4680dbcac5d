"""`kg bench …`: benchmarks from pinned inputs, printed beside their starting points and written as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from kg_pipeline.cli.bench_all import bench_all
from kg_pipeline.cli.bench_answers import boundaries, case_study
from kg_pipeline.cli.bench_data import default_data
from kg_pipeline.cli.bench_graphs import graph_quality
from kg_pipeline.cli.bench_items import build_multihop
from kg_pipeline.cli.bench_qa import multihop_qa
from kg_pipeline.cli.entity_bench import bench_entities
from kg_pipeline.cli.relation_bench import bench_relations

if TYPE_CHECKING:
    from retrieval.evaluation.intervals import Interval
    from retrieval.evaluation.multihop import RetrievalRun
    from retrieval.evaluation.ranking import MethodResult

bench = typer.Typer(name="bench", help="Measure retrieval and answers.", no_args_is_help=True)
bench.command(name="all")(bench_all)
bench.command(name="boundaries")(boundaries)
bench.command(name="case-study")(case_study)
bench.command(name="graph-quality")(graph_quality)
bench.command(name="build-multihop")(build_multihop)
bench.command(name="entities")(bench_entities)
bench.command(name="multihop-qa")(multihop_qa)
bench.command(name="relations")(bench_relations)

_SUBSETS = {"all": "all questions", "tune": "half tuned on", "test": "other half"}
_TIMED = "all"


@bench.callback()
def _group() -> None:
    """Measure retrieval and answers."""


@bench.command(name="retrieval")
def bench_retrieval(
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with questions*.json (MuSiQue), corpus*.json and openie*.json (HippoRAG). "
            "Default: data/qa/musique_100 of KG_SHARED or of ../shared."
        ),
    ] = None,
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path("bench-retrieval.json"),
) -> None:
    """Recall of BM25, vectors and personalised PageRank on multi-hop questions; no language model."""
    from kg_pipeline.files import write_text
    from kg_pipeline.settings import load_settings
    from retrieval.evaluation.multihop import missing_parts, run_multihop

    console = Console(highlight=False, soft_wrap=True)
    folder = data or default_data("qa", "musique_100")
    if missing := missing_parts(folder):
        console.print(
            f"Skipped: the folder {folder} holds no {' and no '.join(missing)}; name the benchmark's folder with --data.",
            markup=False,
        )
        return
    with console.status("Building the graph (a few minutes the first time), then asking …"):
        run = run_multihop(folder, load_settings())
    console.print(_table(run))
    console.print(_gain(run))
    write_text(output, json.dumps(run.report, indent=1, ensure_ascii=False) + "\n")
    console.print(f"Scores by question, settings, versions and hardware: {output}", markup=False)


def _table(run: RetrievalRun) -> Table:
    from retrieval.evaluation.ranking import METRICS
    from retrieval.evaluation.report import STARTING_POINTS

    counts = run.report["benchmark"]["questions"]
    table = Table(title="Passage retrieval, per cent with 95 % bootstrap intervals")
    table.add_column("method")
    table.add_column("questions")
    for metric in METRICS:
        table.add_column(metric, justify="right")
    table.add_column("ms a question", justify="right")
    for name, row in STARTING_POINTS.items():
        table.add_row(
            f"start: {name}", "all questions (100)", *(f"{row[metric]:.1f}" for metric in METRICS), ""
        )
    for result in run.results:
        table.add_section()
        for subset, label in _SUBSETS.items():
            if subset in result.scores:
                cells = [_per_cent(result.scores[subset][metric]) for metric in METRICS]
                table.add_row(result.method, f"{label} ({counts[subset]})", *cells, _time(result, subset))
    return table


def _per_cent(interval: Interval) -> str:
    return f"{100 * interval.mean:.1f} [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def _time(result: MethodResult, subset: str) -> str:
    return f"{result.ms_median:.0f} (p95 {result.ms_p95:.0f})" if subset == _TIMED else ""


def _gain(run: RetrievalRun) -> str:
    ppr = next(result for result in run.results if result.method == "ppr")
    parts = [
        f"{_SUBSETS[subset]}: "
        + ", ".join(
            f"{metric} {100 * gain.mean:+.1f} [{100 * gain.low:+.0f}, {100 * gain.high:+.0f}]"
            for metric, gain in ppr.gains[subset].items()
        )
        for subset in _SUBSETS
        if subset in ppr.gains
    ]
    return "Gain of ppr over this graph's own vectors, in points:\n  " + "\n  ".join(parts)
