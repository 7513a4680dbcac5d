"""Time of a search without a language model, on a synthetic graph: `python benchmarks/search_speed.py [--help]`.

Algorithm 2 and the ranking by personalised PageRank answer questions that name two entities of the graph. A question's
vector is put between those of chunks and their entities, since vectors of synthetic text are random and near nothing. Wall
time is what an asker waits for, processor time what is left of it on a machine that does other things; PageRank's
includes the model's, which embeds the statements and names it compares. Beside it on the same graph: what a walk of
HippoRAG's kind takes, which compares all pairs of entities when it indexes and walks over the whole graph
(`whole_walk`); its question begins at the entities that it names, so nothing is embedded.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from rich.console import Console
from rich.table import Table
from synthetic_graph import CORPUS, Size, write_corpus
from whole_walk import WholeWalk

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.reader import GraphReader, Vector
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings
from retrieval.graph import make_context
from retrieval.methods.asking import understand
from retrieval.methods.ppr.method import PageRankSettings, rank_passages
from retrieval.questions.question import Question
from retrieval.search import search

_NEAR = 4  # chunks that a question is about


def main() -> None:
    """Make the graph, or use one that is there; time both searches cold and once their texts are known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=31_000)
    parser.add_argument("--relations", type=int, default=600_000)
    parser.add_argument(
        "--vectors", type=int, default=20_000, help="chunks and entities, of each, with a vector"
    )
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--home", type=Path, help="workspace to use again; by default one that is deleted")
    parser.add_argument("--output", type=Path, default=Path("bench-retrieval-speed.json"))
    options = parser.parse_args()
    home = (options.home or Path(tempfile.mkdtemp(prefix="kg-bench-"))).absolute()
    try:
        settings = Settings(home=home, corpora_file=home / "corpora.toml")
        reader = _graph(settings, Size(options.entities, options.relations, options.vectors))
        figures = _measure(reader, settings, options.questions) | _whole(settings, options.questions)
        reader.close()
    finally:
        if options.home is None:
            shutil.rmtree(home, ignore_errors=True)
    _show(figures)
    told = {"machine": platform.platform(), "searches": figures}
    options.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _graph(settings: Settings, size: Size) -> GraphReader:
    store = VersionStore(settings.graphs)
    if not (settings.graphs / CORPUS).exists():
        write_corpus(settings.datasets, size)
        made = assemble_version(Datasets(settings.datasets), CorpusSpec(name=CORPUS, source="."), settings)
        store.publish(CORPUS, made.version)
    return store.open(CORPUS)


def _measure(reader: GraphReader, settings: Settings, count: int) -> dict[str, dict[str, float]]:
    context = make_context(reader, settings)
    context.embedder.vector("A text that loads the model.")
    ranking = PageRankSettings()
    source = np.random.default_rng(11)
    vectors = _vectors(settings)
    asked = [understand(text, context) for text in _texts(count, source)]
    questions = [_question(reader, question, vectors, source) for question in asked]

    def walk(question: Question) -> None:
        rank_passages(context, question, ranking)

    def algorithm_2(question: Question) -> None:
        search(reader, question.text, question.vector, context.search)

    return {
        "algorithm 2": _times(algorithm_2, questions),
        "ppr, first time": _times(walk, questions),
        "ppr, texts known": _times(walk, questions),
    }


def _whole(settings: Settings, count: int) -> dict[str, dict[str, float]]:
    """Time to index all pairs and to walk over everything, of questions that name two entities."""
    datasets = Datasets(settings.datasets)
    relations = datasets.scan("relations", CORPUS).select("head_id", "tail_id").collect()
    rows = datasets.scan("embeddings", CORPUS).filter(kind="entity").select("id", "vector").collect()
    names = pl.concat([relations["head_id"], relations["tail_id"], rows["id"]]).unique().sort()
    number = dict(zip(names.to_list(), range(len(names)), strict=True))

    def numbers(column: pl.Series) -> npt.NDArray[np.int64]:
        return column.replace_strict(number, return_dtype=pl.Int64).to_numpy()

    used = time.process_time()
    whole = WholeWalk.index(
        len(names),
        numbers(relations["head_id"]),
        numbers(relations["tail_id"]),
        numbers(rows["id"]),
        rows["vector"].to_numpy(),
    )
    used = time.process_time() - used
    source = np.random.default_rng(11)
    seeds = source.integers(0, len(names), (count, 2)).tolist()
    indexing = dict.fromkeys(("wall_median_ms", "wall_p95_ms"), 1000 * whole.seconds)
    indexing |= dict.fromkeys(("processor_median_ms", "processor_p95_ms"), 1000 * used)
    return {
        f"all pairs: index ({whole.synonyms:,} synonyms)": indexing,
        "all pairs: walk": _times(whole.shares, seeds),
    }


def _texts(count: int, source: np.random.Generator) -> list[str]:
    pairs = source.integers(0, 10_000, (count, 2))
    return [f"How does factor {one:08d} act on factor {other:08d}?" for one, other in pairs.tolist()]


def _question(
    reader: GraphReader, question: Question, vectors: Mapping[str, Vector], source: np.random.Generator
) -> Question:
    """The question with a vector that four chunks and an entity of each are about as near to as real ones are."""
    chunks = sorted(key for key in vectors if key.startswith("PMC"))
    chosen = [chunks[at] for at in source.integers(0, len(chunks), _NEAR).tolist()]
    named = [ids[0] for ids in reader.entities_of(chosen).values() if ids]
    total = np.sum([vectors[key] for key in (*chosen, *named) if key in vectors], axis=0)
    return replace(question, vector=(total / np.linalg.norm(total)).astype(np.float32))


def _vectors(settings: Settings) -> dict[str, Vector]:
    rows = Datasets(settings.datasets).scan("embeddings", CORPUS).select("id", "vector").collect()
    return dict(zip(rows["id"].to_list(), rows["vector"].to_numpy(), strict=True))


def _times(act: Callable[[Any], object], questions: Sequence[Any]) -> dict[str, float]:
    wall, processor = [], []
    for question in questions:
        started, used = time.perf_counter(), time.process_time()
        act(question)
        wall.append(1000 * (time.perf_counter() - started))
        processor.append(1000 * (time.process_time() - used))
    return {
        "wall_median_ms": float(np.median(wall)),
        "wall_p95_ms": float(np.quantile(wall, 0.95)),
        "processor_median_ms": float(np.median(processor)),
        "processor_p95_ms": float(np.quantile(processor, 0.95)),
    }


def _show(figures: dict[str, dict[str, float]]) -> None:
    table = Table("search", *next(iter(figures.values())))
    for name, row in figures.items():
        table.add_row(name, *(f"{value:.1f}" for value in row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
