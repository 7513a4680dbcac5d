"""Bounded traversal over any store that can list the best relations of a node: breadth-first levels and ranked paths.

Nodes and relations are integers that order like the contract orders them: a relation's integer is its rank (see
`kg_pipeline.graph.adjacency`). The algorithms live here once, so that every store returns the same.

A class is never a bridge: a traversal that reached a node by going up a taxonomy (`subclass_of`) does not come
down it again, else everything that is a gene would be two hops from every other gene.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

#: Bounds that keep a pathological graph from costing more than a fraction of a second.
_MAX_PATH_NODES = 4_000
_MAX_PATH_STEPS = 50_000
_SMALLEST_CONFIDENCE = 1e-9


@dataclass(frozen=True, slots=True)
class Incident:
    """Relations met from a set of nodes, as parallel arrays; `climb` is 1 from a child to its class, -1 back, else 0."""

    owner: Ints
    other: Ints
    rank: Ints
    climb: npt.NDArray[np.int8]
    confidence: npt.NDArray[np.float64]
    truncated: bool

    def where(self, rows: npt.NDArray[np.bool_] | Ints) -> Incident:
        """Some of the rows, by mask or by position."""
        columns = (
            self.owner[rows],
            self.other[rows],
            self.rank[rows],
            self.climb[rows],
            self.confidence[rows],
        )
        return Incident(*columns, truncated=self.truncated)


class Incidence(Protocol):
    """A store seen from its nodes."""

    def incident(self, nodes: Ints, kinds: Collection[str], per_node: int) -> Incident:
        """The best `per_node` relations of each node among those of the given kinds."""
        ...


@dataclass(frozen=True, slots=True)
class Expansion:
    """Depth of each node in the order it was reached, and the relations met on the way."""

    depths: dict[int, int]
    met: tuple[Incident, ...]
    truncated: bool

    @property
    def ranks(self) -> list[int]:
        """Distinct relations, best first."""
        if not self.met:
            return []
        found: list[int] = np.unique(np.concatenate([level.rank for level in self.met])).tolist()
        return found


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
    distinct = list(dict.fromkeys(seeds))
    depths = dict.fromkeys(distinct[:max_nodes], 0)
    truncated = len(distinct) > max_nodes
    frontier = np.fromiter(depths, np.int64, len(depths))
    classes = np.empty(0, np.int64)
    levels: list[Incident] = []
    for level in range(1, depth + 1):
        if not len(frontier):
            break
        met = graph.incident(frontier, kinds, per_node)
        truncated |= met.truncated
        if len(classes):
            met = met.where(~((met.climb == -1) & np.isin(met.owner, classes)))
        met = met.where(np.lexsort((met.owner, met.rank)))
        known = np.fromiter(depths, np.int64, len(depths))
        is_new = ~np.isin(met.other, known)
        reached, first = np.unique(met.other[is_new], return_index=True)
        reached = reached[np.argsort(first)]
        room = max_nodes - len(depths)
        if len(reached) > room:
            truncated = True
            met = met.where(~is_new | np.isin(met.other, reached[:room]))
            reached = reached[:room]
        levels.append(met)
        depths.update(dict.fromkeys(reached.tolist(), level))
        frontier = reached
        classes = np.setdiff1d(reached, met.other[met.climb != 1])
    return Expansion(depths, tuple(levels), truncated)


@dataclass(frozen=True, slots=True)
class RankedPath:
    """Nodes and the ranks of the relations between them."""

    nodes: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    rank: int
    confidence: float
    climb: int

    @property
    def cost(self) -> float:
        return -math.log(max(self.confidence, _SMALLEST_CONFIDENCE))


_Steps = dict[int, dict[int, _Step]]


def best_paths(
    graph: Incidence,
    source: int,
    target: int,
    *,
    max_length: int,
    k: int,
    kinds: Collection[str],
    per_node: int,
) -> list[RankedPath]:
    """At most `k` simple paths, shortest first, then by product of confidences, then by ranks.

    The two ends are expanded towards each other, half of `max_length` each, through at most `per_node` relations a
    node; of parallel relations between two nodes the best one stands for the hop.
    """
    if source == target or k < 1 or max_length < 1:
        return []
    ahead, behind = (
        expand(graph, [end], depth=depth, kinds=kinds, per_node=per_node, max_nodes=_MAX_PATH_NODES)
        for end, depth in ((source, (max_length + 1) // 2), (target, max(max_length // 2, 1)))
    )
    steps = _steps((*ahead.met, *behind.met))
    bounds = _cheapest_walks(steps, source, target, max_length)
    found: list[RankedPath] = []
    for length in range(1, max_length + 1):
        found += _paths_of_length(steps, source, target, length, k - len(found), bounds)
        if len(found) >= k:
            break
    return found


def _steps(met: Sequence[Incident]) -> _Steps:
    steps: _Steps = {}
    for level in met:
        columns = (level.owner, level.other, level.rank, level.confidence, level.climb)
        for owner, other, rank, confidence, climb in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            known = steps.setdefault(owner, {}).get(other)
            if owner != other and (known is None or rank < known.rank):
                steps[owner][other] = _Step(rank, confidence, climb)
                steps.setdefault(other, {})[owner] = _Step(rank, confidence, -climb)
    return steps


def _cheapest_walks(steps: _Steps, source: int, target: int, max_length: int) -> list[dict[int, float]]:
    """For each number of hops, the least cost from a node to the target; a lower bound for simple paths."""
    bounds: list[dict[int, float]] = [{target: 0.0}]
    for _ in range(max_length):
        reach: dict[int, float] = {}
        for node, cost in bounds[-1].items():
            if node == source:
                continue
            for before, step in steps.get(node, {}).items():
                total = cost + step.cost
                if before != target and total < reach.get(before, math.inf):
                    reach[before] = total
        bounds.append(reach)
    return bounds


def _paths_of_length(
    steps: _Steps, source: int, target: int, length: int, k: int, bounds: list[dict[int, float]]
) -> list[RankedPath]:
    """Best-first search (A*) over simple paths of exactly `length` hops."""
    if source not in bounds[length]:
        return []
    queue: list[tuple[float, tuple[int, ...], tuple[int, ...], float, int]]
    queue = [(bounds[length][source], (), (source,), 0.0, 0)]
    found: list[tuple[float, RankedPath]] = []
    for _ in range(_MAX_PATH_STEPS):
        if not queue or len(found) >= k:
            break
        _, ranks, nodes, cost, climb = heapq.heappop(queue)
        left = length - len(ranks)
        if left == 0:
            found.append((cost, RankedPath(nodes, ranks)))
            continue
        for other, step in steps[nodes[-1]].items():
            ahead = bounds[left - 1].get(other)
            if ahead is None or other in nodes or (climb == 1 and step.climb == -1):
                continue
            spent = cost + step.cost
            heapq.heappush(queue, (spent + ahead, (*ranks, step.rank), (*nodes, other), spent, step.climb))
    return [path for _, path in sorted(found, key=lambda item: (item[0], item[1].ranks))]
