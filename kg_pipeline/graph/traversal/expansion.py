"""Breadth-first expansion over any store that can list the best relations of a node.

Nodes and relations are integers that order like the contract orders them: a relation's integer is its rank (see
`kg_pipeline.graph.snapshot.adjacency`). The algorithm lives here once, so that every store returns the same.

A class is never a bridge: a traversal that reached a node by going up a taxonomy (`subclass_of`) does not come
down it again, else everything that is a gene would be two hops from every other gene.

Two hops from a hub meet a large part of a graph, so no step sorts what it met: nodes are marked in an array of flags,
and which relation reaches a node first is kept in an array of ranks. Both are touched only where a node was met.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.integer[Any]]

#: No rank is as great: there are fewer relations.
_BEYOND = np.iinfo(np.int32).max
#: From this share of all ranks on, marking them is cheaper than sorting those that were met.
_DENSE = 1 / 32


@dataclass(frozen=True, slots=True)
class Incident:
    """Relations met from a set of nodes, as parallel arrays; `climb` is 1 from a child to its class, -1 back, else 0."""

    owner: Ints
    other: Ints
    rank: Ints
    climb: npt.NDArray[np.int8]
    truncated: bool

    def where(self, rows: npt.NDArray[np.bool_] | Ints) -> Incident:
        """Some of the rows, by mask or by position."""
        return Incident(
            self.owner[rows], self.other[rows], self.rank[rows], self.climb[rows], truncated=self.truncated
        )


class Incidence(Protocol):
    """A store seen from its nodes."""

    @property
    def n_nodes(self) -> int:
        """How many nodes there are; their integers are below that."""
        ...

    def incident(self, nodes: Ints, kinds: Collection[str], per_node: int) -> Incident:
        """The best `per_node` relations of each of these distinct nodes among those of the given kinds."""
        ...

    def confidences(self, ranks: Ints) -> npt.NDArray[np.float64]:
        """Confidence of each relation."""
        ...


@dataclass(frozen=True, slots=True)
class Level:
    """Nodes that were reached at one depth, and for each the rank of the relation that reached it first."""

    nodes: Ints
    ranks: Ints

    def in_order(self) -> Ints:
        """Nodes, that of the best relation first; no relation reaches two."""
        return self.nodes[np.argsort(self.ranks)]

    def best(self, n: int) -> Level:
        """The `n` nodes that the best relations reach."""
        if n >= len(self.nodes):
            return self
        chosen = np.argpartition(self.ranks, n)[:n] if n > 0 else np.empty(0, np.int64)
        return Level(self.nodes[chosen], self.ranks[chosen])


@dataclass(frozen=True, slots=True)
class Expansion:
    """Nodes by depth, the seeds first, and the relations met on the way."""

    levels: tuple[Level, ...]
    met: tuple[Incident, ...]
    truncated: bool

    @property
    def n_nodes(self) -> int:
        """How many nodes were reached."""
        return sum(len(level.nodes) for level in self.levels)

    def nodes(self) -> Ints:
        """All nodes in the order they were reached."""
        return np.concatenate([level.in_order() for level in self.levels])

    def depths(self) -> Ints:
        """Depth of each of `nodes`."""
        return np.repeat(np.arange(len(self.levels)), [len(level.nodes) for level in self.levels])

    def ranks(self) -> Ints:
        """Distinct relations, best first."""
        met = np.concatenate([np.empty(0, np.int32), *(level.rank for level in self.met)])
        if not len(met) or len(met) < _DENSE * met.max():
            distinct: Ints = np.unique(met)
            return distinct
        is_met = np.zeros(int(met.max()) + 1, np.bool_)
        is_met[met] = True
        return np.flatnonzero(is_met)


def expand(
    graph: Incidence,
    seeds: Sequence[int],
    *,
    depth: int,
    kinds: Collection[str],
    per_node: int,
    max_nodes: int,
) -> Expansion:
    """Breadth-first, one level at a time; within a level the best relations claim the remaining room first."""
    distinct = np.array(list(dict.fromkeys(seeds)), np.int64)
    seeded = Level(distinct[:max_nodes], np.arange(min(len(distinct), max_nodes)))
    levels: list[Level] = [seeded]
    met: list[Incident] = []
    truncated, room = len(distinct) > max_nodes, max_nodes - len(seeded.nodes)
    is_known = np.zeros(graph.n_nodes, np.bool_)
    is_known[seeded.nodes] = True
    reaching = np.empty(graph.n_nodes, np.int32)
    while len(levels) <= depth and len(levels[-1].nodes):
        found = graph.incident(levels[-1].nodes, kinds, per_node)
        if met:
            found = _without_descent(found, _only_climbed_to(met[-1], levels[-1], graph.n_nodes))
        every = _reached(found, is_known, reaching)
        kept = every.best(room)
        is_known[kept.nodes] = True
        if len(kept.nodes) < len(every.nodes):
            found = found.where(np.flatnonzero(is_known[found.other]))
        truncated |= found.truncated or len(kept.nodes) < len(every.nodes)
        room -= len(kept.nodes)
        levels.append(kept)
        met.append(found)
    return Expansion(tuple(levels), tuple(met), truncated)


def _without_descent(met: Incident, classes: Ints) -> Incident:
    """What was met, without the steps from these classes to their members."""
    if not len(classes):
        return met
    down = np.flatnonzero(met.climb == -1)
    is_kept = np.ones(len(met.rank), np.bool_)
    is_kept[down[np.isin(met.owner[down], classes)]] = False
    return met if is_kept.all() else met.where(np.flatnonzero(is_kept))


def _reached(met: Incident, is_known: npt.NDArray[np.bool_], reaching: npt.NDArray[np.int32]) -> Level:
    """Nodes met for the first time; `reaching` is room for one rank a node."""
    is_new = np.flatnonzero(~is_known[met.other])
    nodes, ranks = met.other[is_new], met.rank[is_new].astype(np.int32, copy=False)  # of one type it is fast
    reaching[nodes] = _BEYOND
    np.minimum.at(reaching, nodes, ranks)
    # One relation cannot reach a new node twice: its other end is the owner, or it would not be new.
    first = np.flatnonzero(reaching[nodes] == ranks)
    return Level(nodes[first], ranks[first])


def _only_climbed_to(met: Incident, level: Level, n_nodes: int) -> Ints:
    """Those nodes of a level that were reached by going up a taxonomy and by nothing else."""
    is_climb = met.climb == 1
    if not is_climb.any():
        return np.empty(0, np.int64)
    is_class = np.zeros(n_nodes, np.bool_)
    is_class[met.other[is_climb]] = True
    is_class[met.other[~is_climb]] = False
    classes: Ints = level.nodes[is_class[level.nodes]]
    return classes
