"""PrimeKG's one CSV file (Chandak, Huang, Zitnik 2023, Scientific Data 10:67): an edge a row, with both of its ends.

Columns are `relation`, `display_relation`, and `index`, `id`, `type`, `name`, `source` of both ends, `x_` and `y_`. Every edge
stands there in both directions, so the end that is the head is told by its type, and where both have one type nothing
says which it was: such edges become symmetric ones. The format carries no evidence, so the knowledge source stands for it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.graph.exchange.biolink import PREFIX, UNKNOWN_CATEGORY
from kg_pipeline.graph.exchange.files import reading
from kg_pipeline.graph.exchange.records import Edge, Node, Record

SOURCE = "infores:primekg"
COLUMNS = frozenset(
    {
        "relation",
        "display_relation",
        *(f"{end}_{name}" for end in ("x", "y") for name in ("id", "type", "name", "source")),
    }
)


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a relation says: our predicate, the words, the type of its head (None where both ends have one type)."""

    predicate: str
    words: str
    head: str | None = None
    negated: bool = False


_GENE, _DRUG, _DISEASE, _PHENOTYPE = "gene/protein", "drug", "disease", "effect/phenotype"
_ANATOMY, _EXPOSURE, _PATHWAY = "anatomy", "exposure", "pathway"
_FUNCTION, _PROCESS, _COMPONENT = "molecular_function", "biological_process", "cellular_component"
_MEANINGS: dict[str, _Meaning] = {
    "protein_protein": _Meaning("binds", "interacts with"),
    "drug_protein": _Meaning("related_to", "acts on", _DRUG),
    "contraindication": _Meaning("related_to", "is contraindicated in", _DRUG),
    "indication": _Meaning("treats", "is indicated for", _DRUG),
    "off-label use": _Meaning("treats", "is used off-label for", _DRUG),
    "drug_drug": _Meaning("related_to", "interacts with"),
    "drug_effect": _Meaning("causes", "has the side effect", _DRUG),
    "phenotype_protein": _Meaning("associated_with", "is associated with", _GENE),
    "disease_protein": _Meaning("associated_with", "is associated with", _GENE),
    "disease_phenotype_positive": _Meaning("manifestation_of", "is a phenotype of", _PHENOTYPE),
    "disease_phenotype_negative": _Meaning("manifestation_of", "is a phenotype of", _PHENOTYPE, negated=True),
    "anatomy_protein_present": _Meaning("expresses", "expresses", _ANATOMY),
    "anatomy_protein_absent": _Meaning("expresses", "expresses", _ANATOMY, negated=True),
    "molfunc_protein": _Meaning("associated_with", "has the function", _GENE),
    "bioprocess_protein": _Meaning("associated_with", "takes part in", _GENE),
    "cellcomp_protein": _Meaning("located_in", "is located in", _GENE),
    "pathway_protein": _Meaning("part_of", "is part of", _GENE),
    "exposure_protein": _Meaning("related_to", "interacts with", _EXPOSURE),
    "exposure_disease": _Meaning("associated_with", "is linked to", _EXPOSURE),
    "exposure_bioprocess": _Meaning("related_to", "interacts with", _EXPOSURE),
    "exposure_molfunc": _Meaning("related_to", "interacts with", _EXPOSURE),
    "exposure_cellcomp": _Meaning("related_to", "interacts with", _EXPOSURE),
}
_TARGET = _Meaning("targets", "targets", _DRUG)
_CATEGORIES = {
    _GENE: "Gene",
    _DRUG: "Drug",
    _DISEASE: "Disease",
    _PHENOTYPE: "PhenotypicFeature",
    _ANATOMY: "AnatomicalEntity",
    _EXPOSURE: "ChemicalEntity",
    _PATHWAY: "Pathway",
    _FUNCTION: "MolecularActivity",
    _PROCESS: "BiologicalProcess",
    _COMPONENT: "CellularComponent",
}
_PREFIXES = {"NCBI": "NCBIGene", "HPO": "HP", "DrugBank": "DRUGBANK", "REACTOME": "REACT"}
#: Vocabularies whose ids have seven digits, of which PrimeKG drops the leading zeros.
_SEVEN_DIGITS = frozenset({"MONDO", "HP", "GO", "UBERON"})


def columns(path: Path) -> list[str]:
    """Names in the header of a CSV file."""
    with reading(path) as stream:
        return next(csv.reader(stream), [])


def read(path: Path) -> Iterator[Record | None]:
    """Nodes when they are first met, and edges; None for a row that lacks an end."""
    met: set[str] = set()
    with reading(path) as stream:
        for row in csv.DictReader(stream):
            ends = [_node(row, end) for end in ("x", "y")]
            for node in ends:
                if node is not None and node.entity_id not in met:
                    met.add(node.entity_id)
                    yield node
            first, second = ends
            yield None if first is None or second is None else _edge(row, first, second)


def _node(row: Mapping[str, str | None], end: str) -> Node | None:
    id_, kind, name, source = (row.get(f"{end}_{what}") or "" for what in ("id", "type", "name", "source"))
    if not id_:
        return None
    prefix = _PREFIXES.get(source, source)
    if prefix in _SEVEN_DIGITS:
        id_ = id_.zfill(7)
    category = _CATEGORIES.get(kind)
    return Node(
        f"{prefix}:{id_}" if prefix else id_,
        name or id_,
        PREFIX + category if category else UNKNOWN_CATEGORY,
    )


def _edge(row: Mapping[str, str | None], first: Node, second: Node) -> Edge:
    relation, shown = row.get("relation") or "", row.get("display_relation") or ""
    meaning = _MEANINGS.get(relation, _Meaning("related_to", shown or relation.replace("_", " ")))
    if relation == "drug_protein":
        meaning = _TARGET if shown == "target" else _Meaning(meaning.predicate, f"has the {shown}", _DRUG)
    if meaning.head is None:
        is_head = first.entity_id <= second.entity_id
    else:
        is_head = row.get("x_type") == meaning.head
    head, tail = (first, second) if is_head else (second, first)
    return Edge(
        head.entity_id,
        meaning.predicate,
        tail.entity_id,
        negated=meaning.negated,
        source=SOURCE,
        predicate_text=meaning.words,
    )
