"""Entity Pair Matching and Intersection Reasoning: a hidden entity between two anchors, or among three clues.

An answer counts only if no other entity of its type is connected with all that the question names, by any predicate of
the steps and whether the edges are stated, hedged or inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from retrieval.evaluation.biomedhop.motifs import Hop, Motif, Slot, Witness
from retrieval.evaluation.biomedhop.patterns import CluePattern, Family, Pair, Reading
from retrieval.evaluation.biomedhop.steps import Rows, StepTables
from retrieval.evaluation.biomedhop.typed_graph import Ints

_ANSWER = 0  # slot of the answer
_WALKS = 4  # picks of anchors for one answer


@dataclass(frozen=True, slots=True)
class _Arm:
    """A connection of the answer: from the answer and from its neighbour, with the verbs as the answer's."""

    type_name: str
    from_answer: Rows
    from_other: Rows
    readings: tuple[Reading, ...]


def find_pairs(tables: StepTables, pair: Pair, source: np.random.Generator, tries: int) -> Iterator[Motif]:
    """Pairs of anchors with one shared neighbour, at most one for each of `tries` picks."""
    arm = _arm(tables, pair.answer, pair.anchor, pair.step, is_from_answer=pair.source == "answer")
    yield from _stars(tables, (arm, arm), pair.answer, pair.id, "entity_pair", source, tries)


def find_intersections(
    tables: StepTables, pattern: CluePattern, source: np.random.Generator, tries: int
) -> Iterator[Motif]:
    """Triples of clues with one answer, at most one for each of `tries` picks."""
    clues = tables.patterns.clues
    steps = [(name, clues.steps[name]) for name in pattern.types]
    arms = [
        _arm(tables, clues.answer, name, clue.step, is_from_answer=clue.source == "answer")
        for name, clue in steps
    ]
    yield from _stars(tables, tuple(arms), clues.answer, pattern.id, "intersection", source, tries)


def _arm(tables: StepTables, answer: str, other: str, step: str, *, is_from_answer: bool) -> _Arm:
    if is_from_answer:
        table = tables.get(answer, step, other)
        return _Arm(other, table.out, table.back, table.readings)
    table = tables.get(other, step, answer)
    return _Arm(other, table.back, table.out, tuple(reading.reversed for reading in table.readings))


def _stars(
    tables: StepTables,
    arms: tuple[_Arm, ...],
    answer_type: str,
    pattern: str,
    family: Family,
    source: np.random.Generator,
    tries: int,
) -> Iterator[Motif]:
    enough = np.logical_and.reduce([arm.from_answer.firm_degree > 0 for arm in arms])
    candidates = np.flatnonzero(enough)
    if not len(candidates):
        return
    for answer in source.choice(candidates, size=tries).tolist():
        for _ in range(_WALKS):
            picked = [_pick(arm, answer, source) for arm in arms]
            others = [other for other, _ in picked]
            if len({answer, *others}) <= len(arms) or not _is_only(arms, answer, others):
                continue
            slots = (
                Slot(answer_type, None),
                *(Slot(a.type_name, o) for a, o in zip(arms, others, strict=True)),
            )
            hops = tuple(
                Hop(_ANSWER, arm.readings[code], number)
                for number, (arm, (_, code)) in enumerate(zip(arms, picked, strict=True), 1)
            )
            edges = tuple(
                tuple(arm.from_answer.edges_between(answer, other, code))
                for arm, (other, code) in zip(arms, picked, strict=True)
            )
            yield _ordered(
                Motif(family, pattern, slots, hops, _ANSWER, (answer,), (Witness((answer, *others), edges),))
            )
            break


def _pick(arm: _Arm, answer: int, source: np.random.Generator) -> tuple[int, int]:
    """A neighbour over a firm edge, with the code of its reading."""
    rows = arm.from_answer
    row = rows.of(answer)
    firm = np.flatnonzero(rows.firm[row])
    at = int(firm[source.integers(len(firm))])
    return int(rows.other[row][at]), int(rows.reading[row][at])


def _is_only(arms: tuple[_Arm, ...], answer: int, others: list[int]) -> bool:
    found: Ints | None = None
    for arm, other in zip(arms, others, strict=True):
        reached = arm.from_other.reached(np.array([other]), None, is_firm=False)
        found = reached if found is None else np.intersect1d(found, reached, assume_unique=True)
    return found is not None and found.tolist() == [answer]


def _ordered(motif: Motif) -> Motif:
    """Anchors of one type in the order of their numbers, so that one question has one form."""
    first, second = motif.slots[1], motif.slots[2]
    if motif.family != "entity_pair" or (first.entity or 0) <= (second.entity or 0):
        return motif
    (witness,) = motif.witnesses
    one, other = motif.hops
    swapped = Witness((witness.entities[0], *witness.entities[:0:-1]), witness.edges[::-1])
    return replace(
        motif,
        slots=(motif.slots[0], second, first),
        hops=(replace(other, target=1), replace(one, target=2)),
        witnesses=(swapped,),
    )
