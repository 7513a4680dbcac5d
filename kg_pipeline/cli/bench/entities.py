"""`kg bench entities`: recognition, linking and abbreviations against annotated corpora, as tables and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from kg_pipeline.cli.bench.inputs import default_data

if TYPE_CHECKING:
    from kg_pipeline.evaluation.entity_bench import EntityBench
    from kg_pipeline.evaluation.entity_recognition import SpanScores


def bench_entities(
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Folder with bc5cdr, biored, ncbi_disease and ab3p_med1250. Default: data/gold of KG_SHARED or ../shared."
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="Which files: dev.PubTator, test.PubTator …")] = "dev",
    output: Annotated[Path, typer.Option(help="Where the JSON report goes.")] = Path("bench-entities.json"),
) -> None:
    """Entities found and linked in annotated corpora, each step and both together, and abbreviations; no language model."""
    from kg_pipeline.evaluation.entity_bench import run_entity_bench
    from kg_pipeline.files import write_text
    from kg_pipeline.settings import load_settings

    console = Console(highlight=False, soft_wrap=True)
    folder = gold or default_data("gold")
    with console.status("Reading annotated articles (a few minutes) …"):
        result = run_entity_bench(folder, split, load_settings())
    if result.recognition:
        console.print(_recognition(result))
    if result.linking:
        console.print(_linking(result))
    if result.end_to_end:
        console.print(_end_to_end(result))
    if result.abbreviations:
        console.print(_abbreviations(result))
    speed = result.articles_per_second()
    if speed is not None:
        console.print(f"Whole mentions stage: {speed:.2f} full-text articles a second and core.")
    for sentence in result.absent:
        console.print(sentence, markup=False)
    write_text(output, json.dumps(result.report(), indent=1, ensure_ascii=False) + "\n")
    console.print(f"All scores, settings, versions and hardware: {output}", markup=False)


def _recognition(result: EntityBench) -> Table:
    table = Table(
        title="Names found, strict spans, per cent; F1 with its 95 % bootstrap interval over articles"
    )
    for column in ("corpus", "way", "kind"):
        table.add_column(column)
    for column in _SCORES:
        table.add_column(column, justify="right")
    for one in result.recognition:
        table.add_section()
        for score in one.scores:
            table.add_row(one.corpus, one.way, score.kind.removeprefix("biolink:"), *_values(score))
    return table


_SCORES = ("annotated", "P", "R", "F1")


def _values(score: SpanScores) -> tuple[str, ...]:
    return (
        str(score.annotated),
        f"{100 * score.precision:.1f}",
        f"{100 * score.recall:.1f}",
        f"{100 * score.f1:.1f} [{100 * score.low:.1f}, {100 * score.high:.1f}]",
    )


def _end_to_end(result: EntityBench) -> Table:
    table = Table(title="Names found and linked by the whole stage, span and concept right, per cent")
    for column in ("corpus", "kind"):
        table.add_column(column)
    for column in _SCORES:
        table.add_column(column, justify="right")
    for corpus, scores in result.end_to_end.items():
        table.add_section()
        for score in scores:
            table.add_row(corpus, score.kind, *_values(score))
    return table


def _linking(result: EntityBench) -> Table:
    table = Table(title="Concepts of annotated spans: first link right, per cent, with its 95 % interval")
    table.add_column("corpus")
    table.add_column("kind")
    table.add_column("spans", justify="right")
    table.add_column("right", justify="right")
    for corpus, rows in result.linking.items():
        table.add_section()
        for row in rows:
            table.add_row(
                corpus,
                row.kind,
                str(row.mentions),
                f"{100 * row.accuracy:.1f} [{100 * row.low:.1f}, {100 * row.high:.1f}]",
            )
    return table


def _abbreviations(result: EntityBench) -> Table:
    table = Table(title="Abbreviations that records define (Ab3P corpus), per cent")
    table.add_column("found by")
    for column in ("annotated", "P", "R", "F1"):
        table.add_column(column, justify="right")
    for row in result.abbreviations:
        values = (f"{100 * value:.1f}" for value in (row.precision, row.recall, row.f1))
        table.add_row(row.name, str(row.annotated), *values)
    return table
