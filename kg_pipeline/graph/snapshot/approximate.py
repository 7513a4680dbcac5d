"""An approximate index over many vectors: hierarchical navigable small worlds (Malkov and Yashunin 2018), by `usearch`.

Exact search reads every vector: 5 ms for 100,000 of them and 15 for 300,000, after which this index is worth its cost,
which is half a millisecond a vector once, when a version is made, and as much disk as the vectors. It only proposes
candidates; they are scored exactly, so scores and order are those of the exact search, and what may be missed is
measured when the index is built and stated in the manifest (`recall`). One thread builds it, in the order of the rows,
so that the same vectors give the same file. The library comes with the extra `ann`; without it search is exact.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_pipeline.graph.reader import Vector

Matrix = npt.NDArray[np.float32]

_CONNECTIVITY = 16
_EXPANSION_ADD = 128
_EXPANSION_SEARCH = 256
#: Questions that recall is measured with, and how many of the nearest each is asked for.
_QUESTIONS = 100
_NEAREST = 20
_SEED = 7


def is_available() -> bool:
    """Whether the library is installed."""
    return importlib.util.find_spec("usearch") is not None


def build_index(path: Path, matrix: Matrix) -> float:
    """Index unit vectors; the share of the exact 20 nearest that it finds, over questions between two vectors each."""
    from usearch.index import Index

    index = Index(
        ndim=matrix.shape[1],
        metric="ip",
        dtype="f32",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
    )
    # The vectors stay in the mapped matrix until they are written into the file.
    index.add(np.arange(len(matrix)), np.asarray(matrix), threads=1, copy=False)
    index.save(str(path))
    opened = ApproximateIndex(path)
    pairs = np.random.default_rng(_SEED).integers(0, len(matrix), (_QUESTIONS, 2))
    questions = matrix[pairs[:, 0]] + matrix[pairs[:, 1]]
    questions /= np.maximum(np.linalg.norm(questions, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    wanted = min(_NEAREST, len(matrix))
    found = 0
    for question in questions:
        exact = np.argpartition(-(matrix @ question), wanted - 1)[:wanted]
        found += len(np.intersect1d(exact, opened.candidates(question, wanted)))
    return found / (wanted * len(questions))


class ApproximateIndex:
    """An index opened by memory map; safe for many threads."""

    def __init__(self, path: Path) -> None:
        from usearch.index import Index

        self._index: Any = Index.restore(str(path), view=True)

    def candidates(self, query: Vector, count: int) -> npt.NDArray[np.int64]:
        """Positions of about the `count` nearest vectors and some more, ascending."""
        found = self._index.search(query, max(4 * count, count + 64))
        positions: npt.NDArray[np.int64] = np.sort(np.asarray(found.keys).astype(np.int64))
        return positions
