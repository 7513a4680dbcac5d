"""What starts runs by itself, what follows, what is tried again and who is told of failures."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.sensor_definition import SensorExecutionData

from assets import automation
from assets.alerts import alerts
from assets.automation import corpora_file, following, source_folders
from assets.graph import current_graph, is_offered, neo4j_graph
from assets.stage import stage_run
from kg_pipeline.corpora import load_corpora
from kg_pipeline.definitions import defs
from kg_pipeline.errors import DatasetError, KgError, LlmUnavailable, ServiceUnavailable, StoreUnavailable
from kg_pipeline.settings import load_settings
from tests.pipeline.records import record_stage


def test_everything_is_off_until_somebody_switches_it_on() -> None:
    repository = defs.get_repository_def()
    assert [schedule.name for schedule in repository.schedule_defs] == ["refresh_demo_weekly"]
    assert {sensor.name for sensor in repository.sensor_defs} == {
        "corpora_file",
        "follow_changes",
        "source_folders",
    }
    assert all(s.default_status is dg.DefaultScheduleStatus.STOPPED for s in repository.schedule_defs)
    assert all(s.default_status is dg.DefaultSensorStatus.STOPPED for s in repository.sensor_defs)


def test_a_scheduled_refresh_lists_the_articles_of_its_corpus() -> None:
    (schedule,) = defs.get_repository_def().schedule_defs
    tick = schedule.evaluate_tick(
        dg.build_schedule_context(
            scheduled_execution_time=datetime(2026, 11, 30, 3, tzinfo=UTC),
            repository_def=defs.get_repository_def(),
        )
    )
    (request,) = tick.run_requests or []
    assert request.partition_key == "demo"
    assert schedule.job_name == "list_articles"


def tick_of(sensor: dg.SensorDefinition, cursor: str | None = None) -> SensorExecutionData:
    repository = defs.get_repository_def()
    return sensor.evaluate_tick(dg.build_sensor_context(cursor=cursor, repository_def=repository))


@pytest.mark.parametrize("sensor", [source_folders, corpora_file])
def test_a_watched_thing_is_acted_on_once(sensor: dg.SensorDefinition) -> None:
    first = tick_of(sensor)
    assert [request.partition_key for request in first.run_requests or []] == ["demo"]
    second = tick_of(sensor, first.cursor)
    assert not second.run_requests
    assert second.cursor == first.cursor


def test_annotations_are_watched_as_articles_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.tsv").write_text("a note")
    os.utime(tmp_path / "notes.tsv", (1e9, 1e9))
    spec = load_corpora(tmp_path / "none.toml")["demo"].model_copy(
        update={"annotations": (str(tmp_path / "notes.tsv"),)}
    )
    monkeypatch.setattr(automation, "corpora_of_articles", lambda _: {"demo": spec})
    seen = tick_of(source_folders).cursor
    assert not tick_of(source_folders, seen).run_requests
    (tmp_path / "notes.tsv").write_text("another note")
    os.utime(tmp_path / "notes.tsv", (1.1e9, 1.1e9))
    assert [request.partition_key for request in tick_of(source_folders, seen).run_requests or []] == ["demo"]


def test_a_corpora_file_that_cannot_be_read_is_told_and_forgets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "corpora.toml").write_text("[unfinished")
    monkeypatch.setenv("KG_CORPORA", str(tmp_path / "corpora.toml"))
    tick = tick_of(corpora_file, json.dumps({"demo": "seen"}))
    assert not tick.run_requests
    assert "not valid TOML" in str(tick.skip_message)
    assert tick.cursor == json.dumps({"demo": "seen"})


def test_a_corpus_that_is_no_partition_yet_asks_for_a_reload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "corpora.toml").write_text('[later]\nsource = "articles"\n')
    monkeypatch.setenv("KG_CORPORA", str(tmp_path / "corpora.toml"))
    seen = tick_of(corpora_file).cursor
    tick = tick_of(corpora_file, seen)
    assert "Reload the code location to see: later" in str(tick.skip_message)


def test_neo4j_is_offered_and_follows_only_where_there_is_a_server() -> None:
    assert not is_offered(neo4j_graph, load_settings({}))
    assert is_offered(neo4j_graph, load_settings({"KG_NEO4J_URI": "bolt://127.0.0.1"}))
    assert is_offered(current_graph, load_settings({}))
    (spec,) = neo4j_graph.specs
    assert following(spec).automation_condition is not None


@pytest.fixture
def all_built() -> Iterator[dg.DagsterInstance]:
    """An instance where every stage of the demo corpus is there and every check passed."""
    with dg.DagsterInstance.ephemeral() as instance:
        graph = defs.resolve_asset_graph()
        for key in sorted(graph.materializable_asset_keys):
            record_stage(instance, graph, key, "demo")
        yield instance


@pytest.mark.parametrize("passed", [True, False])
def test_the_stages_follow_a_new_listing_unless_its_check_failed(all_built, passed: bool) -> None:
    graph = defs.resolve_asset_graph()
    first = dg.evaluate_automation_conditions(defs=defs, instance=all_built)
    record_stage(all_built, graph, dg.AssetKey("article_index"), "demo", passed=passed)
    second = dg.evaluate_automation_conditions(defs=defs, instance=all_built, cursor=first.cursor)
    requested = {
        name: second.get_num_requested(dg.AssetKey(name)) for name in ("articles", "triples", "vocabulary")
    }
    shards = 64 if passed else 0
    assert requested == {"articles": shards, "triples": shards, "vocabulary": 0}


TRANSIENT = [ServiceUnavailable("later"), LlmUnavailable("later"), StoreUnavailable("later")]


@pytest.mark.parametrize(
    ("error", "tags", "attempts"),
    [
        *((error, {}, 4) for error in TRANSIENT),
        (DatasetError("for good"), {}, 1),
        (ServiceUnavailable("later"), {"kg/command": "build"}, 1),
    ],
)
def test_only_what_may_pass_is_tried_again_and_only_where_nobody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: KgError, tags: dict[str, str], attempts: int
) -> None:
    monkeypatch.setattr("assets.stage._FIRST_WAIT_SECONDS", 0)
    settings = load_settings({"KG_HOME": str(tmp_path)})
    tried = []

    @dg.asset
    def failing(context) -> None:
        with stage_run(context, settings):
            tried.append(1)
            raise error

    result = dg.materialize([failing], tags=tags, raise_on_error=False)
    assert not result.success
    assert len(tried) == attempts
    (failure,) = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    assert failure.user_failure_data.description == str(error)


def test_no_stage_has_a_policy_that_would_retry_what_somebody_interrupts() -> None:
    assert all(
        op.retry_policy is None
        for asset in defs.assets or ()
        if isinstance(asset, dg.AssetsDefinition)
        for op in [asset.op]
    )


@pytest.fixture
def received() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Address of a server that takes messages, and what it got."""
    got: list[dict[str, str]] = []

    class Take(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(500 if self.path == "/broken" else 200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Take)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    server.server_close()


def failed_run(instance: dg.DagsterInstance, sensor: dg.SensorDefinition) -> dg.RunFailureSensorContext:
    @dg.op
    def listing() -> None:
        raise dg.Failure("PMC cannot be reached.")

    @dg.job(tags={"kg/corpus": "lupus"})
    def nightly() -> None:
        listing()

    result = nightly.execute_in_process(instance=instance, raise_on_error=False)
    event = next(event for event in result.all_events if event.is_run_failure)
    return dg.build_run_status_sensor_context(
        sensor_name=sensor.name,
        dagster_event=event,
        dagster_instance=instance,
        dagster_run=result.dagster_run,
    ).for_run_failure()


def test_a_failed_run_is_posted_with_its_corpus_and_reason(received) -> None:
    address, got = received
    (sensor,) = alerts(load_settings({"KG_ALERT_URL": address}))
    with dg.DagsterInstance.ephemeral() as instance:
        sensor(failed_run(instance, sensor))
    assert got[0]["text"].endswith("of lupus failed: PMC cannot be reached.")


@pytest.mark.parametrize("path", ["/broken", ":1/secret-token"])
def test_an_address_that_fails_is_told_without_being_shown(received, path: str) -> None:
    address = received[0] + path if path == "/broken" else "http://127.0.0.1" + path
    (sensor,) = alerts(load_settings({"KG_ALERT_URL": address}))
    with dg.DagsterInstance.ephemeral() as instance, pytest.raises(dg.Failure) as failure:
        sensor(failed_run(instance, sensor))
    assert "KG_ALERT_URL" in str(failure.value)
    assert address not in str(failure.value)


def test_without_an_address_nobody_is_told() -> None:
    assert alerts(load_settings({})) == []
