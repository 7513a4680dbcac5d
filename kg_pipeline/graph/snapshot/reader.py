"""Read a version directory: everything is memory-mapped, so it opens in milliseconds and readers share its pages.

All of it is mapped when it is opened, so that a reader is not disturbed when its version is collected later.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import (
    Chunk,
    Document,
    Entity,
    Evidence,
    Manifest,
    NodeKind,
    Relation,
    Scored,
    Vector,
)
from kg_pipeline.graph.records import Record, columns_of, make
from kg_pipeline.graph.snapshot.adjacency import Adjacency
from kg_pipeline.graph.snapshot.columns import KeyedTable, SortedStrings
from kg_pipeline.graph.snapshot.mentions import Rows
from kg_pipeline.graph.snapshot.text_index import TextIndex
from kg_pipeline.graph.snapshot.vectors import Vectors
from kg_pipeline.graph.traversal.expansion import Incident, Ints
from kg_pipeline.graph.traversal.reader import TraversingReader
from kg_pipeline.vocabulary.names.variants import normal_key

_KINDS: tuple[NodeKind, ...] = ("chunk", "entity")


@dataclass(frozen=True, slots=True)
class SnapshotWalk:
    """`kg_pipeline.graph.traversal.reader.Walk` over the mapped adjacency."""

    adjacency: Adjacency
    entities: KeyedTable
    relations: KeyedTable

    @property
    def n_nodes(self) -> int:
        """How many entities there are."""
        return self.adjacency.n_nodes

    def ordinals(self, entity_ids: Sequence[str]) -> list[int]:
        """Row numbers of the entities that exist, in the order asked."""
        found: list[int] = self.entities.known(entity_ids).tolist()
        return found

    def entity_ids(self, ordinals: Ints) -> list[str]:
        """Ids of entities."""
        return self.entities.ids.at(ordinals)

    def relation_ids(self, ranks: Ints) -> list[str]:
        """Ids of relations."""
        return self.relations.ids.at(self.adjacency.by_rank[ranks])

    def incident(self, nodes: Ints, kinds: Collection[str], per_node: int) -> Incident:
        """The best `per_node` relations of each node among those of the given kinds."""
        return self.adjacency.incident(nodes, kinds, per_node)

    def confidences(self, ranks: Ints) -> npt.NDArray[np.float64]:
        """Confidence of each relation."""
        return self.adjacency.confidences(ranks)


class SnapshotReader(TraversingReader):
    """`kg_pipeline.graph.reader.GraphReader` over a version directory."""

    def __init__(self, folder: Path) -> None:
        """Map the version; raises NoGraphError if the folder holds none, CorruptGraphError if a file cannot be read."""
        self._manifest = layout.read_manifest(folder)
        self._documents, self._chunks, self._entities, self._relations, self._evidence = (
            KeyedTable(layout.open_table(folder, name), layout.TABLE_KEYS[name])
            for name in ("documents", "chunks", "entities", "relations", "evidence")
        )
        self._name_table = layout.open_table(folder, "names")
        self._names = SortedStrings(self._name_table.column("key"))
        self._adjacency = Adjacency.open(folder)
        self._chunk_entities, self._entity_chunks, self._relation_evidence = (
            Rows.open(folder, name) for name in ("chunk_entities", "entity_chunks", "relation_evidence")
        )
        self._vectors = {kind: Vectors.open(folder, kind) for kind in _KINDS}
        self._texts = {kind: TextIndex(layout.text_path(folder, kind)) for kind in _KINDS}

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
        return self._scored(kind, self._vectors[kind].nearest(vector, k, threshold))

    def nearest_many(
        self, kind: NodeKind, vectors: Sequence[Vector], k: int, *, threshold: float = -1.0
    ) -> list[list[Scored]]:
        """`nearest` of each vector, in one reading of the matrix."""
        return [self._scored(kind, hits) for hits in self._vectors[kind].nearest_many(vectors, k, threshold)]

    def vectors(self, kind: NodeKind, ids: Sequence[str]) -> dict[str, Vector]:
        """The unit vector of each node that has one, in the order asked."""
        rows = self._vectors[kind].of(self._nodes(kind).ids.ordinals(ids))
        return {id_: row for id_, row in zip(ids, rows, strict=True) if row is not None}

    def similarities(self, kind: NodeKind, ids: Sequence[str], vector: Vector) -> list[float]:
        """Cosine of each node to a unit vector, in the order asked; 0.0 for a node without a vector."""
        return self._vectors[kind].similarities(self._nodes(kind).ids.ordinals(ids), vector)

    def search_text(self, kind: NodeKind, query: str, k: int) -> list[Scored]:
        """BM25 over chunk texts, or over entity names and aliases; any characters are allowed in the query."""
        return self._scored(kind, self._texts[kind].search(query, k))

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

    def close(self) -> None:
        """Let go of all maps; the reader is unusable afterwards."""
        self.__dict__.clear()

    def _records(self, record: type[Record], table: KeyedTable, ids: Sequence[str]) -> list[Record]:
        return make(record, table.rows(table.known(ids), columns_of(record)))

    def _walk(self) -> SnapshotWalk:
        return SnapshotWalk(self._adjacency, self._entities, self._relations)

    def _nodes(self, kind: NodeKind) -> KeyedTable:
        return self._chunks if kind == "chunk" else self._entities

    def _scored(self, kind: NodeKind, hits: Sequence[tuple[int, float]]) -> list[Scored]:
        ids = self._nodes(kind).ids.at(np.asarray([ordinal for ordinal, _ in hits], np.int64))
        return [Scored(id_, score) for id_, (_, score) in zip(ids, hits, strict=True)]


def _linked(
    owners: KeyedTable, others: KeyedTable, rows: Rows, ids: Sequence[str], limit: int | None
) -> dict[str, list[str]]:
    ordinals = owners.ids.ordinals(ids).tolist()
    return {
        id_: others.ids.at(rows.row(ordinal, limit))
        for id_, ordinal in zip(ids, ordinals, strict=True)
        if ordinal >= 0
    }
