"""Whether a reader can tell what a question asks for: no kind of the answer fits as well, and no clue is a kind of it."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from retrieval.evaluation.biomedhop.motifs import Motif
from retrieval.evaluation.biomedhop.typed_graph import TypedGraph
from retrieval.words.terms import find_name, name_keys, tokenise

_CLASS = 10  # kinds in the graph from which a name says nothing: "virus", "nanoparticles", "tumor"


def unclear(motif: Motif, graph: TypedGraph) -> str:
    """What makes a question ambiguous or trivial; empty if nothing does.

    A graph has "tumor" and its kinds side by side. Where a kind of the answer has a relation to something that the
    question names, a reader may as well give the kind; where a clue is a class or a kind of the answer, or two clues are
    of one another, the question says little; and a class is not counted beside its own kinds. What many things are kinds
    of stands for no one thing, be it named, asked for or on the way.
    """
    if any(other in graph.kin.get(one, ()) for one, other in combinations(sorted(motif.answers), 2)):
        return "one of its answers is a kind of another"
    involved = {*motif.exposed, *(one for witness in motif.witnesses for one in witness.entities)}
    if any(len(graph.kinds.get(one, ())) >= _CLASS for one in involved):
        return "it leads over a whole class of things"
    known = (*motif.exposed, *motif.answers)
    if any(other in graph.kin.get(one, ()) for one in motif.exposed for other in known):
        return "a clue is a kind of what else it names or asks for"
    if any(_holds(graph, one, other) for one in motif.exposed for other in motif.exposed if one != other):
        return "the name of a clue is part of another's"
    kinds = sorted(set().union(*(graph.kinds.get(answer, ()) for answer in motif.answers)))
    if kinds and graph.are_related(np.array(kinds), np.array(motif.exposed)).any():
        return "a kind of the answer fits as well"
    return ""


def _holds(graph: TypedGraph, one: int, other: int) -> bool:
    return find_name(tokenise(graph.names[one]), name_keys([graph.names[other]])) is not None
