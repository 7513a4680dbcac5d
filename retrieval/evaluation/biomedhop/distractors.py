"""Wrong options: of the answer's type, about as long, as well known if there are enough of those, and surely wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from rapidfuzz.distance import Levenshtein

from kg_pipeline.vocabulary.variants import normal_key
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
_ALIKE = 0.85  # similarity of two spellings from which they may be one name


@dataclass(slots=True)
class Distractors:
    """Candidates by type, sorted by the length of their names; drawn from what has relations in the graph."""

    tables: StepTables
    _sorted: dict[tuple[str, int], Ints] = field(default_factory=dict)

    def pick(self, motif: Motif, source: np.random.Generator) -> list[int] | None:
        """Wrong answers for a motif with one answer; None if its type has too few."""
        graph = self.tables.graph
        (answer,) = motif.answers
        wanted = int(graph.name_lengths[answer])
        banned = {answer, *motif.exposed, *motif.witnesses[0].entities, *graph.kin.get(answer, ())}
        for degree, wider in ((_KNOWN, 1), (1, 1), (1, _WIDER)):
            candidates = self._candidates(motif.answer_type, degree)
            width = wider * min(max(len(candidates) // _WINDOW_SHARE, _LEAST_WINDOW), _WINDOW)
            at = int(np.searchsorted(graph.name_lengths[candidates], wanted))
            window = candidates[max(at - width, 0) : at + width]
            picked: list[int] = []
            for number in source.permutation(window).tolist():
                if number not in banned and not _may_be_one(graph, number, [answer, *picked]):
                    picked.append(number)
                if len(picked) == OPTIONS - 1:
                    return picked
        return None

    def _candidates(self, type_name: str, degree: int) -> Ints:
        """Entities of a type with some edges or more, in the order of their lengths."""
        key = type_name, degree
        if key not in self._sorted:
            graph = self.tables.graph
            found = np.flatnonzero(self.tables.members(type_name) & (graph.firm_degree >= degree))
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
