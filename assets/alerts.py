"""Telling somebody that a run failed."""

from __future__ import annotations

import dagster as dg
import httpx

from kg_pipeline.settings import Settings

_TIMEOUT_SECONDS = 10


def alerts(settings: Settings) -> list[dg.SensorDefinition]:
    """A sensor that posts every failed run to `KG_ALERT_URL`, or none where that is not set."""
    if not settings.alert_url.get_secret_value():
        return []
    return [
        dg.run_failure_sensor(
            name="post_failed_runs",
            default_status=dg.DefaultSensorStatus.RUNNING,
            description="Post failed runs to KG_ALERT_URL, as JSON with a `text`.",
        )(lambda context: _post(settings, context))
    ]


def _post(settings: Settings, context: dg.RunFailureSensorContext) -> None:
    """Post one failure; an address that cannot be reached fails the tick, where the interface shows it."""
    tags = context.dagster_run.tags
    # Runs that a person started have the partition only.
    corpus = tags.get("kg/corpus") or tags.get("dagster/partition") or "no corpus"
    step_failures = [event.step_failure_data for event in context.get_step_failure_events()]
    why = next(
        (
            data.user_failure_data.description
            for data in step_failures
            if data.user_failure_data and data.user_failure_data.description
        ),
        context.failure_event.message or "no reason was given",
    )
    text = f"Run {context.dagster_run.run_id} of {corpus} failed: {why}"
    try:
        httpx.post(
            settings.alert_url.get_secret_value(), json={"text": text}, timeout=_TIMEOUT_SECONDS
        ).raise_for_status()
    except httpx.HTTPError as error:
        # Its own message would show the address, which often is a secret.
        raise dg.Failure(
            f"The address of KG_ALERT_URL did not take the message ({type(error).__name__})."
        ) from None
