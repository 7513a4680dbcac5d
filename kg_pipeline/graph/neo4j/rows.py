"""Rows of a version directory as Neo4j takes them, in batches and in a fixed order.

What a row refers to (the document of a chunk, the ends of a relation) is an ordinal; the loader puts the server's own
id of the node in its place, so that nothing is looked up in an index while loading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph import layout
from kg_pipeline.graph.neo4j.base import Base, Mask
from kg_pipeline.graph.reader import Chunk, Document, Entity, Evidence, NodeKind
from kg_pipeline.graph.records import columns_of
from kg_pipeline.graph.snapshot.adjacency import Adjacency, row_positions
from kg_pipeline.graph.snapshot.mentions import Rows
from kg_pipeline.graph.snapshot.vectors import Vectors
from kg_pipeline.vocabulary.predicates import relationship_type

#: Sentences kept on a relationship, for people who browse; all of them are `Evidence` nodes.
_QUOTES = 3
#: Columns of a relation as they are stored; the predicate is the relationship's type.
_RELATION = (
    "relation_id",
    "kind",
    "negated",
    "speculative",
    "confidence",
    "n_articles",
    "n_evidence",
    "premises",
    "rule",
)
#: Columns that may be null, or are left out where they are empty: a null makes no property.
NULLABLE = frozenset({"pmcid", "pmid", "doi", "year", "premises", "rule", "quotes", "articles"})

Ordinals = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes of one kind with their properties, among them `row`, and the ordinal of the node each belongs to."""

    frame: pl.DataFrame
    parents: Ordinals | None = None


@dataclass(frozen=True, slots=True)
class Edges:
    """Relationships of one type: the ordinals of both ends, and their properties."""

    kind: str
    tails: Ordinals
    heads: Ordinals
    frame: pl.DataFrame


