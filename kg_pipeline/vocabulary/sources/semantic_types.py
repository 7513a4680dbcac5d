"""Biolink categories of the semantic types of the UMLS; types that stand for no entity of a graph have none."""

from __future__ import annotations

_TYPES: dict[str, str] = {
    "biolink:Gene": "T028 T086 T087 T088",
    "biolink:Protein": "T116 T126 T192 T129",
    "biolink:Disease": "T019 T020 T037 T046 T047 T048 T049 T050 T190 T191",
    "biolink:PhenotypicFeature": "T033 T184",
    "biolink:Drug": "T121 T195 T200",
    "biolink:ChemicalEntity": "T103 T104 T109 T114 T120 T122 T123 T125 T127 T130 T131 T196 T197",
    "biolink:Cell": "T025",
    "biolink:CellularComponent": "T026",
    "biolink:AnatomicalEntity": "T017 T018 T021 T022 T023 T024 T029 T030 T031",
    "biolink:OrganismTaxon": "T001 T002 T004 T005 T007 T008 T010 T011 T012 T013 T014 T015 T016 T194 T204",
    "biolink:BiologicalProcess": "T038 T039 T040 T041 T042 T043 T045",
    "biolink:MolecularActivity": "T044",
    "biolink:Behavior": "T053 T054 T055",
    "biolink:Procedure": "T058 T059 T060 T061 T063",
    "biolink:Food": "T168",
    "biolink:EnvironmentalExposure": "T069",
}
#: Of several types of a concept the first category here is taken: a drug is a chemical too, an enzyme a protein.
_ORDER = tuple(_TYPES)

CATEGORY_OF_TYPE: dict[str, str] = {
    semantic_type: category for category, types in _TYPES.items() for semantic_type in types.split()
}
RANK_OF_CATEGORY: dict[str, int] = {category: rank for rank, category in enumerate(_ORDER)}
