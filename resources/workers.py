"""How the stages that map over shards are run."""

from __future__ import annotations

import os

import dagster as dg
from pydantic import PrivateAttr

from kg_pipeline.workers import DaskWorkers, ProcessWorkers, SerialWorkers, Workers


class ShardWorkers(dg.ConfigurableResource):
    """Processes for large corpora, this process for small ones, where starting others would cost more than it saves.

    With a `scheduler`, the workers it knows. Processes and connection live as long as the run, so that its stages
    share them.
    """

    processes: int = 0
    scheduler: str = ""
    serial_below: int = 40
    _pool: ProcessWorkers | None = PrivateAttr(default=None)
    _machines: DaskWorkers | None = PrivateAttr(default=None)

    def for_articles(self, articles: int) -> Workers:
        """Workers for a run over so many articles."""
        if not self.scheduler:
            return self.of_this_machine(articles)
        if self._machines is None:
            self._machines = DaskWorkers(self.scheduler)
        return self._machines

    def of_this_machine(self, articles: int) -> Workers:
        """The same, whatever the scheduler, for what only this machine has: a folder, a budget."""
        processes = self.processes or len(os.sched_getaffinity(0))
        if articles < self.serial_below or processes < 2:
            return SerialWorkers()
        if self._pool is None:
            self._pool = ProcessWorkers(processes)
        return self._pool

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:
        """End the processes, and leave the scheduler."""
        for engine in (self._pool, self._machines):
            if engine is not None:
                engine.close()
        self._pool = self._machines = None
