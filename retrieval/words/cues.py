"""Words of a question that say what is asked, not what it is about: its kind, the relation, the type of the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from kg_pipeline.graph.reader import Vector
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.words.terms import STOP_WORDS, stem

QuestionKind = Literal["yes_no", "how", "why", "which", "what", "other"]
Role = Literal["head", "tail"]
EmbedName = Callable[[str], Vector]

_YES_NO = re.compile(
    r"\s*(?:do|does|did|is|are|was|were|can|could|may|might|must|has|have|had|will|would|should)\b",
    re.IGNORECASE,
)
_WH = re.compile(r"\b(how|why|which|what|who|whom|where|when)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\b[^?.]*\b\w+(?:ed|en|ught|ound|t)\s+(?:by|in|on|from)\b",
    re.IGNORECASE,
)

#: Words of a question that stand for a relation but are no verb of the vocabulary; empty: any relation.
_NOUNS: dict[str, tuple[str, ...]] = {
    "treatment": ("treats",),
    "therapy": ("treats",),
    "therapeutic": ("treats",),
    "prevention": ("prevents",),
    "symptom": ("manifestation_of",),
    "risk": ("predisposes",),
    "biomarker": ("biomarker_of",),
    "adverse": ("causes", "predisposes"),
    "side": ("causes", "predisposes"),
    "inhibitor": ("inhibits",),
    "activator": ("activates",),
    "inducer": ("increases", "activates"),
    "trigger": ("causes", "increases", "activates"),
    "lead": ("causes", "increases", "activates", "predisposes"),
    "follow": ("causes", "predisposes", "associated_with"),
    "induce": ("increases", "causes", "activates", "produces"),
    "cause": ("causes", "predisposes", "increases"),
    "target": ("targets", "inhibits", "binds"),
    "worsen": ("increases", "causes", "predisposes"),
    "reduce": ("decreases", "inhibits", "treats", "prevents"),
    "decrease": ("decreases", "inhibits"),
    "increase": ("increases", "activates", "causes", "produces"),
    "prevent": ("prevents", "treats", "decreases", "inhibits"),
    "protect": ("prevents", "treats", "decreases"),
    "treat": ("treats", "prevents"),
    "improve": ("treats",),
    "help": ("treats", "prevents"),
}
_ASKED = {stem(word): names for word, names in _NOUNS.items()}
#: Predicates that a verb names too loosely to hold evidence to them.
ANY_RELATION = frozenset({"associated_with", "related_to", "correlated_with", "regulates"})
_AMBIGUOUS_WORDS = frozenset({"type", "kind", "form", "variant", "part", "change", "signal", "present", "feature", "found", "direct", "drive", "control", "release", "marker"})  # fmt: skip
#: Verbs that are nouns more often; they express the relation only where they can be nothing but a verb.
_NOUNS_TOO = {stem("release"): "produces"}
_VERBS: dict[str, str] = {
    stem(word): predicate.name
    for predicate in PREDICATES.values()
    for word in predicate.words
    if word not in _AMBIGUOUS_WORDS and " " not in word
}

#: Words that tell who does and who undergoes.
_ORIENTED = frozenset(
    word
    for word in {*_ASKED, *_VERBS}
    if not ANY_RELATION.intersection((*_ASKED.get(word, ()), _VERBS.get(word, "")))
)
#: Stems of words for the harm that a thing does.
HARM_STEMS = frozenset(
    stem(word) for word in ("side", "adverse", "toxicity", "toxicities", "complication", "complications")
)
#: Nouns whose "of" names the one that does: "targets of X", "toxicity of X".
_OF_HEAD = HARM_STEMS | {stem("target")}
_SAME_EFFECT = (frozenset({"inhibits", "decreases"}), frozenset({"activates", "increases"}))
#: Predicates that say nothing but a direction.
EFFECTS = frozenset[str]().union(*_SAME_EFFECT)
#: What of a thing is acted on; beside another word of relation these ask for no relation of their own.
ACTED_ON = frozenset({"expression", "production", "activation", "secretion", "synthesis", "phosphorylation"})
AUXILIARIES = frozenset({"do", "does", "did", "can", "could", "may", "might"})
_BEFORE_A_NOUN = frozenset({"the", "a", "an", "its", "their", "this", "that", "of"})

#: Words for a type of thing and the Biolink categories (without prefix) that are one.
CATEGORIES: dict[str, tuple[str, ...]] = {
    "gene": ("Gene", "GeneOrGeneProduct", "Protein", "GeneFamily"),
    "protein": ("Protein", "Gene", "GeneOrGeneProduct", "GeneFamily"),
    "cytokine": ("Protein", "Gene", "GeneOrGeneProduct", "GeneFamily"),
    "receptor": ("Protein", "Gene", "GeneOrGeneProduct", "GeneFamily"),
    "kinase": ("Protein", "Gene", "GeneOrGeneProduct", "GeneFamily"),
    "drug": ("Drug", "ChemicalEntity", "SmallMolecule", "MolecularMixture", "Treatment", "ChemicalMixture"),
    "medication": (
        "Drug",
        "ChemicalEntity",
        "SmallMolecule",
        "MolecularMixture",
        "Treatment",
        "ChemicalMixture",
    ),
    "treatment": (
        "Drug",
        "ChemicalEntity",
        "SmallMolecule",
        "MolecularMixture",
        "Treatment",
        "Procedure",
        "ChemicalMixture",
    ),
    "therapy": (
        "Drug",
        "ChemicalEntity",
        "SmallMolecule",
        "MolecularMixture",
        "Treatment",
        "Procedure",
        "ChemicalMixture",
    ),
    "disease": ("Disease", "PhenotypicFeature", "DiseaseOrPhenotypicFeature"),
    "disorder": ("Disease", "PhenotypicFeature", "DiseaseOrPhenotypicFeature"),
    "symptom": ("PhenotypicFeature", "Disease", "DiseaseOrPhenotypicFeature"),
    "cell": ("Cell", "CellLine", "GrossAnatomicalStructure", "AnatomicalEntity"),
    "pathway": ("Pathway", "BiologicalProcess"),
    "process": ("BiologicalProcess", "Pathway", "PathologicalProcess", "PhysiologicalProcess"),
}
_TYPES = {stem(word): names for word, names in CATEGORIES.items()}
_PRODUCTS = CATEGORIES["protein"]
#: Stems of words that are a type only where a question asks for one of it; anywhere else they are about something.
ASKED_TYPES: dict[str, tuple[str, ...]] = {
    stem(word): names
    for word, names in {
        "antigen": _PRODUCTS,
        "ligand": (*_PRODUCTS, "ChemicalEntity", "SmallMolecule", "Drug"),
        "molecule": (*_PRODUCTS, "ChemicalEntity", "SmallMolecule", "Drug", "MicroRNA"),
        "complex": (*_PRODUCTS, "MacromolecularComplex", "CellularComponent"),
        "enzyme": _PRODUCTS,
        "transporter": _PRODUCTS,
        "chemokine": _PRODUCTS,
        **dict.fromkeys(("microrna", "mirna"), ("MicroRNA",)),
        **dict.fromkeys(("lncrna", "circrna"), ("NoncodingRNAProduct", "RNAProduct", "Gene")),
        **dict.fromkeys(("antibody", "autoantibody"), ()),  # told by names alone
        **dict.fromkeys(
            ("bacteria", "bacterium", "fungi", "fungus", "pathogen", "virus"), ("OrganismTaxon",)
        ),
        "metabolite": ("ChemicalEntity", "SmallMolecule", "MolecularMixture"),
        "condition": CATEGORIES["disease"],
        "complication": CATEGORIES["disease"],
    }.items()
}
#: Nouns that with "of" say what a thing belongs to: "which complex is X part of?"
_PARTS = frozenset(stem(word) for word in ("part", "member", "subunit", "component", "constituent"))
_ASKING = frozenset({"which", "what", "whic", stem("list"), stem("name")})
_BESIDE = 3  # tokens
_WIDEST_TYPE = 5  # tokens after the asking word, among which the type is looked for

_GENERIC = """able act adequate always best better dangerous efficacious efficacy good justify necessary need really safe safety
    should still superior useful assess detect detection determine evaluate identify
    measure reveal valid valuable value worth adverse affect amount association become cause change clinical common compare condition connect connection contribute correlate corpus current
    define definition decline describe drop fall fraction get go detail development difference different effect effective effectiveness evidence example exist explain
    explanation fact factor find finding follow function given help impact implicate important improve influence information interact interaction
    involve involvement kind known lead level link list lose main many number major make manage management mechanism mediate name novel occur outcome
    overview patient paper article people percent percentage person play possible potential presence primary process
    proportion question rate relate relation rise raise grow happen say see seen show side tell take
    relationship relevant report research response result risk role several show significant specific state step study subject
    suggest summarise summarize summary symptom target therapeutic therapy treatment trigger type underlying understand
    understood work use provide seeing subsequent subsequently"""

#: Words that ask; they are neither looked up as entities nor demanded of the evidence.
CUE_STEMS: frozenset[str] = frozenset(
    {stem(word) for word in _GENERIC.split()} | set(_VERBS) | set(_ASKED) | set(_TYPES) - {stem("kinase")}
)


def question_kind(text: str) -> QuestionKind:
    """How the question opens; a yes/no question opens with its verb."""
    if _YES_NO.match(text):
        return "yes_no"
    found = _WH.search(text)
    if not found:
        return "other"
    word = found.group(1).lower()
    if word in {"how", "why", "which", "what"}:
        return word  # type: ignore[return-value]
    return "which"


def asked_predicates(stems: Sequence[str]) -> frozenset[str]:
    """Predicates that the question's words ask for; empty where any relation would answer it."""
    found: set[str] = set()
    for at, word in enumerate(stems):
        names = predicates_of(word)
        if not names and word in _NOUNS_TOO and reads_as_verb(stems, at, ()):
            names = frozenset({_NOUNS_TOO[word]})
        if any(name in ANY_RELATION for name in names):
            continue
        found.update(names)
    return frozenset(found)


