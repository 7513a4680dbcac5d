"""The Dagster instance of this workspace: where runs, events and schedules are kept."""

from __future__ import annotations

import logging
import os
import socket
import warnings
from importlib import resources
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from kg_pipeline import files
from kg_pipeline.errors import SettingsError
from kg_pipeline.settings import Settings

if TYPE_CHECKING:
    import dagster as dg


#: Stages of one pool that may run at the same time, where the instance does not say otherwise: those of `memory`
#: hold tables of a whole corpus, and one client speaks to PMC for all.
_POOL_LIMITS = {"memory": 1, "pmc": 1, "neo4j": 1}
_FIRST_USE_SECONDS = 120.0
#: Names of tags; by their beginning, the interface does not show them.
HOST, PROCESS = ".dagster/kg/host", ".dagster/kg/process"


def prepare(settings: Settings) -> None:
    """Make `DAGSTER_HOME` ready and point the environment of this process, and of its children, at it."""
    home = settings.dagster_home
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "dagster.yaml").exists():
        files.write_text(
            home / "dagster.yaml",
            resources.files("kg_pipeline.instance").joinpath("dagster.yaml").read_text(),
        )
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ["KG_HOME"] = str(settings.home)
    os.environ["KG_CORPORA"] = str(settings.corpora_file)


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance of this workspace, its database made if it is new.

    Raises
    ------
    SettingsError
        If its dagster.yaml was edited into something that Dagster does not take, or another process is at its database
        for two minutes.

    """
    prepare(settings)
    quiet()
    # Two processes that make the database at the same time fail on its first migration.
    lock = FileLock(settings.dagster_home / "first-use.lock", timeout=_FIRST_USE_SECONDS)
    try:
        with lock:
            return _opened(settings)
    except Timeout:
        raise SettingsError(
            f"Another process has been opening {settings.dagster_home} for {_FIRST_USE_SECONDS:.0f} s "
            f"({lock.lock_file} is locked). End it, then try again."
        ) from None


def _opened(settings: Settings) -> dg.DagsterInstance:
    import dagster as dg

    try:
        instance = dg.DagsterInstance.get()
    except dg.DagsterInvalidConfigError as error:
        raise SettingsError(
            f"{settings.dagster_home / 'dagster.yaml'} is not valid: {error.errors[0].message} "
            "Mend it, or delete it to get ours again."
        ) from None
    instance.get_runs_count()
    _limit_pools(instance)
    _end_dead_runs(instance)
    return instance


def _limit_pools(instance: dg.DagsterInstance) -> None:
    """Give the pools their limits, once; what `dagster instance concurrency set` says later stays."""
    storage = instance.event_log_storage
    limited = {pool.name for pool in storage.get_pool_limits() if not pool.from_default}
    for name in sorted(_POOL_LIMITS.keys() - limited):
        storage.set_concurrency_slots(name, _POOL_LIMITS[name])


def process_tags() -> dict[str, str]:
    """Tags of a run of this process, by which a later one can tell that it has died."""
    return {HOST: socket.gethostname(), PROCESS: str(os.getpid())}


def _end_dead_runs(instance: dg.DagsterInstance) -> None:
    """End the runs whose process on this machine was killed: they would keep their places in the pools, and others wait."""
    import dagster as dg

    unfinished = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING],
        tags={HOST: socket.gethostname()},
    )
    for run in instance.get_runs(unfinished):
        if not _is_alive(int(run.tags.get(PROCESS, "0"))):
            instance.report_run_failed(run, "Its process was killed.")
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def quiet() -> None:
    """Keep Dagster's own notices out of our output; errors reach the person as our sentences."""
    warnings.filterwarnings("ignore", module="dagster")
    warnings.filterwarnings("ignore", message=".*(beta|preview|superseded).*")
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
