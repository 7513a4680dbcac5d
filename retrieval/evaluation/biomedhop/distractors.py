"""Wrong options: of the answer's type, about as long, and surely wrong."""

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
_WINDOW = 40  # candidates nearest in length that are drawn from at first
_WIDER = 8  # times as many, where too few of them can be used
_ALIKE = 0.85  # similarity of two spellings from which they may be one name


@dataclass(slots=True)
class Distractors:
    """Candidates by type, sorted by the length of their names; drawn from what has a relation in the graph."""

    tables: StepTables
    _sorted: dict[str, Ints] = field(default_factory=dict)

    def pick(self, motif: Motif, source: np.random.Generator) -> list[int] | None:
        """Wrong answers for a motif with one answer; None if its type has too few."""
        graph = self.tables.graph
        (answer,) = motif.answers
        candidates = self._candidates(motif.answer_type)
        lengths = graph.name_lengths[candidates]
        wanted = int(graph.name_lengths[answer])
        banned = {answer, *motif.exposed, *motif.witnesses[0].entities, *graph.kin.get(answer, ())}
        for width in (_WINDOW, _WINDOW * _WIDER):
            at = int(np.searchsorted(lengths, wanted))
            window = candidates[max(at - width, 0) : at + width]
            picked: list[int] = []
            for number in source.permutation(window).tolist():
                if number not in banned and not _may_be_one(graph, number, [answer, *picked]):
                    picked.append(number)
                if len(picked) == OPTIONS - 1:
                    return picked
        return None

    def _candidates(self, type_name: str) -> Ints:
        if type_name not in self._sorted:
            graph = self.tables.graph
            found = np.flatnonzero(self.tables.members(type_name) & graph.is_connected)
            self._sorted[type_name] = found[np.lexsort((found, graph.name_lengths[found]))]
        return self._sorted[type_name]


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