class VersionRows:
    """What to load of a version; nodes that are taken over from a base are left out."""

    def __init__(self, folder: Path, base: Base | None = None) -> None:
        self._folder = folder
        self._base = base

    def documents(self, size: int) -> Iterator[Nodes]:
        """Documents without their text, which lies in the chunks."""
        taken = None if self._base is None else self._base.documents
        return _nodes(self._table("documents"), (*columns_of(Document), "pmcid"), size, taken=taken)

    def chunks(self, size: int) -> Iterator[Nodes]:
        """Chunks, each with its document."""
        table = self._table("chunks")
        parents = self._ordinals(table, "article_id", "documents")
        taken = None if self._base is None else self._base.chunks
        return _nodes(table, columns_of(Chunk), size, parents, taken)

    def entities(self, size: int) -> Iterator[Nodes]:
        """Entities with the folded forms of their names: `name_key` of the canonical one, `name_keys` of all."""
        for batch in _nodes(self._table("entities"), columns_of(Entity), size):
            keys = batch.frame.select("entity_id").join(self._name_keys, on="entity_id", how="left")
            yield Nodes(
                batch.frame.with_columns(
                    keys["name_key"].fill_null(""),
                    keys.select(pl.col("name_keys").fill_null([])).to_series(),
                )
            )

    def evidence(self, size: int) -> Iterator[Nodes]:
        """Evidence, each with the chunk it stands in."""
        table = self._table("evidence")
        parents = self._ordinals(table, "chunk_id", "chunks")
        taken = None if self._base is None else self._base.evidence
        return _nodes(table, columns_of(Evidence), size, parents, taken)

    def taken(self, name: str, size: int) -> Iterator[pl.DataFrame]:
        """Row numbers and ids of the nodes of a table that are taken over from the base."""
        if self._base is not None:
            mask = getattr(self._base, name)
            ids = layout.open_frame(self._folder, name).select(layout.TABLE_KEYS[name]).with_row_index("row")
            yield from ids.filter(pl.Series(mask)).iter_slices(size)

    def vectors(self, kind: NodeKind, size: int) -> Iterator[tuple[Ordinals, pl.DataFrame]]:
        """Ordinals and vectors of the nodes that have one."""
        vectors = Vectors.open(self._folder, kind)
        wanted = np.arange(len(vectors.rows))
        if kind == "chunk" and self._base is not None:
            wanted = wanted[~self._base.chunks[vectors.rows]]
        for start in range(0, len(wanted), size):
            part = wanted[start : start + size]
            yield vectors.rows[part], pl.DataFrame({"vector": vectors.matrix[part]})

    def relationship_types(self) -> list[str]:
        """Types of the version's relations, sorted; a KeyError for a predicate outside of the closed set."""
        predicates: list[str] = pc.unique(self._table("relations").column("predicate")).to_pylist()
        return [relationship_type(predicate) for predicate in sorted(predicates)]

    def relations(self, size: int) -> Iterator[Edges]:
        """Relations, those of one type together, grouped by head so that a batch touches few nodes."""
        table = self._table("relations")
        tails, heads = (self._ordinals(table, column, "entities") for column in ("head_id", "tail_id"))
        rank = np.empty(len(table), np.int64)
        rank[self._adjacency.by_rank] = np.arange(len(table))
        predicates = table.column("predicate")
        for predicate in sorted(pc.unique(predicates).to_pylist()):
            of_predicate = np.flatnonzero(pc.equal(predicates, predicate).to_numpy())
            of_predicate = of_predicate[np.lexsort((heads[of_predicate], tails[of_predicate]))]
            for start in range(0, len(of_predicate), size):
                ordinals = of_predicate[start : start + size]
                frame = _frame(table.select(_RELATION).take(pa.array(ordinals))).with_columns(
                    pl.Series("rank", rank[ordinals]), *self._sentences(ordinals)
                )
                frame = frame.with_columns(
                    pl.when(pl.col("premises").list.len() > 0).then("premises"),
                    pl.when(pl.col("rule") != "").then("rule"),
                )
                yield Edges(relationship_type(predicate), tails[ordinals], heads[ordinals], frame)

    @property
    def n_has_entity(self) -> int:
        """Pairs of chunk and entity."""
        return len(self._chunk_entities.other)

    def has_entity(self, size: int) -> Iterator[Edges]:
        """Which chunk mentions which entity, and how often."""
        rows = self._chunk_entities
        owner = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
        for start in range(0, len(owner), size):
            part = slice(start, start + size)
            frame = pl.DataFrame({"mentions": rows.count[part]})
            yield Edges("HAS_ENTITY", owner[part], rows.other[part], frame)

    def _sentences(self, ordinals: Ordinals) -> list[pl.Series]:
        """The best quotes of relations and the articles they stand in; null for a relation without."""
        rows = self._relation_evidence
        starts = rows.indptr[ordinals]
        lengths = np.minimum(rows.indptr[ordinals + 1] - starts, _QUOTES)
        wanted = rows.other[row_positions(starts, lengths)[0]]
        table = self._table("evidence").select(["quote", "article_id"]).take(pa.array(wanted))
        offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))))
        found = []
        for name, column in (("quotes", "quote"), ("articles", "article_id")):
            values = table.column(column).combine_chunks()
            lists = pl.Series(name, pa.LargeListArray.from_arrays(offsets, values))
            found.append(lists.to_frame().select(pl.when(pl.col(name).list.len() > 0).then(name)).to_series())
        return found

    def _ordinals(self, table: pa.Table, column: str, other: str) -> Ordinals:
        ids = self._table(other).column(layout.TABLE_KEYS[other])
        found: Ordinals = pc.index_in(table.column(column), value_set=ids).to_numpy()
        return found

    @cached_property
    def _name_keys(self) -> pl.DataFrame:
        names = layout.open_frame(self._folder, "names")
        return names.group_by("entity_id").agg(
            name_key=pl.col("key").filter("is_name").first(), name_keys=pl.col("key").sort()
        )

    @cached_property
    def _adjacency(self) -> Adjacency:
        return Adjacency.open(self._folder)

    @cached_property
    def _relation_evidence(self) -> Rows:
        return Rows.open(self._folder, "relation_evidence")

    @cached_property
    def _chunk_entities(self) -> Rows:
        return Rows.open(self._folder, "chunk_entities")

    def _table(self, name: str) -> pa.Table:
        return layout.open_table(self._folder, name)


def _nodes(
    table: pa.Table,
    names: Sequence[str],
    size: int,
    parents: Ordinals | None = None,
    taken: Mask | None = None,
) -> Iterator[Nodes]:
    for start in range(0, len(table), size):
        frame = _frame(table.select(list(names)).slice(start, size)).with_row_index("row", start)
        part = None if parents is None else parents[start : start + size]
        if taken is not None:
            wanted = ~taken[start : start + size]
            frame = frame.filter(pl.Series(wanted))
            part = None if part is None else part[wanted]
        if frame.height:
            yield Nodes(frame, part)


def _frame(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame
