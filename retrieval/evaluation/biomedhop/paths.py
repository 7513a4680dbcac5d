"""Path-based Reasoning and Counting: metapaths walked from a disease to both ends, and all diseases that fit.

The set of answers is computed twice, over firm edges and over all; only where both are the same is it closed. One
disease makes a question for its name, several make a question for their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from retrieval.evaluation.biomedhop.motifs import Hop, Motif, Slot, Witness
from retrieval.evaluation.biomedhop.patterns import ANSWER_AT, Family, Metapath
from retrieval.evaluation.biomedhop.steps import Rows, StepTable, StepTables
from retrieval.evaluation.biomedhop.typed_graph import Ints

_WALKS = 4  # walks from one disease
_LARGEST = 20  # answers of a question for their number
_FRONTIER = 4_000  # entities looked through for the hidden one of a witness


@dataclass(frozen=True, slots=True)
class _Walk:
    """Entities of a path and the reading of each step."""

    entities: tuple[int, ...]
    codes: tuple[int, ...]


def find_paths(
    tables: StepTables,
    metapath: Metapath,
    source: np.random.Generator,
    tries: int,
    quotas: Mapping[Family, int],
) -> Iterator[Motif]:
    """Motifs with one answer (family `path`) or with several (family `count`), at most one for each pick.

    A family whose quota is 0 when a motif is met is passed over before more is computed.
    """
    steps = [
        tables.get(metapath.types[n], metapath.steps[n], metapath.types[n + 1])
        for n in range(len(metapath.steps))
    ]
    begins = (steps[1].back.firm_degree > 0) & (steps[2].out.firm_degree > 0)
    candidates = np.flatnonzero(begins)
    if not len(candidates):
        return
    for disease in source.choice(candidates, size=tries).tolist():
        for _ in range(_WALKS):
            walk = _walk(steps, disease, source)
            motif = _motif(steps, metapath, walk, quotas) if walk is not None else None
            if motif is not None:
                yield motif
                break


def _walk(steps: list[StepTable], disease: int, source: np.random.Generator) -> _Walk | None:
    """A random path through the disease; None if it ends early or comes back."""
    found: list[tuple[int, int]] = []
    for ways in ((steps[1].back, steps[0].back), (steps[2].out, steps[3].out)):
        here = disease
        for rows in ways:
            step = _random_step(rows, here, source)
            if step is None:
                return None
            found.append(step)
            here = step[0]
    (gene, second), (start, first), (compound, third), (end, fourth) = found
    entities = (start, gene, disease, compound, end)
    return _Walk(entities, (first, second, third, fourth)) if len(set(entities)) == len(entities) else None


def _random_step(rows: Rows, number: int, source: np.random.Generator) -> tuple[int, int] | None:
    row = rows.of(number)
    firm = np.flatnonzero(rows.firm[row])
    if not len(firm):
        return None
    at = int(firm[source.integers(len(firm))])
    return int(rows.other[row][at]), int(rows.reading[row][at])


def _motif(
    steps: list[StepTable], metapath: Metapath, walk: _Walk, quotas: Mapping[Family, int]
) -> Motif | None:
    answers = _answers(steps, metapath, walk, is_firm=True)
    family: Family = "path" if len(answers) == 1 else "count"
    if not 1 <= len(answers) <= _LARGEST or quotas.get(family, 0) <= 0:
        return None
    exposed = {walk.entities[position] for position in metapath.exposed}
    if exposed & set(answers) or answers != _answers(steps, metapath, walk, is_firm=False):
        return None
    witnesses = [_witness(steps, metapath, walk, answer) for answer in answers]
    if any(witness is None for witness in witnesses):
        return None
    slots = tuple(
        Slot(name, walk.entities[n] if n in metapath.exposed else None)
        for n, name in enumerate(metapath.types)
    )
    hops = tuple(Hop(n, steps[n].readings[code], n + 1) for n, code in enumerate(walk.codes))
    return Motif(
        family,
        metapath.id,
        slots,
        hops,
        ANSWER_AT,
        tuple(answers),
        tuple(witness for witness in witnesses if witness is not None),
    )


def _answers(steps: list[StepTable], metapath: Metapath, walk: _Walk, *, is_firm: bool) -> list[int]:
    """Diseases that satisfy the pattern with the entities that the question names."""
    sides: list[Ints] = []
    for end, inner, outer, near in (
        (0, 1, steps[0].out, steps[1].out),
        (4, 3, steps[3].back, steps[2].back),
    ):
        first, second = (0, 1) if end == 0 else (3, 2)
        reached = outer.reached(np.array([walk.entities[end]]), walk.codes[first], is_firm=is_firm)
        if inner in metapath.exposed:
            reached = np.array([walk.entities[inner]])
        sides.append(near.reached(reached, walk.codes[second], is_firm=is_firm))
    common: list[int] = np.intersect1d(sides[0], sides[1], assume_unique=True).tolist()
    return common


def _witness(steps: list[StepTable], metapath: Metapath, walk: _Walk, answer: int) -> Witness | None:
    """A path of firm edges between five different entities through the answer; None if there is none."""
    start, end = walk.entities[0], walk.entities[4]
    lefts = _between(steps[0], steps[1], start, answer, walk.codes[:2])
    rights = _between(steps[2], steps[3], answer, end, walk.codes[2:])
    if 1 in metapath.exposed:
        lefts = [walk.entities[1]]
    if 3 in metapath.exposed:
        rights = [walk.entities[3]]
    for left in lefts:
        for right in rights:
            entities = (start, left, answer, right, end)
            if len(set(entities)) == len(entities):
                edges = tuple(
                    tuple(steps[n].out.edges_between(entities[n], entities[n + 1], code))
                    for n, code in enumerate(walk.codes)
                )
                return Witness(entities, edges)
    return None


def _between(first: StepTable, second: StepTable, one: int, other: int, codes: tuple[int, ...]) -> list[int]:
    """Entities on the two steps between two others, over firm edges."""
    near = first.out.reached(np.array([one]), codes[0], is_firm=True)
    far = second.back.reached(np.array([other]), codes[1], is_firm=True)
    found: list[int] = np.intersect1d(near, far, assume_unique=True)[:_FRONTIER].tolist()
    return found
