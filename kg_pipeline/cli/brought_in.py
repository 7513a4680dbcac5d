"""What became of brought-in annotations, as commands print it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from rich.console import Console

from kg_pipeline.cli.tables import add_plain_row, folded_table
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.extraction.annotations.stage import last_report
from kg_pipeline.extraction.triples.rows import ANNOTATION


def summary(datasets: Datasets, spec: CorpusSpec) -> tuple[str, str] | None:
    """How many records were brought in and what became of them; None for a corpus without annotations."""
    report = last_report(datasets, spec)
    if report is None:
        return None
    rejected = sum(_rejected(datasets, spec.name).values())
    used = _used(datasets, spec.name)
    counts = {
        "used": used,
        "the same edge": report.distinct - rejected - used,
        "rejected": rejected,
        "repeated": report.repeated,
        **report.left_out,
        "files not read to the end": len(report.problems),
    }
    return str(report.records), _listing(counts) or "none"


def details(console: Console, datasets: Datasets, spec: CorpusSpec) -> None:
    """What each file of annotations gave, and why relations were rejected; nothing for a corpus without annotations."""
    report = last_report(datasets, spec)
    if report is None:
        return
    table = folded_table(
        "annotations", "relations", "of articles here", "left out", "for example", "not read to the end"
    )
    for file in report.files:
        examples = "; ".join(f"{reason}: {where}" for reason, where in file.examples.items())
        cells = (str(file.relations), str(file.placed), _listing(file.left_out), examples, file.problem)
        add_plain_row(table, file.name, *cells)
    console.print(table)
    rejected = _rejected(datasets, spec.name)
    console.print(
        f"Of {report.distinct} different relations, {_used(datasets, spec.name)} are in the graph. "
        f"Rejected: {_listing(rejected) or 'none'}.",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def _rejected(datasets: Datasets, corpus: str) -> dict[str, int]:
    brought = datasets.scan("rejects", corpus).filter(pl.col("extractor").str.starts_with(f"{ANNOTATION}:"))
    counted = brought.group_by("reason").len().sort("len", "reason", descending=[True, False])
    return dict(counted.collect().iter_rows())


def _used(datasets: Datasets, corpus: str) -> int:
    """Triples that were brought in; records that say the same of the same words are one."""
    triples = datasets.scan("triples", corpus).filter(pl.col("extractor").str.starts_with(f"{ANNOTATION}:"))
    return int(triples.select(pl.len()).collect().item())


def _listing(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
