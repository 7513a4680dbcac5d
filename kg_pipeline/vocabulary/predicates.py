"""The closed set of predicates: Biolink-style names with inverse, symmetry, sign, domain and range.

Extraction maps the author's words onto it, inference composes it (`kg_pipeline.inference.composition`) and
Neo4j takes its relationship types from it, so nothing from a text or a model ever becomes a predicate.
"""

from __future__ import annotations

from dataclasses import dataclass

Sign = int  # +1 raises, -1 lowers, 0 carries no direction of effect


@dataclass(frozen=True, slots=True)
class Predicate:
    """One predicate of the closed set.

    `inverse` is how the relation reads from tail to head; for a symmetric predicate it is the predicate itself.
    `words` are lemmas that express it, used by the offline extractor and to map free text of a language model.
    """

    name: str
    label: str
    inverse_label: str
    symmetric: bool = False
    sign: Sign = 0
    words: tuple[str, ...] = ()


_ALL = (
    Predicate(
        "causes",
        "causes",
        "is caused by",
        sign=1,
        words=("cause", "lead", "trigger", "provoke", "elicit", "give rise", "result"),
    ),
    Predicate(
        "treats",
        "treats",
        "is treated by",
        sign=-1,
        words=("treat", "cure", "alleviate", "ameliorate", "relieve", "heal", "manage"),
    ),
    Predicate("prevents", "prevents", "is prevented by", sign=-1, words=("prevent", "protect", "avert")),
    Predicate(
        "activates",
        "activates",
        "is activated by",
        sign=1,
        words=("activate", "stimulate", "agonize", "agonise", "switch"),
    ),
    Predicate(
        "inhibits",
        "inhibits",
        "is inhibited by",
        sign=-1,
        words=(
            "inhibit",
            "block",
            "antagonize",
            "antagonise",
            "suppress",
            "repress",
            "inactivate",
            "neutralize",
            "neutralise",
            "abolish",
            "silence",
            "impair",
            "disrupt",
        ),
    ),
    Predicate(
        "increases",
        "increases",
        "is increased by",
        sign=1,
        words=(
            "increase",
            "raise",
            "elevate",
            "enhance",
            "upregulate",
            "up-regulate",
            "induce",
            "promote",
            "augment",
            "amplify",
            "boost",
            "accelerate",
            "exacerbate",
            "aggravate",
            "potentiate",
            "drive",
            "worsen",
            "favor",
            "favour",
        ),
    ),
    Predicate(
        "decreases",
        "decreases",
        "is decreased by",
        sign=-1,
        words=(
            "decrease",
            "reduce",
            "lower",
            "attenuate",
            "downregulate",
            "down-regulate",
            "diminish",
            "deplete",
            "dampen",
            "shorten",
            "delay",
            "weaken",
            "limit",
        ),
    ),
    Predicate(
        "regulates",
        "regulates",
        "is regulated by",
        words=(
            "regulate",
            "modulate",
            "control",
            "affect",
            "alter",
            "influence",
            "mediate",
            "govern",
            "change",
            "determine",
        ),
    ),
    Predicate(
        "produces",
        "produces",
        "is produced by",
        sign=1,
        words=("produce", "secrete", "release", "generate", "synthesize", "synthesise", "form"),
    ),
    Predicate("expresses", "expresses", "is expressed in", words=("express", "overexpress")),
    Predicate(
        "binds",
        "binds",
        "binds",
        symmetric=True,
        words=("bind", "interact", "associate physically", "complex", "ligate", "recruit"),
    ),
    Predicate(
        "targets", "targets", "is targeted by", words=("target", "recognize", "recognise", "attack", "direct")
    ),
    Predicate(
        "predisposes",
        "predisposes to",
        "has risk factor",
        sign=1,
        words=("predispose", "risk", "susceptibility", "contribute"),
    ),
    Predicate(
        "biomarker_of",
        "is a biomarker of",
        "has biomarker",
        words=(
            "biomarker",
            "marker",
            "indicate",
            "predict",
            "diagnose",
            "signal",
            "characterize",
            "characterise",
        ),
    ),
    Predicate(
        "manifestation_of",
        "is a manifestation of",
        "has manifestation",
        words=("manifest", "manifestation", "symptom", "feature", "complication", "present"),
    ),
    Predicate(
        "located_in",
        "is located in",
        "contains",
        words=("locate", "localize", "localise", "reside", "infiltrate", "accumulate", "deposit", "found"),
    ),
    Predicate(
        "part_of",
        "is part of",
        "has part",
        words=("part", "component", "subunit", "comprise", "contain", "consist"),
    ),
    Predicate(
        "converts_to",
        "is converted to",
        "is derived from",
        words=(
            "convert",
            "metabolize",
            "metabolise",
            "transform",
            "hydrolyze",
            "oxidize",
            "cleave",
            "degrade",
        ),
    ),
    Predicate(
        "subclass_of", "is a kind of", "has kind", words=("subtype", "type", "kind", "form", "variant")
    ),
    Predicate(
        "correlated_with",
        "is correlated with",
        "is correlated with",
        symmetric=True,
        words=("correlate", "correlation", "parallel"),
    ),
    Predicate(
        "associated_with",
        "is associated with",
        "is associated with",
        symmetric=True,
        words=("associate", "link", "relate", "implicate", "involve", "connect", "accompany", "mutate"),
    ),
    Predicate("related_to", "is related to", "is related to", symmetric=True, words=()),
)

PREDICATES: dict[str, Predicate] = {predicate.name: predicate for predicate in _ALL}
#: HAS_ENTITY (chunk to entity) and PART_OF (chunk to document): structure of the graph, never traversed as knowledge.
STRUCTURAL = ("HAS_ENTITY", "PART_OF")


def relationship_type(predicate: str) -> str:
    """Neo4j relationship type of a predicate of the closed set; a KeyError for anything else."""
    return PREDICATES[predicate].name.upper()
