"""Graph readers that show a version as an experiment wants it seen: with some sources only, fewer edges, or bare names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import (
    ALL_KINDS,
    Chunk,
    Document,
    Entity,
    Evidence,
    GraphReader,
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
from kg_pipeline.graph.snapshot.adjacency import Adjacency, group
from kg_pipeline.graph.snapshot.reader import SnapshotReader

_ROUNDS = 16  # of inference over inferences


class Delegating:
    """A reader that passes everything on; what an experiment changes is overridden."""

    def __init__(self, reader: GraphReader) -> None:
        self.reader = reader

    @property
    def manifest(self) -> Manifest:
        """What the version was made from."""
        return self.reader.manifest

    def documents(self, article_ids: Sequence[str]) -> list[Document]:
        """Documents in the order asked."""
        return self.reader.documents(article_ids)

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks in the order asked."""
        return self.reader.chunks(chunk_ids)

    def entities(self, entity_ids: Sequence[str]) -> list[Entity]:
        """Entities in the order asked."""
        return self.reader.entities(entity_ids)

    def relations(self, relation_ids: Sequence[str]) -> list[Relation]:
        """Relations in the order asked."""
        return self.reader.relations(relation_ids)

    def evidence(self, relation_ids: Sequence[str], *, per_relation: int = 3) -> list[Evidence]:
        """Best evidence of each relation."""
        return self.reader.evidence(relation_ids, per_relation=per_relation)

    def nearest(self, kind: NodeKind, vector: Vector, k: int, *, threshold: float = -1.0) -> list[Scored]:
        """At most `k` nodes near a vector."""
        return self.reader.nearest(kind, vector, k, threshold=threshold)

    def nearest_many(
        self, kind: NodeKind, vectors: Sequence[Vector], k: int, *, threshold: float = -1.0
    ) -> list[list[Scored]]:
        """`nearest` of each vector, as this reader shows it."""
        return [self.nearest(kind, vector, k, threshold=threshold) for vector in vectors]

    def vectors(self, kind: NodeKind, ids: Sequence[str]) -> dict[str, Vector]:
        """Vectors of nodes."""
        return self.reader.vectors(kind, ids)

    def similarities(self, kind: NodeKind, ids: Sequence[str], vector: Vector) -> list[float]:
        """Cosine of each node to a vector."""
        return self.reader.similarities(kind, ids, vector)

    def search_text(self, kind: NodeKind, query: str, k: int) -> list[Scored]:
        """BM25 over chunks or names."""
        return self.reader.search_text(kind, query, k)

    def find_entities(self, name: str) -> list[str]:
        """Entities of a name."""
        return self.reader.find_entities(name)

    def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        """Entities mentioned in each chunk."""
        return self.reader.entities_of(chunk_ids)

    def chunks_of(self, entity_ids: Sequence[str], *, per_entity: int = 5) -> dict[str, list[str]]:
        """Chunks that mention each entity."""
        return self.reader.chunks_of(entity_ids, per_entity=per_entity)

    def neighbours(
        self, entity_ids: Sequence[str], *, kinds: Collection[str] = ALL_KINDS, per_node: int = 50
    ) -> list[str]:
        """Relations touching the entities."""
        return self.reader.neighbours(entity_ids, kinds=kinds, per_node=per_node)

    def expand(
        self,
        seeds: Sequence[str],
        *,
        depth: int,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
        max_nodes: int = 500,
    ) -> Subgraph:
        """Breadth-first neighbourhood."""
        return self.reader.expand(seeds, depth=depth, kinds=kinds, per_node=per_node, max_nodes=max_nodes)

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
        """Simple paths between two entities."""
        return self.reader.paths(source, target, max_length=max_length, k=k, kinds=kinds, per_node=per_node)

    def close(self) -> None:
        """Release the reader underneath."""
        self.reader.close()


