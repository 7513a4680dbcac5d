"""`kg build`: materialise a corpus' assets through Dagster, in this process, and only if something changed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from rich.console import Console

from kg_pipeline.claims import claimed
from kg_pipeline.cli import finished, progress
from kg_pipeline.cli import instance as dagster_instance
from kg_pipeline.cli.readable import corpus_of_articles
from kg_pipeline.corpora import CorpusSpec, add_corpus, shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import StageError
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.models import require_models
from kg_pipeline.object_store import open_store, require_store
from kg_pipeline.pmc.query_index import is_listed
from kg_pipeline.settings import Settings, load_settings

if TYPE_CHECKING:
    import dagster as dg

_SHARDED = ("articles", "documents", "chunks", "mentions", "triples")
_PER_CORPUS = (
    "entities",
    "relations",
    "transitive_relations",
    "lexical_relations",
    "embeddings",
    "community_relations",
    "graph_version",
    "current_graph",
    "graph_explorer",
)


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did."""

    corpus: str
    manifest: Manifest
    unchanged: bool
    seconds: float
    stage_seconds: dict[str, float] = field(default_factory=dict)
    neo4j: str = ""


def build(corpus: str, source: Path | None, console: Console) -> BuildResult:
    """Bring the corpus up to date.

    Raises
    ------
    CorpusError
        If the corpus or its source cannot be used.
    ModelError
        If a model that the settings name is not installed.
    ObjectStoreError
        If the object store that they name is not there.
    StageError
        If a stage fails; what was finished is kept.

    """
    started = time.perf_counter()
    settings = load_settings()
    require_models(settings)
    require_store(settings.store)
    if source is not None:
        _look_into(source)
        spec = add_corpus(settings.corpora_file, corpus, source)
    else:
        spec = corpus_of_articles(settings, corpus)
    with exclusive(settings, corpus):
        return _build_locked(spec, settings, console, started)


def _look_into(source: Path) -> None:
    """Refuse a source that holds no article before a name of the corpora file is spent on it."""
    from kg_pipeline.pmc.sources import open_source

    if source.exists():
        next(iter(open_source(source).entries()), None)


@contextmanager
def exclusive(settings: Settings, corpus: str) -> Iterator[None]:
    """Let nobody else build or refresh the corpus while the block runs, here or in the same object store.

    Raises
    ------
    StageError
        If somebody does already on this machine.
    CorpusBusy
        If another machine does.

    """
    lock = FileLock(settings.home / "locks" / f"{corpus}.lock")
    Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StageError(
            f"Another build of corpus {corpus!r} is running. Wait for it to end, then build again."
        ) from None
    try:
        with claimed(open_store(settings.store), settings.home, corpus):
            yield
    finally:
        lock.release()


def materialise_listing(spec: CorpusSpec, settings: Settings, console: Console) -> None:
    """Materialise the corpus' `article_index` through Dagster."""
    defs, instance = _dagster(settings, console)
    with instance, progress.shown(console):
        _materialise(defs, instance, ["article_index"], partition=spec.name)


def materialise_mentions(spec: CorpusSpec, settings: Settings, console: Console) -> None:
    """Materialise all that extraction reads, up to the mentions; asks no language model."""
    defs, instance = _dagster(settings, console)
    shards = shard_keys(settings.shards)
    with instance, progress.shown(console):
        if not is_listed(Datasets.of(settings), spec, settings):
            _materialise(defs, instance, ["article_index"], partition=spec.name)
        _materialise(defs, instance, ["vocabulary"])
        _materialise(defs, instance, _SHARDED[:-1], corpus=spec.name, shards=shards)


