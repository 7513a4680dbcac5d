"""From a kind of relation of BioRED or ChemProt to a predicate of the closed set and its direction.

A kind says less than a predicate: BioRED's correlations have a sign and no direction. The direction is given by the
groups of the two entities where they leave only one (a chemical causes or treats a disorder, a variant predisposes to
it); where they do not, the predicate is a symmetric one without a sign. So it is with ChemProt's up- and
downregulators, which models mistake for "COX-2 raises prostaglandin E2". Kinds that compare two treatments, or give
them together, are no knowledge about either and have no predicate.
"""

from __future__ import annotations

from dataclasses import dataclass

from kg_pipeline.extraction.relation_model.pairs import VARIANT
from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER

ASSOCIATION = "Association"
POSITIVE, NEGATIVE = "Positive_Correlation", "Negative_Correlation"

#: Predicate from the first group to the second one.
_DIRECTED: dict[str, dict[tuple[str, str], str]] = {
    POSITIVE: {(CHEMICAL, DISORDER): "causes", (VARIANT, DISORDER): "predisposes"},
    NEGATIVE: {(CHEMICAL, DISORDER): "treats"},
}
#: Predicate where the groups leave the direction open.
_SYMMETRIC = {
    ASSOCIATION: "associated_with",
    POSITIVE: "correlated_with",
    NEGATIVE: "associated_with",
    "Bind": "binds",
}

#: Predicate from the chemical to the gene, by the kinds of ChemProt.
_OF_CHEMPROT = {
    "ACTIVATOR": "activates",
    "AGONIST": "activates",
    "AGONIST-ACTIVATOR": "activates",
    "AGONIST-INHIBITOR": "inhibits",
    "ANTAGONIST": "inhibits",
    "INHIBITOR": "inhibits",
    "SUBSTRATE": "binds",
}
#: Kinds of ChemProt that go from the gene to the chemical.
_PRODUCED = {"PRODUCT-OF": "produces", "SUBSTRATE_PRODUCT-OF": "produces"}


@dataclass(frozen=True, slots=True)
class Meant:
    """A predicate, and whether the second of the two entities is its head."""

    predicate: str
    inverted: bool = False


def of_biored(kind: str, first: str, second: str) -> Meant | None:
    """What a kind of BioRED means between two groups; `None` for kinds that are no knowledge about the two.

    >>> of_biored("Positive_Correlation", "disorder", "chemical")
    Meant(predicate='causes', inverted=True)
    """
    directed = _DIRECTED.get(kind, {})
    if (first, second) in directed:
        return Meant(directed[first, second])
    if (second, first) in directed:
        return Meant(directed[second, first], inverted=True)
    predicate = _SYMMETRIC.get(kind)
    return None if predicate is None else Meant(predicate)


def of_chemprot(kind: str, first: str) -> Meant | None:
    """What a kind of ChemProt means where the first of the two is of that group: a chemical, or else the gene.

    `None` for kinds that leave the direction open.
    """
    is_chemical = first == CHEMICAL
    if kind in _PRODUCED:
        return Meant(_PRODUCED[kind], inverted=is_chemical)
    predicate = _OF_CHEMPROT.get(kind)
    return None if predicate is None else Meant(predicate, inverted=not is_chemical)
