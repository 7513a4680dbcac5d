"""Read a version directory: everything is memory-mapped, so it opens in milliseconds and readers share its pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kg_pipeline.graph import layout
from kg_pipeline.graph.adjacency import Adjacency
from kg_pipeline.graph.columns import KeyedTable, SortedStrings
from kg_pipeline.graph.mentions import Rows
from kg_pipeline.graph.reader import (
    ALL_KINDS,
    Chunk,
    Document,
    Entity,
    Evidence,
    Manifest,
    NodeKind,
    Relation,
    Scored,
    Subgraph,
    Vector,
)
from kg_pipeline.graph.reader import (
    Path as GraphPath,
)
from kg_pipeline.graph.records import Record, columns_of, make
from kg_pipeline.graph.text_index import TextIndex
from kg_pipeline.graph.traversal import best_paths, expand
from kg_pipeline.graph.vectors import Vectors
from kg_pipeline.vocabulary.variants import normal_key


class SnapshotReader:
    """`kg_pipeline.graph.reader.GraphReader` over a version directory. Parts are mapped when they are first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifest = layout.read_manifest(folder)

    @property
    def manifest(self) -> Manifest:
        """What the version was made from."""
        return self._manifest

    def documents(self, article_ids: Sequence[str]) -> list[Document]:
        """Documents in the order asked."""
        return self._records(Document, self._documents, article_ids)

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks in the order asked."""
        return self._records(Chunk, self._chunks, chunk_ids)

    def entities(self, entity_ids: Sequence[str]) -> list[Entity]:
        """Entities in the order asked."""
        return self._records(Entity, self._entities, entity_ids)

    def relations(self, relation_ids: Sequence[str]) -> list[Relation]:
        """Relations in the order asked."""
        return self._records(Relation, self._relations, relation_ids)

    def evidence(self, relation_ids: Sequence[str], *, per_relation: int = 3) -> list[Evidence]:
        """Best evidence of each relation: by relation as asked, then (-confidence, evidence_id)."""
        found = self._relations.known(relation_ids)
        rows = [self._relation_evidence.row(ordinal, per_relation) for ordinal in found.tolist()]
        ordinals = np.concatenate(rows) if rows else np.empty(0, np.int32)
        return make(Evidence, self._evidence.rows(ordinals, columns_of(Evidence)))

    def nearest(self, kind: NodeKind, vector: Vector, k: int, *, threshold: float = -1.0) -> list[Scored]:
        """At most `k` nodes with cosine >= `threshold` to a unit vector."""
        return self._scored(kind, self._vectors(kind).nearest(vector, k, threshold))

    def similarities(self, kind: NodeKind, ids: Sequence[str], vector: Vector) -> list[float]:
        """Cosine of each node to a unit vector, in the order asked; 0.0 for a node without a vector."""
        return self._vectors(kind).similarities(self._nodes(kind).ids.ordinals(ids), vector)

    def search_text(self, kind: NodeKind, query: str, k: int) -> list[Scored]:
        """BM25 over chunk texts, or over entity names and aliases; any characters are allowed in the query."""
        index = self._chunk_text if kind == "chunk" else self._entity_text
        return self._scored(kind, index.search(query, k))

    def find_entities(self, name: str) -> list[str]:
        """Entities with this name (first those it is canonical for, then by most mentions) or alias."""
        key = normal_key(name)
        if not key:
            return []
        low = int(self._names.lower_bounds([key])[0])
        # No key holds a NUL, so this is the least text above the key.
        high = int(self._names.lower_bounds([key + "\0"])[0])
        matches = self._name_table.slice(low, high - low).to_pylist()
        mentions = {e.entity_id: e.n_mentions for e in self.entities([row["entity_id"] for row in matches])}
        ranked = sorted(
            matches, key=lambda row: (not row["is_name"], -mentions[row["entity_id"]], row["entity_id"])
        )
        return [row["entity_id"] for row in ranked]

    def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        """Entities mentioned in each chunk (HAS_ENTITY), most mentioned first."""
        return _linked(self._chunks, self._entities, self._chunk_entities, chunk_ids, None)

    def chunks_of(self, entity_ids: Sequence[str], *, per_entity: int = 5) -> dict[str, list[str]]:
        """Chunks that mention each entity, most mentions first."""
        return _linked(self._entities, self._chunks, self._entity_chunks, entity_ids, per_entity)

    def neighbours(
        self, entity_ids: Sequence[str], *, kinds: Collection[str] = ALL_KINDS, per_node: int = 50
    ) -> list[str]:
        """Relations touching the entities: asserted first, then by (-confidence, id); capped per node."""
        nodes = np.unique(self._entities.known(entity_ids))
        return self._relation_ids(np.unique(self._adjacency.incident(nodes, kinds, per_node).rank))

    def expand(
        self,
        seeds: Sequence[str],
        *,
        depth: int,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
        max_nodes: int = 500,
    ) -> Subgraph:
        """Breadth-first, one level at a time, through at most `per_node` relations a node."""
        nodes = self._entities.known(seeds).tolist()
        found = expand(
            self._adjacency, nodes, depth=depth, kinds=kinds, per_node=per_node, max_nodes=max_nodes
        )
        ids = self._entities.ids.at(np.fromiter(found.depths, np.int64, len(found.depths)))
        relations = self._relation_ids(np.asarray(found.ranks, np.int64))
        depths = dict(zip(ids, found.depths.values(), strict=True))
        return Subgraph(depths, tuple(relations), found.truncated)

    def paths(
        self,
        source: str,
        target: str,
        *,
        max_length: int = 4,
        k: int = 5,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
    ) -> list[GraphPath]:
        """At most `k` simple paths, shortest first, then by product of confidences."""
        ends = self._entities.known([source, target]).tolist()
        if len(ends) < 2:
            return []
        found = best_paths(
            self._adjacency, ends[0], ends[1], max_length=max_length, k=k, kinds=kinds, per_node=per_node
        )
        return [
            GraphPath(
                tuple(self._entities.ids.at(np.asarray(path.nodes))),
                tuple(self._relation_ids(np.asarray(path.ranks))),
            )
            for path in found
        ]

    def close(self) -> None:
        """Let go of all maps; the reader is unusable afterwards."""
        self.__dict__.clear()

    def _records(self, record: type[Record], table: KeyedTable, ids: Sequence[str]) -> list[Record]:
        return make(record, table.rows(table.known(ids), columns_of(record)))

    def _relation_ids(self, ranks: npt.NDArray[np.int64]) -> list[str]:
        return self._relations.ids.at(self._adjacency.by_rank[ranks])

    def _nodes(self, kind: NodeKind) -> KeyedTable:
        return self._chunks if kind == "chunk" else self._entities

    def _vectors(self, kind: NodeKind) -> Vectors:
        return self._chunk_vectors if kind == "chunk" else self._entity_vectors

    def _scored(self, kind: NodeKind, hits: Sequence[tuple[int, float]]) -> list[Scored]:
        ids = self._nodes(kind).ids.at(np.asarray([ordinal for ordinal, _ in hits], np.int64))
        return [Scored(id_, score) for id_, (_, score) in zip(ids, hits, strict=True)]

    def _table(self, name: str) -> KeyedTable:
        return KeyedTable(layout.open_table(self._folder, name), layout.TABLE_KEYS[name])

    @cached_property
    def _documents(self) -> KeyedTable:
        return self._table("documents")

    @cached_property
    def _chunks(self) -> KeyedTable:
        return self._table("chunks")

    @cached_property
    def _entities(self) -> KeyedTable:
        return self._table("entities")

    @cached_property
    def _relations(self) -> KeyedTable:
        return self._table("relations")

    @cached_property
    def _evidence(self) -> KeyedTable:
        return self._table("evidence")

    @cached_property
    def _name_table(self) -> pa.Table:
        return layout.open_table(self._folder, "names")

    @cached_property
    def _names(self) -> SortedStrings:
        return SortedStrings(self._name_table.column("key"))

    @cached_property
    def _adjacency(self) -> Adjacency:
        return Adjacency.open(self._folder)

    @cached_property
    def _chunk_entities(self) -> Rows:
        return Rows.open(self._folder, "chunk_entities")

    @cached_property
    def _entity_chunks(self) -> Rows:
        return Rows.open(self._folder, "entity_chunks")

    @cached_property
    def _relation_evidence(self) -> Rows:
        return Rows.open(self._folder, "relation_evidence")

    @cached_property
    def _chunk_vectors(self) -> Vectors:
        return Vectors.open(self._folder, "chunk")

    @cached_property
    def _entity_vectors(self) -> Vectors:
        return Vectors.open(self._folder, "entity")

    @cached_property
    def _chunk_text(self) -> TextIndex:
        return TextIndex(layout.text_path(self._folder, "chunk"))

    @cached_property
    def _entity_text(self) -> TextIndex:
        return TextIndex(layout.text_path(self._folder, "entity"))


def _linked(
    owners: KeyedTable, others: KeyedTable, rows: Rows, ids: Sequence[str], limit: int | None
) -> dict[str, list[str]]:
    ordinals = owners.ids.ordinals(ids).tolist()
    return {
        id_: others.ids.at(rows.row(ordinal, limit))
        for id_, ordinal in zip(ids, ordinals, strict=True)
        if ordinal >= 0
    }
