"""HAS_ENTITY: which entities each chunk mentions and how often, joined by offsets, kept as rows in both directions.

A mention belongs to every chunk whose span contains it, so one in the overlap of two chunks counts in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph.layout import array_path, open_array, write_array
from kg_pipeline.graph.snapshot.adjacency import best_first, group, row_positions, stable_order

Ints = npt.NDArray[np.int64]
#: Wider than any offset, so that article and offset make one sortable number.
_ARTICLE_SHIFT = 32
_WORD_BITS = 64
#: Mentions that are placed at a time.
_MENTIONS = 250_000


def containing_chunks(
    chunks: pa.Table,
    mentions: pa.Table,
    articles: pa.Array | pa.ChunkedArray,
    *,
    at_a_time: int = _MENTIONS,
) -> Iterator[tuple[Ints, Ints]]:
    """All pairs (chunk ordinal, mention ordinal) where the chunk's span contains the mention's, some mentions at a time.

    Chunks are laid out by (article, start). A mention can only lie in those that start at or before it; the running
    maximum of ends says how far back one that still contains it can be.
    """
    chunk_article, chunk_start, chunk_end = _spans(chunks, articles)
    order = np.lexsort((chunk_end, chunk_start, chunk_article))
    starts = (chunk_article[order] << _ARTICLE_SHIFT) + chunk_start[order]
    ends = np.maximum.accumulate((chunk_article[order] << _ARTICLE_SHIFT) + chunk_end[order])
    for first in range(0, len(mentions), at_a_time):
        article, start, end = _spans(mentions.slice(first, at_a_time), articles)
        low = np.searchsorted(ends, (article << _ARTICLE_SHIFT) + end, side="left")
        high = np.searchsorted(starts, (article << _ARTICLE_SHIFT) + start, side="right")
        positions, mention = row_positions(low, np.maximum(high - low, 0))
        chunk = order[positions]
        inside = (chunk_article[chunk] == article[mention]) & (chunk_end[chunk] >= end[mention])
        yield chunk[inside], mention[inside] + first


def _spans(table: pa.Table, articles: pa.Array | pa.ChunkedArray) -> tuple[Ints, Ints, Ints]:
    article = pc.index_in(table.column("article_id"), value_set=articles)
    article, start, end = (
        column.to_numpy().astype(np.int64) for column in (article, table.column("start"), table.column("end"))
    )
    return article, start, end


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of other ordinals with counts; the highest count first, then the lowest ordinal."""

    indptr: Ints
    other: npt.NDArray[np.int32]
    count: npt.NDArray[np.int32]

    @classmethod
    def build(cls, owner: Ints, other: Ints, count: Ints, size: int) -> Rows:
        """Group (owner, other, count) by owner; none of them is negative."""
        most = int(count.max(initial=0))
        other_bits, count_bits = int(other.max(initial=0)).bit_length(), most.bit_length()
        if size.bit_length() + count_bits + other_bits < _WORD_BITS:
            # All three in one number, which sorts several times faster than an index over three columns.
            packed = (((owner << count_bits) | (most - count)) << other_bits) | other
            packed.sort()
            other = packed & ((1 << other_bits) - 1)
            packed >>= other_bits
            count = most - (packed & ((1 << count_bits) - 1))
        else:
            order = np.lexsort((other, -count, owner))
            other, count = other[order], count[order]
        return cls(group(owner, size), other.astype(np.int32), count.astype(np.int32))

    @classmethod
    def open(cls, folder: Path, name: str) -> Rows:
        """Map the rows of a version directory."""
        opened: list[Any] = [open_array(array_path(folder, f"{name}_{part}")) for part in cls.__slots__]
        return cls(*opened)

    def write(self, folder: Path, name: str) -> None:
        """Write them into a version directory."""
        for part in self.__slots__:
            write_array(array_path(folder, f"{name}_{part}"), getattr(self, part))

    def row(self, ordinal: int, limit: int | None = None) -> npt.NDArray[np.int32]:
        """The first `limit` others of a row."""
        start, end = int(self.indptr[ordinal]), int(self.indptr[ordinal + 1])
        return self.other[start : end if limit is None else min(end, start + limit)]


def build_has_entity(tables: dict[str, pa.Table]) -> tuple[Rows, Rows]:
    """Entities of each chunk, and chunks of each entity."""
    chunks, mentions, entities = tables["chunks"], tables["mentions"], tables["entities"]
    entity_of = pc.index_in(mentions.column("entity_id"), value_set=entities.column("entity_id")).to_numpy()
    n_entities = max(len(entities), 1)
    found = [
        chunk * n_entities + entity_of[mention]
        for chunk, mention in containing_chunks(chunks, mentions, tables["documents"].column("article_id"))
    ]
    pairs = np.concatenate(found) if found else np.empty(0, np.int64)
    del found, entity_of
    distinct, count = np.unique(pairs, return_counts=True)
    chunk, entity = np.divmod(distinct, n_entities)
    return Rows.build(chunk, entity, count, len(chunks)), Rows.build(entity, chunk, count, len(entities))


def build_evidence_rows(relations: pa.Table, evidence: pa.Table) -> Rows:
    """Evidence of each relation, by (-confidence, id); the count is minus the position in that order."""
    owner = pc.index_in(evidence.column("relation_id"), value_set=relations.column("relation_id")).to_numpy()
    best = best_first(evidence.column("confidence").to_numpy())
    by_owner = stable_order(owner[best])
    return Rows(group(owner, len(relations)), best[by_owner], -by_owner)
