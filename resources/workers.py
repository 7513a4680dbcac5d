"""How the stages that map over shards are run."""

from __future__ import annotations

import os

import dagster as dg

from kg_pipeline.workers import ProcessWorkers, SerialWorkers, Workers


class ShardWorkers(dg.ConfigurableResource):
    """Processes for large corpora, this process for small ones, where starting others would cost more than it saves."""

    processes: int = 0
    serial_below: int = 40

    def for_articles(self, articles: int) -> Workers:
        """Workers for a run over so many articles."""
        processes = self.processes or len(os.sched_getaffinity(0))
        if articles < self.serial_below or processes < 2:
            return SerialWorkers()
        return ProcessWorkers(processes)
