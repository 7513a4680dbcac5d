"""Dagster resources: configuration of what `kg_pipeline` offers."""
