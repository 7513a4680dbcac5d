"""`kg bench …`: benchmarks from pinned inputs, printed beside what was published and written as JSON."""

from __future__ import annotations

import typer

from kg_pipeline.cli.bench.answers import boundaries, case_study
from kg_pipeline.cli.bench.entities import bench_entities
from kg_pipeline.cli.bench.everything import bench_all
from kg_pipeline.cli.bench.graphs import graph_quality
from kg_pipeline.cli.bench.items import build_multihop
from kg_pipeline.cli.bench.multihop_qa import multihop_qa
from kg_pipeline.cli.bench.open_qa import open_qa
from kg_pipeline.cli.bench.relations import bench_relations
from kg_pipeline.cli.bench.retrieval import bench_retrieval

bench = typer.Typer(name="bench", no_args_is_help=True)
bench.command(name="all")(bench_all)
bench.command(name="entities")(bench_entities)
bench.command(name="relations")(bench_relations)
bench.command(name="retrieval")(bench_retrieval)
bench.command(name="open-qa")(open_qa)
bench.command(name="build-multihop")(build_multihop)
bench.command(name="multihop-qa")(multihop_qa)
bench.command(name="graph-quality")(graph_quality)
bench.command(name="boundaries")(boundaries)
bench.command(name="case-study")(case_study)


@bench.callback()
def _group() -> None:
    """Measure entities, relations, retrieval, answers and graphs, beside what was published."""
