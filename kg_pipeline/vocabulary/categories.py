"""Categories that may meet in one entity: a table, not equality.

A protein and a transcription factor may be one thing; a disease and a temperature that are both called `cold` are
not. Categories of the same group are compatible; a gene and its protein are one group by policy, and no group is
compatible with another one.
"""

from __future__ import annotations

GENE = "gene"
CHEMICAL = "chemical"
DISORDER = "disorder"
ANATOMY = "anatomy"
ORGANISM = "organism"
PROCESS = "process"
PROCEDURE = "procedure"
ENVIRONMENT = "environment"
VARIANT = "variant"
OTHER = "other"

_GROUPS: dict[str, str] = {
    "biolink:Gene": GENE,
    "biolink:GeneFamily": GENE,
    "biolink:Protein": GENE,
    "biolink:ProteinFamily": GENE,
    "biolink:GeneOrGeneProduct": GENE,
    "biolink:MicroRNA": GENE,
    "biolink:NoncodingRNAProduct": GENE,
    "biolink:MacromolecularComplex": GENE,
    "biolink:Transcript": GENE,
    "biolink:SequenceVariant": VARIANT,
    "biolink:GenomicEntity": "genomic",
    "biolink:ChemicalEntity": CHEMICAL,
    "biolink:SmallMolecule": CHEMICAL,
    "biolink:Drug": CHEMICAL,
    "biolink:MolecularMixture": CHEMICAL,
    "biolink:Food": CHEMICAL,
    "biolink:Disease": DISORDER,
    "biolink:PhenotypicFeature": DISORDER,
    "biolink:DiseaseOrPhenotypicFeature": DISORDER,
    "biolink:AnatomicalEntity": ANATOMY,
    "biolink:Cell": ANATOMY,
    "biolink:CellLine": "cell line",
    "biolink:CellularComponent": ANATOMY,
    "biolink:OrganismTaxon": ORGANISM,
    "biolink:BiologicalProcess": PROCESS,
    "biolink:MolecularActivity": PROCESS,
    "biolink:Pathway": PROCESS,
    "biolink:PhysiologicalProcess": PROCESS,
    "biolink:Behavior": PROCESS,
    "biolink:Procedure": PROCEDURE,
    "biolink:EnvironmentalExposure": ENVIRONMENT,
}

#: Order in which readings of one name are preferred where their scores are equal.
_PRIORITY = (
    GENE,
    DISORDER,
    CHEMICAL,
    VARIANT,
    "cell line",
    ANATOMY,
    ORGANISM,
    ENVIRONMENT,
    PROCESS,
    PROCEDURE,
    "genomic",
    OTHER,
)
_RANK = {group: rank for rank, group in enumerate(_PRIORITY)}


def known_categories() -> frozenset[str]:
    """Biolink categories that belong to a group."""
    return frozenset(_GROUPS)


def group_of(category: str) -> str:
    """Group of a Biolink category; `other` for categories of no group, such as biolink:NamedThing."""
    return _GROUPS.get(category, OTHER)


def compatible(a: str, b: str) -> bool:
    """Whether two categories may stand for one entity; `biolink:NamedThing` says nothing and fits all."""
    first, second = group_of(a), group_of(b)
    return first == second or OTHER in (first, second)


def priority(category: str) -> int:
    """Rank of a category among readings of equal score, the first one lowest."""
    return _RANK[group_of(category)]
