"""`kg bench open-qa`: answers to the questions of public multi-hop benchmarks, by exact match and F1."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kg_pipeline.cli.bench.inputs import default_data
from kg_pipeline.cli.bench.output import names_of, open_console, per_cent, points, skip, write_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.evaluation.open_qa.ablations import QaAblation
    from retrieval.evaluation.open_qa.benchmark import OpenQaRun


def open_qa(
    questions: Annotated[
        Path | None,
        typer.Argument(
            help="Questions as MuSiQue, HotpotQA, 2WikiMultiHopQA or MultiHop-RAG publish them. "
            "Default: data/qa/musique_100/questions.json of KG_SHARED or of ../shared.",
            metavar="QUESTIONS",
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(help="Passages besides those of the questions; by default corpus*.json beside them."),
    ] = None,
    triples: Annotated[
        Path | None,
        typer.Option(
            help="Triples of the passages as HippoRAG writes them; by default openie*.json beside the questions. "
            "Without any, the graph is of passages and their titles."
        ),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            help="Methods and ablations, by commas; `ablations` for all of those beside their full systems."
        ),
    ] = "naive,ppr,auto",
    sample: Annotated[
        int, typer.Option(min=1, help="Questions, drawn by seed; all passages are kept.")
    ] = 100,
    seed: Annotated[int, typer.Option(help="Of the sample and of the intervals.")] = 0,
    judge: Annotated[
        str, typer.Option(help="MODEL or MODEL@URL: says too whether an answer means the accepted one.")
    ] = "",
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path("bench-open-qa.json"),
) -> None:
    """Exact match and F1 of answers to public multi-hop questions, and the passages found for them."""
    from kg_pipeline.llm.budget import metered
    from kg_pipeline.settings import load_settings
    from retrieval.evaluation.methods import names_or_ablations
    from retrieval.evaluation.open_qa.benchmark import OpenQaSettings, run_open_qa

    console = open_console()
    path = questions or default_data("qa", "musique_100", "questions.json")
    if questions is None and not path.exists():
        skip(console, f"there is no {path}; name a file of questions.")
        return
    named = names_or_ablations(names_of(methods))
    chosen = OpenQaSettings(methods=named, sample=sample, seed=seed, judge=judge)
    with console.status("Asking …") as status, metered() as used:
        run = run_open_qa(
            path,
            load_settings(),
            chosen,
            corpus=corpus or _beside(path, "corpus*.json*"),
            triples=triples or _beside(path, "openie*.json"),
            say=lambda what: status.update(f"Asking: {what}"),
        )
    console.print(_table(run))
    if run.ablations:
        console.print(_ablations(run.ablations))
    write_report(console, output, run.report, used)


def _beside(path: Path, pattern: str) -> Path | None:
    return min(path.parent.glob(pattern), default=None)


def _table(run: OpenQaRun) -> Table:
    from retrieval.evaluation.open_qa.running import ANSWER_METRICS, JUDGED, READ, READ_METRICS
    from retrieval.evaluation.ranking import METRICS

    report = run.report
    table = Table(
        title=f"{report['questions']} questions of {run.benchmark} over {report['passages']} passages, answered by "
        f"{report['answering']}, shortened by {report['shortening']}; per cent with 95 % bootstrap intervals",
        caption=f"Ranked: the first {READ} passages are read for the shortest answer, and always one is given. "
        "Cited: a method answers, or refuses; what it had read for that is told apart from what it cites.",
    )
    table.add_column("method")
    table.add_column("passages")
    judged = [f"right, as {report['judge']} sees it"] if report["judge"] else []
    read = ("gold passages read", "answer in them", "read")
    for name in (*METRICS, "exact match", "F1", *judged, "answered", *read, "calls", "tokens", "s"):
        table.add_column(name, justify="right")
    for row in run.rows:
        shown = (*METRICS, *ANSWER_METRICS, *([JUDGED] if judged else []))
        cells = [per_cent(row.scores[metric]) for metric in shown]
        found = (*(per_cent(row.scores[metric]) for metric in READ_METRICS), f"{row.passages_read:.0f}")
        cost = (f"{row.calls:.1f}", f"{row.tokens:.0f}", f"{row.seconds:.2f}")
        table.add_row(row.method, row.passages, *cells, f"{row.answered:.0%}", *found, *cost)
    table.add_section()
    for name, figures in report["published_per_cent"].items():
        answers = [f"{figures[metric]:.1f}" if metric in figures else "" for metric in ANSWER_METRICS]
        accuracy = f"accuracy {figures['accuracy']:.1f}" if "accuracy" in figures else ""
        table.add_row(f"published: {name}", accuracy, *[""] * len(METRICS), *answers)
    return table


def _ablations(ablations: Sequence[QaAblation]) -> Table:
    from retrieval.evaluation.multihop_qa.published import ablation_note
    from retrieval.evaluation.open_qa.ablations import LOSSES

    table = Table(title="What a part is worth: the full system less the one without it, in points")
    for name in ("system", "without", *LOSSES, "same answers", "published"):
        table.add_column(name)
    for row in ablations:
        losses = [points(row.losses[metric]) for metric in LOSSES]
        table.add_row(row.full, row.method, *losses, f"{row.same:.0%}", ablation_note(row.method))
    return table
