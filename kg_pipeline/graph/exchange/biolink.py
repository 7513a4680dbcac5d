"""Our predicates as Biolink predicates with qualifiers, and Biolink, Hetionet and free-text predicates as ours.

Biolink Model 4 says "inhibits" as `affects` with a qualified predicate, an aspect and a direction. Our own name is kept
beside it as `original_predicate` (`kg:inhibits`), so that nothing is lost on the way back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kg_pipeline.vocabulary.predicates import PREDICATES

ORIGINAL = "kg:"
PREFIX = "biolink:"
CATEGORY = re.compile(r"biolink:[A-Z][A-Za-z]+")
UNKNOWN_CATEGORY = "biolink:NamedThing"
QUALIFIERS = ("qualified_predicate", "object_aspect_qualifier", "object_direction_qualifier")
#: Categories of ours that may not stand on a node, and one that may: Biolink only mixes the first two into others, and its
#: tooling takes the name of the third for a misspelt one.
_ON_NODES = {
    "biolink:GeneOrGeneProduct": "biolink:Gene",
    "biolink:GenomicEntity": "biolink:NucleicAcidEntity",
    "biolink:MicroRNA": "biolink:Transcript",
}
_WORD = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class BiolinkPredicate:
    """A Biolink predicate and the values of `QUALIFIERS`, empty where there is none."""

    predicate: str
    qualified_predicate: str = ""
    aspect: str = ""
    direction: str = ""

    @property
    def qualifiers(self) -> tuple[str, str, str]:
        """Values in the order of `QUALIFIERS`."""
        return self.qualified_predicate, self.aspect, self.direction


def _affects(aspect: str, direction: str) -> BiolinkPredicate:
    return BiolinkPredicate("biolink:affects", "biolink:causes", aspect, direction)


_OURS: dict[str, BiolinkPredicate] = {
    "causes": BiolinkPredicate("biolink:causes"),
    "treats": BiolinkPredicate("biolink:treats"),
    "prevents": BiolinkPredicate("biolink:preventative_for_condition"),
    "activates": _affects("activity", "increased"),
    "inhibits": _affects("activity", "decreased"),
    "increases": _affects("activity_or_abundance", "increased"),
    "decreases": _affects("activity_or_abundance", "decreased"),
    "regulates": BiolinkPredicate("biolink:regulates"),
    "produces": BiolinkPredicate("biolink:produces"),
    "expresses": BiolinkPredicate("biolink:expresses"),
    "binds": BiolinkPredicate("biolink:directly_physically_interacts_with"),
    "targets": BiolinkPredicate("biolink:affects"),
    "predisposes": BiolinkPredicate("biolink:predisposes_to_condition"),
    "biomarker_of": BiolinkPredicate("biolink:biomarker_for"),
    "manifestation_of": BiolinkPredicate("biolink:manifestation_of"),
    "located_in": BiolinkPredicate("biolink:located_in"),
    "part_of": BiolinkPredicate("biolink:part_of"),
    "converts_to": BiolinkPredicate("biolink:derives_into"),
    "subclass_of": BiolinkPredicate("biolink:subclass_of"),
    "correlated_with": BiolinkPredicate("biolink:correlated_with"),
    "associated_with": BiolinkPredicate("biolink:associated_with"),
    "related_to": BiolinkPredicate("biolink:related_to"),
}

#: Words of other graphs' predicates that are one of ours, read from subject to object.
_SYNONYMS = {
    "affects": "regulates",
    "preventative_for_condition": "prevents",
    "ameliorates_condition": "treats",
    "ameliorates": "treats",
    "palliates": "treats",
    "applied_to_treat": "treats",
    "treats_or_applied_or_studied_to_treat": "treats",
    "in_clinical_trials_for": "treats",
    "positively_regulates": "increases",
    "negatively_regulates": "decreases",
    "upregulates": "increases",
    "downregulates": "decreases",
    "physically_interacts_with": "binds",
    "directly_physically_interacts_with": "binds",
    "interacts_with": "binds",
    "predisposes_to_condition": "predisposes",
    "contributes_to": "predisposes",
    "biomarker_for": "biomarker_of",
    "derives_into": "converts_to",
    "has_metabolite": "converts_to",
    "gene_associated_with_condition": "associated_with",
    "genetically_associated_with": "associated_with",
    "participates_in": "associated_with",
    "associates": "associated_with",
    "covaries": "correlated_with",
    "has_side_effect": "causes",
    "has_adverse_event": "causes",
}
#: The same, read from object to subject.
_INVERSES = {
    "caused_by": "causes",
    "treated_by": "treats",
    "expressed_in": "expresses",
    "has_phenotype": "manifestation_of",
    "has_part": "part_of",
    "has_participant": "associated_with",
    "superclass_of": "subclass_of",
    "location_of": "located_in",
    "has_biomarker": "biomarker_of",
    "regulated_by": "regulates",
    "affected_by": "regulates",
    "produced_by": "produces",
    "derives_from": "converts_to",
}


def to_biolink(predicate: str) -> BiolinkPredicate:
    """Biolink's way to say one of our predicates; a KeyError for anything else."""
    return _OURS[predicate]


def from_biolink(predicate: str, qualifiers: Mapping[str, str], original: str = "") -> tuple[str, bool, bool]:
    """Our predicate; whether head and tail change places; whether it is only the fall-back `related_to`."""
    ours = original.removeprefix(ORIGINAL)
    if original.startswith(ORIGINAL) and ours in PREDICATES:
        return ours, False, False
    name = _folded(predicate)
    direction = qualifiers.get("object_direction_qualifier", "")
    if name == "affects" and direction:
        raises = direction in ("increased", "upregulated")
        is_activity = qualifiers.get("object_aspect_qualifier") == "activity"
        if is_activity:
            return ("activates" if raises else "inhibits"), False, False
        return ("increases" if raises else "decreases"), False, False
    if name in PREDICATES:
        return name, False, False
    if name in _SYNONYMS:
        return _SYNONYMS[name], False, False
    if name in _INVERSES:
        return _INVERSES[name], True, False
    return "related_to", False, True


def node_category(category: str) -> str:
    """A category that Biolink allows on a node."""
    return _ON_NODES.get(category, category)


def category_of(values: tuple[str, ...]) -> str:
    """The first Biolink category of a node; kinds of other graphs become one by their words."""
    for value in values:
        if CATEGORY.fullmatch(value):
            return value
    for value in values:
        if words := _WORD.findall(value.rpartition(":")[2]):
            return PREFIX + "".join(word[:1].upper() + word[1:] for word in words)
    return UNKNOWN_CATEGORY


def _folded(predicate: str) -> str:
    return "_".join(word.lower() for word in _WORD.findall(predicate.rpartition(":")[2]))
