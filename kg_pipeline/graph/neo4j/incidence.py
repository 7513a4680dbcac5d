"""The graph in Neo4j seen from its nodes, as `kg_pipeline.graph.traversal.expansion` walks it.

Nodes are row numbers and relations are ranks, both stored as properties, so every order is an order of integers.
What one traversal has met is remembered, to name it in the end without asking again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_pipeline.graph.neo4j.client import VersionLabels
from kg_pipeline.graph.reader import ALL_KINDS
from kg_pipeline.graph.traversal.expansion import Incident, Ints
from kg_pipeline.vocabulary.predicates import PREDICATES, relationship_type

_TAXONOMIC = relationship_type("subclass_of")
_TYPES = "|".join(relationship_type(predicate) for predicate in PREDICATES)
#: More relations a node than any graph has; a parameter of LIMIT must fit into 63 bits.
_UNLIMITED = 2**31


class Neo4jIncidence:
    """`kg_pipeline.graph.traversal.expansion.Incidence` for one traversal."""

    def __init__(
        self, query: Callable[..., list[dict[str, Any]]], labels: VersionLabels, n_nodes: int
    ) -> None:
        self.n_nodes = n_nodes
        self._query = query
        self._label = labels.of("Entity")
        self._entity_ids: dict[int, str] = {}
        self._relation_ids: dict[int, str] = {}
        self._confidences: dict[int, float] = {}

    def ordinals(self, entity_ids: Sequence[str]) -> list[int]:
        """Row numbers of the entities that exist, in the order asked."""
        rows = self._query(
            f"UNWIND $ids AS id MATCH (e:{self._label} {{entity_id: id}}) RETURN {{id: id, row: e.row}} AS row",
            ids=list(dict.fromkeys(entity_ids)),
        )
        row_of = {row["id"]: row["row"] for row in rows}
        self._entity_ids |= {row: id_ for id_, row in row_of.items()}
        return [row_of[id_] for id_ in entity_ids if id_ in row_of]

    def entity_ids(self, ordinals: Ints) -> list[str]:
        """Ids of entities this traversal has met."""
        return [self._entity_ids[ordinal] for ordinal in ordinals.tolist()]

    def relation_ids(self, ranks: Ints) -> list[str]:
        """Ids of relations this traversal has met."""
        return [self._relation_ids[rank] for rank in ranks.tolist()]

    def confidences(self, ranks: Ints) -> npt.NDArray[np.float64]:
        """Confidence of relations this traversal has met."""
        return np.array([self._confidences[rank] for rank in ranks.tolist()], np.float64)

    def incident(self, nodes: Ints, kinds: Collection[str], per_node: int) -> Incident:
        """The best `per_node` relations of each node among those of the given kinds."""
        limit = min(per_node, _UNLIMITED)
        # One more than asked tells whether the cap cut something off.
        rows = self._query(
            f"UNWIND $nodes AS node MATCH (e:{self._label} {{row: node}}) "
            f"CALL (e) {{ MATCH (e)-[r:{_TYPES}]-() WHERE $every OR r.kind IN $kinds "
            "WITH DISTINCT r ORDER BY r.rank LIMIT $limit RETURN r } "
            "WITH node, r, startNode(r) AS head, endNode(r) AS tail "
            "RETURN {node: node, rank: r.rank, relation: r.relation_id, type: type(r), confidence: r.confidence, "
            "head: head.row, head_id: head.entity_id, tail: tail.row, tail_id: tail.entity_id} AS row",
            nodes=np.unique(nodes).tolist(),
            every=set(kinds) >= ALL_KINDS,
            kinds=sorted(kinds),
            limit=limit + 1,
        )
        kept: list[dict[str, Any]] = []
        taken: dict[int, int] = {}
        for row in sorted(rows, key=lambda row: (row["node"], row["rank"])):
            taken[row["node"]] = taken.get(row["node"], 0) + 1
            if taken[row["node"]] <= limit:
                kept.append(row)
        for row in kept:
            self._relation_ids[row["rank"]] = row["relation"]
            self._confidences[row["rank"]] = row["confidence"]
            self._entity_ids[row["head"]], self._entity_ids[row["tail"]] = row["head_id"], row["tail_id"]
        is_head = [row["head"] == row["node"] for row in kept]
        return Incident(
            owner=np.array([row["node"] for row in kept], np.int64),
            other=np.array(
                [row["tail"] if head else row["head"] for row, head in zip(kept, is_head, strict=True)],
                np.int64,
            ),
            rank=np.array([row["rank"] for row in kept], np.int64),
            climb=np.array(
                [
                    (1 if head else -1) if row["type"] == _TAXONOMIC else 0
                    for row, head in zip(kept, is_head, strict=True)
                ],
                np.int8,
            ),
            truncated=len(kept) < len(rows),
        )
