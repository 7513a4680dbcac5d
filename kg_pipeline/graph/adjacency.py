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
from kg_pipeline.graph.traversal import Incident
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
    row = np.repeat(np.arange(len(starts)), lengths)
    within = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return starts[row] + within, row


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

    def incident(self, nodes: npt.NDArray[np.int64], kinds: Collection[str], per_node: int) -> Incident:
        """The best `per_node` relations of each node among those of the given kinds."""
        starts = self.indptr[nodes]
        lengths = self.indptr[nodes + 1] - starts
        truncated = False
        if set(kinds) >= ALL_KINDS:
            truncated = bool((lengths > per_node).any())
            positions, row = row_positions(starts, np.minimum(lengths, per_node))
            rank = self.rank[positions]
        else:
            positions, row = row_positions(starts, lengths)
            rank = self.rank[positions]
            codes = [RELATION_KINDS.index(kind) for kind in kinds if kind in RELATION_KINDS]
            wanted = np.isin(self.kind_by_rank[rank], np.array(codes, np.int8))
            positions, row, rank = positions[wanted], row[wanted], rank[wanted]
            first = np.searchsorted(row, row)
            kept = np.arange(len(row)) - first < per_node
            truncated = not bool(kept.all())
            positions, row, rank = positions[kept], row[kept], rank[kept]
        return Incident(
            owner=nodes[row],
            other=self.other[positions].astype(np.int64),
            rank=rank.astype(np.int64),
            climb=self.climb[positions],
            confidence=self.confidence_by_rank[rank].astype(np.float64),
            truncated=truncated,
        )
