"""Run a per-article stage over one shard, computing only what changed.

A stage's output for an article is reused when its status row carries the same input digest, which covers the
article's upstream content and the stage's code and settings. Articles that left the input leave the output.
Articles whose last status was `failed` or `partial` are tried again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import polars as pl
import pyarrow as pa

from kg_pipeline.datasets import Datasets, empty_frame, table_from_rows
from kg_pipeline.errors import ArticleError
from kg_pipeline.fingerprint import digest

Rows = list[dict[str, Any]]
#: Articles whose rows are Python objects at a time; they take ten times the memory of a table.
_ARTICLES_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class ArticleOutput:
    """What a stage made of one article: rows for each dataset it writes, and how it went."""

    article_id: str
    rows: Mapping[str, Rows] = field(default_factory=dict)
    status: str = "ok"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StageReport:
    """Counts of one stage run over one shard, for metadata and the build table."""

    stage: str
    corpus: str
    shard: str
    articles: int
    computed: int
    reused: int
    failed: int
    rows: int
    rejected: int
    seconds: float


def one_by_one(process: Callable[[str], ArticleOutput]) -> Callable[[Sequence[str]], Iterable[ArticleOutput]]:
    """Lift a function of one article to a stage; an article that fails becomes a `failed` row, not an exception.

    Errors of the machine (disk, memory) and of services are not the article's and go through.
    """

    def run(article_ids: Sequence[str]) -> Iterable[ArticleOutput]:
        for article_id in article_ids:
            try:
                yield process(article_id)
            except ArticleError as error:
                yield ArticleOutput(article_id, status="failed", reason=str(error))
            except (ValueError, TypeError, LookupError, RecursionError, ArithmeticError) as error:
                reason = f"{type(error).__name__}: {error}"
                yield ArticleOutput(article_id, status="failed", reason=reason)

    return run


def run_shard(
    datasets: Datasets,
    *,
    stage: str,
    corpus: str,
    shard: str,
    inputs: Mapping[str, str],
    fingerprint: str,
    outputs: Sequence[str],
    process: Callable[[Sequence[str]], Iterable[ArticleOutput]],
) -> StageReport:
    """Bring the shard's `outputs` up to date with `inputs` (article id to digest of what the stage reads).

    The datasets are written before the status table, and the status table decides what is reused, so a run
    killed between the two repeats the shard instead of trusting half of it.
    """
    started = time.perf_counter()
    wanted = {article: digest(upstream, fingerprint) for article, upstream in sorted(inputs.items())}
    status_name = f"{stage}.status"
    complete = all(datasets.is_usable(name, corpus, shard) for name in (*outputs, status_name))
    previous = datasets.read(status_name, corpus, shard) if complete else empty_frame(status_name)
    reusable = {
        row["article_id"]
        for row in previous.iter_rows(named=True)
        if row["status"] == "ok" and wanted.get(row["article_id"]) == row["input_digest"]
    }
    todo = [article for article in wanted if article not in reusable]
    is_current = complete and not todo and previous.height == len(wanted)
    if not is_current:
        fresh = _frames(process(todo) if todo else (), stage, outputs, wanted)
        _write(datasets, outputs, corpus, shard, reusable, fresh)
        kept = previous.filter(pl.col("article_id").is_in(sorted(reusable)))
        statuses = kept.vstack(fresh[status_name]).sort("article_id")
        datasets.write(status_name, corpus, statuses, shard)
        previous = statuses
    return StageReport(
        stage=stage,
        corpus=corpus,
        shard=shard,
        articles=len(wanted),
        computed=len(todo),
        reused=len(reusable),
        failed=previous.filter(pl.col("status") != "ok").height,
        rows=int(previous["rows"].sum() or 0),
        rejected=int(previous["rejected"].sum() or 0),
        seconds=time.perf_counter() - started,
    )


def input_digests(datasets: Datasets, stage: str, corpus: str, shard: str) -> dict[str, str]:
    """Digest of what `stage` made of each article it finished: the input of the next stage."""
    status = datasets.read_or_empty(f"{stage}.status", corpus, shard)
    usable = status.filter(pl.col("status") != "failed")
    return {
        article: digest(input_digest, state)
        for article, input_digest, state in usable.select("article_id", "input_digest", "status").iter_rows()
    }


def _frames(
    produced: Iterable[ArticleOutput], stage: str, outputs: Sequence[str], wanted: Mapping[str, str]
) -> dict[str, pl.DataFrame]:
    """What a stage made, as a table a dataset and one of statuses."""
    status = f"{stage}.status"
    parts: dict[str, list[pl.DataFrame]] = {name: [empty_frame(name)] for name in (*outputs, status)}
    coming = iter(produced)
    while some := list(islice(coming, _ARTICLES_AT_ONCE)):
        for name in outputs:
            rows = (row for output in some for row in output.rows.get(name, ()))
            parts[name].append(_frame(table_from_rows(name, rows)))
        parts[status].append(_frame(table_from_rows(status, _status_rows(outputs, wanted, some))))
    return {name: pl.concat(frames) for name, frames in parts.items()}


def _write(
    datasets: Datasets,
    outputs: Sequence[str],
    corpus: str,
    shard: str,
    reusable: set[str],
    fresh: Mapping[str, pl.DataFrame],
) -> None:
    for name in outputs:
        kept = empty_frame(name)
        if reusable:
            kept = datasets.read(name, corpus, shard).filter(pl.col("article_id").is_in(sorted(reusable)))
        # A stable sort by article keeps each article's own row order.
        datasets.write(name, corpus, kept.vstack(fresh[name]).sort("article_id", maintain_order=True), shard)


def _status_rows(outputs: Sequence[str], wanted: Mapping[str, str], fresh: Sequence[ArticleOutput]) -> Rows:
    data = [output for output in outputs if output != "rejects" and not output.endswith("_rejects")]
    return [
        {
            "article_id": output.article_id,
            "input_digest": wanted[output.article_id],
            "status": output.status,
            "reason": output.reason,
            "rows": sum(len(output.rows.get(dataset, ())) for dataset in data),
            "rejected": sum(len(output.rows.get(dataset, ())) for dataset in outputs if dataset not in data),
        }
        for output in fresh
    ]


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame
