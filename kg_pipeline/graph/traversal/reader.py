"""The questions of a reader that walk the graph, in terms of a walk over rows and ranks; both stores inherit them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np

from kg_pipeline.graph.reader import ALL_KINDS, Path, Subgraph
from kg_pipeline.graph.traversal.expansion import Incidence, Ints, expand
from kg_pipeline.graph.traversal.naming import LaterDepths, LaterIds
from kg_pipeline.graph.traversal.paths import best_paths


class Walk(Incidence, Protocol):
    """A store seen from its nodes, and the ids of what a traversal met there."""

    def ordinals(self, entity_ids: Sequence[str]) -> list[int]:
        """Row numbers of the entities that exist, in the order asked."""
        ...

    def entity_ids(self, ordinals: Ints) -> list[str]:
        """Ids of entities."""
        ...

    def relation_ids(self, ranks: Ints) -> list[str]:
        """Ids of relations."""
        ...


class TraversingReader(ABC):
    """The part of `kg_pipeline.graph.reader.GraphReader` that is the same for every store."""

    @abstractmethod
    def _walk(self) -> Walk:
        """A walk for one traversal."""

    def neighbours(
        self, entity_ids: Sequence[str], *, kinds: Collection[str] = ALL_KINDS, per_node: int = 50
    ) -> list[str]:
        """Relations touching the entities: asserted first, then by (-confidence, id); capped per node."""
        walk = self._walk()
        nodes = np.unique(np.asarray(walk.ordinals(entity_ids), np.int64))
        return walk.relation_ids(np.unique(walk.incident(nodes, kinds, per_node).rank))

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
        walk = self._walk()
        found = expand(
            walk, walk.ordinals(seeds), depth=depth, kinds=kinds, per_node=per_node, max_nodes=max_nodes
        )
        depths = LaterDepths(
            found.n_nodes,
            lambda: dict(zip(walk.entity_ids(found.nodes()), found.depths().tolist(), strict=True)),
        )
        return Subgraph(depths, LaterIds(lambda: walk.relation_ids(found.ranks())), found.truncated)

    def paths(
        self,
        source: str,
        target: str,
        *,
        max_length: int = 4,
        k: int = 5,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
    ) -> list[Path]:
        """At most `k` simple paths, shortest first, then by product of confidences."""
        walk = self._walk()
        ends = walk.ordinals([source, target])
        if len(ends) < 2:
            return []
        found = best_paths(walk, ends[0], ends[1], max_length=max_length, k=k, kinds=kinds, per_node=per_node)
        return [
            Path(tuple(walk.entity_ids(np.array(path.nodes))), tuple(walk.relation_ids(np.array(path.ranks))))
            for path in found
        ]
