"""Packaged configuration of the Dagster instance."""