class WithSources(Delegating):
    """A version of which only some sources are shown: its relations ("kg"), its passages ("doc"), or both.

    Relations keep the sentences that they cite, as provenance, so that an answer over the graph alone can be cited.
    """

    def __init__(self, reader: GraphReader, sources: Collection[str]) -> None:
        super().__init__(reader)
        self.sources = frozenset(sources)

    def nearest(self, kind: NodeKind, vector: Vector, k: int, *, threshold: float = -1.0) -> list[Scored]:
        """Nothing for passages that are not shown."""
        return [] if self._hides(kind) else super().nearest(kind, vector, k, threshold=threshold)

    def search_text(self, kind: NodeKind, query: str, k: int) -> list[Scored]:
        """Nothing for passages that are not shown."""
        return [] if self._hides(kind) else super().search_text(kind, query, k)

    def chunks_of(self, entity_ids: Sequence[str], *, per_entity: int = 5) -> dict[str, list[str]]:
        """Nothing for passages that are not shown."""
        return {} if self._hides("chunk") else super().chunks_of(entity_ids, per_entity=per_entity)

    def neighbours(
        self, entity_ids: Sequence[str], *, kinds: Collection[str] = ALL_KINDS, per_node: int = 50
    ) -> list[str]:
        """Nothing where relations are not shown."""
        return super().neighbours(entity_ids, kinds=kinds, per_node=per_node) if self._has_graph else []

    def expand(
        self,
        seeds: Sequence[str],
        *,
        depth: int,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
        max_nodes: int = 500,
    ) -> Subgraph:
        """The seeds alone where relations are not shown."""
        depth = depth if self._has_graph else 0
        return super().expand(seeds, depth=depth, kinds=kinds, per_node=per_node, max_nodes=max_nodes)

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
        """Nothing where relations are not shown."""
        if not self._has_graph:
            return []
        return super().paths(source, target, max_length=max_length, k=k, kinds=kinds, per_node=per_node)

    @property
    def _has_graph(self) -> bool:
        return "kg" in self.sources

    def _hides(self, kind: NodeKind) -> bool:
        return kind == "chunk" and "doc" not in self.sources


class PlainNames(Delegating):
    """A version without entity normalisation: an entity is known by its own name only, as it is written."""

    def entities(self, entity_ids: Sequence[str]) -> list[Entity]:
        """Entities without their aliases."""
        return [replace(entity, aliases=(entity.name,)) for entity in super().entities(entity_ids)]

    def find_entities(self, name: str) -> list[str]:
        """Entities of exactly this name, but for case."""
        found = super().find_entities(name)
        names = {entity.entity_id: entity.name.lower() for entity in super().entities(found)}
        return [entity_id for entity_id in found if names[entity_id] == name.lower()]


class Thinned(SnapshotReader):
    """A version directory of which a share of the relations is kept, by seed; documents and passages stay as they are.

    What 30 per cent keep, 50 keep too. An inferred relation is kept if all its premises are (section C.3).
    """

    def __init__(self, folder: Path, share: float, seed: int = 0) -> None:
        if not 0 <= share <= 1:
            raise ValueError(f"A share of relations lies between 0 and 1, not {share}.")
        super().__init__(folder)
        table = layout.open_table(folder, "relations")
        kept = _kept(table, share, seed)
        self._kept_ids = frozenset(table.column("relation_id").filter(pa.array(kept)).to_pylist())
        self._adjacency = _thinned(self._adjacency, kept)

    def relations(self, relation_ids: Sequence[str]) -> list[Relation]:
        """Relations that are kept."""
        return [r for r in super().relations(relation_ids) if r.relation_id in self._kept_ids]

    def evidence(self, relation_ids: Sequence[str], *, per_relation: int = 3) -> list[Evidence]:
        """Evidence of relations that are kept."""
        kept = [relation_id for relation_id in relation_ids if relation_id in self._kept_ids]
        return super().evidence(kept, per_relation=per_relation)


def _kept(table: pa.Table, share: float, seed: int) -> npt.NDArray[np.bool_]:
    """Whether each relation, in the order of ids, is kept."""
    drawn = np.random.default_rng(seed).random(len(table))
    stated = pc.equal(table.column("kind"), "asserted").to_numpy()
    kept: npt.NDArray[np.bool_] = (drawn < share) | ~stated
    premises = table.column("premises").combine_chunks()
    owners = pc.list_parent_indices(premises).to_numpy()
    parts = pc.index_in(pc.list_flatten(premises), value_set=table.column("relation_id"))
    numbers = pc.fill_null(parts, -1).to_numpy()
    for _ in range(_ROUNDS):
        falls = owners[(numbers >= 0) & ~kept[numbers]]
        if not kept[falls].any():
            break
        kept[falls] = False
    return kept


def _thinned(full: Adjacency, relations: npt.NDArray[np.bool_]) -> Adjacency:
    """The adjacency with the relations that are kept."""
    kept = relations[full.by_rank][full.rank]
    owners = np.repeat(np.arange(len(full.indptr) - 1), np.diff(full.indptr))[kept]
    return replace(
        full,
        indptr=group(owners, len(full.indptr) - 1),
        rank=full.rank[kept],
        other=full.other[kept],
        climb=full.climb[kept],
    )
