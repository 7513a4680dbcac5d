"""What every asset needs: a stage run over the shards of a run, errors as failures, tables as metadata."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from assets.dagster_checks import check_results
from kg_pipeline.checks import Outcome
from kg_pipeline.claims import claimed
from kg_pipeline.datasets import Datasets, schema_of
from kg_pipeline.errors import (
    DiskFullError,
    KgError,
    LlmUnavailable,
    ObjectStoreError,
    ServiceUnavailable,
    StoreUnavailable,
)
from kg_pipeline.files import is_disk_full
from kg_pipeline.incremental import StageReport
from kg_pipeline.llm.account import open_account, shared_run
from kg_pipeline.models import require_models
from kg_pipeline.object_store import open_store
from kg_pipeline.settings import Settings
from kg_pipeline.stages import ShardStage, release, run_here
from resources.workers import ShardWorkers
from resources.workspace import Workspace

#: One record a finished shard, with `stage`, `done` and `total`; the command line draws its progress from it.
progress = logging.getLogger("kg_pipeline.progress")

#: What may be over in a minute; anything else fails the same way again.
_TRANSIENT = (ServiceUnavailable, LlmUnavailable, StoreUnavailable, ObjectStoreError)
#: Minutes after the service's own client gave up; the wait doubles with each try.
_MAX_RETRIES, _FIRST_WAIT_SECONDS = 3, 60.0
#: Tag of runs that a person waits for at the terminal.
AT_TERMINAL = "kg/command"

#: Metadata of every materialisation: seconds from the stage's start to its end.
_STAGE_SECONDS = "stage_seconds"
#: Rows that a preview shows.
SHOWN_ROWS = 8
_PREVIEW_WIDTH = 120


@contextmanager
def stage_run(context: dg.AssetExecutionContext, settings: Settings) -> Iterator[None]:
    """Announce the stage, keep other machines out of its corpus, translate its errors, and keep the time it took."""
    stage, started = context.asset_key.to_user_string(), time.perf_counter()
    progress.info(stage, extra={"done": 0, "total": 1})
    with translated_errors(context, settings.home):
        with claimed(open_store(settings.store), settings.home, *_place_of_run(context)):
            yield
        progress.info(stage, extra={"done": 1, "total": 1})
    context.add_asset_metadata({_STAGE_SECONDS: round(time.perf_counter() - started, 2)})


@contextmanager
def spending(context: dg.AssetExecutionContext, settings: Settings) -> Iterator[None]:
    """Say what a language model used while the block ran; of runs that share a budget, all of them together.

    Without a budget no account is kept that all processes of a run write to, and nothing is said.
    """
    if settings.llm is None or not (settings.llm.budget_tokens or settings.llm.budget_cost):
        yield
        return
    account = open_account(settings.cache, settings.llm.run)
    before = account.spent
    yield
    after = account.spent
    context.add_asset_metadata(
        {
            "llm_tokens": after.tokens - before.tokens,
            "llm_cost": round(after.cost - before.cost, 6),
        }
    )


def stage_seconds(
    instance: dg.DagsterInstance, stages: Sequence[dg.AssetsDefinition], corpus: str, shard: str
) -> dict[str, float]:
    """Seconds that these stages took when they last ran for the corpus; those that run by shard, for this shard too."""
    taken: dict[str, float] = {}
    for stage in stages:
        is_sharded = isinstance(stage.partitions_def, dg.MultiPartitionsDefinition)
        place = dg.MultiPartitionKey({"corpus": corpus, "shard": shard}) if is_sharded else corpus
        wanted = dg.AssetRecordsFilter(asset_key=stage.key, asset_partitions=[place])
        for record in instance.fetch_materializations(wanted, limit=1).records:
            made = record.asset_materialization
            if made is not None and _STAGE_SECONDS in made.metadata:
                taken[stage.key.to_user_string()] = float(str(made.metadata[_STAGE_SECONDS].value))
    return taken


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


def _place_of_run(context: dg.AssetExecutionContext) -> tuple[str, list[str]]:
    """Corpus and shards that a stage makes something of: no shards for all of the corpus, no corpus for what all share."""
    if not (context.has_partition_key or context.has_partition_key_range):
        return "", []
    if isinstance(context.partition_keys[0], dg.MultiPartitionKey):
        return shards_of_run(context)
    return context.partition_keys[0], []


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
    *,
    stays: bool = False,
) -> list[StageReport]:
    """Run a stage over the shards of this run, reporting progress after each.

    One that `stays` needs what only this machine has, and is not handed to a scheduler's workers.
    """
    corpus, shards = shards_of_run(context)
    settings = run_settings(workspace)
    with stage_run(context, settings):
        require_models(settings)
        spec = workspace.corpus(corpus)
        index = workspace.datasets().read_or_empty("article_index", corpus)
        articles = index.filter(pl.col("shard").is_in(shards)).height
        is_handed_over = bool(workers.scheduler) and not stays
        engine = workers.for_articles(articles) if is_handed_over else workers.of_this_machine(articles)
        work = partial(run_here, stage, spec, settings, of=release() if is_handed_over else "")
        reports: list[StageReport] = []
        for report in engine.map(work, shards):
            reports.append(report)
            progress.info(report.stage, extra={"done": len(reports), "total": len(shards)})
    return reports


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
        "preview": dg.MetadataValue.md(preview(shown.head(SHOWN_ROWS).collect())),
        **counts,
    }
    return dg.MaterializeResult(metadata=metadata, check_results=check_results(checks))


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
