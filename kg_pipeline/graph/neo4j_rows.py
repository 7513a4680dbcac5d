"""Rows of a version directory as Neo4j takes them: batches of plain lists, in a fixed order.

A row is a list and not a map, since Neo4j and the driver spend more time on the names of properties than on their
values. What a row refers to (the document of a chunk, the ends of a relation) is an ordinal; the loader puts the
server's own id of the node in its place, so that nothing is looked up in an index while loading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph import layout
from kg_pipeline.graph.adjacency import Adjacency
from kg_pipeline.graph.mentions import Rows
from kg_pipeline.graph.reader import Chunk, Document, Entity, Evidence, NodeKind
from kg_pipeline.graph.records import columns_of
from kg_pipeline.graph.vectors import Vectors
from kg_pipeline.vocabulary.predicates import relationship_type
from kg_pipeline.vocabulary.variants import normal_key

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

Ordinals = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes of one kind: their ordinals, their properties by column, and the ordinal of the node each belongs to."""

    ordinals: Ordinals
    columns: dict[str, Sequence[Any]]
    parents: Ordinals | None = None


@dataclass(frozen=True, slots=True)
class Edges:
    """Relationships of one type: the ordinals of both ends, and their properties by column (None: no property)."""

    kind: str
    tails: Ordinals
    heads: Ordinals
    columns: dict[str, Sequence[Any]]


class VersionRows:
    """What to load of a version."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def documents(self, size: int) -> Iterator[Nodes]:
        """Documents without their text, which lies in the chunks."""
        return _nodes(self._table("documents"), (*columns_of(Document), "pmcid"), size)

    def chunks(self, size: int) -> Iterator[Nodes]:
        """Chunks, each with its document; `row` is the ordinal."""
        table = self._table("chunks")
        return _nodes(table, columns_of(Chunk), size, self._ordinals(table, "article_id", "documents"))

    def entities(self, size: int) -> Iterator[Nodes]:
        """Entities with their row number and the folded forms of their names."""
        for batch in _nodes(self._table("entities"), columns_of(Entity), size):
            named = zip(batch.columns["name"], batch.columns["aliases"], strict=True)
            keys = [[normal_key(name), *map(normal_key, aliases)] for name, aliases in named]
            batch.columns["name_key"] = [folded[0] for folded in keys]
            batch.columns["name_keys"] = [[key for key in dict.fromkeys(folded) if key] for folded in keys]
            yield batch

    def evidence(self, size: int) -> Iterator[Nodes]:
        """Evidence, each with the chunk it stands in."""
        table = self._table("evidence")
        return _nodes(table, columns_of(Evidence), size, self._ordinals(table, "chunk_id", "chunks"))

    def vectors(self, kind: NodeKind, size: int) -> Iterator[tuple[Ordinals, list[list[float]]]]:
        """Ordinals and vectors of the nodes that have one."""
        vectors = Vectors.open(self._folder, kind)
        for start in range(0, len(vectors.rows), size):
            yield vectors.rows[start : start + size], vectors.matrix[start : start + size].tolist()

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
                rows = table.select(_RELATION).take(pa.array(ordinals))
                columns: dict[str, Sequence[Any]] = {
                    name: rows.column(name).to_pylist() for name in _RELATION
                }
                for name in ("premises", "rule"):
                    columns[name] = [value or None for value in columns[name]]
                columns["rank"] = rank[ordinals].tolist()
                columns["quotes"], columns["articles"] = self._sentences(ordinals)
                yield Edges(relationship_type(predicate), tails[ordinals], heads[ordinals], columns)

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
            yield Edges("HAS_ENTITY", owner[part], rows.other[part], {"mentions": rows.count[part].tolist()})

    def _sentences(self, ordinals: Ordinals) -> tuple[list[list[str] | None], list[list[str] | None]]:
        """The best quotes of relations and the articles they stand in."""
        rows = [self._relation_evidence.row(ordinal, _QUOTES) for ordinal in ordinals.tolist()]
        wanted = pa.array(np.concatenate(rows) if rows else np.empty(0, np.int32))
        table = self._table("evidence").select(["quote", "article_id"]).take(wanted)
        quotes, articles = (iter(table.column(name).to_pylist()) for name in ("quote", "article_id"))
        counts = [len(row) for row in rows]
        return (
            [[next(quotes) for _ in range(count)] or None for count in counts],
            [[next(articles) for _ in range(count)] or None for count in counts],
        )

    def _ordinals(self, table: pa.Table, column: str, other: str) -> Ordinals:
        ids = self._table(other).column(layout.TABLE_KEYS[other])
        found: Ordinals = pc.index_in(table.column(column), value_set=ids).to_numpy()
        return found

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
    table: pa.Table, names: Sequence[str], size: int, parents: Ordinals | None = None
) -> Iterator[Nodes]:
    for start in range(0, len(table), size):
        part = table.slice(start, size)
        ordinals = np.arange(start, start + len(part))
        columns: dict[str, Sequence[Any]] = {name: part.column(name).to_pylist() for name in names}
        columns["row"] = ordinals.tolist()
        yield Nodes(ordinals, columns, None if parents is None else parents[ordinals])
