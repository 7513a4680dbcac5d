"""Questions in words: every hop is told in its direction with the verb of its predicate, hidden entities by type only.

Paths follow the templates of table 17, which give the type of what they name ("a certain cell type [X] expresses …"); a
pair or an intersection names its entities as a person would.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.evaluation.biomedhop.motifs import Hop, Motif
from retrieval.evaluation.biomedhop.patterns import Patterns
from retrieval.evaluation.biomedhop.typed_graph import TypedGraph

LETTERS = "ABCDEFGH"
#: Verbs for the names of relations that make no sentence.
_VERBS = {
    "has part": "contains",
    "has kind": "includes",
    "has risk factor": "is made more likely by",
    "has biomarker": "is indicated by",
    "has manifestation": "shows itself in",
}


def render_stem(motif: Motif, patterns: Patterns, graph: TypedGraph) -> str:
    """The question without options; those of the families `path` and `count` tell the path first."""
    if motif.family in ("path", "count"):
        return _told_path(motif, patterns, graph)
    return _asked_star(motif, patterns, graph)


def render_options(stem: str, options: Sequence[str]) -> str:
    """The multiple-choice rendering of a question: its stem, then "A) … B) …"."""
    listed = " ".join(f"{letter}) {text}" for letter, text in zip(LETTERS, options, strict=False))
    return f"{stem} {listed}"


def _asked_star(motif: Motif, patterns: Patterns, graph: TypedGraph) -> str:
    word = patterns.types[motif.answer_type].word
    names = [graph.names[motif.slots[hop.target].entity or 0] for hop in motif.hops]
    verbs = [_verb(hop) for hop in motif.hops]
    if motif.family == "entity_pair" and verbs[0] == verbs[1]:
        return f"Which {word} {verbs[0]} both {names[0]} and {names[1]}?"
    parts = [f"{verb} {name}" for verb, name in zip(verbs, names, strict=True)]
    return f"Which {word} {', '.join(parts[:-1])} and {parts[-1]}?"


def _verb(hop: Hop) -> str:
    return _VERBS.get(hop.reading.label, hop.reading.label)


def _told_path(motif: Motif, patterns: Patterns, graph: TypedGraph) -> str:
    met: set[int] = set()
    sentences = []
    for hop in motif.hops:
        ends = []
        for slot in (hop.source, hop.target):
            if motif.slots[slot].entity is not None:
                ends.append(_named(motif, slot, patterns, graph))
            else:
                word = patterns.types[motif.slots[slot].type_name].word
                ends.append(f"that {word}" if slot in met else f"a certain {word}")
            met.add(slot)
        sentences.append(f"{ends[0]} {_verb(hop)} {ends[1]}.")
    told = " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)
    answer = patterns.types[motif.answer_type]
    if motif.family == "count":
        return f"{told} How many distinct {answer.many} fit this description?"
    return f"{told} What is the {answer.word}?"


def _named(motif: Motif, slot: int, patterns: Patterns, graph: TypedGraph) -> str:
    place = motif.slots[slot]
    return f"the {patterns.types[place.type_name].word} {graph.names[place.entity or 0]}"
