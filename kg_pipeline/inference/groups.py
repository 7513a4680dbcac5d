"""Connected components and communities of the asserted graph, the same in every run.

Communities are those of the Leiden algorithm (Traag, Waltman and van Eck 2019, doi:10.1038/s41598-019-41695-z), which
maximise modularity and hang together: from each member a path inside the community leads to every other. They are
found on one thread, seeded, over edges in sorted order, by the library that GraphRAG finds its communities with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.inference.coded import codes_of, entities_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Indices = npt.NDArray[np.int64]
_SEED = 20_260_101
#: Times the algorithm starts again from what it found. On literature graphs five more raise modularity by less than
#: 0.003, and on ten million edges each costs half a minute.
_ITERATIONS = 5


@dataclass(frozen=True, slots=True)
class Grouping:
    """Entities in sorted order, the group of each, and undirected edges between their positions.

    A group is named by its best connected member (the smallest id among equals), so that its name says what it is
    about and does not depend on numbering.
    """

    entity_ids: tuple[str, ...]
    group: Indices
    edges: Indices  # (n, 2), first < second, sorted
    degree: Indices

    def names(self) -> list[str]:
        """Name of each group, by number."""
        order = np.lexsort((np.arange(len(self.group)), -self.degree, self.group))
        firsts = np.unique(self.group[order], return_index=True)[1]
        return [self.entity_ids[order[first]] for first in firsts]

    def sizes(self) -> Indices:
        """Members of each group, by number."""
        return np.bincount(self.group)


def components(premises: pl.DataFrame) -> Grouping:
    """Group by connected component."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    entity_ids, edges, degree = _graph(premises)
    size = len(entity_ids)
    matrix = coo_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), shape=(size, size))
    labels = connected_components(matrix, directed=False)[1] if size else np.zeros(0, np.int64)
    return Grouping(entity_ids, _renumbered(labels), edges, degree)


def communities(premises: pl.DataFrame) -> Grouping:
    """Group by Leiden community."""
    from graspologic_native import leiden_csr

    entity_ids, edges, degree = _graph(premises)
    size = len(entity_ids)
    if not size:
        return Grouping(entity_ids, np.zeros(0, np.int64), edges, degree)
    adjacency = _adjacency(edges, size)
    _, community_of = leiden_csr(
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int32),
        adjacency.data,
        size,
        iterations=_ITERATIONS,
        seed=_SEED,
    )
    labels = np.empty(size, np.int64)
    labels[np.fromiter(community_of, np.int64, size)] = np.fromiter(community_of.values(), np.int64, size)
    return Grouping(entity_ids, _renumbered(labels), edges, degree)


def _adjacency(edges: Indices, size: int) -> csr_array:
    """The edges in both directions, each of weight one."""
    from scipy.sparse import coo_array

    one_way = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(size, size)).tocsr()
    both_ways = one_way + one_way.T
    both_ways.sort_indices()
    return both_ways


def _graph(premises: pl.DataFrame) -> tuple[tuple[str, ...], Indices, Indices]:
    ids = entities_of(premises)
    heads, tails = codes_of(premises["head_id"], ids), codes_of(premises["tail_id"], ids)
    keys = np.unique(np.minimum(heads, tails) * len(ids) + np.maximum(heads, tails))
    edges = np.stack(np.divmod(keys, max(len(ids), 1)), axis=1)
    degree = np.bincount(edges.ravel(), minlength=len(ids)).astype(np.int64)
    return tuple(ids), edges, degree


def _renumbered(labels: npt.NDArray[np.integer[Any]]) -> Indices:
    """Numbers in the order in which the groups first appear, so that they depend on the members only."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
