"""Records of an instance as runs leave them, without the runs."""

from __future__ import annotations

import logging
import time
import uuid
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData,
)
from dagster._core.events import DagsterEvent, DagsterEventType, StepMaterializationData
from dagster._core.events.log import EventLogEntry

_DAY_SECONDS = 86_400


def record_graph(instance: dg.DagsterInstance, corpus: str, *, days_ago: float) -> None:
    """Record that the current graph of a corpus was set then; it becomes the latest record of all."""
    made = dg.AssetMaterialization("current_graph", partition=corpus)
    when = time.time() - days_ago * _DAY_SECONDS
    _store(instance, DagsterEventType.ASSET_MATERIALIZATION, StepMaterializationData(made), when=when)


def record_stage(
    instance: dg.DagsterInstance, graph: dg.AssetGraph, key: dg.AssetKey, corpus: str, *, passed: bool = True
) -> None:
    """Record a run that made an asset of a corpus, and how its blocking checks went."""
    run = str(uuid.uuid4())
    instance.add_run(dg.DagsterRun(job_name="", run_id=run, status=dg.DagsterRunStatus.SUCCESS))
    partitions = graph.get(key).partitions_def
    for partition in partitions.get_partition_keys() if partitions else [None]:
        if partition is None or corpus in partition:
            made = StepMaterializationData(dg.AssetMaterialization(key, partition=partition))
            _store(instance, DagsterEventType.ASSET_MATERIALIZATION, made, run)
    (latest,) = instance.fetch_materializations(dg.AssetRecordsFilter(key), limit=1).records
    for check in graph.get_check_keys_for_assets({key}):
        evaluation = dg.AssetCheckEvaluation(
            asset_key=key,
            check_name=check.name,
            passed=passed,
            metadata={},
            blocking=True,
            partition=corpus if graph.get(check).partitions_def else None,
            target_materialization_data=AssetCheckEvaluationTargetMaterializationData(
                storage_id=latest.storage_id, run_id=run, timestamp=latest.timestamp
            ),
        )
        _store(instance, DagsterEventType.ASSET_CHECK_EVALUATION, evaluation, run)


def _store(
    instance: dg.DagsterInstance,
    kind: DagsterEventType,
    told: Any,
    run: str = "",
    *,
    when: float | None = None,
) -> None:
    instance.store_event(
        EventLogEntry(
            error_info=None,
            level=logging.INFO,
            user_message="",
            run_id=run,
            timestamp=time.time() if when is None else when,
            dagster_event=DagsterEvent(kind.value, job_name="", event_specific_data=told),
        )
    )
