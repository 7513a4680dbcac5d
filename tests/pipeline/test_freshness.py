"""Which corpora have a graph that is late; `test_service.py` has the policy judged by the real daemon."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg
import pytest

from assets import freshness
from assets.freshness import graphs_of_all_corpora_are_recent
from kg_pipeline.definitions import defs
from tests.pipeline.records import record_graph


@pytest.fixture
def instance(monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setattr(freshness, "CORPUS", dg.StaticPartitionsDefinition(["lupus", "sclc", "new"]))
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def checked(instance: dg.DagsterInstance) -> dg.AssetCheckResult:
    result = graphs_of_all_corpora_are_recent(dg.build_asset_check_context(instance=instance))
    assert isinstance(result, dg.AssetCheckResult)
    return result


def test_a_late_corpus_is_named_though_another_one_was_built_today(instance: dg.DagsterInstance) -> None:
    record_graph(instance, "sclc", days_ago=9)
    record_graph(instance, "lupus", days_ago=0)
    result = checked(instance)
    assert (result.passed, result.severity.value) == (False, "WARN")
    assert "late: sclc (9 days)." in str(result.description)
    assert set(result.metadata) == {"days_sclc", "days_lupus"}


def test_it_passes_once_the_late_corpus_is_built(instance: dg.DagsterInstance) -> None:
    record_graph(instance, "sclc", days_ago=30)
    assert not checked(instance).passed
    record_graph(instance, "sclc", days_ago=1)
    assert checked(instance).passed


def test_it_is_asked_for_once_a_day() -> None:
    asked, cursor = [], None
    with dg.DagsterInstance.ephemeral() as instance:
        for hour in (5, 7, 8):
            result = dg.evaluate_automation_conditions(
                defs=defs,
                instance=instance,
                asset_selection=dg.AssetSelection.all_asset_checks(),
                evaluation_time=datetime(2026, 11, 30, hour, tzinfo=UTC),
                cursor=cursor,
            )
            cursor = result.cursor
            asked.append(result.total_requested)
    assert asked == [0, 1, 0]


def test_follow_changes_looks_at_it() -> None:
    sensor = defs.get_repository_def().get_sensor_def("follow_changes")
    assert sensor.asset_selection is not None
    keys = sensor.asset_selection.resolve_checks(defs.resolve_asset_graph())
    assert graphs_of_all_corpora_are_recent.check_key in keys
