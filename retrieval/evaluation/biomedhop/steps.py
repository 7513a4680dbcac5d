"""Steps between types as compressed sparse rows, in both directions, with the predicate each edge is read by."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kg_pipeline.graph.snapshot.adjacency import group, row_positions
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evaluation.biomedhop.patterns import Patterns, Reading
from retrieval.evaluation.biomedhop.typed_graph import PREDICATE_CODES, Ints, TypedGraph

Codes = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Rows:
    """What each entity reaches by a step: other end, reading, edge, and whether the edge is firm."""

    indptr: Ints
    other: Ints
    reading: Codes
    edge: Ints
    firm: npt.NDArray[np.bool_]
    firm_degree: Ints = field(repr=False)

    def of(self, number: int) -> slice:
        """Positions of one entity."""
        return slice(int(self.indptr[number]), int(self.indptr[number + 1]))

    def reached(self, numbers: Ints, reading: int | None, *, is_firm: bool) -> Ints:
        """Entities that some of `numbers` reach by a reading (None: any), each once, ascending."""
        starts = self.indptr[numbers]
        positions, _ = row_positions(starts, self.indptr[numbers + 1] - starts)
        if reading is not None:
            positions = positions[self.reading[positions] == reading]
        if is_firm:
            positions = positions[self.firm[positions]]
        found: Ints = np.unique(self.other[positions])
        return found

    def edges_between(self, one: int, other: int, reading: int) -> list[int]:
        """All firm edges between two entities by a reading."""
        row = self.of(one)
        found = (self.other[row] == other) & (self.reading[row] == reading) & self.firm[row]
        return sorted(self.edge[row][found].tolist())


@dataclass(frozen=True, slots=True)
class StepTable:
    """A step between two types."""

    readings: tuple[Reading, ...]
    out: Rows  # from the source
    back: Rows  # from the target


@dataclass(slots=True)
class StepTables:
    """The steps of patterns over one graph, made when first asked for."""

    graph: TypedGraph
    patterns: Patterns
    _made: dict[tuple[str, str, str], StepTable] = field(default_factory=dict)
    _members: dict[str, npt.NDArray[np.bool_]] = field(default_factory=dict)

    def members(self, type_name: str) -> npt.NDArray[np.bool_]:
        """Entities of a type of the paper."""
        if type_name not in self._members:
            self._members[type_name] = self.graph.members(self.patterns.types[type_name].categories)
        return self._members[type_name]

    def get(self, source: str, step: str, target: str) -> StepTable:
        """The table of a step between two types."""
        key = (source, step, target)
        if key not in self._made:
            self._made[key] = self._make(*key)
        return self._made[key]

    def _make(self, source: str, step: str, target: str) -> StepTable:
        graph = self.graph
        readings = self.patterns.steps[step].readings
        sources, targets = self.members(source), self.members(target)
        parts: list[tuple[Ints, Ints, Codes, Ints]] = []
        for code, reading in enumerate(readings):
            of_predicate = np.flatnonzero(graph.predicate == PREDICATE_CODES[reading.predicate])
            ways = [(graph.head, graph.tail), (graph.tail, graph.head)]
            if not PREDICATES[reading.predicate].symmetric:
                ways = ways[:1] if reading.is_forward else ways[1:]
            for start, end in ways:
                edges = of_predicate[sources[start[of_predicate]] & targets[end[of_predicate]]]
                ends = start[edges].astype(np.int64), end[edges].astype(np.int64)
                parts.append((*ends, np.full(len(edges), code, np.int16), edges))
        start, end, reading_codes, edges = (np.concatenate(column) for column in zip(*parts, strict=True))
        return StepTable(
            readings,
            _rows(graph, start, end, reading_codes, edges),
            _rows(graph, end, start, reading_codes, edges),
        )


def _rows(graph: TypedGraph, owner: Ints, other: Ints, reading: Codes, edge: Ints) -> Rows:
    order = np.lexsort((edge, reading, other, owner))
    firm = graph.firm[edge]
    return Rows(
        indptr=group(owner, graph.size),
        other=other[order],
        reading=reading[order],
        edge=edge[order],
        firm=firm[order],
        firm_degree=np.bincount(owner[firm], minlength=graph.size),
    )
