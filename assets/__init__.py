"""Dagster assets: the wiring of the pipeline, stage by stage."""
