"""Words that state a relation: verbs by what follows them, nouns by their role, and their inflected forms.

The predicates' own words come from `kg_pipeline.vocabulary.predicates`; this module adds what a parser has to
know about them. "X results in Y" and "X results from Y" share a verb and differ in direction, so a verb maps
*markers* (its direct object, or the preposition that follows) to a meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from kg_pipeline.extraction.lexicon.inflection import inflections
from kg_pipeline.vocabulary.predicates import PREDICATES


@dataclass(frozen=True, slots=True)
class Meaning:
    """A predicate, and whether the grammatical subject is its tail."""

    predicate: str
    inverted: bool = False


#: Marker of a direct object; other markers are prepositions.
OBJECT = "obj"

#: Predicates that lower what they act on.
LOWERING = frozenset({"inhibits", "decreases"})

#: Predicates whose words are transitive verbs read from subject to direct object.
_TRANSITIVE = (
    "causes",
    "treats",
    "prevents",
    "activates",
    "inhibits",
    "increases",
    "decreases",
    "regulates",
    "produces",
    "expresses",
    "binds",
    "targets",
)

_MORE_TRANSITIVE: dict[str, str] = {
    "abrogate": "inhibits",
    "ablate": "inhibits",
    "antagonise": "inhibits",
    "counteract": "inhibits",
    "reverse": "decreases",
    "hinder": "inhibits",
    "prohibit": "inhibits",
    "restrain": "inhibits",
    "curb": "decreases",
    "mitigate": "decreases",
    "downmodulate": "decreases",
    "downregulate": "decreases",
    "combat": "treats",
    "evoke": "causes",
    "precipitate": "causes",
    "underlie": "causes",
    "facilitate": "increases",
    "intensify": "increases",
    "upregulate": "increases",
    "encode": "produces",
    "phosphorylate": "regulates",
    "dephosphorylate": "regulates",
    "ubiquitinate": "regulates",
    "acetylate": "regulates",
    "methylate": "regulates",
}


def _to(predicate: str, *markers: str, inverted: bool = False) -> dict[str, Meaning]:
    return dict.fromkeys(markers, Meaning(predicate, inverted))


#: Verbs that say something else with another marker, or are not transitive; they replace the defaults.
_PARTICULAR: dict[str, dict[str, Meaning]] = {
    "lead": _to("causes", "to"),
    "give rise": _to("causes", "to"),
    "result": _to("causes", "in") | _to("causes", "from", inverted=True),
    "arise": _to("causes", "from", inverted=True),
    "stem": _to("causes", "from", inverted=True),
    "contribute": _to("predisposes", "to"),
    "predispose": _to("predisposes", "to"),
    "prevent": _to("prevents", OBJECT, "from"),
    "protect": _to("prevents", "against", "from"),
    "associate": _to("associated_with", "with", "to"),
    "link": _to("associated_with", "with", "to"),
    "relate": _to("associated_with", "with", "to"),
    "connect": _to("associated_with", "with", "to"),
    "implicate": _to("associated_with", "in", "with"),
    "involve": _to("associated_with", "in"),
    "participate": _to("associated_with", "in"),
    "accompany": _to("associated_with", OBJECT),
    "mutate": _to("associated_with", "in"),
    "correlate": _to("correlated_with", "with", "to"),
    "parallel": _to("correlated_with", OBJECT),
    "bind": _to("binds", OBJECT, "to", "with"),
    "interact": _to("binds", "with"),
    "interfere": _to("inhibits", "with"),
    "complex": _to("binds", "with"),
    "dimerize": _to("binds", "with"),
    "heterodimerize": _to("binds", "with"),
    "ligate": _to("binds", OBJECT),
    "recruit": _to("binds", OBJECT),
    "express": _to("expresses", OBJECT) | _to("expresses", "in", "on", inverted=True),
    "overexpress": _to("expresses", OBJECT) | _to("expresses", "in", "on", inverted=True),
    "localize": _to("located_in", "in", "to", "at", "within"),
    "localise": _to("located_in", "in", "to", "at", "within"),
    "locate": _to("located_in", "in", "at", "within"),
    "reside": _to("located_in", "in", "within"),
    "accumulate": _to("located_in", "in", "within"),
    "deposit": _to("located_in", "in", "within"),
    "enrich": _to("located_in", "in"),
    "infiltrate": _to("located_in", OBJECT, "into"),
    "find": _to("located_in", "in"),
    "comprise": _to("part_of", OBJECT, inverted=True),
    "contain": _to("part_of", OBJECT, inverted=True),
    "consist": _to("part_of", "of", inverted=True),
    "convert": _to("converts_to", "to", "into"),
    "metabolize": _to("converts_to", "to", "into"),
    "metabolise": _to("converts_to", "to", "into"),
    "transform": _to("converts_to", "into"),
    "hydrolyze": _to("converts_to", "to", "into"),
    "oxidize": _to("converts_to", "to", "into"),
    "cleave": _to("converts_to", "to", "into"),
    "degrade": _to("decreases", OBJECT) | _to("converts_to", "to", "into"),
    "derive": _to("converts_to", "from", inverted=True),
    "characterize": _to("manifestation_of", OBJECT, "with"),
    "characterise": _to("manifestation_of", OBJECT, "with"),
    "manifest": _to("manifestation_of", "as", "with", inverted=True),
    "present": _to("manifestation_of", "with", inverted=True),
    "predict": _to("biomarker_of", OBJECT),
    "diagnose": _to("biomarker_of", OBJECT),
    "indicate": _to("treats", "for"),
    "approve": _to("treats", "for"),
    "license": _to("treats", "for"),
    "prescribe": _to("treats", "for"),
    "recommend": _to("treats", "for"),
    "belong": _to("subclass_of", "to"),
    "treat": _to("treats", OBJECT) | _to("treats", "with", inverted=True),
    "manage": _to("treats", OBJECT) | _to("treats", "with", inverted=True),
    "trigger": _to("causes", OBJECT),
}

#: Verbs of the predicates' words that say too many other things to be read without their own entry.
_AMBIGUOUS = frozenset({"switch", "silence", "change", "determine", "direct", "form", "limit", "delay"})


@cache
def verb_meanings() -> dict[str, dict[str, Meaning]]:
    """Marker to meaning, by verb lemma."""
    verbs = {
        word.replace("-", ""): _to(name, OBJECT)
        for name in _TRANSITIVE
        for word in PREDICATES[name].words
        if " " not in word and word not in _AMBIGUOUS
    }
    verbs.pop("mutate", None)
    verbs |= {word: _to(name, OBJECT) for word, name in _MORE_TRANSITIVE.items()}
    return verbs | _PARTICULAR


#: Nouns of a process: "inhibition of Y by X", "X inhibition of Y", "X-mediated inhibition of Y".
EVENT_NOUNS: dict[str, str] = {
    "activation": "activates",
    "stimulation": "activates",
    "inhibition": "inhibits",
    "suppression": "inhibits",
    "repression": "inhibits",
    "inactivation": "inhibits",
    "antagonism": "inhibits",
    "neutralization": "inhibits",
    "neutralisation": "inhibits",
    "induction": "increases",
    "upregulation": "increases",
    "enhancement": "increases",
    "promotion": "increases",
    "downregulation": "decreases",
    "reduction": "decreases",
    "attenuation": "decreases",
    "depletion": "decreases",
    "regulation": "regulates",
    "modulation": "regulates",
    "phosphorylation": "regulates",
    "secretion": "produces",
    "production": "produces",
    "prevention": "prevents",
}

#: Nouns that name what their holder does: "X is an inhibitor of Y", "X, a Y inhibitor", "the Y inhibitor X".
ROLE_NOUNS: dict[str, Meaning] = {
    "inhibitor": Meaning("inhibits"),
    "antagonist": Meaning("inhibits"),
    "blocker": Meaning("inhibits"),
    "suppressor": Meaning("inhibits"),
    "repressor": Meaning("inhibits"),
    "agonist": Meaning("activates"),
    "activator": Meaning("activates"),
    "stimulator": Meaning("activates"),
    "inducer": Meaning("increases"),
    "promoter": Meaning("increases"),
    "enhancer": Meaning("increases"),
    "regulator": Meaning("regulates"),
    "modulator": Meaning("regulates"),
    "mediator": Meaning("regulates"),
    "determinant": Meaning("regulates"),
    "cause": Meaning("causes"),
    "trigger": Meaning("causes"),
    "driver": Meaning("causes"),
    "consequence": Meaning("causes", inverted=True),
    "biomarker": Meaning("biomarker_of"),
    "marker": Meaning("biomarker_of"),
    "predictor": Meaning("biomarker_of"),
    "indicator": Meaning("biomarker_of"),
    "symptom": Meaning("manifestation_of"),
    "manifestation": Meaning("manifestation_of"),
    "complication": Meaning("manifestation_of"),
    "feature": Meaning("manifestation_of"),
    "hallmark": Meaning("manifestation_of"),
    "sign": Meaning("manifestation_of"),
    "subtype": Meaning("subclass_of"),
    "type": Meaning("subclass_of"),
    "kind": Meaning("subclass_of"),
    "form": Meaning("subclass_of"),
    "subset": Meaning("subclass_of"),
    "component": Meaning("part_of"),
    "part": Meaning("part_of"),
    "subunit": Meaning("part_of"),
    "constituent": Meaning("part_of"),
    "ligand": Meaning("binds"),
    "target": Meaning("targets", inverted=True),
    "precursor": Meaning("converts_to"),
    "metabolite": Meaning("converts_to", inverted=True),
    "treatment": Meaning("treats"),
    "therapy": Meaning("treats"),
    "cure": Meaning("treats"),
}

#: "risk factor for Y" and its like, by the word before the noun.
RISK_NOUNS = frozenset({"risk", "likelihood", "odds", "susceptibility", "probability", "predisposition"})

#: Nouns of a relation between two things: "association between X and Y", "correlation of X with Y".
RELATION_NOUNS: dict[str, str] = {
    "association": "associated_with",
    "link": "associated_with",
    "relationship": "associated_with",
    "relation": "associated_with",
    "connection": "associated_with",
    "correlation": "correlated_with",
    "interaction": "binds",
    "binding": "binds",
    "conversion": "converts_to",
}

#: Nouns of an effect that name no sign: "X had no effect on Y", "the role of X in Y".
EFFECT_NOUNS: dict[str, tuple[str, frozenset[str]]] = {
    "effect": ("regulates", frozenset({"on", "upon"})),
    "impact": ("regulates", frozenset({"on", "upon"})),
    "influence": ("regulates", frozenset({"on", "upon", "over"})),
    "role": ("associated_with", frozenset({"in"})),
    "protection": ("prevents", frozenset({"from", "against"})),
}

#: The verb part of "X-induced Y": predicate from X to Y.
PARTICIPLES: dict[str, str] = {
    "induced": "increases",
    "stimulated": "increases",
    "triggered": "causes",
    "evoked": "causes",
    "elicited": "causes",
    "provoked": "causes",
    "driven": "increases",
    "promoted": "increases",
    "mediated": "regulates",
    "regulated": "regulates",
    "dependent": "regulates",
    "associated": "associated_with",
    "related": "associated_with",
    "linked": "associated_with",
    "activated": "activates",
    "inhibited": "inhibits",
    "suppressed": "inhibits",
    "producing": "produces",
    "secreting": "produces",
    "expressing": "expresses",
    "positive": "expresses",
}
#: Those that read from Y to X: an "IFN-producing cell" produces interferon, "HER2-positive cells" express HER2.
INVERTED_PARTICIPLES = frozenset({"producing", "secreting", "expressing", "positive"})


@cache
def verb_forms() -> dict[str, str]:
    """Lemma of each inflected form of the verbs of `verb_meanings`."""
    return {form: verb for verb in sorted(verb_meanings()) for form in inflections(verb)}
