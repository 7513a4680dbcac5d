"""The Dagster instance of this workspace: where runs, events and schedules are kept."""

from __future__ import annotations

import logging
import os
import warnings
from importlib import resources
from typing import TYPE_CHECKING

from filelock import FileLock

from kg_pipeline import files
from kg_pipeline.settings import Settings

if TYPE_CHECKING:
    import dagster as dg


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
    """The instance of this workspace, its database made if it is new."""
    prepare(settings)
    quiet()
    import dagster as dg

    # Two processes that make the database at the same time fail on its first migration.
    with FileLock(settings.dagster_home / "first-use.lock"):
        instance = dg.DagsterInstance.get()
        instance.get_runs_count()
        return instance


def quiet() -> None:
    """Keep Dagster's own notices out of our output; errors reach the person as our sentences."""
    warnings.filterwarnings("ignore", module="dagster")
    warnings.filterwarnings("ignore", message=".*(beta|preview|superseded).*")
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
