"""The Dagster code location: the only module that knows assets and resources."""

from __future__ import annotations

import dagster as dg

from assets import extraction, graph, inference, literature, normalization
from kg_pipeline.settings import load_settings
from resources.workers import ShardWorkers
from resources.workspace import Workspace

defs = dg.Definitions(
    assets=dg.load_assets_from_modules([literature, extraction, normalization, inference, graph]),
    resources={"workspace": Workspace(), "workers": ShardWorkers(processes=load_settings().workers)},
    # Every step in the run's own process: starting one costs seconds, and the stages spread over processes themselves.
    executor=dg.in_process_executor,
)
