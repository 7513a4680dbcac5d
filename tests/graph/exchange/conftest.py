"""Versions to export, and a place to import into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kg_pipeline.graph import layout


@pytest.fixture
def exported(workplace, cytokines, inferred) -> Path:
    """A version with all kinds of relations, one denied, and names that break naive formats."""
    workplace.write(cytokines, inferred=inferred)
    entities = workplace.datasets.read("entities", "tiny")
    name = pl.when(entity_id="E:CRP").then(pl.lit("=CRP|\tC-reactive\\n\n'")).otherwise("name")
    category = pl.when(entity_id="E:TNF").then(pl.lit("biolink:GeneOrGeneProduct")).otherwise("category")
    workplace.datasets.write("entities", "tiny", entities.with_columns(name=name, category=category))
    relations = workplace.datasets.read("relations", "tiny").with_columns(
        negated=pl.col("tail_id") == "E:sepsis"
    )
    workplace.datasets.write("relations", "tiny", relations)
    return workplace.folder(workplace.assemble())


def rows(folder: Path, name: str, *without: str) -> list[dict[str, Any]]:
    """Rows of a version's table, less some columns."""
    return layout.open_table(folder, name).drop_columns(list(without)).to_pylist()
