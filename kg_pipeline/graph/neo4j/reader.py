"""Read a version from Neo4j through the same protocol as the version directory, with the same results.

Traversal runs level by level in `kg_pipeline.graph.traversal.expansion`, one query a level, never as a variable-length pattern.
Vector hits of the approximate index are more than asked for and scored again exactly. Full-text scores are Lucene's,
so their values differ from those of the directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kg_pipeline.graph.neo4j.client import VersionLabels, translated
from kg_pipeline.graph.neo4j.incidence import Neo4jIncidence
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
from kg_pipeline.graph.snapshot.text_index import words
from kg_pipeline.graph.snapshot.vectors import checked, cosines
from kg_pipeline.graph.traversal.reader import TraversingReader
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.settings import Neo4jSettings
from kg_pipeline.vocabulary.names.variants import normal_key
from kg_pipeline.vocabulary.predicates import PREDICATES, relationship_type

if TYPE_CHECKING:
    from neo4j import Driver

#: Hits asked of the approximate vector index for each one wanted, and at least this many more.
_OVERSAMPLE = 4
_SLACK = 128
#: A relation's fields as it is stored: its predicate is its type, and what is empty has no property.
_RELATION = (
    ".relation_id, .kind, .negated, .speculative, .confidence, .n_articles, .n_evidence, "
    "premises: coalesce(r.premises, []), rule: coalesce(r.rule, '')"
)
_KEYS: dict[NodeKind, tuple[str, str]] = {"chunk": ("Chunk", "chunk_id"), "entity": ("Entity", "entity_id")}


class Neo4jReader(TraversingReader):
    """`kg_pipeline.graph.reader.GraphReader` over a Neo4j server; made by `kg_pipeline.graph.neo4j.open_reader`."""

    def __init__(self, driver: Driver, settings: Neo4jSettings, manifest: Manifest) -> None:
        self._driver = driver
        self._settings = settings
        self._manifest = manifest
        self._labels = VersionLabels(manifest.corpus, manifest.version)

    @property
    def manifest(self) -> Manifest:
        """What the version was made from."""
        return self._manifest

    def documents(self, article_ids: Sequence[str]) -> list[Document]:
        """Documents in the order asked."""
        return self._records(Document, "Document", "article_id", article_ids)

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks in the order asked."""
        return self._records(Chunk, "Chunk", "chunk_id", chunk_ids)

    def entities(self, entity_ids: Sequence[str]) -> list[Entity]:
        """Entities in the order asked."""
        return self._records(Entity, "Entity", "entity_id", entity_ids)

    def relations(self, relation_ids: Sequence[str]) -> list[Relation]:
        """Relations in the order asked; the type is unknown, so every type's key index is asked in one query."""
        entity = self._labels.of("Entity")
        query = " UNION ALL ".join(
            f"UNWIND $ids AS id MATCH (h:{entity})-[r:{relationship_type(predicate)} {{relation_id: id}}]->(t) "
            f"RETURN r {{{_RELATION}, predicate: '{predicate}', head_id: h.entity_id, tail_id: t.entity_id}} AS row"
            for predicate in PREDICATES
        )
        ids = list(dict.fromkeys(relation_ids))
        rows = {row["relation_id"]: row for row in self._rows(query, ids=ids)} if ids else {}
        return make(Relation, _in_order(relation_ids, rows))

    def evidence(self, relation_ids: Sequence[str], *, per_relation: int = 3) -> list[Evidence]:
        """Best evidence of each relation: by relation as asked, then (-confidence, evidence_id)."""
        fields = ", ".join(f".{name}" for name in columns_of(Evidence))
        query = (
            f"UNWIND $ids AS id CALL (id) {{ MATCH (e:{self._labels.of('Evidence')} {{relation_id: id}}) "
            "RETURN e ORDER BY e.confidence DESC, e.evidence_id LIMIT $limit } "
            f"RETURN e {{{fields}}} AS row"
        )
        found: dict[str, list[dict[str, Any]]] = {}
        for row in self._rows(query, ids=list(dict.fromkeys(relation_ids)), limit=per_relation):
            found.setdefault(row["relation_id"], []).append(row)
        return make(Evidence, (row for rows in _in_order(relation_ids, found) for row in rows))

    def nearest(self, kind: NodeKind, vector: Vector, k: int, *, threshold: float = -1.0) -> list[Scored]:
        """At most `k` nodes with cosine >= `threshold` to a unit vector."""
        query_vector = checked(vector, EMBEDDING_DIMENSIONS)
        if k < 1:
            return []
        _, key = _KEYS[kind]
        rows = self._rows(
            "CALL db.index.vector.queryNodes($index, $k, $vector) YIELD node "
            f"RETURN {{id: node.{key}, vector: node.embedding}} AS row",
            index=self._labels.of(f"{kind}_vector"),
            k=max(k * _OVERSAMPLE, k + _SLACK),
            vector=query_vector.tolist(),
        )
        scored = _scores(rows, query_vector)
        return sorted(
            (hit for hit in scored if hit.score >= threshold), key=lambda hit: (-hit.score, hit.id)
        )[:k]

    def nearest_many(
        self, kind: NodeKind, vectors: Sequence[Vector], k: int, *, threshold: float = -1.0
    ) -> list[list[Scored]]:
        """`nearest` of each vector; the server's index is asked for one at a time."""
        return [self.nearest(kind, vector, k, threshold=threshold) for vector in vectors]

    def similarities(self, kind: NodeKind, ids: Sequence[str], vector: Vector) -> list[float]:
        """Cosine of each node to a unit vector, in the order asked; 0.0 for a node without a vector."""
        query_vector = checked(vector, EMBEDDING_DIMENSIONS)
        score_of = {hit.id: hit.score for hit in _scores(self._embedded(kind, ids), query_vector)}
        return [score_of.get(id_, 0.0) for id_ in ids]

    def vectors(self, kind: NodeKind, ids: Sequence[str]) -> dict[str, Vector]:
        """The unit vector of each node that has one, in the order asked."""
        found = {row["id"]: np.asarray(row["vector"], np.float32) for row in self._embedded(kind, ids)}
        return {id_: found[id_] for id_ in ids if id_ in found}

    def _embedded(self, kind: NodeKind, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Id and vector of each node that has one, in the store's order."""
        label, key = _KEYS[kind]
        return self._rows(
            f"UNWIND $ids AS id MATCH (n:{self._labels.of(label)} {{{key}: id}}) WHERE n.embedding IS NOT NULL "
            "RETURN {id: id, vector: n.embedding} AS row",
            ids=list(dict.fromkeys(ids)),
        )

    def search_text(self, kind: NodeKind, query: str, k: int) -> list[Scored]:
        """BM25 over chunk texts, or over entity names and aliases; any characters are allowed in the query."""
        terms = words(query)
        if not terms or k < 1:
            return []
        _, key = _KEYS[kind]
        rows = self._rows(
            f"CALL db.index.fulltext.queryNodes($index, $terms) YIELD node, score "
            f"RETURN {{id: node.{key}, score: score}} AS row ORDER BY score DESC, row.id LIMIT $k",
            index=self._labels.of(f"{kind}_text"),
            terms=" ".join(f'"{term}"' for term in terms),
            k=k,
        )
        return [Scored(row["id"], row["score"]) for row in rows]

    def find_entities(self, name: str) -> list[str]:
        """Entities with this name (first those it is canonical for, then by most mentions) or alias."""
        key = normal_key(name)
        if not key:
            return []
        quoted = key.replace("\\", "\\\\").replace('"', '\\"')
        rows = self._rows(
            "CALL db.index.fulltext.queryNodes($index, $phrase) YIELD node WHERE $key IN node.name_keys "
            "RETURN {id: node.entity_id} AS row ORDER BY node.name_key <> $key, -node.n_mentions, node.entity_id",
            index=self._labels.of("entity_key"),
            phrase=f'"{quoted}"',
            key=key,
        )
        return [row["id"] for row in rows]

    def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        """Entities mentioned in each chunk (HAS_ENTITY), most mentioned first."""
        entity = self._labels.of("Entity")
        found = f"MATCH (n)-[h:HAS_ENTITY]->(e:{entity}) RETURN e.entity_id ORDER BY h.mentions DESC, e.row"
        return self._linked("chunk", chunk_ids, found)

    def chunks_of(self, entity_ids: Sequence[str], *, per_entity: int = 5) -> dict[str, list[str]]:
        """Chunks that mention each entity, most mentions first."""
        found = "MATCH (c)-[h:HAS_ENTITY]->(n) RETURN c.chunk_id ORDER BY h.mentions DESC, c.chunk_id LIMIT $limit"
        return self._linked("entity", entity_ids, found, limit=per_entity)

    def close(self) -> None:
        """Close the connections; the reader is unusable afterwards."""
        self._driver.close()

    def _walk(self) -> Neo4jIncidence:
        return Neo4jIncidence(self._rows, self._labels, self._manifest.counts["entities"])

    def _records(self, record: type[Record], label: str, key: str, ids: Sequence[str]) -> list[Record]:
        fields = ", ".join(f".{name}" for name in columns_of(record))
        rows = self._rows(
            f"UNWIND $ids AS id MATCH (n:{self._labels.of(label)} {{{key}: id}}) RETURN n {{{fields}}} AS row",
            ids=list(dict.fromkeys(ids)),
        )
        return make(record, _in_order(ids, {row[key]: row for row in rows}))

    def _linked(
        self, kind: NodeKind, ids: Sequence[str], found: str, **parameters: int
    ) -> dict[str, list[str]]:
        label, key = _KEYS[kind]
        rows = self._rows(
            f"UNWIND $ids AS id MATCH (n:{self._labels.of(label)} {{{key}: id}}) "
            f"RETURN {{id: id, found: COLLECT {{ {found} }}}} AS row",
            ids=list(dict.fromkeys(ids)),
            **parameters,
        )
        found_of = {row["id"]: row["found"] for row in rows}
        return {id_: found_of[id_] for id_ in ids if id_ in found_of}

    def _rows(self, query: str, **parameters: Any) -> list[dict[str, Any]]:
        import neo4j

        with translated(self._settings):
            records = self._driver.execute_query(
                query,
                parameters,
                database_=self._settings.database,
                routing_=neo4j.RoutingControl.READ,
            ).records
        return [record["row"] for record in records]


def _in_order(ids: Sequence[str], found: Mapping[str, Any]) -> list[Any]:
    return [found[id_] for id_ in ids if id_ in found]


def _scores(rows: Iterable[Mapping[str, Any]], vector: Vector) -> list[Scored]:
    listed = list(rows)
    if not listed:
        return []
    matrix: npt.NDArray[np.float32] = np.asarray([row["vector"] for row in listed], np.float32)
    return [
        Scored(row["id"], score) for row, score in zip(listed, cosines(matrix, vector).tolist(), strict=True)
    ]
