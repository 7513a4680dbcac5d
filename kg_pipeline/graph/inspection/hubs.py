"""Entities with so many relations that they say little: which they are, and where their relations come from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.graph import layout
from kg_pipeline.graph.snapshot.adjacency import Adjacency

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


@dataclass(frozen=True, slots=True)
class HubShare:
    """How much of a graph hangs on its hubs: how many there are, the greatest of them, and the relations they touch."""

    n_hubs: int
    greatest: tuple[Hub, ...]
    n_relations: int
    n_touching: int

    @property
    def share(self) -> float:
        """Part of the relations that touch a hub, 0 to 1."""
        return self.n_touching / max(self.n_relations, 1)


def hub_share(folder: Path, cap: int, *, shown: int = 5) -> HubShare:
    """Measure a version directory: entities with more than `cap` relations are hubs; `shown` of them are described."""
    adjacency = Adjacency.open(folder)
    above = _above(adjacency, cap)
    rows = [adjacency.rank[adjacency.indptr[row] : adjacency.indptr[row + 1]] for row in above.tolist()]
    touching = np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int32)
    return HubShare(
        len(above), tuple(find_hubs(folder, cap, limit=shown)), len(adjacency.by_rank), len(touching)
    )


def find_hubs(folder: Path, cap: int, *, limit: int | None = None) -> list[Hub]:
    """Entities with more than `cap` relations, by (-degree, id), at most `limit`."""
    adjacency = Adjacency.open(folder)
    degrees, above = adjacency.degrees(), _above(adjacency, cap)[:limit]
    entities, relations, evidence = (
        layout.open_frame(folder, name) for name in ("entities", "relations", "evidence")
    )
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


def _above(adjacency: Adjacency, cap: int) -> npt.NDArray[np.int64]:
    degrees = adjacency.degrees()
    above = np.flatnonzero(degrees > cap)
    ordered: npt.NDArray[np.int64] = above[np.lexsort((above, -degrees[above]))]
    return ordered


def _commonest(values: pl.Series) -> tuple[tuple[str, int], ...]:
    counted = values.value_counts().sort("count", values.name, descending=[True, False]).head(_SOURCES)
    return tuple(counted.iter_rows())