def kin_of(predicates: Collection[str]) -> frozenset[str]:
    """The predicates with those that say the same of an amount or an activity: what suppresses X inhibits or decreases it."""
    kin = (pair for pair in _SAME_EFFECT if len(pair & set(predicates)) == 1)
    return frozenset(predicates).union(*kin)


def predicates_of(word: str) -> frozenset[str]:
    """Predicates that the stem of one word expresses, in a question or a sentence."""
    return frozenset(_ASKED.get(word) or ((_VERBS[word],) if word in _VERBS else ()))


def reads_as_verb(words: Sequence[str], at: int, names: Collection[int]) -> bool:
    """Whether a word that is a noun too is what somebody does: "drugs target PD-1", "what does belimumab target?".

    `names` are the places where a name begins.
    """
    if at + 1 == len(words):
        return not AUXILIARIES.isdisjoint(words[:at])
    return at + 1 in names and at > 0 and words[at - 1] not in _BEFORE_A_NOUN


def link_role(
    stems: Sequence[str], first: int, last: int, *, passive: bool, verbs: Collection[str] | None = None
) -> Role | None:
    """Whether the name at tokens `first` to `last` does (head) or undergoes (tail) what the words say; None if unclear.

    `verbs` are the stems that tell; by default all words of a direction.

    >>> link_role(["what", "doe", "baff", "inhibit"], 2, 3, passive=False)
    'head'
    >>> link_role(["which", "drug", "target", "baff"], 3, 4, passive=False)
    'tail'
    """
    telling = _ORIENTED if verbs is None else verbs
    before = [i for i in range(first) if stems[i] in telling]
    after = [i for i in range(last, len(stems)) if stems[i] in telling]
    if before and after and verbs is not None:
        # In a long sentence the word right beside the name tells, not one of another clause.
        back, ahead = first - before[-1], after[0] - last + 1
        if min(back, ahead) <= _BESIDE and abs(back - ahead) > _BESIDE:
            before, after = (before, []) if back < ahead else ([], after)
    if bool(before) == bool(after):
        return None
    # "The targets of X" are what X does; in "which drugs target X", X undergoes.
    does = bool(after) or (stems[before[-1]] in _OF_HEAD and not reads_as_verb(stems, before[-1], {first}))
    return "head" if does != passive else "tail"


