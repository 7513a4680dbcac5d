"""Which relations touch an entity: compressed sparse rows over both directions, best relation first.

Every relation has a *rank*, its position among all relations ordered asserted first, then by (-confidence, id);
ranks stand for relations in every traversal, so "best first" is a comparison of integers in any store. The row
of an entity lists (rank, other end, taxonomic step) sorted by rank, a self-loop once, so the relations that a hub
cap keeps are a prefix.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph.layout import array_path, open_array, write_array
from kg_pipeline.graph.reader import ALL_KINDS
from kg_pipeline.graph.traversal.expansion import Incident, Ints
from kg_pipeline.schema import RELATION_KINDS

_TAXONOMIC = "subclass_of"
_RANK_BITS = 32
_GREATEST_FLOAT = 0x7FFFFFFF
_NAMES = ("indptr", "rank", "other", "climb", "by_rank", "kind_by_rank", "confidence_by_rank")


def group(keys: npt.NDArray[np.integer[Any]], size: int) -> npt.NDArray[np.int64]:
    """`indptr` of rows that are already sorted by key."""
    indptr = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=size), out=indptr[1:])
    return indptr


def row_positions(
    starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Positions of several rows laid end to end, and for each position which row it belongs to."""
    return laid_end_to_end(starts, lengths), np.repeat(np.arange(len(starts)), lengths)


def laid_end_to_end(
    starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.int64]:
    """Positions of several rows laid end to end."""
    ends = np.cumsum(lengths)
    positions: npt.NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths)
    positions += np.arange(len(positions))
    return positions


def best_first(
    confidence: npt.NDArray[np.float32], behind: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.int32]:
    """Positions by (-confidence, position), those that are `behind` after all others; confidences are not negative."""
    # The bits of a float that is not negative are in the order of its value, and its sign bit is free.
    key = np.uint32(_GREATEST_FLOAT) - confidence.view(np.uint32)
    if behind is not None:
        key |= behind.astype(np.uint32) << np.uint32(31)
    return stable_order(key)


def stable_order(keys: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int32]:
    """Positions by (key, position); keys are of 32 bits and not negative."""
    # Key and position in one number, which sorts several times faster than an index.
    packed = keys.astype(np.uint64) << np.uint64(_RANK_BITS)
    packed |= np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    return packed.astype(np.uint32).astype(np.int32)


def relation_ranks(relations: pa.Table) -> npt.NDArray[np.int32]:
    """Ordinals of relations in the order asserted first, then (-confidence, id); the table is sorted by id."""
    inferred = pc.not_equal(relations.column("kind"), "asserted").to_numpy()
    return best_first(relations.column("confidence").to_numpy(), inferred)


def build_adjacency(entities: pa.Table, relations: pa.Table) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of `Adjacency`, by name."""
    by_rank = relation_ranks(relations)
    ids = entities.column("entity_id")
    head, tail = (
        pc.index_in(relations.column(column), value_set=ids).to_numpy().astype(np.int32)[by_rank]
        for column in ("head_id", "tail_id")
    )
    climbs = pc.equal(relations.column("predicate"), _TAXONOMIC).to_numpy()[by_rank].astype(np.int8)
    # Entity and rank in one number, which sorts several times faster than an index over two columns.
    ranks = np.arange(len(by_rank), dtype=np.int64)
    at_head, at_tail = (ends.astype(np.int64) << _RANK_BITS | ranks for ends in (head, tail))
    touching = np.sort(np.concatenate((at_head, at_tail[head != tail])))
    owner, rank = touching >> _RANK_BITS, (touching & ((1 << _RANK_BITS) - 1)).astype(np.int32)
    is_head = head[rank] == owner
    kinds = pc.index_in(
        relations.column("kind"), value_set=pa.array(RELATION_KINDS, relations.column("kind").type)
    )
    return {
        "indptr": group(owner, len(entities)),
        "rank": rank,
        "other": np.where(is_head, tail[rank], head[rank]),
        "climb": np.where(is_head, climbs[rank], -climbs[rank]),
        "by_rank": by_rank,
        "kind_by_rank": kinds.to_numpy().astype(np.int8)[by_rank],
        "confidence_by_rank": relations.column("confidence").to_numpy()[by_rank],
    }


def write_adjacency(folder: Path, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
    """Write the arrays of `build_adjacency` into a version directory."""
    for name in _NAMES:
        write_array(array_path(folder, f"adjacency_{name}"), arrays[name])


@dataclass(frozen=True, slots=True)
class Adjacency:
    """The rows of all entities, memory-mapped. Entities and relations are ordinals and ranks."""

    indptr: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int32]
    other: npt.NDArray[np.int32]
    climb: npt.NDArray[np.int8]
    by_rank: npt.NDArray[np.int32]
    kind_by_rank: npt.NDArray[np.int8]
    confidence_by_rank: npt.NDArray[np.float32]

    @classmethod
    def open(cls, folder: Path) -> Adjacency:
        """Map the arrays of a version directory."""
        opened: dict[str, Any] = {
            name: open_array(array_path(folder, f"adjacency_{name}")) for name in _NAMES
        }
        return cls(**opened)

    def degrees(self) -> npt.NDArray[np.int64]:
        """Relations touching each entity."""
        return np.diff(self.indptr)

    @property
    def n_nodes(self) -> int:
        """How many entities there are."""
        return len(self.indptr) - 1

    def incident(self, nodes: Ints, kinds: Collection[str], per_node: int) -> Incident:
        """The best `per_node` relations of each node among those of the given kinds."""
        starts = self.indptr[nodes]
        lengths = self.indptr[nodes + 1] - starts
        if set(kinds) >= ALL_KINDS:
            kept = np.minimum(lengths, per_node)
            positions = laid_end_to_end(starts, kept)
        else:
            positions, lengths = self._of_kinds(laid_end_to_end(starts, lengths), lengths, kinds)
            kept = np.minimum(lengths, per_node)
            positions = positions[laid_end_to_end(np.cumsum(lengths) - lengths, kept)]
        return Incident(
            owner=np.repeat(nodes, kept),
            other=self.other[positions],
            rank=self.rank[positions],
            climb=self.climb[positions],
            truncated=bool((kept < lengths).any()),
        )

    def confidences(self, ranks: Ints) -> npt.NDArray[np.float64]:
        """Confidence of each relation."""
        return self.confidence_by_rank[ranks].astype(np.float64)

    def _of_kinds(
        self, positions: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], kinds: Collection[str]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Of positions in rows laid end to end, those of the given kinds, and how many each row has left."""
        is_wanted = np.array([kind in kinds for kind in RELATION_KINDS])
        wanted = np.flatnonzero(is_wanted[self.kind_by_rank[self.rank[positions]]])
        left = np.searchsorted(wanted, np.cumsum(lengths))
        return positions[wanted], np.diff(left, prepend=0)
