"""Memory and processor time of the stages as a corpus grows: `python benchmarks/memory.py CORPUS [--times 1 10]`.

Takes a corpus that is built in `KG_HOME` and repeats its articles with new ids, as if each had been published several
times: texts and names stay, so no vector and no sentence is computed anew, and what is measured is what a stage holds.
Each stage runs in a process of its own. Those that go article by article run over all shards in that one process, or over
those of `--shards`, and only if they are asked for with `--stages`: they do compute everything anew. Prints a table and
writes JSON.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from pathlib import Path

import polars as pl
from building import WHOLE
from measuring import Figures, apart
from rich.console import Console
from rich.table import Table

from kg_pipeline.corpora import CorpusSpec, find_corpus, shard_keys
from kg_pipeline.datasets import ALL, Datasets
from kg_pipeline.settings import Settings, load_settings
from kg_pipeline.stages import chunk_shard, extract_shard, parse_shard, recognise_shard

#: What the stages of a whole corpus read, and the columns that begin with the id of an article or are ids themselves.
_REPEATED = {
    "article_index": ("article_id",),
    "articles": ("article_id",),
    "articles.status": ("article_id",),
    "documents": ("article_id",),
    "documents.status": ("article_id",),
    "chunks": ("article_id", "chunk_id"),
    "mentions": ("article_id", "mention_id"),
    "triple_mentions": ("article_id", "mention_id"),
    "triples": ("article_id", "triple_id", "chunk_id", "head_mention_id", "tail_mention_id"),
    "triples.status": ("article_id",),
}


def main() -> None:
    """Repeat the corpus, run the stages, tell what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", help="a corpus built in KG_HOME")
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10], help="how often it is repeated")
    parser.add_argument("--stages", nargs="+", default=list(WHOLE), choices=[*_BY_ARTICLE, *WHOLE])
    parser.add_argument("--shards", nargs="+", help="only these, in the stages that go article by article")
    parser.add_argument("--index", action="store_true", help="index many vectors too: a millisecond a vector")
    parser.add_argument("--home", type=Path, help="workspaces to use again; by default they are deleted")
    parser.add_argument("--output", type=Path, default=Path("bench-memory.json"))
    options = parser.parse_args()
    settings = load_settings()
    if not options.index:
        settings = settings.model_copy(update={"ann_above": sys.maxsize})
    spec = find_corpus(settings.corpora_file, options.corpus)
    shards = options.shards or shard_keys(settings.shards)
    place = (options.home or Path(tempfile.mkdtemp(prefix="kg-memory-"))).absolute()
    try:
        report = {
            times: _run(settings, spec, times, place / str(times), options.stages, shards)
            for times in options.times
        }
    finally:
        if options.home is None:
            shutil.rmtree(place, ignore_errors=True)
    _show(report)
    told = {"corpus": spec.name, "machine": platform.platform(), "times": report}
    options.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _run(
    settings: Settings, spec: CorpusSpec, times: int, home: Path, stages: list[str], shards: list[str]
) -> dict[str, Figures]:
    repeated = settings.model_copy(update={"home": home})
    if not home.exists():
        # Without its status table a stage takes nothing for done.
        names = [name for name in _REPEATED if name.removesuffix(".status") not in stages]
        _repeat(Datasets(settings.datasets), Datasets(repeated.datasets), spec.name, names, times)
        for shared in (settings.cache, settings.raw):
            (home / shared.name).symlink_to(shared)
    return {stage: apart(_stage, stage, spec, repeated, shards) for stage in stages}


def _repeat(source: Datasets, target: Datasets, corpus: str, names: list[str], times: int) -> None:
    """Write the datasets shard by shard, every row `times` times under ids of its own."""
    for name in names:
        for shard in source.shards(name, corpus):
            place = None if shard == ALL else shard
            rows = source.read(name, corpus, place)
            copies = [
                rows.with_columns(_renamed(column, number) for column in _REPEATED[name])
                for number in range(times)
            ]
            target.write(name, corpus, pl.concat(copies).sort("article_id", maintain_order=True), place)


def _renamed(column: str, number: int) -> pl.Expr:
    """An id of its own for each copy; ids that begin with the article's stay so."""
    if number == 0:
        return pl.col(column)
    article = pl.col("article_id")
    rest = pl.col(column).str.strip_prefix(article)
    is_derived = pl.col(column).str.starts_with(article)
    copy = article + f".{number}"
    return pl.when(is_derived).then(copy + rest).otherwise(pl.col(column) + f".{number}").alias(column)


def _stage(name: str, spec: CorpusSpec, settings: Settings, shards: list[str]) -> Figures:
    if name in WHOLE:
        WHOLE[name](Datasets(settings.datasets), spec, settings)
        return {}
    for shard in shards:
        _BY_ARTICLE[name](spec, settings, shard)
    return {}


_BY_ARTICLE = {
    "documents": parse_shard,
    "chunks": chunk_shard,
    "mentions": recognise_shard,
    "triples": extract_shard,
}


def _show(report: dict[int, dict[str, Figures]]) -> None:
    table = Table("stage", *(f"x{times}: {what}" for times in report for what in ("own MB", "MB", "CPU s")))
    for stage in next(iter(report.values())):
        figures = [report[times][stage] for times in report]
        cells = [f"{f[what]:,.0f}" for f in figures for what in ("peak_own_mb", "peak_mb", "cpu_seconds")]
        table.add_row(stage, *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
