"""The best simple paths between two nodes, over any store that can be expanded (`kg_pipeline.graph.traversal.expansion`).

A path does not go up a taxonomy (`subclass_of`) and down again: a class is not a bridge between its members.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kg_pipeline.graph.traversal.expansion import Incidence, Incident, expand

#: Bounds that keep a pathological graph from costing more than a fraction of a second.
_MAX_PATH_NODES = 4_000
_MAX_PATH_STEPS = 50_000
_SMALLEST_CONFIDENCE = 1e-9


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
    steps = _steps(graph, (*ahead.met, *behind.met))
    bounds = _cheapest_walks(steps, source, target, max_length)
    found: list[RankedPath] = []
    for length in range(1, max_length + 1):
        found += _paths_of_length(steps, source, target, length, k - len(found), bounds)
        if len(found) >= k:
            break
    return found


def _steps(graph: Incidence, met: Sequence[Incident]) -> _Steps:
    steps: _Steps = {}
    for level in met:
        columns = (level.owner, level.other, level.rank, graph.confidences(level.rank), level.climb)
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
