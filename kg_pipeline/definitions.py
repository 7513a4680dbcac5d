"""The Dagster code location: the only module that knows assets and resources."""

from __future__ import annotations

import dagster as dg

from assets import extraction, freshness, graph, inference, literature, normalization
from assets.alerts import alerts
from assets.automation import following, list_articles_job, refresh_schedules, sensors
from kg_pipeline.settings import load_settings
from resources.workers import ShardWorkers
from resources.workspace import Workspace

_settings = load_settings()
_assets = [
    asset
    for asset in dg.load_assets_from_modules([literature, extraction, normalization, inference, graph])
    if isinstance(asset, dg.AssetsDefinition) and graph.is_offered(asset, _settings)
]

defs = dg.Definitions(
    assets=dg.map_asset_specs(following, _assets),
    asset_checks=[freshness.graphs_of_all_corpora_are_recent],
    resources={
        "workspace": Workspace(),
        "workers": ShardWorkers(processes=_settings.workers, scheduler=_settings.scheduler),
    },
    jobs=[list_articles_job],
    schedules=refresh_schedules(_settings),
    sensors=[*sensors(), *alerts(_settings)],
    # Every step in the run's own process: starting one costs seconds, and the stages spread over processes themselves.
    executor=dg.in_process_executor,
)
