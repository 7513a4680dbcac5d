"""Entities with so many relations that they say little: which they are, and where their relations come from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from kg_pipeline.graph import layout
from kg_pipeline.graph.adjacency import Adjacency

_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Hub:
    """An entity above the cap; `predicates` and `articles` are the commonest among its relations, with counts."""

    entity_id: str
    name: str
    degree: int
    predicates: tuple[tuple[str, int], ...]
    articles: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        told = ", ".join(f"{name} ({count})" for name, count in (*self.predicates, *self.articles))
        return f"{self.name} [{self.entity_id}] has {self.degree} relations: {told}"


def find_hubs(folder: Path, cap: int) -> list[Hub]:
    """Entities with more than `cap` relations, by (-degree, id)."""
    degrees = Adjacency.open(folder).degrees()
    above = np.flatnonzero(degrees > cap)
    above = above[np.lexsort((above, -degrees[above]))]
    entities, relations, evidence = (_frame(folder, name) for name in ("entities", "relations", "evidence"))
    hubs = []
    for row in above.tolist():
        entity_id, name = entities.select("entity_id", "name").row(row)
        touching = relations.filter((pl.col("head_id") == entity_id) | (pl.col("tail_id") == entity_id))
        cited = evidence.join(touching, on="relation_id", how="semi")
        hubs.append(
            Hub(
                entity_id,
                name,
                int(degrees[row]),
                _commonest(touching["predicate"]),
                _commonest(cited["article_id"]),
            )
        )
    return hubs


def _frame(folder: Path, name: str) -> pl.DataFrame:
    frame = pl.from_arrow(layout.open_table(folder, name))
    assert isinstance(frame, pl.DataFrame)
    return frame


def _commonest(values: pl.Series) -> tuple[tuple[str, int], ...]:
    counted = values.value_counts().sort("count", values.name, descending=[True, False]).head(_SOURCES)
    return tuple(counted.iter_rows())