def _build_locked(spec: CorpusSpec, settings: Settings, console: Console, started: float) -> BuildResult:
    defs, instance = _dagster(settings, console)
    datasets, versions = Datasets.of(settings), VersionStore.of(settings)
    seconds: dict[str, float] = {}
    with instance, progress.shown(console):
        # What a query finds is asked for by a refresh; a folder is cheap to look at.
        if not is_listed(datasets, spec, settings):
            seconds |= _materialise(defs, instance, ["article_index"], partition=spec.name)
        key = finished.build_key(datasets, spec, settings)
        known = finished.find(datasets, versions, spec.name, key)
        if known is not None and settings.neo4j is None:
            return BuildResult(spec.name, known, unchanged=True, seconds=time.perf_counter() - started)
        if known is None:
            finished.forget(datasets, spec.name)
            seconds |= _materialise(defs, instance, ["vocabulary"])
            seconds |= _materialise(
                defs, instance, _SHARDED, corpus=spec.name, shards=shard_keys(settings.shards)
            )
            seconds |= _materialise(defs, instance, _PER_CORPUS, partition=spec.name)
            finished.record(datasets, versions, spec, key)
        if settings.neo4j is not None:
            seconds |= _materialise(defs, instance, ["neo4j_graph"], partition=spec.name)
    manifest = finished.current_manifest(versions, spec.name)
    return BuildResult(
        spec.name,
        manifest,
        known is not None,
        time.perf_counter() - started,
        seconds,
        settings.neo4j.uri if settings.neo4j else "",
    )


def _dagster(settings: Settings, console: Console) -> tuple[dg.Definitions, dg.DagsterInstance]:
    with console.status("Starting Dagster …"):
        instance = dagster_instance.open_instance(settings)
        from kg_pipeline.definitions import defs
    return defs, instance


def _materialise(
    defs: dg.Definitions,
    instance: dg.DagsterInstance,
    assets: Sequence[str],
    *,
    partition: str | None = None,
    corpus: str = "",
    shards: Sequence[str] = (),
) -> dict[str, float]:
    import dagster as dg

    tags = {"kg/command": "build", "kg/stages": _told(assets), **dagster_instance.process_tags()}
    if corpus or partition:
        tags["kg/corpus"] = corpus or str(partition)
    if shards:
        tags["dagster/asset_partition_range_start"] = f"{corpus}|{shards[0]}"
        tags["dagster/asset_partition_range_end"] = f"{corpus}|{shards[-1]}"
    result = dg.materialize(
        [asset for asset in defs.assets or () if isinstance(asset, dg.AssetsDefinition)],
        selection=list(assets),
        partition_key=partition,
        instance=instance,
        resources=dict(defs.resources or {}),
        tags=tags,
        raise_on_error=False,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
    )
    if not result.success:
        if _was_interrupted(result):
            raise KeyboardInterrupt
        raise StageError(_why(result))
    return {
        event.step_key: event.step_success_data.duration_ms / 1000
        for event in result.all_events
        if event.is_step_success and event.step_key
    }


def _told(assets: Sequence[str]) -> str:
    """The stages of a run, for the list of runs, which names no asset of a run from the terminal."""
    return assets[0] if len(assets) == 1 else f"{assets[0]} to {assets[-1]}"


def _was_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    return any(
        event.is_step_failure
        and event.step_failure_data.error is not None
        and event.step_failure_data.error.cls_name == "DagsterExecutionInterruptedError"
        for event in result.all_events
    )


def _why(result: dg.ExecuteInProcessResult) -> str:
    """The sentence of the failure that a person should read, or the name of the blocking check."""
    # A check that stops a run also fails the step that made it, with a sentence of Dagster's own.
    failed = [
        check
        for check in result.get_asset_check_evaluations()
        if not check.passed and check.blocking and check.severity.value == "ERROR"
    ]
    if failed:
        return " ".join(str(check.description) for check in failed)
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.user_failure_data and data.user_failure_data.description:
                return data.user_failure_data.description
            cause = data.error.cause if data.error and data.error.cause else data.error
            return (
                f"Stage {event.step_key} failed: {cause.message.strip() if cause else 'no reason was given'}"
            )
    return "The run failed; `kg ui` shows its log."
