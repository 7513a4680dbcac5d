"""`kg bench retrieval`: passages found for multi-hop questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kg_pipeline.cli.bench.inputs import default_data
from kg_pipeline.cli.bench.output import open_console, per_cent, points, skip, write_report

if TYPE_CHECKING:
    from retrieval.evaluation.multihop import RetrievalRun
    from retrieval.evaluation.ranking import MethodResult

_SUBSETS = {"all": "all questions", "tune": "one half", "test": "other half"}
_TIMED = "all"


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
    from kg_pipeline.llm.budget import metered
    from kg_pipeline.settings import load_settings
    from retrieval.evaluation.multihop import missing_parts, run_multihop

    console = open_console()
    folder = data or default_data("qa", "musique_100")
    if missing := missing_parts(folder):
        absent = " and no ".join(missing)
        skip(console, f"the folder {folder} holds no {absent}; name the benchmark's folder with --data.")
        return
    with (
        console.status("Building the graph (a few minutes the first time), then asking …"),
        metered() as used,
    ):
        run = run_multihop(folder, load_settings())
    console.print(_table(run))
    console.print(_gain(run))
    write_report(console, output, run.report, used)


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
                cells = [per_cent(result.scores[subset][metric]) for metric in METRICS]
                table.add_row(result.method, f"{label} ({counts[subset]})", *cells, _time(result, subset))
    return table


def _time(result: MethodResult, subset: str) -> str:
    return f"{result.ms_median:.0f} (p95 {result.ms_p95:.0f})" if subset == _TIMED else ""


def _gain(run: RetrievalRun) -> str:
    ppr = next(result for result in run.results if result.method == "ppr")
    parts = [
        f"{_SUBSETS[subset]}: "
        + ", ".join(f"{metric} {points(gain)}" for metric, gain in ppr.gains[subset].items())
        for subset in _SUBSETS
        if subset in ppr.gains
    ]
    return "Gain of ppr over this graph's own vectors, in points:\n  " + "\n  ".join(parts)
