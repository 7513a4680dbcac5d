"""Personalised PageRank as HippoRAG does it, to compare with: synonyms of all pairs at indexing, then walks over everything.

Every entity's vector is compared with every other's, pairs whose cosine reaches 0.8 become edges beside the relations and
the mentions (Gutiérrez et al. 2024, section 2.3), and a question walks over the whole graph with a restart of one half.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

Vectors = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
_COSINE = 0.8
_ROWS = 1_024  # compared with all at a time
_DAMPING = 0.5
_TOLERANCE = 1e-6
_TURNS = 100


@dataclass(frozen=True, slots=True)
class WholeWalk:
    """A graph with its synonyms, ready to be walked; nodes are numbers."""

    transition: sparse.csr_matrix
    synonyms: int
    seconds: float

    @classmethod
    def index(cls, nodes: int, heads: Ints, tails: Ints, entities: Ints, vectors: Vectors) -> WholeWalk:
        """Put synonyms beside the edges from `heads` to `tails`; `vectors` are unit vectors of the nodes `entities`."""
        started = time.perf_counter()
        pairs = list(_near_pairs(vectors))
        ones = np.concatenate([entities[one] for one, _, _ in pairs])
        others = np.concatenate([entities[other] for _, other, _ in pairs])
        cosines = np.concatenate([cosine for _, _, cosine in pairs])
        weights = np.concatenate([np.ones(len(heads), dtype=np.float32), cosines])
        places = (np.concatenate([heads, ones]), np.concatenate([tails, others]))
        edges = sparse.coo_matrix((weights, places), shape=(nodes, nodes)).tocsr()
        edges = edges + edges.T
        degree = np.maximum(np.asarray(edges.sum(axis=0)).ravel(), 1e-12)
        return cls((edges @ sparse.diags(1 / degree)).tocsr(), len(ones), time.perf_counter() - started)

    def shares(self, seeds: Sequence[int]) -> npt.NDArray[np.float64]:
        """Where a walk that restarts at the seeds spends its time."""
        start = np.zeros(self.transition.shape[0])
        start[list(seeds)] = 1 / len(seeds)
        shares = start
        for _ in range(_TURNS):
            following = (1 - _DAMPING) * start + _DAMPING * (self.transition @ shares)
            if np.abs(following - shares).sum() < _TOLERANCE:
                break
            shares = following
        return shares


def _near_pairs(vectors: Vectors) -> Iterator[tuple[Ints, Ints, Vectors]]:
    """Numbers of both of each pair, once, and their cosine."""
    for start in range(0, len(vectors), _ROWS):
        cosines = vectors[start : start + _ROWS] @ vectors[start:].T
        one, other = np.nonzero(np.triu(cosines, k=1) >= _COSINE)
        yield one + start, other + start, cosines[one, other]