def asked_type(stems: Sequence[str]) -> tuple[int, frozenset[str]] | None:
    """Where a question names the type it asks for ("which gene", "what treatment"), and its categories without prefix.

    A type that is none elsewhere ("antigen") must stand next to the asking word or its article.
    """
    for i, word in enumerate(stems):
        if word not in _ASKING:
            continue
        for at in range(i + 1, min(i + _WIDEST_TYPE, len(stems))):
            if stems[at] in _TYPES:
                return at, frozenset(_TYPES[stems[at]])
            if stems[at] in ASKED_TYPES and all(other in STOP_WORDS for other in stems[i + 1 : at]):
                return at, frozenset(ASKED_TYPES[stems[at]])
    return None


def whole_of(stems: Sequence[str]) -> int | None:
    """Where a question asks what something is part of; None if it does not."""
    places = [i for i, word in enumerate(stems[:-1]) if word in _PARTS and stems[i + 1] == "of"]
    return places[0] if places else None


def is_passive(text: str) -> bool:
    """Whether the verb is passive with an agent: "is X caused by Y"."""
    return _PASSIVE.search(text) is not None


__all__ = [
    "ANY_RELATION",
    "ASKED_TYPES",
    "CATEGORIES",
    "CUE_STEMS",
    "HARM_STEMS",
    "STOP_WORDS",
    "EmbedName",
    "QuestionKind",
    "Role",
    "asked_predicates",
    "asked_type",
    "is_passive",
    "link_role",
    "predicates_of",
    "question_kind",
    "reads_as_verb",
    "whole_of",
]
