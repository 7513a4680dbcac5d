"""Dagster assets: the wiring of the pipeline, stage by stage."""

import warnings

# Asset definitions use `backfill_policy`, which Dagster announces as beta on every import of a code location.
warnings.filterwarnings("ignore", message=".*is currently in (beta|preview).*")
