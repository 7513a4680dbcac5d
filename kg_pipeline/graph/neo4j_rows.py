"""Rows of a version directory as Neo4j takes them: batches of plain dictionaries, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph import layout
from kg_pipeline.graph.adjacency import Adjacency
from kg_pipeline.graph.mentions import Rows
from kg_pipeline.graph.reader import Chunk, Document, Entity, Evidence, NodeKind, Relation
from kg_pipeline.graph.records import columns_of
from kg_pipeline.graph.vectors import Vectors
from kg_pipeline.vocabulary.predicates import relationship_type
from kg_pipeline.vocabulary.variants import normal_key

#: Sentences kept on a relationship, for people who browse; all of them are `Evidence` nodes.
_QUOTES = 3

Batch = list[dict[str, Any]]


class VersionRows:
    """What to load of a version; `key` prefixes relation keys, so that they are unique in the database."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = folder
        self._key = key

    def documents(self, size: int) -> Iterator[Batch]:
        """Documents without their text, which lies in the chunks."""
        yield from _slices(self._table("documents").select([*columns_of(Document), "pmcid"]), size)

    def chunks(self, size: int) -> Iterator[Batch]:
        """Chunks; `row` is the ordinal."""
        yield from _slices(_with_row(self._table("chunks").select(columns_of(Chunk))), size)

    def entities(self, size: int) -> Iterator[Batch]:
        """Entities with their row number and the folded forms of their names."""
        for batch in _slices(_with_row(self._table("entities").select(columns_of(Entity))), size):
            for entity in batch:
                name_key = normal_key(entity["name"])
                keys = dict.fromkeys([name_key, *(normal_key(alias) for alias in entity["aliases"])])
                entity["name_key"] = name_key
                entity["name_keys"] = [key for key in keys if key]
            yield batch

    def vectors(self, kind: NodeKind, size: int) -> Iterator[Batch]:
        """Row number and vector of the nodes that have one."""
        vectors = Vectors.open(self._folder, kind)
        for start in range(0, len(vectors.rows), size):
            rows, matrix = (
                vectors.rows[start : start + size].tolist(),
                vectors.matrix[start : start + size].tolist(),
            )
            yield [{"row": row, "vector": vector} for row, vector in zip(rows, matrix, strict=True)]

    def evidence(self, size: int) -> Iterator[Batch]:
        """Evidence, all fields."""
        yield from _slices(self._table("evidence").select(columns_of(Evidence)), size)

    def relationship_types(self) -> list[str]:
        """Types of the version's relations, sorted; a KeyError for a predicate outside of the closed set."""
        predicates: list[str] = pc.unique(self._table("relations").column("predicate")).to_pylist()
        return [relationship_type(predicate) for predicate in sorted(predicates)]

    def relations(self, size: int) -> Iterator[tuple[str, Batch]]:
        """Relationship type and relations of that type, grouped by head so that a batch locks few nodes."""
        table = self._table("relations")
        ids = self._table("entities").column("entity_id")
        ends = {
            name: pc.index_in(table.column(column), value_set=ids).to_numpy()
            for name, column in (("from", "head_id"), ("to", "tail_id"))
        }
        rank = np.empty(len(table), np.int64)
        rank[self._adjacency.by_rank] = np.arange(len(table))
        predicates = table.column("predicate")
        for predicate in sorted(pc.unique(predicates).to_pylist()):
            of_predicate = np.flatnonzero(pc.equal(predicates, predicate).to_numpy())
            of_predicate = of_predicate[np.lexsort((ends["to"][of_predicate], ends["from"][of_predicate]))]
            for start in range(0, len(of_predicate), size):
                ordinals = of_predicate[start : start + size]
                properties = self._relation_properties(table, ordinals, rank)
                yield (
                    relationship_type(predicate),
                    _joins(ends["from"][ordinals], ends["to"][ordinals], properties),
                )

    def has_entity(self, size: int) -> Iterator[Batch]:
        """Which chunk mentions which entity, and how often."""
        rows = Rows.open(self._folder, "chunk_entities")
        owner = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
        for start in range(0, len(owner), size):
            part = slice(start, start + size)
            yield _joins(
                owner[part], rows.other[part], [{"mentions": count} for count in rows.count[part].tolist()]
            )

    def part_of(self, size: int) -> Iterator[Batch]:
        """Which chunk belongs to which document."""
        articles = self._table("chunks").column("article_id").to_pylist()
        for start in range(0, len(articles), size):
            part = articles[start : start + size]
            yield [{"from": start + n, "to": article, "properties": {}} for n, article in enumerate(part)]

    def quoted_in(self, size: int) -> Iterator[Batch]:
        """Which evidence stands in which chunk."""
        for batch in _slices(self._table("evidence").select(["evidence_id", "chunk_id"]), size):
            yield [{"from": row["evidence_id"], "to": row["chunk_id"], "properties": {}} for row in batch]

    def _relation_properties(
        self, table: pa.Table, ordinals: np.ndarray[Any, Any], rank: np.ndarray[Any, Any]
    ) -> Batch:
        names = [name for name in columns_of(Relation) if name not in ("head_id", "tail_id")]
        properties: Batch = table.select(names).take(pa.array(ordinals)).to_pylist()
        quoted = [self._relation_evidence.row(ordinal, _QUOTES) for ordinal in ordinals.tolist()]
        wanted = np.concatenate(quoted) if quoted else np.empty(0, np.int32)
        evidence = (
            self._table("evidence").select(["evidence_id", "article_id", "quote"]).take(pa.array(wanted))
        )
        rows = iter(evidence.to_pylist())
        for row, place, count in zip(properties, rank[ordinals].tolist(), map(len, quoted), strict=True):
            sentences = [next(rows) for _ in range(count)]
            row |= {
                "key": f"{self._key}/{row['relation_id']}",
                "rank": place,
                "evidence_ids": [sentence["evidence_id"] for sentence in sentences],
                "articles": [sentence["article_id"] for sentence in sentences],
                "quotes": [sentence["quote"] for sentence in sentences],
            }
        return properties

    @cached_property
    def _adjacency(self) -> Adjacency:
        return Adjacency.open(self._folder)

    @cached_property
    def _relation_evidence(self) -> Rows:
        return Rows.open(self._folder, "relation_evidence")

    def _table(self, name: str) -> pa.Table:
        return layout.open_table(self._folder, name)


def _with_row(table: pa.Table) -> pa.Table:
    return table.append_column("row", pa.array(np.arange(len(table))))


def _slices(table: pa.Table, size: int) -> Iterator[Batch]:
    for start in range(0, len(table), size):
        yield table.slice(start, size).to_pylist()


def _joins(
    tails: np.ndarray[Any, Any], heads: np.ndarray[Any, Any], properties: Sequence[dict[str, Any]]
) -> Batch:
    return [
        {"from": tail, "to": head, "properties": row}
        for tail, head, row in zip(tails.tolist(), heads.tolist(), properties, strict=True)
    ]
