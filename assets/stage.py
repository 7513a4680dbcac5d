"""What every asset needs: a stage run over the shards of a run, errors as failures, tables as metadata."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg
import polars as pl

from kg_pipeline.checks import Outcome
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, schema_of
from kg_pipeline.errors import DiskFullError, KgError, LlmUnavailable, ServiceUnavailable, StoreUnavailable
from kg_pipeline.files import is_disk_full
from kg_pipeline.incremental import StageReport
from kg_pipeline.llm.account import shared_run
from kg_pipeline.settings import Settings
from resources.workers import ShardWorkers
from resources.workspace import Workspace

ShardStage: TypeAlias = Callable[[CorpusSpec, Settings, str], StageReport]

#: One record a finished shard, with `stage`, `done` and `total`; the command line draws its progress from it.
progress = logging.getLogger("kg_pipeline.progress")

#: What may be over in a minute; anything else fails the same way again.
_TRANSIENT = (ServiceUnavailable, LlmUnavailable, StoreUnavailable)
#: Minutes after the service's own client gave up; the wait doubles with each try.
_MAX_RETRIES, _FIRST_WAIT_SECONDS = 3, 60.0
#: Tag of runs that a person waits for at the terminal.
AT_TERMINAL = "kg/command"

_PREVIEW_ROWS = 8
_PREVIEW_WIDTH = 120


@contextmanager
def stage_run(context: dg.AssetExecutionContext, home: Path) -> Iterator[None]:
    """Announce the stage, and translate its errors."""
    stage = context.asset_key.to_user_string()
    progress.info(stage, extra={"done": 0, "total": 1})
    with translated_errors(context, home):
        yield
        progress.info(stage, extra={"done": 1, "total": 1})


@contextmanager
def translated_errors(context: dg.AssetExecutionContext, home: Path) -> Iterator[None]:
    """Turn our errors into failures whose description is what a person should read.

    Only what may pass is tried again, and only where nobody waits for the answer. (A RetryPolicy would try again what
    somebody interrupted, too.)
    """
    try:
        yield
    except KgError as error:
        nobody_waits = AT_TERMINAL not in context.run.tags
        if isinstance(error, _TRANSIENT) and nobody_waits and context.retry_number < _MAX_RETRIES:
            wait = _FIRST_WAIT_SECONDS * 2**context.retry_number
            raise dg.RetryRequested(_MAX_RETRIES, seconds_to_wait=wait) from error
        raise dg.Failure(description=str(error), allow_retries=False) from error
    except Exception as error:
        if not is_disk_full(error, home):
            raise
        raise dg.Failure(description=str(DiskFullError(home)), allow_retries=False) from error


def shards_of_run(context: dg.AssetExecutionContext) -> tuple[str, list[str]]:
    """Corpus and shards of this run; a run never mixes corpora."""
    keys = [key for key in context.partition_keys if isinstance(key, dg.MultiPartitionKey)]
    corpora = {key.keys_by_dimension["corpus"] for key in keys}
    if len(corpora) != 1:
        raise dg.Failure(
            description=f"One run builds one corpus, and this one was asked for {', '.join(sorted(corpora))}. "
            "Launch a backfill, which starts a run for each.",
            allow_retries=False,
        )
    return corpora.pop(), sorted(key.keys_by_dimension["shard"] for key in keys)


def run_settings(workspace: Workspace) -> Settings:
    """Settings of a run, whose budget for language models is that of all runs under way in this home.

    To be asked for in runs only: a process that asks counts as a run until it ends.
    """
    settings = workspace.settings()
    if settings.llm is None or settings.llm.run:
        return settings
    llm = settings.llm.model_copy(update={"run": shared_run(settings.cache / "llm")})
    return settings.model_copy(update={"llm": llm})


def run_shards(
    context: dg.AssetExecutionContext,
    workspace: Workspace,
    workers: ShardWorkers,
    stage: ShardStage,
) -> list[StageReport]:
    """Run a stage over the shards of this run, reporting progress after each."""
    corpus, shards = shards_of_run(context)
    settings = run_settings(workspace)
    with stage_run(context, settings.home):
        spec = workspace.corpus(corpus)
        index = workspace.datasets().read_or_empty("article_index", corpus)
        articles = index.filter(pl.col("shard").is_in(shards)).height
        engine = workers.for_articles(articles)
        reports: list[StageReport] = []
        for report in engine.map(partial(stage, spec, settings), shards):
            reports.append(report)
            progress.info(report.stage, extra={"done": len(reports), "total": len(shards)})
    return reports


def check_spec(
    asset: str, name: str, check: Callable[..., Outcome], *, blocking: bool = True
) -> dg.AssetCheckSpec:
    """Declaration of a check, described by what the function that makes it says it does."""
    description = (inspect.getdoc(check) or "").split("\n\n")[0]
    return dg.AssetCheckSpec(name, asset=asset, blocking=blocking, description=description)


def shard_result(
    datasets: Datasets,
    corpus: str,
    dataset: str,
    reports: Sequence[StageReport],
    checks: Mapping[str, Outcome],
    rows: pl.LazyFrame | None = None,
) -> dg.MaterializeResult:
    """Materialisation of a sharded dataset: counts, preview and the outcome of its checks."""
    counts = {
        "articles": sum(report.articles for report in reports),
        "computed": sum(report.computed for report in reports),
        "reused": sum(report.reused for report in reports),
        "failed": sum(report.failed for report in reports),
        "rejected": sum(report.rejected for report in reports),
        "seconds": round(sum(report.seconds for report in reports), 2),
    }
    return result(datasets, corpus, dataset, counts, checks, rows)


def result(
    datasets: Datasets,
    corpus: str,
    dataset: str,
    counts: Mapping[str, Any],
    checks: Mapping[str, Outcome],
    rows: pl.LazyFrame | None = None,
) -> dg.MaterializeResult:
    """Materialisation of a dataset: row count, counts, column meanings, preview and check outcomes.

    `rows` is what the preview shows where the dataset's own rows would tell a person little.
    """
    frame = datasets.scan(dataset, corpus)
    shown = frame if rows is None else rows
    metadata: dict[str, Any] = {
        "dagster/row_count": int(frame.select(pl.len()).collect().item()),
        "dagster/column_schema": column_schema(dataset),
        "preview": dg.MetadataValue.md(preview(shown.head(_PREVIEW_ROWS).collect())),
        **counts,
    }
    return dg.MaterializeResult(metadata=metadata, check_results=check_results(checks))


def check_results(checks: Mapping[str, Outcome]) -> list[dg.AssetCheckResult]:
    """Outcomes of our checks as Dagster shows them."""
    return [
        dg.AssetCheckResult(
            check_name=name,
            passed=outcome.passed,
            description=outcome.sentence,
            severity=dg.AssetCheckSeverity.ERROR if outcome.is_error else dg.AssetCheckSeverity.WARN,
            metadata=dict(outcome.figures),
        )
        for name, outcome in checks.items()
    ]


def column_schema(dataset: str) -> dg.TableSchema:
    """Columns of a dataset with their types and meanings, from `kg_pipeline.schema`."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=field.name,
                type=str(field.type),
                description=(field.metadata or {}).get(b"meaning", b"").decode(),
                constraints=dg.TableColumnConstraints(nullable=field.nullable),
            )
            for field in schema_of(dataset)
        ]
    )


def preview(frame: pl.DataFrame) -> str:
    """A few rows as a Markdown table; long values are cut, vectors and nested lists abridged."""
    if frame.is_empty():
        return "*no rows*"
    header = f"| {' | '.join(frame.columns)} |\n|{'---|' * len(frame.columns)}"
    rows = [f"| {' | '.join(_cell(value) for value in row)} |" for row in frame.iter_rows()]
    return "\n".join([header, *rows])


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    text = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= _PREVIEW_WIDTH else f"{text[:_PREVIEW_WIDTH]}…"
