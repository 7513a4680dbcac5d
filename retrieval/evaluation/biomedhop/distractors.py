"""Wrong options: of the answer's type, about as long, as well known if there are enough of those, and surely wrong.

An answer is the only one by the relations of a graph, which does not hold all that its articles say. What the articles name
in one passage with each clue may be as right and is no option.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from rapidfuzz.distance import Levenshtein

from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.vocabulary.names.variants import normal_key
from retrieval.evaluation.biomedhop.motifs import Motif
from retrieval.evaluation.biomedhop.steps import StepTables
from retrieval.evaluation.biomedhop.typed_graph import Ints, TypedGraph
from retrieval.words.terms import find_name, name_keys, tokenise

OPTIONS = 4
_WINDOW = 40  # candidates nearest in length that are drawn from at first, at most
_LEAST_WINDOW = 8
_WINDOW_SHARE = 10  # of few candidates, one in ten to either side, or they would be of any length
_KNOWN = 3  # edges from which a name is no slip of the extraction and not ruled out by being rare
_WIDER = 8  # times as many, where too few of them can be used
_READ = 200  # passages of an entity, most mentions first
_ALIKE = 0.85  # similarity of two spellings from which they may be one name


@dataclass(slots=True)
class Distractors:
    """Candidates by type, sorted by the length of their names; drawn from what has relations in the graph."""

    tables: StepTables
    reader: GraphReader
    _passages: dict[int, frozenset[str]] = field(default_factory=dict)
    _sorted: dict[tuple[str, int, bool], Ints] = field(default_factory=dict)

    def pick(self, motif: Motif, source: np.random.Generator) -> list[int] | None:
        """Wrong answers for a motif with one answer; None if its type has too few."""
        graph = self.tables.graph
        (answer,) = motif.answers
        wanted = int(graph.name_lengths[answer])
        banned = {answer, *motif.exposed, *motif.witnesses[0].entities, *graph.kin.get(answer, ())}
        for degree, wider, is_known in (
            (_KNOWN, 1, True),
            (_KNOWN, 1, False),
            (1, 1, False),
            (1, _WIDER, False),
        ):
            candidates = self._candidates(motif.answer_type, degree, is_known=is_known)
            width = wider * min(max(len(candidates) // _WINDOW_SHARE, _LEAST_WINDOW), _WINDOW)
            at = int(np.searchsorted(graph.name_lengths[candidates], wanted))
            window = candidates[max(at - width, 0) : at + width]
            picked: list[int] = []
            for number in source.permutation(window).tolist():
                if number in banned or _may_be_one(graph, number, [answer, *picked]):
                    continue
                if not self._may_be_right(number, motif.exposed):
                    picked.append(number)
                if len(picked) == OPTIONS - 1:
                    return picked
        return None

    def _may_be_right(self, number: int, clues: Iterable[int]) -> bool:
        """Whether passages name it beside every clue, be there a relation or not."""
        read = self._passages_of(number)
        return all(not read.isdisjoint(self._passages_of(clue)) for clue in clues)

    def _passages_of(self, number: int) -> frozenset[str]:
        if number not in self._passages:
            entity_id = self.tables.graph.ids[number]
            found = self.reader.chunks_of([entity_id], per_entity=_READ).get(entity_id, ())
            self._passages[number] = frozenset(found)
        return self._passages[number]

    def _candidates(self, type_name: str, degree: int, *, is_known: bool) -> Ints:
        """Entities of a type with some edges or more, only those of a vocabulary if so, in the order of their lengths."""
        key = type_name, degree, is_known
        if key not in self._sorted:
            graph = self.tables.graph
            fitting = self.tables.members(type_name) & (graph.firm_degree >= degree)
            found = np.flatnonzero(fitting & graph.is_known if is_known else fitting)
            self._sorted[key] = found[np.lexsort((found, graph.name_lengths[found]))]
        return self._sorted[key]


def _may_be_one(graph: TypedGraph, number: int, others: list[int]) -> bool:
    """Whether a name is that of another entity, holds it or is held by it, or is spelt nearly like it."""
    name = graph.names[number]
    key, tokens, keys = normal_key(name), tokenise(name), name_keys([name])
    for other in others:
        other_name = graph.names[other]
        if Levenshtein.normalized_similarity(key, normal_key(other_name)) >= _ALIKE:
            return True
        if find_name(tokens, name_keys([other_name])) or find_name(tokenise(other_name), keys):
            return True
    return False
