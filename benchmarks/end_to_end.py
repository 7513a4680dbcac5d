"""What every stage costs, from articles to a graph: `python benchmarks/end_to_end.py SOURCE [--articles 48]`.

Takes some articles of a folder or archive and builds their graph in an empty workspace, each stage over all its shards
in a process of its own, so that seconds, processor seconds and memory are the stage's own; a stage that loads a model
pays for it once. Works offline; the vocabulary's index is made first and not counted. Prints a table with what each stage
costs an article, and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
from pathlib import Path

from building import WHOLE, first_articles
from measuring import Figures, apart
from rich.console import Console
from rich.table import Table

from kg_pipeline.corpora import CorpusSpec, shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.settings import Settings, load_settings
from kg_pipeline.stages import (
    ShardStage,
    chunk_shard,
    extract_shard,
    fetch_shard,
    parse_shard,
    recognise_shard,
)
from kg_pipeline.vocabulary.index.build import build_vocabulary

_BY_ARTICLE: dict[str, ShardStage] = {
    "articles": fetch_shard,
    "documents": parse_shard,
    "chunks": chunk_shard,
    "mentions": recognise_shard,
    "triples": extract_shard,
}


def main() -> None:
    """Build, stage by stage, and tell what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder or archive of articles")
    parser.add_argument("--articles", type=int, default=48)
    parser.add_argument("--stages", nargs="+", default=list(_STAGES), choices=_STAGES)
    parser.add_argument("--output", type=Path, default=Path("bench-end-to-end.json"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kg-end-to-end-") as place:
        spec = CorpusSpec(
            name="some",
            source=str(first_articles(options.source, options.articles, Path(place) / "articles")),
        )
        settings = load_settings({"KG_HOME": str(Path(place) / "home")})
        build_vocabulary(settings)
        figures = {name: apart(_stage, name, spec, settings) for name in _STAGES if name in options.stages}
        counts = _counts(spec, settings)
    _show(figures, options.articles)
    told = {
        "articles": options.articles,
        "machine": platform.platform(),
        "rows": counts,
        "stages": figures,
    }
    options.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _stage(name: str, spec: CorpusSpec, settings: Settings) -> Figures:
    datasets = Datasets.of(settings)
    if name == "article_index":
        list_articles(datasets, spec, settings)
    elif name in WHOLE:
        WHOLE[name](datasets, spec, settings)
    else:
        for shard in shard_keys(settings.shards):
            _BY_ARTICLE[name](spec, settings, shard)
    return {}


_STAGES = ("article_index", *_BY_ARTICLE, *WHOLE)


def _counts(spec: CorpusSpec, settings: Settings) -> dict[str, int]:
    datasets = Datasets.of(settings)
    counted = ("chunks", "mentions", "triples", "entities", "relations")
    return {name: datasets.scan(name, spec.name).collect().height for name in counted}


def _show(figures: dict[str, Figures], articles: int) -> None:
    table = Table("stage", "seconds", "CPU s", "of all", "CPU ms an article", "own MB")
    total = sum(figure["cpu_seconds"] for figure in figures.values())
    for name, figure in figures.items():
        cpu = figure["cpu_seconds"]
        table.add_row(
            name, f"{figure['seconds']:.1f}", f"{cpu:.1f}", f"{cpu / total:.0%}",
            f"{1000 * cpu / articles:,.0f}", f"{figure['peak_own_mb']:,.0f}",
        )  # fmt: skip
    seconds = sum(figure["seconds"] for figure in figures.values())
    table.add_row("all", f"{seconds:.1f}", f"{total:.1f}", "", f"{1000 * total / articles:,.0f}", "")
    Console().print(table)


if __name__ == "__main__":
    main()
